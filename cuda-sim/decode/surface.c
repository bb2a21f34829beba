// Surface instructions: an access to global memory at places that the surface tells, see exec/bodies/surf.c.
#include "cuda-sim/decode/decoder.h"

#include "cuda-sim/exec/texture.h"

static void take_geometry(struct decoder *x, struct texture_operands *t)
{
	const char *key = x->i->key;
	t->dims = decode_has_part(key, "3d") ? 3 : decode_has_part(key, "2d") || decode_has_part(key, "a2d") ? 2 : 1;
	t->outside = decode_has_part(key, "clamp") ? SURFACE_CLAMP : decode_has_part(key, "zero") ? SURFACE_ZERO : SURFACE_TRAP;
	t->formatted = decode_has_part(key, "p");
}

static struct uop *emit(struct decoder *x, struct texture_operands *t, const char *key)
{
	struct uop *u = decode_emit_key(x, key);
	decode_list_access(x, EXEC_LIST_SURFACE, (struct address){.imm = (int64_t)(uintptr_t)t});
	u->a = decode_temp_row(x);
	u->imm = (int64_t)(uintptr_t)t;
	u->flags |= UOP_ADDR64;
	return u;
}

static const struct ptx_opnd *element(const struct ptx_opnd *o, unsigned k) { return o->kind == PTX_O_VEC ? &o->elem[k] : o; }

static exec_fn *access(struct decoder *x, const char *op, const char *type, unsigned vec)
{
	const char *key = vec > 1 ? arena_printf(x->keep, "%s.v%u.%s", op, vec, type) : arena_printf(x->keep, "%s.%s", op, type);
	decode_executes(x, key);
	return exec_find(key);
}

static void decode_load(struct decoder *x, struct texture_operands *t, enum ptx_type type, unsigned n)
{
	struct dest dest[4];
	t->access = access(x, "ld.global", ptx_type_text[type], n);
	for (unsigned k = 0; k < n; k++)
		dest[k] = decode_dest_row(x, element(&x->i->opnd[0], k), type);
	const char *wide = decode_row_class(type) == 2 ? ".b64" : "";
	struct uop *u = emit(x, t, n > 1 ? arena_printf(x->keep, "surface.load.v%u%s", n, wide) : arena_printf(x->keep, "surface.load%s", wide));
	for (unsigned k = 0; k < n; k++)
		u->x[k] = dest[k].row;
	u->d = dest[0].row;
	for (unsigned k = 0; k < n; k++)
		decode_finish_dest(x, &dest[k]);
}

static void decode_store(struct decoder *x, struct texture_operands *t, enum ptx_type type, unsigned n)
{
	int32_t row[4] = {0};
	for (unsigned k = 0; k < n; k++)
		row[k] = decode_source_row(x, element(&x->i->opnd[1], k), type);
	for (unsigned k = n; k < 4; k++) // channels that the instruction does not give
		row[k] = decode_const_row(x, 0, false);
	if (!t->formatted)
		t->access = access(x, "st.global", ptx_type_text[type], n);
	struct uop *u = emit(x, t, t->formatted ? "surface.store.formatted" : "surface.store");
	memcpy(u->x, row, sizeof row);
	u->b = row[0];
}

static void decode_reduction(struct decoder *x, struct texture_operands *t, enum ptx_type type)
{
	static const char *const ops[] = {"add", "min", "max", "and", "or"};
	const char *op = "add", *name = ptx_type_text[type];
	int32_t b = decode_source_row(x, element(&x->i->opnd[1], 0), type);
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		if (decode_has_part(x->i->key, ops[k]))
			op = ops[k];
	bool bits = !strcmp(op, "and") || !strcmp(op, "or");
	if (bits)
		name = decode_row_class(type) == 2 ? "b64" : "b32";
	else if (t->formatted)
		name = "u32";
	t->access = access(x, arena_printf(x->keep, "red.global.%s", op), name, 1);
	if (t->formatted && !bits)
		t->access_signed = access(x, arena_printf(x->keep, "red.global.%s", op), "s32", 1);
	emit(x, t, "surface.store")->b = b;
}

bool decode_surface(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	bool load = is(i, "suld"), store = is(i, "sust"), query = is(i, "suq");
	if (!load && !store && !query && !is(i, "sured"))
		return false;
	const struct ptx_opnd *where = &i->opnd[load || query], *data = &i->opnd[!load && !query];
	enum ptx_type type = (enum ptx_type)i->mods.type[0];
	unsigned n = i->mods.vec;
	if (i->n_opnd < 2) {
		decode_complain(x, "'%s' needs a result and a surface", i->text);
		return true;
	}
	if (query && !decode_executes(x, i->key))
		return true;
	struct texture_operands *t = decode_texture_operand(x, where, decode_has_part(i->key, "a1d") || decode_has_part(i->key, "a2d"));
	if (!t)
		return true;
	take_geometry(x, t);
	t->bytes = (uint8_t)(t->formatted ? 0 : n * decode_type_bytes(type));
	if (query) {
		struct dest d = decode_dest_row(x, data, PTX_T_B32);
		struct uop *u = decode_emit_key(x, i->key);
		u->imm = (int64_t)(uintptr_t)t;
		u->d = d.row;
		decode_finish_dest(x, &d);
	} else if (data->kind == PTX_O_VEC ? data->n != n : n != 1) {
		decode_complain(x, "'%s' needs %u values", i->text, n);
	} else if (t->bytes > 16) {
		decode_complain(x, "'%s': a surface has no texels of %u bytes", i->text, t->bytes);
	} else if (load) {
		decode_load(x, t, type, n);
	} else if (store) {
		decode_store(x, t, type, n);
	} else {
		decode_reduction(x, t, type);
	}
	return true;
}
