// Joins modules to a program: names across modules, addresses, initial data.
#include "cuda-sim/ptx/layout.h"

#include <string.h>

static void clash(struct ptx_module *a, uint32_t at, const char *name, const struct ptx_module *b, struct diag *d)
{
	diag_at(d, DIAG_ERROR, &a->text, at, strlen(name), "'%s' is defined here and in %s", name, b->text.name);
}

// Of several definitions a strong one wins; otherwise the first weak one, or the largest common one.
static bool publish_var(struct ptx_program *p, struct ptx_var *v, struct diag *d)
{
	size_t n = strlen(v->name);
	struct ptx_var *old = map_get(&p->vars, v->name, n);
	if (!old) {
		map_put(&p->vars, v->name, n, v);
		return true;
	}
	bool strong = v->linkage == PTX_L_VISIBLE, old_strong = old->linkage == PTX_L_VISIBLE;
	if (strong && old_strong) {
		clash(v->module, v->src, v->name, old->module, d);
		return false;
	}
	bool larger = v->linkage == PTX_L_COMMON && old->linkage == PTX_L_COMMON &&
	              (v->size > old->size || (v->init && !old->init));
	bool over_common = v->linkage == PTX_L_WEAK && old->linkage == PTX_L_COMMON;
	if (strong || larger || over_common)
		map_put(&p->vars, v->name, n, v);
	return true;
}

static bool publish_func(struct ptx_program *p, struct ptx_func *f, struct diag *d)
{
	size_t n = strlen(f->name);
	struct ptx_func *old = map_get(&p->funcs, f->name, n);
	if (old && old->linkage != PTX_L_WEAK && f->linkage != PTX_L_WEAK) {
		clash(f->module, f->src, f->name, old->module, d);
		return false;
	}
	if (!old || (old->linkage == PTX_L_WEAK && f->linkage != PTX_L_WEAK))
		map_put(&p->funcs, f->name, n, f);
	return true;
}

static bool is_public(enum ptx_linkage l) { return l == PTX_L_VISIBLE || l == PTX_L_WEAK || l == PTX_L_COMMON; }

static bool publish(struct ptx_program *p, struct diag *d)
{
	bool ok = true;
	for (size_t k = 0; k < p->modules.n; k++) {
		struct ptx_module *m = p->modules.at[k];
		m->program = p;
		for (size_t i = 0; i < m->vars.n; i++) {
			struct ptx_var *v = m->vars.slot[i].value;
			if (is_public(v->linkage))
				ok &= publish_var(p, v, d);
		}
		for (size_t i = 0; i < m->funcs.n; i++) {
			struct ptx_func *f = m->funcs.slot[i].value;
			if ((f->body || f->alias) && is_public(f->linkage))
				ok &= publish_func(p, f, d);
		}
	}
	return ok;
}

static void give_address(struct ptx_program *p, struct ptx_func *f)
{
	if (f->addr)
		return;
	if (f->entry || !p->function_at || !p->function_at(p->function_ctx, f->name, &f->addr))
		f->addr = p->code_base + p->by_addr.n * PTX_FUNC_STEP;
	VEC_PUSH(&p->by_addr, f);
}

static void resolve_func(struct ptx_program *p, struct ptx_func *f)
{
	struct ptx_func *def = f;
	if (!f->body && !f->alias)
		def = map_get(&p->funcs, f->name, strlen(f->name));
	else if (is_public(f->linkage))
		def = map_get(&p->funcs, f->name, strlen(f->name));
	if (def && def->alias)
		def = def->alias;
	const struct builtin *own = def && !f->entry ? p->builtin(f->name) : NULL;
	if (own && own->always)
		def = NULL;
	f->def = def;
	give_address(p, def ? def : f);
	if (def)
		f->addr = def->addr;
}

static bool resolve_var(struct ptx_program *p, struct ptx_var *v, struct diag *d)
{
	v->def = v->linkage == PTX_L_STATIC ? v : map_get(&p->vars, v->name, strlen(v->name));
	if (v->def)
		return true;
	if (v->space == PTX_S_SHARED) { // extern .shared x[]: dynamic shared memory
		v->def = v;
		return true;
	}
	diag_at(d, DIAG_ERROR, &v->module->text, v->src, strlen(v->name),
	        "variable '%s' is declared .extern and defined in no module of the program", v->name);
	return false;
}

static uint64_t allocate(struct ptx_program *p, uint64_t size, uint64_t align, enum devmem_kind kind)
{
	uint64_t at = devmem_alloc(p->mem, size ? size : 1, align, kind, 0);
	if (at)
		VEC_PUSH(&p->allocations, at);
	return at;
}

static bool no_room(const struct ptx_var *v, uint64_t size, struct diag *d)
{
	diag_at(d, DIAG_ERROR, &v->module->text, v->src, strlen(v->name),
	        "no device memory left for '%s' (%llu bytes, %llu with the variables beside it)", v->name,
	        (unsigned long long)v->size, (unsigned long long)size);
	return false;
}

static enum devmem_kind kind_of(const struct ptx_var *v)
{
	return v->managed ? DEVMEM_MANAGED : v->space == PTX_S_CONST ? DEVMEM_CONST : DEVMEM_GLOBAL;
}

static bool place_alone(struct ptx_program *p, struct ptx_var *v, struct diag *d)
{
	v->addr = allocate(p, v->size, v->align, kind_of(v));
	if (!v->addr)
		return no_room(v, v->size, d);
	if (p->mem->layout == DEVMEM_GPGPUSIM && !v->managed)
		devmem_stand_as_variable(p->mem, v->addr);
	return true;
}

// Managed variables have a place among the others, but the memory that host and device share is elsewhere. GPGPU-Sim's
// variables lie in the order of their declarations, those of all state spaces side by side.
static bool lies_apart(const struct ptx_program *p, const struct ptx_var *v)
{
	return v->managed ||
	       (p->mem->layout == DEVMEM_GPGPUSIM && !(p->constants_together && v->section == SECTION_CONST));
}

static bool place_section(struct ptx_program *p, enum variable_section s, struct ptx_var *const *var, size_t n, struct diag *d)
{
	const struct ptx_var *largest = NULL;
	uint64_t size = p->layout.section[s].size, align = 1;
	for (size_t i = 0; i < n; i++) {
		if (var[i]->section != s || lies_apart(p, var[i]))
			continue;
		if (!largest || var[i]->size > largest->size)
			largest = var[i];
		if (var[i]->align > align)
			align = var[i]->align;
	}
	if (!largest)
		return true;
	uint64_t at = allocate(p, size, align, kind_of(largest));
	p->layout.section[s].addr = at;
	for (size_t i = 0; at && i < n; i++)
		if (var[i]->section == s && !lies_apart(p, var[i]))
			var[i]->addr = at + var[i]->offset;
	return at || no_room(largest, size, d);
}

static bool place_all(struct ptx_program *p, struct ptx_var *const *var, size_t n, struct diag *d)
{
	bool ok = true;
	ptx_layout(p);
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++)
		ok &= place_section(p, s, var, n, d);
	for (size_t i = 0; i < n; i++)
		if (lies_apart(p, var[i]))
			ok &= place_alone(p, var[i], d);
	return ok;
}

static bool symbol_address(struct ptx_program *p, struct ptx_module *m, const char *name, uint64_t *addr)
{
	size_t n = strlen(name);
	struct ptx_var *v = map_get(&m->vars, name, n);
	if (v && v->def && ptx_var_is_data(v->def)) {
		*addr = v->def->addr;
		return true;
	}
	struct ptx_func *f = map_get(&m->funcs, name, n);
	if (f) {
		*addr = f->addr;
		return true;
	}
	return false;
}

static bool fill(struct ptx_program *p, struct ptx_var *v, struct diag *d)
{
	if (!v->init || !v->addr)
		return true;
	uint8_t *to = (uint8_t *)(uintptr_t)v->addr;
	memcpy(to, v->init, v->init_size);
	bool ok = true;
	for (unsigned i = 0; i < v->n_reloc; i++) {
		const struct ptx_reloc *r = &v->reloc[i];
		uint64_t addr;
		if (!symbol_address(p, v->module, r->name, &addr)) {
			diag_at(d, DIAG_ERROR, &v->module->text, r->src, strlen(r->name),
			        "the initialiser of '%s' takes the address of '%s', which is no variable in memory and no function",
			        v->name, r->name);
			ok = false;
			continue;
		}
		addr = (addr + (uint64_t)r->addend) >> r->shift;
		if (r->offset + r->size <= v->size)
			memcpy(to + r->offset, &addr, r->size < 8 ? r->size : 8);
	}
	return ok;
}

bool ptx_program_place(struct ptx_program *p, struct ptx_var *v, struct diag *d)
{
	v->def = v;
	return v->addr || !ptx_var_is_data(v) || (place_alone(p, v, d) && fill(p, v, d));
}

bool ptx_program_link(struct ptx_program *p, struct devmem *mem, builtin_finder *builtin, struct diag *d)
{
	p->mem = mem;
	p->builtin = builtin;
	if (!p->code_base)
		p->code_base = PTX_CODE_BASE;
	bool ok = publish(p, d);
	for (size_t k = 0; k < p->modules.n; k++) {
		struct ptx_module *m = p->modules.at[k];
		for (size_t i = 0; i < m->funcs.n; i++)
			resolve_func(p, m->funcs.slot[i].value);
		for (size_t i = 0; i < m->vars.n; i++)
			ok &= resolve_var(p, m->vars.slot[i].value, d);
	}
	VEC(struct ptx_var *) own = {0};
	for (size_t k = 0; k < p->modules.n; k++) {
		struct ptx_module *m = p->modules.at[k];
		for (size_t i = 0; i < m->vars.n; i++) {
			struct ptx_var *v = m->vars.slot[i].value;
			if (v->def == v && ptx_var_is_data(v))
				VEC_PUSH(&own, v);
		}
	}
	ok = ok && place_all(p, own.at, own.n, d);
	for (size_t i = 0; ok && i < own.n; i++) // all have their places before any address is written
		ok &= fill(p, own.at[i], d);
	VEC_FREE(&own);
	return ok;
}

void ptx_program_free(struct ptx_program *p)
{
	for (size_t i = 0; i < p->allocations.n; i++)
		devmem_free(p->mem, p->allocations.at[i]);
	for (size_t k = 0; k < p->modules.n; k++)
		ptx_module_free(p->modules.at[k]);
	VEC_FREE(&p->allocations);
	VEC_FREE(&p->places);
	VEC_FREE(&p->modules);
	VEC_FREE(&p->by_addr);
	map_free(&p->vars);
	map_free(&p->funcs);
	*p = (struct ptx_program){0};
}

struct ptx_func *ptx_program_func(const struct ptx_program *p, const char *name)
{
	size_t n = strlen(name);
	struct ptx_func *f = map_get(&p->funcs, name, n);
	for (size_t k = 0; k < p->modules.n && !f; k++) {
		struct ptx_func *own = map_get(&p->modules.at[k]->funcs, name, n);
		f = own && own->def ? own->def : NULL;
	}
	return f && f->alias ? f->alias : f;
}

struct ptx_var *ptx_program_var(const struct ptx_program *p, const char *name)
{
	size_t n = strlen(name);
	struct ptx_var *v = map_get(&p->vars, name, n);
	for (size_t k = 0; k < p->modules.n && !v; k++) {
		struct ptx_var *own = map_get(&p->modules.at[k]->vars, name, n);
		v = own && own->def ? own->def : NULL;
	}
	return v;
}

struct ptx_func *ptx_program_func_at(const struct ptx_program *p, uint64_t addr)
{
	for (size_t i = 0; p->function_at && i < p->by_addr.n; i++)
		if (p->by_addr.at[i]->addr == addr)
			return p->by_addr.at[i];
	if (addr < p->code_base || (addr - p->code_base) % PTX_FUNC_STEP)
		return NULL;
	uint64_t i = (addr - p->code_base) / PTX_FUNC_STEP;
	return i < p->by_addr.n ? p->by_addr.at[i] : NULL;
}
