// Surface loads, stores and reductions, on the bodies that PTX uses.
//
// Registers from A on hold x, y, z, and of arrays the layer behind these: x in bytes, in texels where the surface's format counts (SUST.P,
// SURED.D without .BA). A handle is in the register at 64, or where textures have it.
#include "cuda-sim/sass/exec/lower_texture.h"

#include "cuda-sim/exec/tables/find.h"
#include "cuda-sim/exec/texture.h"

#include <stdio.h>

enum { WORDS = 4, SURED = 0x1a0 }; // registers of data at most; the group of SURED with its handle in a register

// Fills in geometry, handle and boundary mode. NULL, after a message, if there is no such surface.
static struct texture_operands *surface(struct lower *x)
{
	static const struct { uint8_t dims; bool layered; } all[8] = {{1, false}, {0}, {1, true}, {2, false}, {2, true}, {3, false}, {0}, {0}};
	static const uint8_t outside[4] = {SURFACE_ZERO, SURFACE_CLAMP, SURFACE_TRAP, SURFACE_TRAP};
	unsigned geometry = (unsigned)sass_run(x->i.word, 61, 3), a = (unsigned)sass_run(x->i.word, 24, 8);
	bool in_register = !x->i.uniform_form && (x->i.form == (x->i.row->group == SURED ? 1 : 4));
	struct texture_operands *o = ARENA_NEW(&x->k->arena, struct texture_operands);
	if (!all[geometry].dims) {
		lower_fail(x, "this geometry is not executed by this version");
		return NULL;
	}
	o->dims = all[geometry].dims;
	o->outside = outside[sass_run(x->i.word, 59, 2)];
	for (unsigned k = 0; k < o->dims; k++)
		o->at[k] = lower_r(x, a == SX_RZ ? a : a + k);
	if (all[geometry].layered)
		o->layer = lower_r(x, a == SX_RZ ? a : a + o->dims);
	o->handle = lower_handle(x, in_register ? lower_r(x, (unsigned)sass_run(x->i.word, 64, 8)) : 0);
	return o;
}

// The micro-op, and what a core is told: what it is and what it touches.
static struct uop *emit(struct lower *x, struct texture_operands *o, const char *key, enum isa_class cls)
{
	struct isa_inst *i = &x->k->isa[x->at];
	i->cls = (uint8_t)cls;
	i->space = cls == ISA_TEXTURE ? SPACE_TEX : SPACE_GLOBAL;
	i->bytes = o->bytes;
	i->has_access = i->surface = true;
	i->ordered = cls == ISA_ATOMIC;
	x->k->access[x->at] = (struct sx_access){.how = EXEC_LIST_SURFACE, .imm = (int64_t)(uintptr_t)o};
	int32_t addresses = lower_temp(x, 8);
	struct uop *u = lower_emit(x, key);
	u->a = addresses;
	u->imm = (int64_t)(uintptr_t)o;
	u->flags |= UOP_ADDR64;
	if (cls != ISA_TEXTURE)
		x->out.at[x->k->first[x->at]].flags |= UOP_SHARES;
	return u;
}

static const struct size { const char *type; uint8_t bytes, words; } sizes[8] = {
	{"u8", 1, 1}, {"s8", 1, 1}, {"u16", 2, 1}, {"s16", 2, 1}, {"b32", 4, 1}, {"v2.b32", 8, 2}, {"v4.b32", 16, 4}, {0}};

static const struct size *size(struct lower *x)
{
	const struct size *s = &sizes[sass_run(x->i.word, 73, 3)];
	if (!s->type)
		lower_fail(x, "this size is not executed by this version");
	return s->type ? s : NULL;
}

static exec_fn *access(struct lower *x, const char *op, const char *type)
{
	char key[40];
	snprintf(key, sizeof key, "%s.%s", op, type);
	exec_fn *fn = exec_find(key);
	if (!fn)
		lower_fail(x, "there is no %s", key);
	return fn;
}

static int32_t data(struct lower *x, unsigned plus)
{
	unsigned reg = (unsigned)sass_run(x->i.word, 32, 8);
	return lower_r(x, reg == SX_RZ ? reg : reg + plus);
}

static void suld(struct lower *x)
{
	static const char *const key[WORDS + 1] = {NULL, "surface.load", "surface.load.v2", NULL, "surface.load.v4"};
	const struct size *s = size(x);
	struct texture_operands *o = s ? surface(x) : NULL;
	if (!o)
		return;
	o->bytes = s->bytes;
	o->access = access(x, "ld.global", s->type);
	struct uop *u = emit(x, o, key[s->words], ISA_TEXTURE);
	u->d = lower_dst(x);
	for (unsigned k = 0; k < s->words; k++)
		u->x[k] = lower_dst_at(x, k);
}

static void sust(struct lower *x)
{
	static const uint8_t channels[16] = {[1] = 1, [3] = 2, [15] = 4};
	bool formatted = lower_has(x, "P");
	const struct size *s = formatted ? &sizes[4] : size(x);
	struct texture_operands *o = s ? surface(x) : NULL;
	unsigned n = formatted ? channels[sass_run(x->i.word, 72, 4)] : s ? s->words : 0;
	if (!o || !n)
		return;
	o->formatted = formatted;
	o->bytes = formatted ? 0 : s->bytes;
	o->access = formatted ? NULL : access(x, "st.global", s->type);
	struct uop *u = emit(x, o, formatted ? "surface.store.formatted" : "surface.store", ISA_STORE);
	for (unsigned k = 0; k < WORDS; k++)
		u->x[k] = k < n ? data(x, k) : SX_AT_ZERO;
	u->b = u->x[0];
}

static void sured(struct lower *x)
{
	enum { SD32 = 6 };
	static const char *const ops[8] = {"red.global.add", "red.global.min", "red.global.max", NULL, NULL, "red.global.and", "red.global.or", NULL};
	static const struct { const char *type, *bits; uint8_t bytes; } types[8] = {{"u32", "b32", 4}, {"s32", "b32", 4}, {"u64", "b64", 8}, {0}, {0},
	                                                                            {"s64", "b64", 8}, {"u32", "b32", 4}, {"u64", "b64", 8}};
	unsigned op = (unsigned)sass_run(x->i.word, 87, 3), type = (unsigned)sass_run(x->i.word, 73, 3);
	bool formatted = type >= SD32, bits = op >= 5;
	struct texture_operands *o = ops[op] && types[type].type ? surface(x) : NULL;
	if (!o) {
		lower_fail(x, "this reduction is not executed by this version");
		return;
	}
	o->formatted = formatted;
	o->bytes = formatted ? 0 : types[type].bytes;
	o->access = access(x, ops[op], bits ? types[type].bits : types[type].type);
	if (formatted && !bits)
		o->access_signed = access(x, ops[op], types[type].bytes == 8 ? "s64" : "s32");
	int32_t b = data(x, 0);
	if (types[type].bytes == 8) {
		b = lower_temp(x, 8);
		struct uop *pair = lower_emit(x, "mov.pack2.b64");
		pair->d = b;
		pair->x[0] = data(x, 0);
		pair->x[1] = data(x, 1);
	}
	emit(x, o, "surface.store", ISA_ATOMIC)->b = b;
}

#define SCOPES "CONSTANT CTA SM GPU SYS STRONG MMIO"
const struct lower_op lower_surface_ops[] = {
	{"SULD", suld, "D BA 1D 1D_ARRAY 2D 2D_ARRAY 3D U8 S8 U16 S16 64 128 IGN TRAP " SCOPES},
	{"SUST", sust, "D P R RG BA 1D 1D_ARRAY 2D 2D_ARRAY 3D U8 S8 U16 S16 64 128 IGN TRAP " SCOPES},
	{"SURED", sured, "D BA 1D 1D_ARRAY 2D 2D_ARRAY 3D ADD MIN MAX AND OR S32 U64 S64 SD32 SD64 IGN TRAP " SCOPES},
	{0},
};
