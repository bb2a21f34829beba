#include "libcuda/code/module_parts.h"

#include "base/map.h"
#include "base/mem.h"
#include "cuda-sim/ptx/ptx.h"
#include "libcuda/context/output.h"
#include "libcuda/texture/texture_object.h"
#include "libcuda/work/wait.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

// Everything registered, in order.
static struct {
	VEC(struct module *) modules;
	struct map kernels, variables, texrefs; // by host address
	VEC(struct texref *) loose; // of no module: cuTexRefCreate
	atomic_bool unexplained;    // a module or a kernel could not be loaded, which was not told
} registry;

static void index_add(struct map *m, const void *const *host, void *object)
{
	if (!map_get(m, (const char *)host, sizeof *host))
		map_put(m, (const char *)host, sizeof *host, object);
}

static void *index_find(const struct map *m, const void *host) { return map_get(m, (const char *)&host, sizeof host); }

// The first module that registered an address is asked for it.
static void rebuild_index(void)
{
	map_free(&registry.kernels);
	map_free(&registry.variables);
	map_free(&registry.texrefs);
	for (size_t i = 0; i < registry.modules.n; i++) {
		struct module *m = registry.modules.at[i];
		for (size_t k = 0; k < m->kernels.n; k++)
			index_add(&registry.kernels, &m->kernels.at[k]->host, m->kernels.at[k]);
		for (size_t k = 0; k < m->variables.n; k++)
			index_add(&registry.variables, &m->variables.at[k]->host, m->variables.at[k]);
		for (size_t k = 0; k < m->texrefs.n; k++)
			index_add(&registry.texrefs, &m->texrefs.at[k]->host, m->texrefs.at[k]);
	}
}


struct kernel *kernel_find(const void *host, cudaError_t *e)
{
	struct kernel *k = index_find(&registry.kernels, host);
	*e = k ? cudaSuccess : cudaErrorInvalidDeviceFunction;
	return k;
}

static void resolve(struct kernel *k)
{
	if (k->state != KERNEL_NEW)
		return;
	k->error = kernel_load(k, &k->untold);
	k->state = k->error ? KERNEL_FAILED : KERNEL_READY;
	if ((k->module->error && k->module->untold.len) || (k->error && k->untold.len))
		atomic_store(&registry.unexplained, true);
}

// Puts what was said of kernels which cannot run for reason `e` to what is untold of their module. Whether there are any.
static bool failed_kernels(struct module *m, cudaError_t e)
{
	bool any = false;
	for (size_t i = 0; i < m->kernels.n; i++)
		if (m->kernels.at[i]->error == e && m->kernels.at[i]->untold.len) {
			diag_append(&m->untold, &m->kernels.at[i]->untold);
			any = true;
		}
	return any;
}

void modules_explain(cudaError_t e)
{
	if (!atomic_load(&registry.unexplained) || pthread_mutex_trylock(&cu.lock))
		return;
	for (size_t i = 0; i < registry.modules.n && e; i++) {
		struct module *m = registry.modules.at[i];
		const bool failed = m->error == e || failed_kernels(m, e);
		if (failed && m->untold.len) {
			cu_print_diag(&m->untold);
			break;
		}
	}
	output_release();
}

struct kernel *kernel_query(const void *host, cudaError_t *e)
{
	struct kernel *k = kernel_find(host, e);
	if (!k) {
		cu_complain("no kernel was registered for the function at %p", host);
		return NULL;
	}
	resolve(k);
	*e = k->error;
	return k->error ? NULL : k;
}

// What is to be told of a kernel that shall run. One that cannot may be missing for what its program lost.
static struct diag *take_untold(struct kernel *k)
{
	struct module *m = k->module;
	diag_append(&m->untold, &k->untold);
	if (k->error)
		diag_append(&m->untold, &m->lost);
	return &m->untold;
}

struct kernel *kernel_get(const void *host, cudaError_t *e)
{
	struct kernel *k = kernel_query(host, e);
	struct kernel *found = k ? k : kernel_find(host, e);
	if (!found)
		return NULL;
	cu_print_diag(take_untold(found));
	*e = found->error;
	return k;
}

static struct kernel *add_kernel(struct module *m, const char *name)
{
	struct kernel *k = MEM_NEW(struct kernel);
	k->module = m;
	k->host = k; // until the caller knows better: an address that is nobody else's
	k->name = mem_strdup(name);
	k->carveout = -1;
	VEC_PUSH(&m->kernels, k);
	return k;
}

// One that nobody registered gets a handle of its own.
struct kernel *module_kernel_unresolved(struct module *m, const char *name)
{
	for (size_t i = 0; i < m->kernels.n; i++)
		if (!strcmp(m->kernels.at[i]->name, name))
			return m->kernels.at[i];
	struct kernel *k = add_kernel(m, name);
	index_add(&registry.kernels, &k->host, k);
	return k;
}

static const char *kernel_named(const struct module *m, uint64_t address)
{
	const struct ptx_func *f = ptx_program_func_at(m->program, address);
	if (f)
		return f->entry && f->body ? f->name : NULL;
	return m->machine.machine ? machine_code_named(&m->machine, address) : NULL;
}

struct kernel *kernel_of_address(const struct kernel_launch *by, uint64_t address, struct diag *d)
{
	// All launches are of kernels here, and `info` is that of one.
	struct kernel *caller = (struct kernel *)((uintptr_t)by->info - offsetof(struct kernel, info)), *k;
	struct module *m = caller->module;
	const char *name = kernel_named(m, address);
	if (!name)
		return NULL;
	k = module_kernel_unresolved(m, name);
	resolve(k);
	if (k->error)
		diag_append(d, take_untold(k));
	else
		cu_print_diag(take_untold(k)); // notes
	return k;
}

cudaError_t module_variable(struct module *m, const char *name, bool managed, uint64_t *addr, uint64_t *size)
{
	cudaError_t e = module_load(m);
	if (e)
		return e;
	struct ptx_var *p = ptx_program_var(m->program, name);
	if (p && p->def)
		p = p->def;
	if (!p)
		return !managed && machine_code_variable(&m->machine, name, addr, size) ? cudaSuccess : cudaErrorSymbolNotFound;
	*addr = p->addr;
	*size = p->size;
	return p->addr && (p->managed || !managed) ? cudaSuccess : cudaErrorSymbolNotFound;
}

static cudaError_t variable_load(struct variable *v)
{
	if (v->addr)
		return cudaSuccess;
	uint64_t size;
	cudaError_t e = module_variable(v->module, v->name, false, &v->addr, &size);
	if (e && e != cudaErrorSymbolNotFound)
		return e;
	if (e) {
		cu_complain("variable %s is not in the code of the program", v->name);
		cu_print_diag(&v->module->lost);
		return cudaErrorInvalidSymbol;
	}
	if (size)
		v->size = size;
	return cudaSuccess;
}

// A managed variable's name stands for its memory in host code, so that is what calls pass for it.
static struct variable *managed_find(const void *memory)
{
	for (size_t i = 0; i < registry.modules.n; i++) {
		struct module *m = registry.modules.at[i];
		for (size_t k = 0; k < m->variables.n; k++) {
			struct variable *v = m->variables.at[k];
			if (v->slot && v->addr && (const void *)v->addr == memory)
				return v;
		}
	}
	return NULL;
}

struct variable *variable_get(const void *host, cudaError_t *e)
{
	struct variable *v = index_find(&registry.variables, host);
	if (!v)
		v = managed_find(host);
	if (!v) {
		cu_complain("%p is not the address of a __device__ or __constant__ variable", host);
		*e = cudaErrorInvalidSymbol;
		return NULL;
	}
	*e = variable_load(v);
	return *e ? NULL : v;
}

static struct texref *reference_get(const void *host, bool surface, cudaError_t *e)
{
	struct texref *t = index_find(&registry.texrefs, host);
	*e = surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
	if (t && t->surface == surface)
		*e = module_load(t->module);
	return *e ? NULL : t;
}

struct texref *texref_get(const void *host, cudaError_t *e) { return reference_get(host, false, e); }

struct texref *surfref_get(const void *host, cudaError_t *e) { return reference_get(host, true, e); }

struct texref *module_texref(struct module *m, const char *name, bool surface, cudaError_t *e)
{
	*e = module_load(m);
	for (size_t i = 0; i < m->texrefs.n && !*e; i++)
		if (m->texrefs.at[i]->surface == surface && !strcmp(m->texrefs.at[i]->name, name))
			return m->texrefs.at[i];
	*e = *e ? *e : cudaErrorSymbolNotFound;
	return NULL;
}

bool texref_known(const struct texref *t, bool surface)
{
	for (size_t i = 0; i < registry.modules.n; i++)
		for (size_t k = 0; k < registry.modules.at[i]->texrefs.n; k++)
			if (registry.modules.at[i]->texrefs.at[k] == t)
				return t->surface == surface;
	return texref_is_loose(t) && !surface;
}

bool texref_is_loose(const struct texref *t)
{
	for (size_t i = 0; i < registry.loose.n; i++)
		if (registry.loose.at[i] == t)
			return true;
	return false;
}

struct texref *texref_new(void)
{
	struct texref *t = MEM_NEW(struct texref);
	t->name = mem_strdup("of cuTexRefCreate");
	t->choice.format = (struct cudaChannelFormatDesc){.x = 32, .f = CHANNEL_FLOAT};
	VEC_PUSH(&registry.loose, t);
	return t;
}

void texref_free(struct texref *t)
{
	size_t n = 0;
	for (size_t i = 0; i < registry.loose.n; i++)
		if (registry.loose.at[i] != t)
			registry.loose.at[n++] = registry.loose.at[i];
	registry.loose.n = n;
	mem_free(t->name);
	mem_free(t);
}

static void forget_array(struct texref *t, const struct array *array)
{
	if (t->array != array)
		return;
	t->array = NULL;
	t->bound.kind = TEX_NONE;
}

void texrefs_forget_array(const struct array *array)
{
	for (size_t i = 0; i < registry.modules.n; i++) {
		struct module *m = registry.modules.at[i];
		for (size_t k = 0; k < m->texrefs.n; k++)
			forget_array(m->texrefs.at[k], array);
	}
	for (size_t i = 0; i < registry.loose.n; i++)
		forget_array(registry.loose.at[i], array);
}

// A program reads and writes these without calling us, so there has to be something even if the module is no good.
void module_place_managed(struct module *m)
{
	for (size_t i = 0; i < m->variables.n; i++) {
		struct variable *v = m->variables.at[i];
		if (!v->slot)
			continue;
		if (variable_load(v))
			v->addr = devmem_alloc(cu.mem, v->size, 0, DEVMEM_MANAGED, 0);
		*v->slot = (void *)v->addr;
		cu.host_visible++;
	}
}

void modules_managed(void)
{
	for (size_t i = 0; i < registry.modules.n; i++)
		module_place_managed(registry.modules.at[i]);
}

bool module_known(const struct module *m)
{
	for (size_t i = 0; i < registry.modules.n; i++)
		if (registry.modules.at[i] == m)
			return true;
	return false;
}

struct module *module_add(const void *wrapper)
{
	struct module *m = MEM_NEW(struct module);
	m->wrapper = wrapper;
	VEC_PUSH(&registry.modules, m);
	return m;
}

static void free_named(void *object, char *name)
{
	mem_free(name);
	mem_free(object);
}

void module_remove(struct module *m)
{
	if (cu.state == CU_READY)
		wait_all();
	module_unload(m);
	for (size_t i = 0; i < m->kernels.n; i++) {
		mem_free(m->kernels.at[i]->old);
		diag_free(&m->kernels.at[i]->untold);
		free_named(m->kernels.at[i], m->kernels.at[i]->name);
	}
	for (size_t i = 0; i < m->variables.n; i++)
		free_named(m->variables.at[i], m->variables.at[i]->name);
	for (size_t i = 0; i < m->texrefs.n; i++) {
		texture_reference_forget(&m->texrefs.at[i]->bound);
		free_named(m->texrefs.at[i], m->texrefs.at[i]->name);
	}
	VEC_FREE(&m->kernels);
	VEC_FREE(&m->variables);
	VEC_FREE(&m->texrefs);
	size_t n = 0;
	for (size_t i = 0; i < registry.modules.n; i++)
		if (registry.modules.at[i] != m)
			registry.modules.at[n++] = registry.modules.at[i];
	registry.modules.n = n;
	image_bytes_free(&m->image);
	mem_free(m);
	rebuild_index();
}

void module_add_kernel(struct module *m, const void *host, const char *name)
{
	struct kernel *k = add_kernel(m, name);
	k->host = host;
	index_add(&registry.kernels, &k->host, k);
}

void module_add_variable(struct module *m, const void *host, const char *name, size_t size, bool constant, void **slot)
{
	struct variable *v = MEM_NEW(struct variable);
	v->module = m;
	v->host = host;
	v->name = mem_strdup(name);
	v->size = size;
	v->constant = constant;
	v->slot = slot;
	VEC_PUSH(&m->variables, v);
	index_add(&registry.variables, &v->host, v);
}

static struct texref *add_reference(struct module *m, const void *host, const char *name, int dim)
{
	struct texref *t = MEM_NEW(struct texref);
	t->module = m;
	t->host = host;
	t->name = mem_strdup(name);
	t->dim = dim;
	VEC_PUSH(&m->texrefs, t);
	index_add(&registry.texrefs, &t->host, t);
	return t;
}

void module_add_texref(struct module *m, const void *host, const char *name, int dim, bool normalized)
{
	add_reference(m, host, name, dim)->normalized = normalized;
}

void module_add_surfref(struct module *m, const void *host, const char *name, int dim)
{
	add_reference(m, host, name, dim)->surface = true;
}

static struct module *load_new(struct image_bytes *image, bool library, cudaError_t *e, struct diag *d)
{
	struct module *m = module_add(NULL);
	m->image = *image;
	m->library = library;
	m->owner = library ? OWNER_MODULES : cu_thread.owner;
	*e = module_load_quietly(m, d);
	if (!*e)
		return m;
	module_remove(m);
	return NULL;
}

struct module *module_new(const void *image, size_t size, bool library, cudaError_t *e, struct diag *d)
{
	struct image_bytes b;
	*e = image_bytes_take(&b, image, size, d);
	return *e ? NULL : load_new(&b, library, e, d);
}

struct module *module_new_file(const char *path, bool library, cudaError_t *e, struct diag *d)
{
	struct image_bytes b;
	*e = image_bytes_file(&b, path, d);
	return *e ? NULL : load_new(&b, library, e, d);
}

bool module_is_own(const struct module *m) { return module_known(m) && !m->wrapper && !m->library; }
bool module_is_library(const struct module *m) { return module_known(m) && (m->wrapper || m->library); }
bool module_is_registered(const struct module *m) { return module_known(m) && m->wrapper; }

static bool ptx_has(const struct module *m, const char *name)
{
	const struct ptx_func *f = ptx_program_func(m->program, name);
	return f && f->entry && f->body;
}

struct kernel *module_kernel(struct module *m, const char *name, cudaError_t *e)
{
	*e = module_load(m);
	if (*e)
		return NULL;
	*e = cudaErrorSymbolNotFound;
	if (!ptx_has(m, name) && !machine_code_has(&m->given, name) && !machine_code_has(&m->machine, name))
		return NULL;
	struct kernel *k = module_kernel_unresolved(m, name);
	resolve(k);
	*e = cudaSuccess;
	return k;
}

size_t module_kernel_names(const struct module *m, const char **names, size_t room)
{
	size_t n = 0;
	for (size_t i = 0; m->program && i < m->program->modules.n; i++) {
		const struct map *funcs = &m->program->modules.at[i]->funcs;
		for (size_t k = 0; k < funcs->n; k++) {
			const struct ptx_func *f = funcs->slot[k].value;
			if (f->entry && f->body && n++ < room)
				names[n - 1] = f->name;
		}
	}
	for (size_t i = 0; i < m->machine.cubin.kernel.n; i++)
		if (!ptx_has(m, m->machine.cubin.kernel.at[i].name) && n++ < room)
			names[n - 1] = m->machine.cubin.kernel.at[i].name;
	return n;
}

// Those that the program loaded in a context; `all`: in any.
static void remove_loaded(bool all, uint32_t owner)
{
	for (size_t i = registry.modules.n; i-- > 0;) {
		struct module *m = registry.modules.at[i];
		if (!m->wrapper && !m->library && (all || m->owner == owner))
			module_remove(m);
	}
}

void modules_unload(void)
{
	remove_loaded(true, 0);
	for (size_t i = 0; i < registry.modules.n; i++)
		module_unload(registry.modules.at[i]);
}

void modules_release(uint32_t owner) { remove_loaded(false, owner); }

bool module_is_new(const struct module *m) { return m->state == MODULE_NEW; }
