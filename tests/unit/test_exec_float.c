// f32 and f64 bodies against the host's own arithmetic, rounded by fesetround.
#include "cuda-sim/numbers/softfp.h"
#include "tests/unit/exec_harness.h"

#include <fenv.h>
#include <math.h>

static float f32(uint64_t v)
{
	uint32_t b = (uint32_t)v;
	float f;
	memcpy(&f, &b, 4);
	return f;
}

static uint64_t bits32(float f)
{
	uint32_t b;
	memcpy(&b, &f, 4);
	return isnan(f) ? 0x7fffffff : b;
}

static double f64(uint64_t v)
{
	double f;
	memcpy(&f, &v, 8);
	return f;
}

static uint64_t bits64(double f)
{
	uint64_t b;
	memcpy(&b, &f, 8);
	return isnan(f) ? 0xfff8000000000000u : b;
}

#define QUIET64 ((uint64_t)1 << 51)

static int host_mode(const struct xh_case *c)
{
	return c->mods.rnd == ROUND_RZ ? FE_TOWARDZERO : c->mods.rnd == ROUND_RM ? FE_DOWNWARD : c->mods.rnd == ROUND_RP ? FE_UPWARD
	                                                                                                           : FE_TONEAREST;
}

// The operation a key names, one rounding in the mode set.
static float op32(const char *key, float x, float y, float z)
{
	volatile float a = x, b = y, c = z, r;
	if (!strncmp(key, "add", 3))
		r = a + b;
	else if (!strncmp(key, "sub", 3))
		r = a - b;
	else if (!strncmp(key, "mul", 3))
		r = a * b;
	else if (!strncmp(key, "div", 3))
		r = a / b;
	else if (!strncmp(key, "rcp", 3))
		r = 1 / a;
	else if (!strncmp(key, "sqrt", 4))
		r = sqrtf(a);
	else
		r = fmaf(a, b, c);
	return r;
}

static double op64(const char *key, double x, double y, double z)
{
	volatile double a = x, b = y, c = z, r;
	if (!strncmp(key, "add", 3))
		r = a + b;
	else if (!strncmp(key, "sub", 3))
		r = a - b;
	else if (!strncmp(key, "mul", 3))
		r = a * b;
	else if (!strncmp(key, "div", 3))
		r = a / b;
	else if (!strncmp(key, "rcp", 3))
		r = 1 / a;
	else if (!strncmp(key, "sqrt", 4))
		r = sqrt(a);
	else
		r = fma(a, b, c);
	return r;
}

static float flushed(float f)
{
	return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

static uint64_t arith32(struct xh_case *c, uint64_t s0, uint64_t s1, uint64_t s2)
{
	float x = f32(s0), y = f32(s1), z = f32(s2);
	if (c->mods.ftz) {
		x = flushed(x);
		y = flushed(y);
		z = flushed(z);
	}
	fesetround(host_mode(c));
	float r = op32(c->key, x, y, z);
	if (c->mods.ftz) {
		// Tiny is what would be below 2^-126 after rounding with an unbounded exponent: seen by scaling it up.
		bool reciprocal = !strncmp(c->key, "rcp", 3);
		float up = op32(reciprocal ? "div" : c->key, reciprocal ? 0x1p64f : x * 0x1p64f,
		                !strncmp(c->key, "add", 3) || !strncmp(c->key, "sub", 3) ? y * 0x1p64f : reciprocal ? x : y,
		                z * 0x1p64f);
		if (strncmp(c->key, "sqrt", 4) && fabsf(r) < 0x1p-100f && fabsf(up) < 0x1p-62f)
			r = copysignf(0, r);
	}
	fesetround(FE_TONEAREST);
	if (c->mods.sat)
		r = r > 0 ? fminf(r, 1) : 0;
	return bits32(r);
}

static void ref_f32(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = arith32(c, s[0], s[1], s[2]);
}

static void ref_f32x2(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = arith32(c, (uint32_t)s[0], (uint32_t)s[1], (uint32_t)s[2]) |
	       arith32(c, s[0] >> 32, s[1] >> 32, s[2] >> 32) << 32;
}

// a and, of fma, b are halves.
static void ref_mixed(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	bool fma = c->n_src == 3;
	float (*widen)(uint16_t) = c->src[0] == PTX_T_F16 ? softfp_f16_to_f32 : softfp_bf16_to_f32;
	uint64_t a = softfp_bits_f32(widen((uint16_t)s[0])), b = fma ? softfp_bits_f32(widen((uint16_t)s[1])) : s[1];
	d[0] = arith32(c, a, b, s[2]);
}

static void ref_f64(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	fesetround(host_mode(c));
	double r = op64(c->key, f64(s[0]), f64(s[1]), f64(s[2]));
	fesetround(FE_TONEAREST);
	d[0] = bits64(r);
	// Those that are functions of ptxas's own give the first NaN of their sources, made quiet.
	bool root = !strncmp(c->key, "sqrt", 4), own = root ? c->mods.rnd != ROUND_RN : !strncmp(c->key, "div", 3) || !strncmp(c->key, "rcp", 3);
	for (unsigned k = c->n_src; own && k-- > 0;)
		if (isnan(f64(s[k])))
			d[0] = s[k] | QUIET64;
}

// PTX ISA's own description of min and max.
static float pick32(struct xh_case *c, float x, float y, bool max)
{
	bool sign = signbit(x) != signbit(y);
	if (c->mods.ftz) {
		x = flushed(x);
		y = flushed(y);
	}
	if (c->mods.xorsign) {
		x = fabsf(x);
		y = fabsf(y);
	}
	float r;
	if ((isnan(x) && isnan(y)) || (c->mods.nan && (isnan(x) || isnan(y))))
		r = NAN;
	else if (isnan(x))
		r = y;
	else if (isnan(y))
		r = x;
	else if (x == y)
		r = (signbit(x) != 0) == max ? y : x;
	else
		r = (x < y) == max ? y : x;
	return c->mods.xorsign && !isnan(r) ? copysignf(r, sign ? -1.0f : 1.0f) : r;
}

static void ref_minmax32(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	bool max = !strncmp(c->key, "max", 3);
	float r = pick32(c, f32(s[0]), f32(s[1]), max);
	if (c->n_src == 3)
		r = pick32(c, r, f32(s[2]), max);
	d[0] = bits32(r);
}

static void ref_minmax64(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	double x = f64(s[0]), y = f64(s[1]);
	bool max = !strncmp(c->key, "max", 3);
	if (isnan(x) && isnan(y))
		d[0] = s[1] | QUIET64;
	else if (isnan(x) || isnan(y))
		d[0] = bits64(isnan(x) ? y : x);
	else if (x == y)
		d[0] = (signbit(x) != 0) == max ? s[1] : s[0];
	else
		d[0] = (x < y) == max ? s[1] : s[0];
}

static void ref_sign(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	unsigned bits = xh_bits(c->src[0]);
	uint64_t top = (uint64_t)1 << (bits - 1), v = s[0];
	if (c->mods.ftz && fpclassify(f32(v)) == FP_SUBNORMAL)
		v &= top;
	bool is_copy = !strncmp(c->key, "copysign", 8);
	if (!is_copy && bits == 64 && isnan(f64(v)))
		d[0] = bits64(NAN);
	else if (!is_copy && bits == 32 && isnan(f32(v)))
		d[0] = bits32(NAN);
	else if (!strncmp(c->key, "abs", 3))
		d[0] = v & ~top;
	else if (!strncmp(c->key, "neg", 3))
		d[0] = v ^ top;
	else
		d[0] = (s[0] & top) | (s[1] & ~top);
}

static void ref_testp(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	int class = c->src[0] == PTX_T_F64 ? fpclassify(f64(s[0])) : fpclassify(f32(s[0]));
	const char *p = c->key + 6;
	if (!strncmp(p, "finite", 6))
		d[0] = class != FP_INFINITE && class != FP_NAN;
	else if (!strncmp(p, "infinite", 8))
		d[0] = class == FP_INFINITE;
	else if (!strncmp(p, "number", 6))
		d[0] = class != FP_NAN;
	else if (!strncmp(p, "notanumber", 10))
		d[0] = class == FP_NAN;
	else if (!strncmp(p, "normal", 6))
		d[0] = class == FP_NORMAL || class == FP_ZERO; // ptxas counts zeroes as normal, as the PTX ISA says
	else
		d[0] = class == FP_SUBNORMAL;
}

static const struct {
	const char *key, *signature;
	xh_ref *ref;
} cases[] = {
#define SAT4(op, tail, sig) \
	{op tail, sig, ref_f32}, {op ".ftz" tail, sig, ref_f32}, {op ".sat" tail, sig, ref_f32}, \
	{op ".ftz.sat" tail, sig, ref_f32}
#define FULL(op, sig) \
	SAT4(op, ".f32", sig), SAT4(op ".rz", ".f32", sig), SAT4(op ".rm", ".f32", sig), SAT4(op ".rp", ".f32", sig)
#define D "f32=f32,f32"
#define T "f32=f32,f32,f32"
	FULL("add", D), FULL("sub", D), FULL("mul", D),
	SAT4("fma.rn", ".f32", T), SAT4("fma.rz", ".f32", T), SAT4("fma.rm", ".f32", T), SAT4("fma.rp", ".f32", T),
	SAT4("mad.rn", ".f32", T), SAT4("mad.rz", ".f32", T),
#define FTZ2(op, sig) {op ".f32", sig, ref_f32}, {op ".ftz.f32", sig, ref_f32}
#define DIRECTED(op, sig) FTZ2(op ".rn", sig), FTZ2(op ".rz", sig), FTZ2(op ".rm", sig), FTZ2(op ".rp", sig)
	DIRECTED("div", D), DIRECTED("rcp", "f32=f32"), DIRECTED("sqrt", "f32=f32"),
#define DOUBLE(op, sig) \
	{op ".rn.f64", sig, ref_f64}, {op ".rz.f64", sig, ref_f64}, {op ".rm.f64", sig, ref_f64}, \
	{op ".rp.f64", sig, ref_f64}
	{"add.f64", "f64=f64,f64", ref_f64}, {"sub.f64", "f64=f64,f64", ref_f64}, {"mul.f64", "f64=f64,f64", ref_f64},
	DOUBLE("add", "f64=f64,f64"), DOUBLE("sub", "f64=f64,f64"), DOUBLE("mul", "f64=f64,f64"),
	DOUBLE("div", "f64=f64,f64"), DOUBLE("rcp", "f64=f64"), DOUBLE("sqrt", "f64=f64"),
	DOUBLE("fma", "f64=f64,f64,f64"), DOUBLE("mad", "f64=f64,f64,f64"),
#define MINMAX(op)                                                                                            \
	{op ".f32", D, ref_minmax32}, {op ".ftz.f32", D, ref_minmax32}, {op ".NaN.f32", D, ref_minmax32},     \
	{op ".ftz.NaN.f32", D, ref_minmax32}, {op ".xorsign.abs.f32", D, ref_minmax32},                       \
	{op ".ftz.NaN.xorsign.abs.f32", D, ref_minmax32}, {op ".f32", T, ref_minmax32},                      \
	{op ".ftz.NaN.f32", T, ref_minmax32}, {op ".f64", "f64=f64,f64", ref_minmax64}
	MINMAX("min"), MINMAX("max"),
	{"abs.f32", "f32=f32", ref_sign}, {"abs.ftz.f32", "f32=f32", ref_sign}, {"abs.f64", "f64=f64", ref_sign},
	{"neg.f32", "f32=f32", ref_sign}, {"neg.ftz.f32", "f32=f32", ref_sign}, {"neg.f64", "f64=f64", ref_sign},
	{"copysign.f32", D, ref_sign}, {"copysign.f64", "f64=f64,f64", ref_sign},
#define TESTP(p) {"testp." p ".f32", "pred=f32", ref_testp}, {"testp." p ".f64", "pred=f64", ref_testp}
	TESTP("finite"), TESTP("infinite"), TESTP("number"), TESTP("notanumber"), TESTP("normal"), TESTP("subnormal"),
#define X2(op, sig) {op ".f32x2", sig, ref_f32x2}, {op ".ftz.f32x2", sig, ref_f32x2}
	X2("add", "f32x2=f32x2,f32x2"), X2("add.rz", "f32x2=f32x2,f32x2"), X2("sub", "f32x2=f32x2,f32x2"),
#define MIXED(t)                                                                                              \
	{"add.f32." t, "f32=" t ",f32", ref_mixed}, {"add.rz.f32." t, "f32=" t ",f32", ref_mixed},            \
	{"sub.rm.sat.f32." t, "f32=" t ",f32", ref_mixed}, {"sub.f32." t, "f32=" t ",f32", ref_mixed},        \
	{"fma.rn.f32." t, "f32=" t "," t ",f32", ref_mixed}, {"fma.rp.sat.f32." t, "f32=" t "," t ",f32", ref_mixed}
	MIXED("f16"), MIXED("bf16"),
	X2("mul", "f32x2=f32x2,f32x2"), X2("fma.rn", "f32x2=f32x2,f32x2,f32x2"),
};

START_TEST(float_keys)
{
	xh_check(cases[_i].key, cases[_i].signature, cases[_i].ref);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec float");
	TCase *t = tcase_create("keys");
	tcase_add_loop_test(t, float_keys, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(s, t);
	return check_main(s);
}
