// Texture instructions: which texture, coordinates, destinations.
#include "cuda-sim/decode/decoder.h"

#include "cuda-sim/exec/texture.h"

// The texture reference whose handle a register holds: clang moves it there first. NULL if it is not one for certain.
static struct ptx_var *texref_of(const struct decoder *x, uint32_t reg, unsigned depth)
{
	const struct ptx_inst *def = NULL;
	for (uint32_t n = 0; n < x->f->n_inst; n++) {
		const struct ptx_inst *i = &x->f->inst[n];
		struct ptx_opnd_spec spec[PTX_MAX_OPNDS] = {0};
		ptx_opnd_spec(i, PTX_MAX_OPNDS, spec);
		if (!i->n_opnd || !spec[0].is_dest || i->opnd[0].kind != PTX_O_REG || i->opnd[0].index != reg)
			continue;
		if (def)
			return NULL;
		def = i;
	}
	if (!def || !is(def, "mov") || depth > 8)
		return NULL;
	const struct ptx_opnd *o = &def->opnd[1];
	return o->kind == PTX_O_VAR ? o->var : o->kind == PTX_O_REG ? texref_of(x, o->index, depth + 1) : NULL;
}

// The values of an operand that is one or {several}, into rows; more than `max` are not looked at.
static void take_rows(struct decoder *x, const struct ptx_opnd *o, int32_t *rows, unsigned max)
{
	unsigned n = o->kind == PTX_O_VEC ? o->n : 1;
	for (unsigned k = 0; k < n && k < max; k++)
		rows[k] = decode_source_row(x, o->kind == PTX_O_VEC ? &o->elem[k] : o, PTX_T_B32);
}

// A variable is a reference, also where a register has its address; any other register holds handles.
static bool take_texture(struct decoder *x, const struct ptx_opnd *o, struct texture_operands *t)
{
	const struct ptx_var *v = o->kind == PTX_O_VAR ? o->var : o->kind == PTX_O_REG ? texref_of(x, o->index, 0) : NULL;
	if (v)
		t->reference = v->def ? v->def->tex : v->tex;
	if (t->reference)
		return true;
	if (v || o->kind != PTX_O_REG) {
		decode_complain(x, "'%s' has no texture or surface reference that the program registered, and no object", x->i->text);
		return false;
	}
	t->handle = (int32_t)x->c->row_of_reg[o->index];
	t->wide_handle = decode_row_class((enum ptx_type)x->f->reg[o->index].type) == 2;
	return true;
}

struct texture_operands *decode_texture_operand(struct decoder *x, const struct ptx_opnd *o, bool layered)
{
	enum { LAYER = 1, COORDINATES = 3 };
	struct texture_operands *t = ARENA_NEW(x->keep, struct texture_operands);
	int32_t rows[LAYER + COORDINATES] = {0};
	if (o->kind == PTX_O_MEM && o->n > 2) {
		decode_complain(x, "'%s': separate samplers are not executed by this version", x->i->text);
		return NULL;
	}
	if (!take_texture(x, o->kind == PTX_O_MEM ? &o->elem[0] : o, t))
		return NULL;
	if (o->kind == PTX_O_MEM && o->n > 1)
		take_rows(x, &o->elem[1], rows, layered + COORDINATES);
	if (layered)
		t->layer = rows[0];
	memcpy(t->at, rows + layered, sizeof t->at);
	return t;
}

static bool has_layers(const char *key)
{
	return decode_has_part(key, "a1d") || decode_has_part(key, "a2d") || decode_has_part(key, "acube");
}

// What follows the texture: a level or derivatives, offsets, a depth to compare with.
static bool take_rest(struct decoder *x, struct texture_operands *t)
{
	const struct ptx_inst *i = x->i;
	unsigned k = 2;
	if (decode_has_part(i->key, "level") && k < i->n_opnd)
		take_rows(x, &i->opnd[k++], &t->level, 1);
	for (unsigned n = 0; decode_has_part(i->key, "grad") && n < 2 && k < i->n_opnd; n++)
		take_rows(x, &i->opnd[k++], t->gradient[n], 3);
	if (k < i->n_opnd && i->opnd[k].kind == PTX_O_VEC)
		take_rows(x, &i->opnd[k++], t->offset, 3);
	if (k < i->n_opnd)
		decode_complain(x, "'%s': comparing depths is not executed, as nothing in CUDA says how they are compared", i->text);
	return k >= i->n_opnd;
}

bool decode_tex(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (!is(i, "tex") && !is(i, "txq") && !is(i, "tld4"))
		return false;
	if (!decode_executes(x, i->key))
		return true;
	if (i->n_opnd < 2) {
		decode_complain(x, "'%s' needs a result and a texture", i->text);
		return true;
	}
	const struct ptx_opnd *dst = &i->opnd[0];
	struct texture_operands *t = decode_texture_operand(x, &i->opnd[1], has_layers(i->key));
	if (!t || !take_rest(x, t))
		return true;
	struct uop *out = decode_emit_key(x, i->key);
	if (!is(i, "txq"))
		decode_list_access(x, EXEC_LIST_BODY, (struct address){0});
	out->imm = (int64_t)(uintptr_t)t;
	unsigned n = dst->kind == PTX_O_VEC ? dst->n : 1;
	for (unsigned k = 0; k < n && k < 4; k++) {
		const struct ptx_opnd *o = dst->kind == PTX_O_VEC ? &dst->elem[k] : dst;
		out->x[k] = o->kind == PTX_O_REG ? (int32_t)x->c->row_of_reg[o->index] : SCRATCH_ROW;
	}
	out->d = out->x[0];
	if (dst->second && dst->second->kind == PTX_O_REG) { // whether the texels are resident: there is no sparse memory
		int32_t all = decode_const_row(x, FULL_MASK, false);
		struct uop *p = decode_emit_key(x, "mov.pred");
		p->a = all;
		p->d = decode_dest_row(x, dst->second, PTX_T_PRED).row;
	}
	return true;
}
