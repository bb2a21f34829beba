// Texture instructions: which texture, coordinates, destinations.
#include "cuda-sim/decode/decoder.h"

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

// The row of a texture object's handle, 64 bits a lane whatever the register's width.
static int32_t handle_row(struct decoder *x, const struct ptx_opnd *o)
{
	int32_t row = decode_source_row(x, o, PTX_T_U64);
	enum ptx_type t = (enum ptx_type)x->f->reg[o->index].type;
	if (decode_row_class(t) == 2)
		return row;
	int32_t wide = decode_temp_row(x);
	decode_emit_resize(x, wide, PTX_T_U64, row, PTX_T_U32);
	return wide;
}

// The texture operand [tex, {coordinates}] and its destinations.
bool decode_tex(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (!is(i, "tex") && !is(i, "txq") && !is(i, "tld4"))
		return false;
	if (!decode_executes(x, i->key))
		return true;
	struct uop u = {0};
	unsigned n_src = 0;
	int32_t *src[3] = {&u.a, &u.b, &u.c};
	struct texture *tex = NULL;
	const struct ptx_opnd *dst = &i->opnd[0], *handle = NULL;
	if (i->n_opnd > 1 && i->opnd[1].kind == PTX_O_MEM && i->opnd[1].n > 2) {
		decode_complain(x, "'%s': separate samplers are not executed by this version", i->text);
		return true;
	}
	for (unsigned k = 1; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		unsigned n = o->kind == PTX_O_MEM || o->kind == PTX_O_VEC ? o->n : 1;
		for (unsigned e = 0; e < n; e++) {
			const struct ptx_opnd *p = n > 1 || o->kind == PTX_O_MEM || o->kind == PTX_O_VEC ? &o->elem[e] : o;
			unsigned m = p->kind == PTX_O_VEC ? p->n : 1;
			for (unsigned q = 0; q < m; q++) {
				const struct ptx_opnd *r = p->kind == PTX_O_VEC ? &p->elem[q] : p;
				struct ptx_var *v = r->kind == PTX_O_VAR ? r->var : NULL;
				if (!v && k == 1 && e == 0 && r->kind == PTX_O_REG)
					v = texref_of(x, r->index, 0);
				if (v) {
					tex = v->def ? v->def->tex : v->tex;
				} else if (k == 1 && e == 0 && r->kind == PTX_O_REG) {
					handle = r;
				} else if (n_src < 3) {
					*src[n_src++] = decode_source_row(x, r, PTX_T_B32);
				}
			}
		}
	}
	if (!tex && !handle) {
		decode_complain(x, "'%s' has no texture reference that the program registered, and no texture object", i->text);
		return true;
	}
	if (!tex)
		u.imm = handle_row(x, handle);
	struct uop *out = decode_emit_key(x, i->key);
	if (!is(i, "txq"))
		decode_list_access(x, EXEC_LIST_TEXELS, (struct address){0});
	out->a = u.a, out->b = u.b, out->c = u.c;
	out->imm = tex ? (int64_t)(uintptr_t)tex : u.imm;
	if (!tex)
		out->flags |= UOP_OBJECT;
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
