#include "libcuda/code/machine_code.h"

#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "libcuda/image/bytes.h"

#include <string.h>

enum { CODE_ALIGN = 256, KERNEL_STEP = 16, MOST_THREADS = 1024 };

// Above the addresses of PTX functions.
#define KERNEL_ADDRESS ((uint64_t)1 << 51)

// --- variables

static struct ptx_var *in_ptx(const struct machine_code *c, const char *name)
{
	struct ptx_var *v = *name ? ptx_program_var(c->program, name) : NULL;
	if (v && v->def)
		v = v->def;
	return v && v->addr ? v : NULL;
}

// Where the program's variables are laid out.
static const struct variable_layout *laid_out(const struct machine_code *c)
{
	return c->under && c->under->own.n ? &c->under->own : &c->program->layout;
}

// Whether it has variables of the section; its size alone may be the cubin's.
static bool has_section(const struct variable_layout *l, enum variable_section s)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].section == s)
			return true;
	return false;
}

static uint64_t managed_addr(const struct machine_code *c, const char *name)
{
	for (size_t i = 0; *name && i < c->managed.n; i++)
		if (!strcmp(c->managed.at[i].name, name))
			return c->managed.at[i].addr;
	return c->under ? managed_addr(c->under, name) : 0;
}

static const struct variable_place *place_of(const struct machine_code *c, const char *name)
{
	for (size_t i = 0; i < c->cubin.variables.n; i++)
		if (!strcmp(c->cubin.variables.at[i].name, name))
			return &c->cubin.variables.at[i];
	return NULL;
}

static uint64_t address_of(void *ctx, const struct variable_place *v)
{
	const struct machine_code *c = ctx;
	struct ptx_var *p = in_ptx(c, v->name);
	uint64_t own = c->own.section[v->section].addr, managed = managed_addr(c, v->name);
	if (managed)
		return managed;
	if (p && p->managed)
		return p->addr;
	const struct variable_layout *laid = laid_out(c);
	if (c->alike[v->section])
		return laid->section[v->section].addr + v->offset;
	if (p && (!v->size || p->size == v->size))
		return p->addr;
	const struct variable_place *q = c->under && *v->name ? place_of(c->under, v->name) : NULL;
	if (q && q->size == v->size)
		return address_of((void *)c->under, q);
	// Constants that the program has lie elsewhere, and code that finds them by their distance would read others.
	bool apart = !*v->name && v->section == SECTION_CONST && has_section(laid, SECTION_CONST);
	return own && !apart ? own + v->offset : 0;
}

// Names that only one variable has; others cannot be told apart.
static void index_places(struct map *by_name, const struct variable_layout *l)
{
	static const struct variable_place ambiguous = {.size = UINT64_MAX};
	for (size_t i = 0; i < l->n; i++) {
		size_t len = strlen(l->at[i].name);
		bool twice = map_get(by_name, l->at[i].name, len);
		map_put(by_name, l->at[i].name, len, (void *)(twice ? &ambiguous : &l->at[i]));
	}
}

static void compare_layouts(struct machine_code *c)
{
	const struct variable_layout *program = laid_out(c), *cubin = &c->cubin.variables;
	struct map by_name = {0};
	index_places(&by_name, cubin);
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++)
		c->alike[s] = program->section[s].addr && program->section[s].size == cubin->section[s].size;
	for (size_t i = 0; i < program->n; i++) {
		const struct variable_place *p = &program->at[i], *q = map_get(&by_name, p->name, strlen(p->name));
		if (!q || q->size == UINT64_MAX || (q->section == p->section && q->offset == p->offset))
			continue;
		c->alike[p->section] = c->alike[q->section] = false;
	}
	map_free(&by_name);
}

static bool needs_own(struct machine_code *c)
{
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++)
		if (c->cubin.variables.section[s].size && !c->alike[s] && !has_section(laid_out(c), s))
			return true;
	for (size_t i = 0; i < c->cubin.variables.n; i++)
		if (!address_of(c, &c->cubin.variables.at[i]))
			return true;
	return false;
}

static bool no_room(const char *what, uint64_t size, struct diag *d)
{
	diag_add(d, DIAG_ERROR, "no device memory left for %s (%llu bytes)", what, (unsigned long long)size);
	return false;
}

static bool place_managed(struct machine_code *c, const char *name, struct diag *d)
{
	const struct variable_place *v = place_of(c, name);
	if (!v || in_ptx(c, name))
		return true;
	uint64_t at = devmem_alloc(c->mem, v->size ? v->size : 1, 0, DEVMEM_MANAGED, 0);
	if (!at)
		return no_room(name, v->size, d);
	struct managed_place m = {v->name, at};
	VEC_PUSH(&c->managed, m);
	return true;
}

// All have their places before any address is written.
static bool fill_own(struct machine_code *c, struct diag *d)
{
	bool ok = true;
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++) {
		const uint8_t *initial = machine_initial(c->machine, s);
		if (c->own.section[s].addr && initial)
			memcpy((void *)(uintptr_t)c->own.section[s].addr, initial, c->own.section[s].size);
		if (c->own.section[s].addr)
			ok &= machine_fill(c->machine, s, (uint8_t *)(uintptr_t)c->own.section[s].addr, d);
	}
	for (size_t i = 0; i < c->managed.n; i++) {
		const struct variable_place *v = place_of(c, c->managed.at[i].name);
		memcpy((void *)(uintptr_t)c->managed.at[i].addr, (void *)(uintptr_t)(c->own.section[v->section].addr + v->offset), v->size);
	}
	return ok;
}

static bool make_own(struct machine_code *c, const char *const *managed, size_t n, struct diag *d)
{
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++) {
		uint64_t size = c->cubin.variables.section[s].size;
		c->own.section[s].size = size;
		c->own.section[s].addr = size ? devmem_alloc(c->mem, size, 0, s == SECTION_CONST ? DEVMEM_CONST : DEVMEM_GLOBAL, 0) : 0;
		if (size && !c->own.section[s].addr)
			return no_room("its variables", size, d);
	}
	c->own.n = c->cubin.variables.n;
	c->own.at = c->cubin.variables.at;
	for (size_t i = 0; i < n; i++)
		if (!place_managed(c, managed[i], d))
			return false;
	return fill_own(c, d);
}

bool machine_code_link(struct machine_code *c, const char *const *managed, size_t n, struct diag *d)
{
	compare_layouts(c);
	return !needs_own(c) || make_own(c, managed, n, d);
}

bool machine_code_variable(const struct machine_code *c, const char *name, uint64_t *addr, uint64_t *size)
{
	const struct variable_place *v = c->machine ? place_of(c, name) : NULL;
	*addr = v ? address_of((void *)c, v) : 0;
	*size = v ? v->size : 0;
	return *addr;
}

// --- kernels

uint64_t machine_code_address(const struct machine_code *c, const char *kernel)
{
	const struct cubin_kernel *k = cubin_find(&c->cubin, kernel);
	return k ? KERNEL_ADDRESS + (uint64_t)(k - c->cubin.kernel.at) * KERNEL_STEP : 0;
}

const char *machine_code_named(const struct machine_code *c, uint64_t address)
{
	uint64_t i = (address - KERNEL_ADDRESS) / KERNEL_STEP;
	return address >= KERNEL_ADDRESS && address % KERNEL_STEP == 0 && i < c->cubin.kernel.n ? c->cubin.kernel.at[i].name : NULL;
}

// PTX and machine code agree on the address of a kernel that both have.
static uint64_t kernel_address(void *ctx, const char *name)
{
	const struct machine_code *c = ctx;
	struct ptx_func *f = ptx_program_func(c->program, name);
	return f && f->entry ? f->addr : machine_code_address(c, name);
}

static uint32_t texture_handle(void *ctx, const char *name)
{
	const struct machine_code *c = ctx;
	return c->texture ? c->texture(c->texture_ctx, name) : 0;
}

bool machine_code_has(const struct machine_code *c, const char *kernel) { return c->machine && cubin_find(&c->cubin, kernel); }

static bool fill_info(struct machine_code *c, const struct cubin_kernel *k, const struct sass_image *image, struct kernel_info *info,
                      struct diag *d)
{
	if (k->param_bytes && !k->n_params) {
		diag_add(d, DIAG_ERROR, "%s: kernel %s takes %u bytes of parameters, but its machine code does not tell which", image->file,
		         k->name, k->param_bytes);
		return false;
	}
	struct kernel_param *param = ARENA_ARRAY(&c->arena, struct kernel_param, k->n_params + 1);
	for (unsigned i = 0; i < k->n_params; i++) {
		uint32_t both = k->param[i].offset | k->param[i].size | 16; // a multiple of the alignment
		param[i] = (struct kernel_param){k->param[i].offset, k->param[i].size, both & -both};
	}
	*info = (struct kernel_info){
	        .name = k->name,
	        .regs = image->registers,
	        .static_shared = image->shared,
	        .local = image->local,
	        .param_bytes = k->param_bytes,
	        .n_params = k->n_params,
	        .param = param,
	        .max_threads = k->max_threads && k->max_threads < MOST_THREADS ? k->max_threads : MOST_THREADS,
	        .reqntid = {k->required[0], k->required[1], k->required[2]},
	        .cluster = {k->cluster[0], k->cluster[1], k->cluster[2]},
	        .max_cluster = k->max_cluster,
	        .explicit_cluster = k->explicit_cluster,
	        .blocks_are_clusters = k->blocks_are_clusters,
	        .target = c->cubin.target,
	        .machine = k->machine,
	        .variables = c->own.n ? &c->own : laid_out(c),
	        .code_base = c->program->code_end,
	};
	info->machine.param_base = image->param_base;
	c->program->code_end += (image->size + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
	return true;
}

bool machine_code_kernel(struct machine_code *c, const char *name, uint32_t units, struct machine_kernel *k, struct diag *d)
{
	const struct sass_image *image = machine_image(c->machine, name, d);
	k->code = image ? sass_kernel_new(image, units, d) : NULL;
	if (!k->code)
		return false;
	if (fill_info(c, cubin_find(&c->cubin, name), image, &k->info, d))
		return true;
	sass_kernel_free(k->code);
	k->code = NULL;
	return false;
}

// --- the whole

static bool function_at(void *ctx, const char *name, uint64_t *addr)
{
	const struct machine_code *c = ctx;
	return machine_function(c->machine, name, addr);
}

bool machine_code_open(struct machine_code *c, struct ptx_program *p, struct devmem *mem, const void *data, size_t size, const char *file,
                       struct diag *d)
{
	struct machine_world world = {c, address_of, kernel_address, texture_handle, builtin_find, p->tensor};
	*c = (struct machine_code){.program = p, .mem = mem};
	c->file = arena_strdup(&c->arena, file);
	if (cubin_read(&c->cubin, data, size, &c->arena, d))
		c->machine = machine_new(data, size, &c->cubin, c->file, &world, d);
	if (!c->machine) {
		machine_code_close(c);
		return false;
	}
	return true;
}

void machine_code_lead(struct machine_code *c)
{
	c->program->function_at = function_at;
	c->program->function_ctx = c;
	c->program->constants_together = true;
}

void machine_code_close(struct machine_code *c)
{
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++)
		if (c->own.section[s].addr)
			devmem_free(c->mem, c->own.section[s].addr);
	for (size_t i = 0; i < c->managed.n; i++)
		devmem_free(c->mem, c->managed.at[i].addr);
	VEC_FREE(&c->managed);
	machine_free(c->machine);
	cubin_free(&c->cubin);
	arena_free(&c->arena);
	*c = (struct machine_code){0};
}
