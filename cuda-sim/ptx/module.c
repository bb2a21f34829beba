// A module's declarations: variables, functions, initialisers.
#include "cuda-sim/ptx/parser.h"

#include <stdio.h>
#include <string.h>

void ptx_act_version(struct ptx_parser *p, struct ptx_span at)
{
	const char *s = ptx_text(p, at);
	unsigned major = 0, minor = 0;
	if (at.len > 8 || sscanf(s, "%u.%u", &major, &minor) != 2 || major < 1 || major > 99 || minor > 9) {
		ptx_error(p, at, "'%.*s' is not a PTX version", (int)(at.len < 20 ? at.len : 20), s);
		return;
	}
	p->m->version = major * 10 + minor;
	if (p->m->version > PTX_NEWEST)
		diag_at(p->d, DIAG_WARNING, &p->m->text, at.at, at.len,
		        "PTX %u.%u is newer than this simulator knows (%d.%d); trying anyway", major, minor, PTX_NEWEST / 10, PTX_NEWEST % 10);
}

void ptx_act_target(struct ptx_parser *p, struct ptx_span at)
{
	const char *s = ptx_text(p, at);
	if (at.len > 3 && memcmp(s, "sm_", 3) == 0) {
		for (uint32_t i = 3, v = 0; i < at.len && i < 7 && s[i] >= '0' && s[i] <= '9'; i++)
			p->m->target = v = v * 10 + (uint32_t)(s[i] - '0');
		p->m->arch_specific = s[at.len - 1] == 'a';
	} else if (at.len == 5 && memcmp(s, "debug", 5) == 0)
		p->m->debug = true;
	else if (at.len == 19 && memcmp(s, "texmode_independent", 19) == 0)
		p->m->texmode_independent = true;
}

// ---- variables

void ptx_decl_begin(struct ptx_parser *p, enum ptx_space space)
{
	enum ptx_linkage linkage = p->decl.linkage;
	p->in_decl = true;
	p->decl = (struct ptx_decl){.space = space, .vec = 1, .linkage = p->in_params ? PTX_L_STATIC : linkage};
}

static unsigned type_bytes(enum ptx_type t)
{
	unsigned bits = ptx_type_bits[t];
	return bits <= 8 ? 1 : bits / 8;
}

static bool check_redeclared(struct ptx_parser *p, struct ptx_var *old, const struct ptx_var *v, struct ptx_span at)
{
	if (old->space != v->space) {
		ptx_error(p, at, "'%s' was declared in another state space before", old->name);
		return false;
	}
	if (old->linkage != PTX_L_EXTERN && v->linkage != PTX_L_EXTERN && v->linkage != PTX_L_COMMON &&
	    v->linkage != PTX_L_WEAK) {
		ptx_error(p, at, "'%s' is defined twice", old->name);
		return false;
	}
	return true;
}

// A variable of the module: declarations of one name are one object, so that earlier uses see the definition.
static struct ptx_var *module_var(struct ptx_parser *p, const struct ptx_var *v, struct ptx_span at)
{
	struct ptx_var *old = map_get(&p->m->vars, v->name, strlen(v->name));
	if (!old) {
		if (map_get(&p->m->funcs, v->name, strlen(v->name)))
			ptx_error(p, at, "'%s' is a function already", v->name);
		old = ARENA_NEW(&p->m->arena, struct ptx_var);
		*old = *v;
		map_put(&p->m->vars, old->name, strlen(old->name), old);
		return old;
	}
	if (check_redeclared(p, old, v, at) && (old->linkage == PTX_L_EXTERN || (v->init && !old->init)))
		*old = *v;
	return old;
}

// Sizes an array from its dimensions; the first may be open and is then given by the initialiser.
static bool var_size(struct ptx_parser *p, struct ptx_var *v, struct ptx_span at)
{
	uint64_t elem = type_bytes(v->type) * (uint64_t)v->vec, size = elem;
	for (unsigned i = 0; i < p->n_dim; i++) {
		uint64_t n = p->dim[i];
		if (i == 0 && n == 0) {
			v->unsized = true;
			continue;
		}
		if (n && size > PTX_MAX_VAR_SIZE / n) {
			ptx_error(p, at, "'%s' is too large", v->name);
			return false;
		}
		size *= n;
	}
	if (v->unsized && p->has_init) {
		uint64_t row = size ? size : 1, bytes = p->init_pos * type_bytes(v->type);
		v->size = (bytes + row - 1) / row * row;
		v->unsized = false;
	} else {
		v->size = v->unsized ? 0 : size;
	}
	if (!v->align)
		v->align = elem ? (uint32_t)elem : 1;
	if (v->align & (v->align - 1)) {
		ptx_error(p, at, "alignment %u is not a power of two", v->align);
		return false;
	}
	return true;
}

static void take_init(struct ptx_parser *p, struct ptx_var *v, struct ptx_span at)
{
	if (!p->has_init)
		return;
	if (p->init.n > v->size) {
		ptx_error(p, at, "too many initialisers for '%s'", v->name);
		return;
	}
	v->init = arena_alloc(&p->m->arena, p->init.n ? p->init.n : 1);
	v->init_size = p->init.n;
	if (p->init.n)
		memcpy(v->init, p->init.at, p->init.n);
	v->n_reloc = (unsigned)p->relocs.n;
	if (v->n_reloc) {
		v->reloc = ARENA_ARRAY(&p->m->arena, struct ptx_reloc, v->n_reloc);
		memcpy(v->reloc, p->relocs.at, v->n_reloc * sizeof *v->reloc);
	}
}

void ptx_decl_name(struct ptx_parser *p, struct ptx_span name)
{
	struct ptx_decl *d = &p->decl;
	if (!d->type) {
		ptx_error(p, name, "'%.*s' is declared without a type", (int)name.len, ptx_text(p, name));
		return;
	}
	if (d->space == PTX_S_REG && !p->in_params) {
		if (p->module_level)
			ptx_error(p, name, "a register variable outside a function");
		else if (p->n_dim)
			ptx_error(p, name, "registers cannot be an array; write %.*s<n>", (int)name.len, ptx_text(p, name));
		else
			ptx_scope_regs(p, name, -1);
		return;
	}
	struct ptx_var v = {
		.name = ptx_name(p, name), .space = d->space, .type = d->type, .vec = d->vec, .linkage = d->linkage,
		.managed = d->managed, .align = d->align, .module = p->m, .func = p->func, .src = name.at, .ptr = d->ptr,
	};
	if (v.space == PTX_S_TEX) { // PTX 1: .tex .u64 name
		v.space = PTX_S_GLOBAL;
		v.type = PTX_T_TEXREF;
	}
	bool sized = var_size(p, &v, name);
	if (sized)
		take_init(p, &v, name);
	p->has_init = false;
	p->n_dim = 0;
	if (!sized)
		return;
	if (p->in_params) {
		struct ptx_var *q = ARENA_NEW(&p->m->arena, struct ptx_var);
		*q = v;
		VEC_PUSH(&p->list, q);
	} else if (p->module_level) {
		v.func = NULL;
		module_var(p, &v, name);
	} else {
		struct ptx_var *q = ARENA_NEW(&p->m->arena, struct ptx_var);
		*q = v;
		VEC_PUSH(&p->locals, q);
		ptx_scope_var(p, q, name);
	}
}

// name<n>: registers name0 .. name(n-1); in other spaces that many variables.
void ptx_decl_range(struct ptx_parser *p, struct ptx_span name, struct ptx_num count)
{
	if (count.bits > PTX_MAX_REGS) {
		ptx_error(p, name, "more than %d registers", PTX_MAX_REGS);
		return;
	}
	if (!p->decl.type) {
		ptx_error(p, name, "'%.*s' is declared without a type", (int)name.len, ptx_text(p, name));
		return;
	}
	if (p->decl.space != PTX_S_REG || p->module_level || p->in_params) {
		ptx_error(p, name, "only registers can be declared as a range");
		return;
	}
	ptx_scope_regs(p, name, (int64_t)count.bits);
}

// ---- initialisers: elements in order into p->init, nested braces step over rows

static uint64_t row_elements(const struct ptx_parser *p, unsigned depth)
{
	uint64_t n = p->decl.vec;
	for (unsigned i = depth; i < p->n_dim; i++)
		n = p->dim[i] && n > UINT32_MAX / p->dim[i] ? UINT32_MAX : n * p->dim[i];
	return n;
}

static void start_init(struct ptx_parser *p)
{
	if (p->has_init)
		return;
	p->has_init = true;
	p->init.n = p->relocs.n = 0;
	p->init_pos = 0;
	p->init_depth = 0;
}

void ptx_init_open(struct ptx_parser *p, struct ptx_span at)
{
	start_init(p);
	if (p->init_depth < PTX_MAX_DIMS + 1)
		p->init_start[p->init_depth] = p->init_pos;
	else
		ptx_error(p, at, "braces nested too deeply");
	p->init_depth++;
}

void ptx_init_close(struct ptx_parser *p, struct ptx_span at)
{
	unsigned depth = --p->init_depth;
	if (depth > 0 && depth <= PTX_MAX_DIMS) {
		uint64_t row = row_elements(p, depth), end = p->init_start[depth] + row;
		if (p->init_pos > end)
			ptx_error(p, at, "more initialisers than the row has elements");
		else if (end <= PTX_MAX_TEXT)
			p->init_pos = end;
	}
}

static uint8_t *init_bytes(struct ptx_parser *p, uint64_t at, unsigned n, struct ptx_span src)
{
	if (at + n > PTX_MAX_TEXT / 4) {
		ptx_error(p, src, "initialiser too large");
		return NULL;
	}
	if (at + n > p->init.n) {
		VEC_RESERVE(&p->init, at + n);
		memset(p->init.at + p->init.n, 0, at + n - p->init.n);
		p->init.n = at + n;
	}
	return p->init.at + at;
}

void ptx_init_value(struct ptx_parser *p, struct ptx_opnd *o, struct ptx_span at)
{
	start_init(p);
	unsigned n = type_bytes(p->decl.type);
	uint64_t offset = p->init_pos++ * n;
	uint8_t *to = init_bytes(p, offset, n, at);
	if (!to)
		return;
	if (o->kind == PTX_O_IMM) {
		uint64_t bits = ptx_imm_bits(o, p->decl.type);
		if (!o->is_float && ptx_type_kind[p->decl.type] == 'f' && p->decl.type == PTX_T_F32) {
			float f = (float)(int64_t)o->bits;
			memcpy(to, &f, 4);
		} else if (!o->is_float && p->decl.type == PTX_T_F64) {
			double f = (double)(int64_t)o->bits;
			memcpy(to, &f, 8);
		} else {
			memcpy(to, &bits, n < 8 ? n : 8);
		}
		return;
	}
	if (o->kind != PTX_O_VAR || !o->n) {
		ptx_error(p, at, "an initialiser must be a constant or an address");
		return;
	}
	// ptx_opnd_name left the name's place in bits, and the mask in index.
	struct ptx_span name = {(uint32_t)(o->bits >> 32), (uint32_t)o->bits};
	VEC_PUSH(&p->relocs, ((struct ptx_reloc){
		.offset = offset, .addend = o->offset, .name = ptx_name(p, name), .size = (uint8_t)n,
		.shift = (uint8_t)o->index, .generic = o->neg, .src = at.at,
	}));
}

void ptx_init_string(struct ptx_parser *p, struct ptx_span at)
{
	start_init(p);
	const char *s = ptx_text(p, at) + 1, *end = s + at.len - 2;
	if (type_bytes(p->decl.type) != 1) {
		ptx_error(p, at, "a string can only initialise bytes");
		return;
	}
	while (s < end) {
		char c = *s++;
		if (c == '\\' && s < end) {
			static const char from[] = "abfnrtv0", to[] = "\a\b\f\n\r\t\v\0";
			const char *k = strchr(from, *s);
			c = k ? to[k - from] : *s;
			s++;
		}
		uint8_t *b = init_bytes(p, p->init_pos++, 1, at);
		if (!b)
			return;
		*b = (uint8_t)c;
	}
	init_bytes(p, p->init_pos++, 1, at); // the NUL
}

// ---- functions

void ptx_func_begin(struct ptx_parser *p, bool entry, struct ptx_span name)
{
	struct ptx_func *f = ARENA_NEW(&p->m->arena, struct ptx_func);
	f->name = ptx_name(p, name);
	f->entry = entry;
	f->linkage = p->decl.linkage;
	f->module = p->m;
	f->src = name.at;
	if (p->module_level)
		p->func = f;
	else
		p->proto = f;
}

struct ptx_func *ptx_head(struct ptx_parser *p) { return p->module_level ? p->func : p->proto; }

// Parameters lie one behind the other, each at its alignment: what the driver calls the parameter buffer.
void ptx_func_params(struct ptx_parser *p, bool ret)
{
	struct ptx_func *f = ptx_head(p);
	unsigned n = (unsigned)p->list.n;
	struct ptx_var **v = ARENA_ARRAY(&p->m->arena, struct ptx_var *, n ? n : 1);
	uint64_t offset = 0;
	for (unsigned i = 0; i < n; i++) {
		v[i] = p->list.at[i];
		v[i]->func = f;
		offset = (offset + v[i]->align - 1) / v[i]->align * v[i]->align;
		v[i]->addr = offset;
		offset += v[i]->size;
	}
	if (ret)
		f->ret = v, f->n_ret = n;
	else
		f->param = v, f->n_param = n;
	p->list.n = 0;
	p->in_params = false;
}

static bool same_params(struct ptx_var **a, unsigned n, struct ptx_var **b, unsigned m)
{
	for (unsigned i = 0; i < n && n == m; i++)
		if (a[i]->size != b[i]->size && !a[i]->unsized && !b[i]->unsized)
			return false;
	return n == m;
}

void ptx_func_end(struct ptx_parser *p, struct ptx_span body, uint32_t line)
{
	struct ptx_func *f = p->func;
	p->func = NULL;
	if (body.len >= 2) {
		f->body = ptx_text(p, body) + 1;
		f->body_len = body.len - 2;
		f->body_line = line;
	}
	struct ptx_span name = {f->src, (uint32_t)strlen(f->name)};
	struct ptx_func *old = map_get(&p->m->funcs, f->name, name.len);
	if (!old) {
		if (map_get(&p->m->vars, f->name, name.len))
			ptx_error(p, name, "'%s' is a variable already", f->name);
		map_put(&p->m->funcs, f->name, name.len, f);
		return;
	}
	if (old->entry != f->entry || !same_params(old->param, old->n_param, f->param, f->n_param) ||
	    !same_params(old->ret, old->n_ret, f->ret, f->n_ret)) {
		ptx_error(p, name, "'%s' was declared with other parameters before", f->name);
		return;
	}
	if (!f->body)
		return;
	if (old->body) {
		ptx_error(p, name, "'%s' is defined twice", f->name);
		return;
	}
	// A declaration came first: one object, so that earlier references see the body.
	if (f->linkage == PTX_L_STATIC && old->linkage != PTX_L_EXTERN)
		f->linkage = old->linkage;
	f->noreturn |= old->noreturn;
	*old = *f;
	for (unsigned i = 0; i < old->n_param; i++)
		old->param[i]->func = old;
	for (unsigned i = 0; i < old->n_ret; i++)
		old->ret[i]->func = old;
}

void ptx_act_alias(struct ptx_parser *p, struct ptx_span name, struct ptx_span of)
{
	struct ptx_alias a = {ptx_name(p, name), ptx_name(p, of), name.at};
	VEC_PUSH(&p->m->aliases, a);
}

// An alias is the aliased function under another name.
void ptx_module_aliases(struct ptx_parser *p)
{
	for (size_t i = 0; i < p->m->aliases.n; i++) {
		const struct ptx_alias *a = &p->m->aliases.at[i];
		struct ptx_func *of = map_get(&p->m->funcs, a->of, strlen(a->of));
		struct ptx_func *f = map_get(&p->m->funcs, a->name, strlen(a->name));
		if (!of || !of->body || !f)
			ptx_error(p, (struct ptx_span){a->src, (uint32_t)strlen(a->name)},
			          "alias '%s' of '%s': both must be declared, and the second have a body", a->name, a->of);
		else if (!f->body)
			f->alias = of;
	}
}

void ptx_module_free(struct ptx_module *m)
{
	if (!m)
		return;
	map_free(&m->vars);
	map_free(&m->funcs);
	map_free(&m->files);
	map_free(&m->opcodes);
	VEC_FREE(&m->aliases);
	arena_free(&m->arena);
	mem_free(m);
}
