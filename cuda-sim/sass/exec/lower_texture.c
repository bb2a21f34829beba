// Texture fetches and queries, on the bodies that PTX uses.
//
// What registers hold, as compilers fill them (n is the first register that a field names, n + 1 follows):
//   TEX, TLD, TLD4  layer of an array, x, y, z; the handle (.B); the level (.LL); the offsets (.AOFFI), 4 bits each, of TLD4 6 of
//                   8 bits. With .SCR the first half of these, of three the first two, is in A and the rest in B; without it the
//                   coordinates are in A and what follows in B.
//   TXD             A: the handle (.B), x, y, then the layer in 16 bits and above it the offsets; B: for x and then for y the
//                   derivatives by the screen's x and y
//   TXQ             A: the handle (.B), the level
// The mask at bits 72 to 75 says which channels are wanted: the first two go to D, the others to the register at 64.
//
// A handle has 32 bits: those of an object, or what the loader put into constant bank 0 for a reference. Code that ptxas makes
// gives a level of -32 where the program gives none, and scales the direction into a cube so that its longest component is 1.
#include "cuda-sim/sass/exec/lower_texture.h"

#include "cuda-sim/exec/texture.h"

#include <stdio.h>
#include <string.h>

enum { CHANNELS = 4, PART = 2 }; // results, and how many go to one destination

struct geometry {
	const char *name;   // as keys have it; NULL: there is none
	unsigned n;         // coordinates, the layer among them
	bool layered;
};

static const struct geometry *geometry(struct lower *x)
{
	// By bits 61 to 63.
	static const struct geometry all[8] = {{"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"cube", 3, false},
	                                       {"a1d", 2, true}, {"a2d", 3, true}, {0}, {"acube", 4, true}};
	const struct geometry *g = &all[sass_run(x->i.word, 61, 3)];
	if (!g->name)
		lower_fail(x, "this geometry is not executed by this version");
	return g;
}

static unsigned reg_a(const struct lower *x) { return (unsigned)sass_run(x->i.word, 24, 8); }
static unsigned reg_b(const struct lower *x) { return (unsigned)sass_run(x->i.word, 32, 8); }

static int32_t register_row(struct lower *x, unsigned first, unsigned plus)
{
	return lower_r(x, first == SX_RZ ? SX_RZ : first + plus);
}

int32_t lower_handle(struct lower *x, int32_t in_register)
{
	enum { TXQ = 0x16f };
	struct sass_word w = x->i.word;
	struct sx_source s = {.kind = SX_O_CONST, .bank = (uint8_t)sass_run(w, 54, 5), .bits = 4 * (uint32_t)sass_run(w, 40, 14)};
	int32_t row = in_register;
	if (!row && x->i.uniform_form) {
		row = lower_ur(x, lower_ur_at(x, 40));
		if (x->i.generation >= SASS_BLACKWELL && x->i.row->group != TXQ ? sass_run(w, 48, 8) != SX_URZ : s.bank)
			lower_fail(x, "the number behind the uniform register means nothing to this version");
	} else if (!row) {
		row = lower_raw(x, &s, 0);
	}
	return row;
}

// Whether the handle is in a register: the forms without a constant or a uniform register.
static bool bindless(const struct lower *x) { return !x->i.uniform_form && x->i.form == 1; }

// Where wanted channel k goes; the sink for those that nobody wants.
static int32_t channel_row(struct lower *x, unsigned k)
{
	unsigned mask = (unsigned)sass_run(x->i.word, 72, CHANNELS), before = 0;
	for (unsigned c = 0; c < k; c++)
		before += mask >> c & 1;
	unsigned reg = (unsigned)sass_run(x->i.word, before < PART ? 16 : 64, 8);
	if (!(mask >> k & 1) || reg == SX_RZ)
		return lower_extra(x, SX_SINK) + (int32_t)k * SX_ROW;
	return lower_r(x, reg + before % PART);
}

// Two halves a register: the first two to D, the others to the register at 64, whatever the mask.
static void put_halves(struct lower *x, const int32_t half[CHANNELS])
{
	for (unsigned k = 0; k < CHANNELS; k += PART) {
		unsigned reg = (unsigned)sass_run(x->i.word, k ? 64 : 16, 8);
		if (reg == SX_RZ)
			continue;
		struct uop *u = lower_emit(x, "mov.pack2.b32");
		u->d = lower_r(x, reg);
		u->x[0] = half[k];
		u->x[1] = half[k + 1];
	}
}

// The predicate says that texels were not in memory; all are.
static void put_absent(struct lower *x)
{
	if (!x->pout_used[0])
		return;
	struct uop *u = lower_emit(x, "mov.pred");
	u->d = x->pout[0];
	u->a = SX_AT_P + 4 * SX_PT;
	u->flags |= UOP_NEG_A;
}

static bool refused(struct lower *x)
{
	static const struct { const char *modifier, *what; } refusals[] = {
		{"DC", "comparing depths is not executed, as nothing in CUDA says how they are compared"},
		{"MS", "textures with several samples are not executed, as CUDA makes none"}};
	for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
		if (lower_has(x, refusals[k].modifier)) {
			lower_fail(x, "%s", refusals[k].what);
			return true;
		}
	return false;
}

static void fetch(struct lower *x, const char *op, const char *coordinates, const struct geometry *g, const struct texture_operands *o)
{
	bool half = lower_has(x, "F16.RN");
	int32_t result[CHANNELS];
	char key[48];
	if (half && sass_run(x->i.word, 72, CHANNELS) != 15) {
		lower_fail(x, "some of the channels as halves are not executed by this version");
		return;
	}
	for (unsigned k = 0; k < CHANNELS; k++)
		result[k] = half ? lower_temp(x, 4) : channel_row(x, k);
	snprintf(key, sizeof key, "%s.%s.v4.%s.%s", op, g->name, half ? "f16" : "u32", coordinates);
	struct uop *u = lower_emit(x, key);
	u->imm = (int64_t)(uintptr_t)o;
	for (unsigned k = 0; k < CHANNELS; k++)
		u->x[k] = result[k];
	if (half)
		put_halves(x, result);
	put_absent(x);
	x->k->access[x->at] = (struct sx_access){.how = EXEC_LIST_BODY};
	x->k->isa[x->at].has_access = true;
	x->k->isa[x->at].space = SPACE_TEX;
}

static void fetch_at(struct lower *x, const char *op, const char *coordinates)
{
	enum { MOST = 7 };
	const struct geometry *g = geometry(x);
	if (!g->name || refused(x))
		return;
	struct texture_operands *o = ARENA_NEW(&x->k->arena, struct texture_operands);
	bool gathers = !strncmp(op, "tld4", 4), level = !gathers && lower_has(x, "LL"), offsets = lower_has(x, "AOFFI");
	unsigned all = g->n + bindless(x) + level + offsets, in_a = lower_has(x, "SCR") ? (all + 1) / 2 : g->n, n = 0;
	int32_t at[MOST] = {0};
	for (unsigned k = 0; k < all; k++)
		at[k] = k < in_a ? register_row(x, reg_a(x), k) : register_row(x, reg_b(x), k - in_a);
	if (g->layered)
		o->layer = at[n++];
	for (unsigned k = 0; n < g->n; k++)
		o->at[k] = at[n++];
	o->handle = lower_handle(x, bindless(x) ? at[n++] : 0);
	if (level)
		o->level = at[n++];
	else if (!gathers && lower_has(x, "LZ"))
		o->level = SX_AT_ZERO;
	if (offsets) {
		o->offset[0] = at[n];
		o->packed = gathers ? 8 : 4;
	}
	fetch(x, op, coordinates, g, o);
}

static void tex(struct lower *x) { fetch_at(x, "tex", "f32"); }
static void tld(struct lower *x) { fetch_at(x, "tex", "s32"); }

static void tld4(struct lower *x)
{
	static const char *const op[4] = {"tld4.r", "tld4.g", "tld4.b", "tld4.a"};
	fetch_at(x, op[sass_run(x->i.word, 87, 2)], "f32");
}

// The low 16 bits of a row, or those above them.
static int32_t half_of(struct lower *x, int32_t row, bool upper)
{
	int32_t to = lower_temp(x, 4);
	lower_emit3(x, upper ? "shr.u32" : "and.b32", to, row, lower_bits(x, upper ? 16 : 0xffff, false), 0);
	return to;
}

static void txd(struct lower *x)
{
	const struct geometry *g = geometry(x);
	if (!g->name || refused(x))
		return;
	struct texture_operands *o = ARENA_NEW(&x->k->arena, struct texture_operands);
	unsigned first = bindless(x), spatial = g->n - g->layered;
	for (unsigned k = 0; k < spatial; k++) {
		o->at[k] = register_row(x, reg_a(x), first + k);
		for (unsigned by = 0; by < 2; by++)
			o->gradient[by][k] = register_row(x, reg_b(x), 2 * k + by);
	}
	if (g->layered)
		o->layer = half_of(x, register_row(x, reg_a(x), first + spatial), false);
	if (lower_has(x, "AOFFI")) {
		o->offset[0] = half_of(x, register_row(x, reg_a(x), first + spatial), true);
		o->packed = 4;
	}
	o->handle = lower_handle(x, first ? register_row(x, reg_a(x), 0) : 0);
	fetch(x, "tex.grad", "f32", g, o);
}

static void txq(struct lower *x)
{
	static const char *const key[CHANNELS] = {"txq.level.width.b32", "txq.level.height.b32", "txq.level.depth.b32", "txq.num_mipmap_levels.b32"};
	struct texture_operands *o = ARENA_NEW(&x->k->arena, struct texture_operands);
	o->handle = lower_handle(x, bindless(x) ? register_row(x, reg_a(x), 0) : 0);
	o->level = register_row(x, reg_a(x), bindless(x));
	for (unsigned k = 0; k < CHANNELS; k++) {
		if (!(sass_run(x->i.word, 72, CHANNELS) >> k & 1))
			continue;
		struct uop *u = lower_emit(x, key[k]);
		u->d = channel_row(x, k);
		u->imm = (int64_t)(uintptr_t)o;
	}
}

const struct lower_op lower_texture_ops[] = {
	{"TEX", tex, "SCR B LL LZ NDV NODEP F16 RN AOFFI DC"}, {"TLD", tld, "SCR B LL LZ F16 RN AOFFI CL MS"},
	{"TLD4", tld4, "R G B A SCR NDV AOFFI DC"}, {"TXD", txd, "B AOFFI"}, {"TXQ", txq, "B"}, {0},
};
