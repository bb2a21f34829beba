// Floating point. Results are formed in long double, rounded to odd where they do not fit, and rounded once more to the
// format; f64, which long double does not exceed enough, is computed by the host's double in the mode asked for.
// Approximate instructions may be off by what the PTX ISA grants them.
#ifndef TESTS_OPS_FLOAT_H
#define TESTS_OPS_FLOAT_H

#include "tests/unit/ops_value.h"

// p + c; if that had to be rounded, of its two neighbours the one with an odd last digit, so that rounding once more to
// fewer digits gives what rounding once would, in every mode.
static long double flt_sum(long double p, long double c)
{
	volatile long double s = p + c, t = s - p;
	volatile long double e = (p - (s - t)) + (c - t);
	long double r = s;
	uint64_t digits;
	memcpy(&digits, &r, sizeof digits);
	return isfinite(r) && e != 0 && !(digits & 1) ? nextafterl(r, e > 0 ? INFINITY : -INFINITY) : r;
}

// As above; sums that cancel are -0 when rounding down.
static long double flt_add(uint8_t rnd, long double p, long double c)
{
	long double r = flt_sum(p, c);
	return r == 0 && rnd == ROUND_RM && (p != 0 || signbit(p) != signbit(c)) ? -0.0L : r;
}

static long double flt_compute(const char *n, uint8_t rnd, long double a, long double b, long double c)
{
	return strcmp(n, "add") == 0    ? flt_add(rnd, a, b)
	       : strcmp(n, "sub") == 0  ? flt_add(rnd, a, -b)
	       : strcmp(n, "mul") == 0  ? a * b
	       : strcmp(n, "div") == 0  ? a / b
	       : strcmp(n, "rcp") == 0  ? 1 / a
	       : strcmp(n, "sqrt") == 0 ? sqrtl(a)
	                                : flt_add(rnd, a * b, c);
}

static double flt_compute64(const char *n, uint8_t rnd, double x, double y, double z)
{
	volatile double a = x, b = y, c = z, r;
	fesetround(ops_host_round(rnd));
	r = strcmp(n, "add") == 0    ? a + b
	    : strcmp(n, "sub") == 0  ? a - b
	    : strcmp(n, "mul") == 0  ? a * b
	    : strcmp(n, "div") == 0  ? a / b
	    : strcmp(n, "rcp") == 0  ? 1 / a
	    : strcmp(n, "sqrt") == 0 ? sqrt(a)
	                             : fma(a, b, c);
	fesetround(FE_TONEAREST);
	return r;
}

// Rounds to f under the instruction's rounding, .ftz, .sat and .relu.
static uint64_t flt_round(const struct op_in *x, const struct format *f, long double r)
{
	struct xh_case c = {.mods.rnd = x->m->rnd ? x->m->rnd : ROUND_RN};
	if (x->m->ftz && f == &f32 && isfinite(r) && r != 0) { // tiny: below 2^-126 after rounding with any exponent
		int up = ilogbl(r) < -126 ? -126 - ilogbl(r) + 1 : 0;
		if (up && fabsl(decode(f, to_float(&c, f, ldexpl(r, up)))) < ldexpl(1, up - 126))
			r = copysignl(0, r);
	}
	long double v = decode(f, to_float(&c, f, r));
	if (x->m->ftz && f == &f16 && fabsl(v) < 0x1p-14L)
		v = copysignl(0, v);
	if (x->m->sat)
		v = v > 0 ? fminl(v, 1) : 0;
	if (x->m->relu && (v < 0 || v == 0))
		v = 0;
	return encode(f, v);
}

// The values of element `shift` of the sources in turn.
static void ref_arith(struct op_in *x)
{
	const char *n = x->op->op->name;
	if (x->t == PTX_T_F64) {
		double v[3];
		memcpy(v, x->v, sizeof v);
		// Functions of ptxas's own give the first NaN among their sources, made quiet.
		bool own = ops_is(x, "div") || ops_is(x, "rcp") || (ops_is(x, "sqrt") && x->m->rnd != ROUND_RN);
		for (unsigned k = 0; own && k < x->n_src; k++)
			if (isnan(v[k])) {
				x->d[0] = x->v[k] | (uint64_t)1 << 51;
				return;
			}
		x->d[0] = encode(&f64, flt_compute64(n, x->m->rnd, v[0], v[1], v[2]));
		return;
	}
	enum ptx_type t = x->t == PTX_T_F32X2 ? PTX_T_F32 : x->t;
	const struct format *f = format_of(t);
	for (unsigned k = 0; k < ptx_type_bits[x->t]; k += f->bits) {
		long double v[3];
		for (unsigned i = 0; i < 3; i++) {
			// add.f32.f16 and fma.f32.f16: the last source is f32, the others are halves.
			bool narrow = x->u && i + 1 < x->n_src;
			v[i] = ops_decode(narrow ? x->u : t, x->v[i] >> k, x->m->ftz);
		}
		x->d[0] |= flt_round(x, f, flt_compute(n, x->m->rnd, v[0], v[1], v[2])) << k;
	}
}

static uint64_t flt_pick(const struct op_in *x, enum ptx_type t, uint64_t va, uint64_t vb)
{
	long double a = ops_decode(t, va, x->m->ftz), b = ops_decode(t, vb, x->m->ftz), r;
	bool max = ops_is(x, "max"), sign = (va ^ vb) >> (format_of(t)->bits - 1) & 1;
	if (x->m->xorsign) {
		a = fabsl(a);
		b = fabsl(b);
	}
	if (isnan(a) || isnan(b))
		r = x->m->nan || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
	else if (a == b)
		r = (signbit(a) != 0) == max ? b : a;
	else
		r = (a < b) == max ? b : a;
	if (x->m->xorsign && !isnan(r))
		r = copysignl(r, sign ? -1 : 1);
	return encode(format_of(t), r);
}

static void ref_minmax(struct op_in *x)
{
	unsigned bits = format_of(x->t)->bits;
	if (x->t == PTX_T_F64 && isnan(decode(&f64, x->v[0])) && isnan(decode(&f64, x->v[1]))) {
		x->d[0] = x->v[1] | (uint64_t)1 << 51; // ptxas selects the second and makes it quiet
		return;
	}
	for (unsigned k = 0; k < ptx_type_bits[x->t]; k += bits) {
		uint64_t r = flt_pick(x, x->t, x->v[0] >> k, x->v[1] >> k);
		if (x->n_src == 3)
			r = flt_pick(x, x->t, r, x->v[2] >> k);
		x->d[0] |= r << k;
	}
}

// copysign changes only the sign, abs and neg too, but of a NaN: they are additions.
static void ref_sign(struct op_in *x)
{
	const struct format *f = format_of(x->t);
	uint64_t top = (uint64_t)1 << (f->bits - 1);
	for (unsigned k = 0; k < ptx_type_bits[x->t]; k += f->bits) {
		uint64_t a = ops_cut(x->v[0] >> k, f->bits), b = ops_cut(x->v[1] >> k, f->bits);
		long double v = ops_decode(x->t, a, x->m->ftz);
		if (v == 0)
			a &= top;
		if (isnan(v) && !ops_is(x, "copysign")) {
			x->d[0] |= encode(f, NAN) << k;
			continue;
		}
		x->d[0] |= (ops_is(x, "abs") ? a & ~top : ops_is(x, "neg") ? a ^ top : (a & top) | (b & ~top)) << k;
	}
}

static int flt_class(const struct op_in *x)
{
	float f;
	double d;
	memcpy(&f, &x->v[0], 4);
	memcpy(&d, &x->v[0], 8);
	return x->t == PTX_T_F64 ? fpclassify(d) : fpclassify(f);
}
static void ref_finite(struct op_in *x) { x->d[0] = flt_class(x) != FP_INFINITE && flt_class(x) != FP_NAN; }
static void ref_infinite(struct op_in *x) { x->d[0] = flt_class(x) == FP_INFINITE; }
static void ref_number(struct op_in *x) { x->d[0] = flt_class(x) != FP_NAN; }
static void ref_nan(struct op_in *x) { x->d[0] = flt_class(x) == FP_NAN; }
static void ref_normal(struct op_in *x) { x->d[0] = flt_class(x) == FP_NORMAL || flt_class(x) == FP_ZERO; }
static void ref_subnormal(struct op_in *x) { x->d[0] = flt_class(x) == FP_SUBNORMAL; }

// The value of an approximate instruction, and by how much it may differ (PTX ISA, the instruction's own section).
static long double flt_approx(const struct op_in *x, enum ptx_type t, long double a, long double b, long double *err)
{
	const char *n = x->op->op->name;
	bool half = t == PTX_T_F16, brain = t == PTX_T_BF16;
	long double r;
	if (strcmp(n, "rcp") == 0) {
		r = 1 / a;
		*err = t == PTX_T_F64 ? fabsl(r) * 0x1p-20L : fabsl(r) * 0x1p-23L; // 1 ulp; f64: the upper word only
	} else if (strcmp(n, "rsqrt") == 0) {
		r = 1 / sqrtl(a);
		*err = t == PTX_T_F64 ? fabsl(r) * 0x1p-20L : fabsl(r) * 0x1.13p-23L;
	} else if (strcmp(n, "sqrt") == 0) {
		r = sqrtl(a);
		*err = fabsl(r) * 0x1p-23L;
	} else if (strcmp(n, "div") == 0) {
		r = a / b;
		*err = fabsl(r) * 0x1p-22L;
		if (!x->m->full && fabsl(b) > 0x1p126L && isfinite(b) && !isnan(a)) // out of range: 0, or NaN of infinity
			r = isinf(a) ? NAN : copysignl(0, r);
	} else if (strcmp(n, "sin") == 0 || strcmp(n, "cos") == 0) {
		r = isinf(a) ? NAN : n[0] == 's' ? sinl(a) : cosl(a);
		*err = fabsl(a) <= 6.2831853L ? 0x1p-20L : fabsl(a) <= 314 ? 0x1p-14L : 2; // no bound is given beyond 100 pi
	} else if (strcmp(n, "lg2") == 0) {
		r = log2l(a);
		*err = a >= 0.5L && a <= 2 ? 0x1p-22L : fabsl(r) * 0x1p-22L;
	} else if (strcmp(n, "ex2") == 0) {
		r = exp2l(a);
		*err = fabsl(r) * (half ? 0x1p-9L : brain ? 0x1p-7L : 0x1p-22L);
	} else { // tanh
		r = tanhl(a);
		*err = half ? 0x1.02p-11L : brain ? 0x1p-8L : fabsl(r) * 0x1p-11L;
	}
	return r;
}

static bool flt_close(const struct op_in *x, uint64_t want, uint64_t got)
{
	const struct format *f = format_of(x->t);
	for (unsigned k = 0; k < ptx_type_bits[x->t]; k += f->bits) {
		uint64_t w = ops_cut(want >> k, f->bits), g = ops_cut(got >> k, f->bits);
		if (x->t == PTX_T_F64 && isnan(decode(f, w)) && isnan(decode(f, g)))
			continue; // the payload of these NaNs is not given
		if (w != g && !(fabsl(decode(f, w) - decode(f, g)) <= x->err[k != 0]))
			return false;
	}
	return true;
}

static void ref_approx(struct op_in *x)
{
	const struct format *f = format_of(x->t);
	enum ptx_type t = x->t == PTX_T_F16X2 ? PTX_T_F16 : x->t == PTX_T_BF16X2 ? PTX_T_BF16 : x->t;
	x->close = flt_close;
	for (unsigned k = 0; k < ptx_type_bits[x->t]; k += f->bits) {
		uint64_t va = x->v[0];
		if (t == PTX_T_F64 && x->m->ftz)
			va &= ~(uint64_t)UINT32_MAX; // only the upper word is looked at
		long double a = decode(f, ops_cut(va >> k, f->bits)), b = decode(f, ops_cut(x->v[1] >> k, f->bits)), err = 0;
		long double tiny = ldexpl(1, f->emin);
		if (x->m->ftz && fabsl(a) < tiny)
			a = copysignl(0, a);
		if (x->m->ftz && fabsl(b) < tiny)
			b = copysignl(0, b);
		long double r = flt_approx(x, t, a, b, &err);
		long double v = decode(f, to_float(&(struct xh_case){.mods.rnd = ROUND_RN}, f, r));
		if (x->m->ftz && fabsl(v) < tiny)
			v = copysignl(0, v);
		x->d[0] |= encode(f, v) << k;
		int e = r == 0 || !isfinite(r) || ilogbl(r) < f->emin ? f->emin : ilogbl(r);
		x->err[k != 0] = (double)(err + ldexpl(1, e - f->precision)); // and half a unit for rounding to the format
	}
}

#define RNDS "{.rn,.rz,.rm,.rp}"
static const struct op_case ops_float[] = {
	{"{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", ref_arith},
	{"{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64", ref_arith},
	{"{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}.f32x2", ref_arith},
	{"{fma,mad}" RNDS "{,.ftz}{,.sat}.f32", ref_arith},
	{"{fma,mad}" RNDS ".f64", ref_arith},
	{"fma" RNDS "{,.ftz}.f32x2", ref_arith},
	{"{add,sub}{,.rn,.rz,.rm,.rp}{,.sat}.f32.{f16,bf16}", ref_arith},
	{"fma" RNDS "{,.sat}.f32.{f16,bf16}", ref_arith},
	{"{div,rcp,sqrt}" RNDS "{,.ftz}.f32", ref_arith},
	{"{div,rcp,sqrt}" RNDS ".f64", ref_arith},
	{"{abs,neg}{,.ftz}.f32", ref_sign},
	{"{abs,neg}.f64", ref_sign},
	{"copysign.{f32,f64}", ref_sign},
	{"{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32", ref_minmax},
	{"{min,max}{,.ftz}{,.NaN}.f32 +1", ref_minmax},
	{"{min,max}.f64", ref_minmax},
	{"testp.finite.{f32,f64}", ref_finite}, {"testp.infinite.{f32,f64}", ref_infinite},
	{"testp.number.{f32,f64}", ref_number}, {"testp.notanumber.{f32,f64}", ref_nan},
	{"testp.normal.{f32,f64}", ref_normal}, {"testp.subnormal.{f32,f64}", ref_subnormal},
	{"{rcp,sqrt,rsqrt,sin,cos,lg2,ex2}.approx{,.ftz}.f32", ref_approx},
	{"div.{approx,full}{,.ftz}.f32", ref_approx},
	{"tanh.approx.f32", ref_approx},
	{"{rcp,rsqrt}.approx.ftz.f64", ref_approx},
	{"rsqrt.approx.f64", ref_approx},
};

static const struct op_case ops_half[] = {
	{"{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,f16x2}", ref_arith},
	{"{add,sub,mul}{,.rn}.{bf16,bf16x2}", ref_arith},
	{"fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2}", ref_arith},
	{"fma.rn{,.relu}.{bf16,bf16x2}", ref_arith},
	{"{abs,neg}{,.ftz}.{f16,f16x2}", ref_sign},
	{"{abs,neg}.{bf16,bf16x2}", ref_sign},
	{"{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16,f16x2}", ref_minmax},
	{"{min,max}{,.NaN}{,.xorsign.abs}.{bf16,bf16x2}", ref_minmax},
	{"ex2.approx.{f16,f16x2,ftz.bf16,ftz.bf16x2}", ref_approx},
	{"tanh.approx.{f16,f16x2,bf16,bf16x2}", ref_approx},
};

#endif
