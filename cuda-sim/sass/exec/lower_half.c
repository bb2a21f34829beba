// Two numbers of 16 bits in a register.
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

static bool is_bf16(const struct lower *x) { return lower_has(x, "BF16_V2"); }

static void arithmetic(struct lower *x, const char *op, unsigned n)
{
	struct uop_mode m = lower_mode(x);
	bool bf16 = is_bf16(x), plain = !m.ftz && !m.sat && !m.relu && !m.oob;
	int32_t row[3] = {0};
	char key[32];
	for (unsigned k = 0; k < n; k++)
		row[k] = lower_half(x, k, bf16);
	m.type[0] = m.type[1] = bf16 ? UOP_T_BF16X2 : UOP_T_F16X2;
	snprintf(key, sizeof key, "%s.%s%sf16x2", op, plain ? "" : "mode.", bf16 ? "b" : "");
	lower_emit3(x, key, lower_dst(x), row[0], row[1], row[2])->mode = m;
}

// .F32: the sum of two halves, as a number of 32 bits.
static void hadd2(struct lower *x)
{
	if (!lower_has(x, "F32")) {
		arithmetic(x, "add", 2);
		return;
	}
	struct uop_mode m = lower_mode(x);
	int32_t row[2];
	for (unsigned k = 0; k < 2; k++) {
		int32_t half = lower_half(x, k, is_bf16(x));
		row[k] = lower_temp(x, 4);
		lower_emit3(x, is_bf16(x) ? "cvt.f32.bf16" : "cvt.f32.f16", row[k], half, 0, 0);
	}
	lower_emit3(x, m.ftz || m.sat ? "add.mode.f32" : "add.f32", lower_dst(x), row[0], row[1], 0)->mode = m;
}

static void hmul2(struct lower *x) { arithmetic(x, "mul", 2); }

static bool is_nan_half(uint32_t h) { return (h & 0x7fff) > 0x7c00; }

// -0 * 0 + an immediate: compilers move constants so. A zero of either sign and a subnormal stay as they are.
static bool moves_constant(const struct lower *x)
{
	const struct sx_source *a = &x->src[0], *b = &x->src[1], *c = &x->src[2];
	if (lower_has(x, "FTZ") || lower_has(x, "SAT") || lower_has(x, "RELU") || lower_has(x, "OOB") || is_bf16(x) || a->kind != SX_O_R || b->kind != SX_O_R)
		return false;
	return a->reg == SX_RZ && a->neg && !a->abs && b->reg == SX_RZ && !b->neg && c->kind == SX_O_IMM && !is_nan_half(c->bits) &&
	       !is_nan_half(c->bits >> 16);
}

static void hfma2(struct lower *x)
{
	if (moves_constant(x))
		lower_emit3(x, "mov.b32", lower_dst(x), lower_bits(x, x->src[2].bits, false), 0, 0);
	else
		arithmetic(x, "fma", 3);
}

static void hmnmx2(struct lower *x)
{
	struct uop_mode m = lower_mode(x);
	bool bf16 = is_bf16(x);
	lower_magnitudes(x, &m);
	int32_t a = lower_half(x, 0, bf16), b = lower_half(x, 1, bf16), to[2];
	m.type[0] = m.type[1] = bf16 ? UOP_T_BF16X2 : UOP_T_F16X2;
	for (unsigned k = 0; k < 2; k++) {
		char key[32];
		to[k] = lower_temp(x, 4);
		snprintf(key, sizeof key, "%s.%s%sf16x2", k ? "max" : "min", m.ftz || m.nan || m.xorsign ? "mode." : "", bf16 ? "b" : "");
		lower_emit3(x, key, to[k], a, b, 0)->mode = m;
	}
	struct uop *u = lower_emit3(x, "selp.b32", lower_dst(x), to[0], to[1], x->pin[0].at);
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

static struct uop_mode compare_mode(const struct lower *x)
{
	static const uint8_t cmp[16] = {UOP_CMP_NONE, UOP_LT, UOP_EQ, UOP_LE, UOP_GT, UOP_NE, UOP_GE, UOP_NUM,
	                                UOP_NAN, UOP_LTU, UOP_EQU, UOP_LEU, UOP_GTU, UOP_NEU, UOP_GEU, UOP_CMP_NONE};
	static const uint8_t logic[4] = {UOP_AND, UOP_OR, UOP_XOR, UOP_LOGIC_NONE};
	struct uop_mode m = lower_mode(x);
	m.cmp = cmp[sass_run(x->i.word, 76, 4)];
	m.logic = logic[sass_run(x->i.word, 69, 2)];
	m.type[0] = m.type[1] = is_bf16(x) ? UOP_T_BF16X2 : UOP_T_F16X2;
	return m;
}

// The first predicate is about the lower halves, the second about the upper ones.
static void hsetp2(struct lower *x)
{
	struct uop_mode m = compare_mode(x);
	int32_t a = lower_half(x, 0, is_bf16(x)), b = lower_half(x, 1, is_bf16(x));
	if (!m.cmp)
		lower_fail(x, "a comparison that always or never holds is not executed by this version");
	struct uop *u = lower_emit3(x, is_bf16(x) ? "setp.lt.and.bf16x2" : "setp.lt.and.f16x2", x->pout[0], a, b, x->pin[0].at);
	u->mode = m;
	u->x[0] = x->pout[1];
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

static void hset2(struct lower *x)
{
	struct uop_mode m = compare_mode(x);
	int32_t a = lower_half(x, 0, is_bf16(x)), b = lower_half(x, 1, is_bf16(x));
	if (!m.cmp)
		lower_fail(x, "a comparison that always or never holds is not executed by this version");
	if (!lower_has(x, "BF"))
		m.type[0] = UOP_T_U32;
	struct uop *u = lower_emit3(x, is_bf16(x) ? "set.lt.and.bf16x2.bf16x2" : "set.lt.and.f16x2.f16x2", lower_dst(x), a, b, x->pin[0].at);
	u->mode = m;
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

const struct lower_op lower_half_ops[] = {
	{"HADD2", hadd2, "BF16_V2 F32 FTZ SAT"}, {"HMUL2", hmul2, "BF16_V2 FTZ SAT"},
	{"HFMA2", hfma2, "BF16_V2 FTZ SAT OOB RELU MMA"}, {"HMNMX2", hmnmx2, "BF16_V2 FTZ NAN XORSIGN"},
	{"HSETP2", hsetp2, FLOAT_COMPARES " F T BF16_V2 FTZ"}, {"HSET2", hset2, FLOAT_COMPARES " F T BF BF16_V2 FTZ"}, {0},
};
