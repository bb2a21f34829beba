#include "cuda-sim/ptx/layout.h"

#include <string.h>

struct item {
	struct ptx_var *v;
	struct item *next;
};

bool ptx_var_is_data(const struct ptx_var *v)
{
	return (v->space == PTX_S_GLOBAL || v->space == PTX_S_CONST) && v->type != PTX_T_TEXREF &&
	       v->type != PTX_T_SAMPLERREF && v->type != PTX_T_SURFREF;
}

static uint64_t up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

static uint64_t align_of(const struct ptx_var *v) { return v->align ? v->align : 1; }

static enum variable_section section_of(const struct ptx_var *v)
{
	return v->space == PTX_S_CONST ? SECTION_CONST : v->init ? SECTION_GLOBAL_INIT : SECTION_GLOBAL;
}

// A larger alignment first, then a smaller size.
static bool goes_behind(const struct ptx_var *a, const struct ptx_var *b)
{
	return align_of(a) != align_of(b) ? align_of(a) < align_of(b) : a->size > b->size;
}

// A merge sort whose halves are dealt out in turn to the heads of two lists. So it decides the order of variables that
// are alike, and ptxas's order of them is the one of this sort.
static struct item *sort(struct item *all)
{
	struct item *half[2] = {NULL, NULL}, *merged = NULL, **end = &merged;
	if (!all || !all->next)
		return all;
	for (unsigned k = 0; all; k ^= 1) {
		struct item *next = all->next;
		all->next = half[k];
		half[k] = all;
		all = next;
	}
	half[0] = sort(half[0]);
	half[1] = sort(half[1]);
	while (half[0] && half[1]) {
		unsigned k = goes_behind(half[0]->v, half[1]->v);
		*end = half[k];
		end = &half[k]->next;
		half[k] = half[k]->next;
	}
	*end = half[0] ? half[0] : half[1];
	return merged;
}

// Puts the variables behind what the section has, as one object's part of it. A part keeps the room of weak variables that
// gave way to those of another object; a part of nothing else is left out.
static void append(struct ptx_program *p, enum variable_section s, const struct item *list)
{
	uint64_t at = p->layout.section[s].size, align = 1;
	bool used = false;
	for (const struct item *i = list; i; i = i->next) {
		used |= i->v->def == i->v;
		if (align_of(i->v) > align)
			align = align_of(i->v);
	}
	if (!used)
		return;
	at = up(at, align);
	for (const struct item *i = list; i; i = i->next) {
		at = up(at, align_of(i->v));
		i->v->section = s;
		i->v->offset = at;
		at += i->v->size;
	}
	p->layout.section[s].size = at;
}

// The linker, not the compiler, places what any object may define.
static bool placed_last(const struct ptx_program *p, const struct ptx_var *v)
{
	return p->relocatable && v->linkage == PTX_L_COMMON;
}

static void lay_out_module(struct ptx_program *p, struct ptx_module *m, enum variable_section s, struct item *item)
{
	struct item *list = NULL, **end = &list;
	for (unsigned is_static = 0; is_static < 2; is_static++)
		for (size_t i = 0; i < m->vars.n; i++) {
			struct ptx_var *v = m->vars.slot[i].value;
			if (!ptx_var_is_data(v) || v->linkage == PTX_L_EXTERN || section_of(v) != s || placed_last(p, v) ||
			    (v->linkage == PTX_L_STATIC) != is_static)
				continue;
			*item = (struct item){.v = v};
			*end = item;
			end = &item->next;
			item++;
		}
	append(p, s, s == SECTION_CONST && !p->relocatable ? list : sort(list));
}

static void lay_out_commons(struct ptx_program *p, enum variable_section s, struct item *item)
{
	struct item *list = NULL, **end = &list;
	for (size_t i = 0; i < p->vars.n; i++) {
		struct ptx_var *v = p->vars.slot[i].value;
		if (!ptx_var_is_data(v) || section_of(v) != s || !placed_last(p, v))
			continue;
		*item = (struct item){.v = v};
		*end = item;
		end = &item->next;
		item++;
	}
	append(p, s, sort(list));
}

static void lay_out_by_rule(struct ptx_program *p)
{
	struct arena a = {0};
	size_t most = p->vars.n;
	for (size_t k = 0; k < p->modules.n; k++)
		if (p->modules.at[k]->vars.n > most)
			most = p->modules.at[k]->vars.n;
	struct item *item = ARENA_ARRAY(&a, struct item, most + 1);
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++) {
		for (size_t k = 0; k < p->modules.n; k++)
			lay_out_module(p, p->modules.at[k], s, item);
		lay_out_commons(p, s, item);
	}
	arena_free(&a);
}

// Calls `visit` for each variable in device memory that the program defines; false if a call was.
static bool each_variable(struct ptx_program *p, bool (*visit)(void *ctx, struct ptx_var *v), void *ctx)
{
	for (size_t k = 0; k < p->modules.n; k++)
		for (size_t i = 0; i < p->modules.at[k]->vars.n; i++) {
			struct ptx_var *v = p->modules.at[k]->vars.slot[i].value;
			if (ptx_var_is_data(v) && v->def == v && !visit(ctx, v))
				return false;
		}
	return true;
}

static bool is_known(void *ctx, struct ptx_var *v)
{
	const struct variable_place *at = map_get(ctx, v->name, strlen(v->name));
	return at && at->size == v->size && (at->section == SECTION_CONST) == (v->space == PTX_S_CONST) &&
	       at->offset % align_of(v) == 0;
}

static bool take_known(void *ctx, struct ptx_var *v)
{
	const struct variable_place *at = map_get(ctx, v->name, strlen(v->name));
	v->section = at->section;
	v->offset = at->offset;
	return true;
}

// Whether the places are those of these very variables; else they were compiled from something else. Statics of one
// name in several objects cannot be told apart.
static bool lay_out_as_known(struct ptx_program *p)
{
	static const struct variable_place ambiguous = {.size = UINT64_MAX};
	struct map by_name = {0};
	for (size_t i = 0; p->known && i < p->known->n; i++) {
		const struct variable_place *at = &p->known->at[i];
		size_t len = strlen(at->name);
		map_put(&by_name, at->name, len, (void *)(map_get(&by_name, at->name, len) ? &ambiguous : at));
	}
	bool known = p->known && each_variable(p, is_known, &by_name);
	if (known) {
		each_variable(p, take_known, &by_name);
		for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++)
			p->layout.section[s].size = p->known->section[s].size;
	}
	map_free(&by_name);
	return known;
}

static bool list_place(void *ctx, struct ptx_var *v)
{
	struct ptx_program *p = ctx;
	struct variable_place at = {.name = v->name, .section = v->section, .offset = v->offset, .size = v->size};
	VEC_PUSH(&p->places, at);
	return true;
}

void ptx_layout(struct ptx_program *p)
{
	p->layout = (struct variable_layout){0};
	if (!lay_out_as_known(p))
		lay_out_by_rule(p);
	each_variable(p, list_place, p);
	p->layout.n = p->places.n;
	p->layout.at = p->places.at;
}
