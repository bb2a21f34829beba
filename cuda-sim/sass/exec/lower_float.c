// Floating point of 32 and 64 bits. Most is PTX's, under other names.
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

static bool plain(const struct uop_mode *m) { return m->rnd == ROUND_RN && !m->ftz && !m->sat; }

static void arithmetic(struct lower *x, const char *op, unsigned n)
{
	struct uop_mode m = lower_mode(x);
	int32_t row[3] = {0};
	char key[32];
	for (unsigned k = 0; k < n; k++)
		row[k] = lower_f32(x, k);
	snprintf(key, sizeof key, "%s.%sf32", op, plain(&m) ? n == 3 ? "rn." : "" : "mode.");
	lower_emit3(x, key, lower_dst(x), row[0], row[1], row[2])->mode = m;
}

// Two numbers side by side in pairs of registers.
static void packed(struct lower *x, const char *op, unsigned n)
{
	struct uop_mode m = lower_mode(x);
	char key[32];
	snprintf(key, sizeof key, "%s.%sf32", op, plain(&m) ? n == 3 ? "rn." : "" : "mode.");
	for (unsigned upper = 0; upper < 2; upper++) {
		int32_t row[3] = {0};
		for (unsigned k = 0; k < n; k++) {
			row[k] = lower_raw(x, &x->src[k], upper);
			if (!x->src[k].neg)
				continue;
			int32_t to = lower_temp(x, 4);
			lower_emit3(x, "sass.neg.f32", to, row[k], 0, 0);
			row[k] = to;
		}
		lower_emit3(x, key, lower_dst_at(x, upper), row[0], row[1], row[2])->mode = m;
	}
}

static void fadd2(struct lower *x) { packed(x, "add", 2); }
static void fmul2(struct lower *x) { packed(x, "mul", 2); }
static void ffma2(struct lower *x) { packed(x, "fma", 3); }

static void fadd(struct lower *x) { arithmetic(x, "add", 2); }
static void ffma(struct lower *x) { arithmetic(x, "fma", 3); }

// A product that is scaled before it is rounded.
static void fmul(struct lower *x)
{
	static const struct { const char *name; float by; } scale[] = {{"D2", 0.5f}, {"D4", 0.25f}, {"D8", 0.125f}, {"M2", 2}, {"M4", 4}, {"M8", 8}};
	struct uop_mode m = lower_mode(x);
	for (unsigned k = 0; k < sizeof scale / sizeof *scale; k++) {
		uint32_t bits;
		if (!lower_has(x, scale[k].name))
			continue;
		if (m.rnd != ROUND_RN)
			lower_fail(x, "a scaled product in that rounding is not executed by this version");
		memcpy(&bits, &scale[k].by, sizeof bits);
		int32_t a = lower_f32(x, 0), b = lower_f32(x, 1);
		lower_emit3(x, "sass.fmul.scaled", lower_dst(x), a, b, lower_bits(x, bits, false))->mode = m;
		return;
	}
	arithmetic(x, "mul", 2);
}

static void select_by(struct lower *x, int32_t a, int32_t b)
{
	struct uop *u = lower_emit3(x, "selp.b32", lower_dst(x), a, b, x->pin[0].at);
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

static void fmnmx(struct lower *x)
{
	struct uop_mode m = lower_mode(x);
	lower_magnitudes(x, &m);
	int32_t a = lower_f32(x, 0), b = lower_f32(x, 1), to[2];
	bool always = x->pin[0].always, never = x->pin[0].neg && x->pin[0].at == SX_AT_P + 4 * SX_PT;
	for (unsigned k = 0; k < 2; k++) {
		char key[32];
		if (k ? always : never)
			continue;
		to[k] = always || never ? lower_dst(x) : lower_temp(x, 4);
		snprintf(key, sizeof key, "%s.%sf32", k ? "max" : "min", m.ftz || m.nan || m.xorsign ? "mode." : "");
		lower_emit3(x, key, to[k], a, b, 0)->mode = m;
	}
	if (!always && !never)
		select_by(x, to[0], to[1]);
}

// The smallest or the largest of three.
static void fmnmx3(struct lower *x)
{
	struct uop_mode m = lower_mode(x);
	bool never = x->pin[0].neg && x->pin[0].at == SX_AT_P + 4 * SX_PT;
	char key[32];
	if (!x->pin[0].always && !never) {
		lower_fail(x, "with a predicate that is known only when it runs it is not executed by this version");
		return;
	}
	int32_t a = lower_f32(x, 0), b = lower_f32(x, 1), c = lower_f32(x, 2), two = lower_temp(x, 4);
	snprintf(key, sizeof key, "%s.%sf32", never ? "max" : "min", m.ftz || m.nan ? "mode." : "");
	lower_emit3(x, key, two, a, b, 0)->mode = m;
	lower_emit3(x, key, lower_dst(x), two, c, 0)->mode = m;
}

static void fsel(struct lower *x)
{
	int32_t a = lower_f32(x, 0), b = lower_f32(x, 1);
	if (lower_has(x, "FTZ")) {
		int32_t fa = lower_temp(x, 4), fb = lower_temp(x, 4);
		lower_emit3(x, "cvt.ftz.f32.f32", fa, a, 0, 0);
		lower_emit3(x, "cvt.ftz.f32.f32", fb, b, 0, 0);
		a = fa, b = fb;
	}
	select_by(x, a, b);
}

static const char *const compare[16] = {NULL, "lt", "eq", "le", "gt", "ne", "ge", "num", "nan", "ltu", "equ", "leu", "gtu", "neu", "geu", NULL};
static const char *const logic[] = {"and", "or", "xor", "and"};

// A comparison of rows a and b, joined with the first predicate that is read.
static void compare_rows(struct lower *x, const char *type, int32_t a, int32_t b, int32_t p, int32_t q, unsigned join)
{
	unsigned cmp = (unsigned)sass_run(x->i.word, 76, 4);
	char key[48];
	if (!compare[cmp]) {
		int32_t c = lower_pred(x, &x->pin[0]);
		unsigned first = join == 0 ? 0xc0 : join == 1 ? 0xfc : 0x3c, second = join == 0 ? 0x0c : join == 1 ? 0xcf : 0xc3;
		struct uop *u = lower_emit3(x, "sass.plop3", p, cmp ? SX_AT_P + 4 * SX_PT : 0, c, 0);
		u->x[0] = q;
		u->imm = (int64_t)(first | second << 8);
		return;
	}
	if (join == 0 && x->pin[0].always)
		snprintf(key, sizeof key, "setp.%s.%s", compare[cmp], type);
	else
		snprintf(key, sizeof key, "setp.%s.%s.%s", compare[cmp], logic[join], type);
	struct uop *u = lower_emit3(x, key, p, a, b, x->pin[0].at);
	u->x[0] = q;
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

static void fsetp(struct lower *x)
{
	int32_t a = lower_f32(x, 0), b = lower_f32(x, 1);
	compare_rows(x, lower_has(x, "FTZ") ? "ftz.f32" : "f32", a, b, x->pout[0], x->pout[1], (unsigned)sass_run(x->i.word, 74, 2));
}

// 1.0 where it holds, else 0; without .BF all ones.
static void fset(struct lower *x)
{
	int32_t a = lower_f32(x, 0), b = lower_f32(x, 1), p = lower_ptemp(x);
	compare_rows(x, lower_has(x, "FTZ") ? "ftz.f32" : "f32", a, b, p, SX_AT_P_SINK, (unsigned)sass_run(x->i.word, 74, 2));
	lower_emit3(x, "selp.b32", lower_dst(x), lower_bits(x, lower_has(x, "BF") ? 0x3f800000 : UINT32_MAX, false), SX_AT_ZERO, p);
}

static void fchk(struct lower *x)
{
	int32_t a = lower_f32(x, 0), b = lower_f32(x, 1);
	lower_emit3(x, "sass.fchk", x->pout[0], a, b, 0);
}

static void mufu(struct lower *x)
{
	// Operands and results that are subnormal are zeroes: around MUFU ptxas scales them for the forms of PTX without .ftz.
	static const char *const key[] = {"sass.cos", "sass.sin", "ex2.approx.ftz.f32", "lg2.approx.ftz.f32",
	                                  "rcp.approx.ftz.f32", "rsqrt.approx.ftz.f32", "sass.rcp64h", "sass.rsq64h",
	                                  "sqrt.approx.ftz.f32", "tanh.approx.f32"};
	static const char *const half[] = {NULL, NULL, "ex2.approx.f16", NULL, NULL, NULL, NULL, NULL, NULL, "tanh.approx.f16"};
	static const char *const brain[] = {NULL, NULL, "ex2.approx.ftz.bf16", NULL, NULL, NULL, NULL, NULL, NULL, "tanh.approx.bf16"};
	unsigned f = (unsigned)sass_run(x->i.word, 74, 6);
	if (lower_has(x, "F16") || lower_has(x, "BF16")) {
		const char *name = f < 10 ? (lower_has(x, "F16") ? half : brain)[f] : NULL;
		if (!name)
			lower_fail(x, "this form is not executed by this version");
		else
			lower_emit3(x, name, lower_dst(x), lower_half_word(x, 0), 0, 0)->mode.ftz = lower_has(x, "BF16");
		return;
	}
	int32_t a = lower_f32(x, 0);
	lower_emit3(x, key[f < 10 ? f : 0], lower_dst(x), a, 0, 0);
}

// --- double precision

// Source k as two rows, one behind the other, and its signs in the micro-op's way; rows of constants are copied together.
static int32_t pair_rows(struct lower *x, unsigned k, int64_t *signs)
{
	const struct sx_source *s = &x->src[k];
	*signs |= (int64_t)((s->neg ? 1 : 0) | (s->abs ? 2 : 0)) << 2 * k;
	if (s->kind == SX_O_R || s->kind == SX_O_UR)
		return lower_raw(x, s, 0);
	int32_t to = lower_temp(x, 8);
	bool imm = s->kind == SX_O_IMM;
	lower_emit3(x, "mov.b32", to, imm ? SX_AT_ZERO : lower_raw(x, s, 0), 0, 0);
	lower_emit3(x, "mov.b32", to + SX_ROW, imm ? lower_bits(x, s->bits, false) : lower_raw(x, s, 1), 0, 0);
	return to;
}

static void double_arithmetic(struct lower *x, const char *op, const char *fast, unsigned n)
{
	struct uop_mode m = lower_mode(x);
	int32_t row[3] = {0};
	if (plain(&m)) {
		int64_t signs = 0;
		for (unsigned k = 0; k < n; k++)
			row[k] = pair_rows(x, k, &signs);
		lower_emit3(x, fast, lower_dst(x), row[0], row[1], row[2])->imm = signs;
		return;
	}
	char key[32];
	for (unsigned k = 0; k < n; k++)
		row[k] = lower_f64(x, k);
	int32_t to = lower_temp(x, 8);
	snprintf(key, sizeof key, "%s.mode.f64", op);
	lower_emit3(x, key, to, row[0], row[1], row[2])->mode = m;
	lower_put_pair(x, to);
}

static void dadd(struct lower *x) { double_arithmetic(x, "add", "sass.dadd", 2); }
static void dmul(struct lower *x) { double_arithmetic(x, "mul", "sass.dmul", 2); }
static void dfma(struct lower *x) { double_arithmetic(x, "fma", "sass.dfma", 3); }

static void dsetp(struct lower *x)
{
	enum { MIN = 0, MAX = 15 };
	unsigned cmp = (unsigned)sass_run(x->i.word, 76, 4);
	if (cmp == MIN || cmp == MAX) {
		int64_t signs = 0;
		int32_t a = pair_rows(x, 0, &signs), b = pair_rows(x, 1, &signs);
		if (sass_run(x->i.word, 74, 2))
			lower_fail(x, "this form is not executed by this version");
		struct uop *u = lower_emit3(x, "sass.dsetp.minmax", x->pout[0], a, b, x->pin[0].at);
		u->x[0] = x->pout[1];
		u->imm = signs | (cmp == MAX ? 16 : 0);
		u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
		return;
	}
	int32_t a = lower_f64(x, 0), b = lower_f64(x, 1);
	compare_rows(x, "f64", a, b, x->pout[0], x->pout[1], (unsigned)sass_run(x->i.word, 74, 2));
}

const struct lower_op lower_float_ops[] = {
	{"FADD2", fadd2, ROUNDS " FTZ"}, {"FMUL2", fmul2, ROUNDS " FTZ"}, {"FFMA2", ffma2, ROUNDS " FTZ"}, {"FMNMX3", fmnmx3, "FTZ NAN"},
	{"UFADD", fadd, ROUNDS " FTZ SAT"}, {"UFMUL", fmul, ROUNDS " FTZ SAT"}, {"UFFMA", ffma, ROUNDS " FTZ SAT"}, {"UFSEL", fsel, "FTZ"},
	{"UFSETP", fsetp, FLOAT_COMPARES " F T FTZ"},
	{"FADD", fadd, ROUNDS " FTZ SAT"}, {"FMUL", fmul, ROUNDS " FTZ SAT D2 D4 D8 M2 M4 M8"}, {"FFMA", ffma, ROUNDS " FTZ SAT"},
	{"FMNMX", fmnmx, "FTZ NAN XORSIGN"}, {"FSEL", fsel, "FTZ"}, {"FSETP", fsetp, FLOAT_COMPARES " F T FTZ"},
	{"FSET", fset, FLOAT_COMPARES " F T FTZ BF"}, {"FCHK", fchk, ""},
	{"MUFU", mufu, "COS SIN EX2 LG2 RCP RSQ RCP64H RSQ64H SQRT TANH F16 BF16"}, {"DADD", dadd, ROUNDS},
	{"DMUL", dmul, ROUNDS}, {"DFMA", dfma, ROUNDS}, {"DSETP", dsetp, FLOAT_COMPARES " MIN MAX"}, {0},
};
