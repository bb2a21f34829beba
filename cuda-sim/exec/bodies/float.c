// f32 and f64 arithmetic. Nearest rounding without modifiers has its own bodies; other roundings, .ftz and .sat go
// through MXCSR in bodies that read the micro-op's mode.
#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/numbers/softfp.h"

// X(name of helpers, C type, bits, suffix of the key)
#define FLOATS(X) X(f32, float, uint32_t) X(f64, double, uint64_t)

// What every result passes through: .sat clamps, otherwise a NaN becomes the canonical one.
static inline float f32_finish(float r, bool sat)
{
	return sat ? f32_sat(r) : f32_canon(r);
}

static inline double f64_finish(double r, bool sat)
{
	return sat ? f64_sat(r) : f64_canon(r);
}

// Two bodies of an operator that the host's instructions round: the plain one, and one under the modifiers.
#define ARITH1(name, t, T, expr)                                                                               \
	BODY1(name, T, T, t##_canon(expr))                                                                     \
	BODY(name##_mode)                                                                                      \
	{                                                                                                      \
		T *rd = ROW(T, u->d);                                                                          \
		const T *ra = ROW(T, u->a);                                                                    \
		const bool sat = u->mode.sat;                                                            \
		fp_set(fp_mode(&u->mode));                                                               \
		LANES(T, rd, ({ const T a = ra[i]; t##_finish(expr, sat); }));                                 \
		fp_set(FP_DEFAULT);                                                                            \
	}
#define ARITH2(name, t, T, expr)                                                                               \
	BODY2(name, T, T, t##_canon(expr))                                                                     \
	BODY(name##_mode)                                                                                      \
	{                                                                                                      \
		T *rd = ROW(T, u->d);                                                                          \
		const T *ra = ROW(T, u->a), *rb = ROW(T, u->b);                                                \
		const bool sat = u->mode.sat;                                                            \
		fp_set(fp_mode(&u->mode));                                                               \
		LANES(T, rd, ({ const T a = ra[i], b = rb[i]; t##_finish(expr, sat); }));                      \
		fp_set(FP_DEFAULT);                                                                            \
	}

#define X(t, T, U)                                                                                             \
	ARITH2(add_##t, t, T, a + b)                                                                           \
	ARITH2(sub_##t, t, T, a - b)                                                                           \
	ARITH2(mul_##t, t, T, a * b)
FLOATS(X)
#undef X
ARITH2(div_f32, f32, float, a / b)
ARITH1(rcp_f32, f32, float, 1 / a)
ARITH1(sqrt_f32, f32, float, __builtin_sqrtf(a))

// Of f64 these are functions of ptxas's own, which give the first NaN among their sources, made quiet, as the host does; only the
// square root rounded to nearest is made of additions.
static inline double source_canon(double r) { return r; }
static inline double source_finish(double r, bool sat) { return r; }
ARITH2(div_f64, source, double, a / b)
ARITH1(rcp_f64, source, double, 1 / a)
BODY1(sqrt_f64, double, double, f64_canon(__builtin_sqrt(a)))
BODY(sqrt_f64_mode)
{
	double *rd = ROW(double, u->d);
	const double *ra = ROW(double, u->a);
	fp_set(fp_mode(&u->mode));
	LANES(double, rd, __builtin_sqrt(ra[i]));
	fp_set(FP_DEFAULT);
}

// a * b + c with one rounding.
#ifdef __FMA__

BODY3(fma_f32, float, float, f32_canon(__builtin_fmaf(a, b, c)))
BODY3(fma_f64, double, double, f64_canon(__builtin_fma(a, b, c)))

#define FMA_MODE(t, T, fma)                                                                                    \
	BODY(fma_##t##_mode)                                                                                   \
	{                                                                                                      \
		T *rd = ROW(T, u->d);                                                                          \
		const T *ra = ROW(T, u->a), *rb = ROW(T, u->b), *rc = ROW(T, u->c);                            \
		const bool sat = u->mode.sat;                                                            \
		fp_set(fp_mode(&u->mode));                                                               \
		LANES(T, rd, t##_finish(fma(ra[i], rb[i], rc[i]), sat));                                       \
		fp_set(FP_DEFAULT);                                                                            \
	}
FMA_MODE(f32, float, __builtin_fmaf)
FMA_MODE(f64, double, __builtin_fma)

#else // without the instruction: f32 through double rounded to odd, f64 in software

BODY3(fma_f32, float, float, f32_canon((float)softfp_add_odd((double)a * b, c)))

// The sum is made in the default environment, where rounding to odd is exact; only the last step is under the mode.
BODY(fma_f32_mode)
{
	const struct uop_mode *m = &u->mode;
	float *rd = ROW(float, u->d);
	const float *ra = ROW(float, u->a), *rb = ROW(float, u->b), *rc = ROW(float, u->c);
	const bool ftz = m->ftz, rm = m->rnd == ROUND_RM, sat = m->sat;
	_Alignas(64) double s[WARP];
	for (unsigned i = 0; i < WARP; i++) {
		const float a = ftz ? f32_flush(ra[i]) : ra[i], b = ftz ? f32_flush(rb[i]) : rb[i];
		const double c = ftz ? f32_flush(rc[i]) : rc[i], p = (double)a * b, r = softfp_add_odd(p, c);
		// An exact zero from terms of opposite signs is -0 in this mode.
		s[i] = rm && r == 0 && (f64_bits(p) ^ f64_bits(c)) >> 63 ? -0.0 : r;
	}
	fp_set(fp_mode(m));
	LANES(float, rd, f32_finish((float)s[i], sat));
	fp_set(FP_DEFAULT);
}

BODY(fma_f64_mode)
{
	double *rd = ROW(double, u->d);
	const double *ra = ROW(double, u->a), *rb = ROW(double, u->b), *rc = ROW(double, u->c);
	EACH(i)
		rd[i] = f64_canon(softfp_fma_f64(ra[i], rb[i], rc[i], (enum rounding)u->mode.rnd));
}

BODY(fma_f64)
{
	double *rd = ROW(double, u->d);
	const double *ra = ROW(double, u->a), *rb = ROW(double, u->b), *rc = ROW(double, u->c);
	EACH(i)
		rd[i] = f64_canon(softfp_fma_f64(ra[i], rb[i], rc[i], ROUND_RN));
}

#endif

// The approximate instructions. .ftz flushes operands and result, but of sine and cosine, which ptxas makes the same either way.
#define APPROX1(X)                                                                                             \
	X(sqrt) X(rsqrt) X(lg2) X(tanh)
#define X(op)                                                                                                  \
	BODY1(op##_approx_f32, float, float, dm_##op##_approx_f32(a))                                          \
	BODY1(op##_approx_ftz_f32, float, float, f32_flush(dm_##op##_approx_f32(f32_flush(a))))
APPROX1(X)
#undef X
BODY1(rcp_approx_f32, float, float, dm_rcp_approx_f32(a))
BODY1(rcp_approx_ftz_f32, float, float, dm_mufu_rcp(a))
BODY1(ex2_approx_f32, float, float, dm_ex2_approx_f32(a))
BODY1(ex2_approx_ftz_f32, float, float, dm_mufu_ex2(a))
BODY1(sin_approx_f32, float, float, dm_sin_approx_f32(a))
BODY1(cos_approx_f32, float, float, dm_cos_approx_f32(a))
BODY2(div_approx_f32, float, float, dm_div_approx_f32(a, b))
BODY2(div_full_f32, float, float, dm_div_full_f32(a, b))
BODY1(rcp_approx_ftz_f64, double, double, dm_rcp_approx_ftz_f64(a))
BODY1(rsqrt_approx_ftz_f64, double, double, dm_rsqrt_approx_ftz_f64(a))

// With .ftz the products flush; div.full makes large divisors smaller.
static void div_ftz(float *rd, const float *ra, const float *rb, uint32_t mask, bool full)
{
	_Alignas(64) float a[WARP], b[WARP];
	fp_set(FP_DEFAULT | FP_FTZ);
	for (unsigned i = 0; i < WARP; i++) {
		const float by = full && f32_of(f32_bits(rb[i]) & 0x7fffffff) > 0x1p126f ? 0.25f : 1;
		a[i] = ra[i] * by;
		b[i] = rb[i] * by;
	}
	fp_set(FP_DEFAULT);
	for (unsigned i = 0; i < WARP; i++)
		b[i] = dm_mufu_rcp(b[i]);
	fp_set(FP_DEFAULT | FP_FTZ);
	LANES(float, rd, f32_canon(a[i] * b[i]));
	fp_set(FP_DEFAULT);
}
BODY(div_approx_ftz_f32) { div_ftz(ROW(float, u->d), ROW(float, u->a), ROW(float, u->b), mask, false); }
BODY(div_full_ftz_f32) { div_ftz(ROW(float, u->d), ROW(float, u->a), ROW(float, u->b), mask, true); }

static inline double f64_fma(double a, double b, double c)
{
#ifdef __FMA__
	return __builtin_fma(a, b, c);
#else
	return softfp_fma_f64(a, b, c, ROUND_RN);
#endif
}

// Without .ftz: from that on with one step of Newton's method, of which the last terms are those of ptxas. Subnormals are scaled.
static double rsqrt_approx(double x)
{
	const bool low = x < 0x1p-1022;
	const double s = low ? x * 0x1p54 : x;
	if (x == 0 || !(x > 0) || x > 0x1.fffffffffffffp1023)
		return f64_canon(1 / __builtin_sqrt(x));
	const double y = dm_rsqrt_approx_ftz_f64(s), t = f64_fma(s, -(y * y), 1);
	const double r = f64_fma(f64_fma(t, 0.375, 0.5), y * t, y);
	return low ? r * 0x1p27 : r;
}
BODY1(rsqrt_approx_f64, double, double, rsqrt_approx(a))

// What min and max make of two NaNs: the canonical one, of f64 the second, made quiet.
static inline float f32_pick_nan(float b) { return f32_of(F32_NAN); }
static inline double f64_pick_nan(double b) { return f64_of(f64_bits(b) | 0x0008000000000000u); }

// min and max: of a NaN and a number the number; -0 < +0. A third operand may be there.
#define MINMAX(name, T, pick)                                                                                  \
	BODY(name)                                                                                             \
	{                                                                                                      \
		T *rd = ROW(T, u->d);                                                                          \
		const T *ra = ROW(T, u->a), *rb = ROW(T, u->b), *rc = ROW(T, u->c);                            \
		if (u->c)                                                                                      \
			LANES(T, rd, pick(pick(ra[i], rb[i]), rc[i]));                                         \
		else                                                                                           \
			LANES(T, rd, pick(ra[i], rb[i]));                                                      \
	}
#define X(t, T, U)                                                                                             \
	static inline T t##_min(T a, T b)                                                                      \
	{                                                                                                      \
		U both = t##_bits(a) | t##_bits(b);                                                            \
		T r = a < b ? a : b < a ? b : t##_of(both);                                                    \
		r = b != b ? a : r;                                                                            \
		r = a != a ? b : r;                                                                            \
		return a != a && b != b ? t##_pick_nan(b) : r;                                                 \
	}                                                                                                      \
	static inline T t##_max(T a, T b)                                                                      \
	{                                                                                                      \
		U both = t##_bits(a) & t##_bits(b);                                                            \
		T r = a > b ? a : b > a ? b : t##_of(both);                                                    \
		r = b != b ? a : r;                                                                            \
		r = a != a ? b : r;                                                                            \
		return a != a && b != b ? t##_pick_nan(b) : r;                                                 \
	}                                                                                                      \
	MINMAX(min_##t, T, t##_min)                                                                            \
	MINMAX(max_##t, T, t##_max)
FLOATS(X)
#undef X

// With modifiers: .ftz flushes the operands, .NaN lets any NaN win, .xorsign.abs takes magnitudes and gives the result
// the product of the signs.
static inline float f32_minmax(float a, float b, const struct uop_mode *m, bool max)
{
	uint32_t sign = (f32_bits(a) ^ f32_bits(b)) & 0x80000000u;
	if (m->ftz) {
		a = f32_flush(a);
		b = f32_flush(b);
	}
	if (m->xorsign) {
		a = f32_of(f32_bits(a) & 0x7fffffff);
		b = f32_of(f32_bits(b) & 0x7fffffff);
	}
	if (m->nan && (a != a || b != b))
		return f32_of(F32_NAN);
	float r = max ? f32_max(a, b) : f32_min(a, b);
	return m->xorsign && r == r ? f32_of((f32_bits(r) & 0x7fffffff) | sign) : r;
}

#define MINMAX_MODE(name, max)                                                                                 \
	BODY(name##_f32_mode)                                                                                  \
	{                                                                                                      \
		float *rd = ROW(float, u->d);                                                                  \
		const float *ra = ROW(float, u->a), *rb = ROW(float, u->b), *rc = ROW(float, u->c);            \
		EACH(i) {                                                                                      \
			const float ab = f32_minmax(ra[i], rb[i], &u->mode, max);                        \
			rd[i] = u->c ? f32_minmax(ab, rc[i], &u->mode, max) : ab;                        \
		}                                                                                              \
	}
MINMAX_MODE(min, false)
MINMAX_MODE(max, true)

// Signs. abs and neg are additions of -0, which make their own NaN.
BODY1(abs_f32, float, float, f32_canon(f32_of(f32_bits(a) & 0x7fffffffu)))
BODY1(neg_f32, float, float, f32_canon(f32_of(f32_bits(a) ^ 0x80000000u)))
BODY1(abs_f64, double, double, f64_canon(f64_of(f64_bits(a) & 0x7fffffffffffffffu)))
BODY1(neg_f64, double, double, f64_canon(f64_of(f64_bits(a) ^ 0x8000000000000000u)))
BODY1(abs_ftz_f32, float, float, f32_canon(f32_of(f32_bits(f32_flush(a)) & 0x7fffffffu)))
BODY1(neg_ftz_f32, float, float, f32_canon(f32_of(f32_bits(f32_flush(a)) ^ 0x80000000u)))
BODY2(copysign_f32, uint32_t, uint32_t, (a & 0x80000000u) | (b & 0x7fffffff))
BODY2(copysign_f64, uint64_t, uint64_t, (a & 0x8000000000000000u) | (b & 0x7fffffffffffffff))

// testp: the magnitude's bits against the limits of its class. X(property, condition); INF and MIN are the bits of
// infinity and of the smallest normal number.
#define TESTS(X)                                                                                               \
	X(finite, m < INF) X(infinite, m == INF) X(number, m <= INF) X(notanumber, m > INF)                    \
	X(normal, m == 0 || (m >= MIN && m < INF)) X(subnormal, m > 0 && m < MIN)
#define TESTP(name, U, inf, min, cond)                                                                         \
	BODY(name)                                                                                             \
	{                                                                                                      \
		const U *ra = ROW(U, u->a);                                                                    \
		const U INF = inf, MIN = min;                                                                  \
		const uint32_t t = MASK_OF(({ const U m = ra[i] & (U)-1 >> 1; (void)INF; (void)MIN; (cond); })); \
		PRED(u->d) = (PRED(u->d) & ~mask) | (t & mask);                                                \
	}
#define X(prop, cond)                                                                                          \
	TESTP(testp_##prop##_f32, uint32_t, 0x7f800000u, 0x00800000u, cond)                                    \
	TESTP(testp_##prop##_f64, uint64_t, 0x7ff0000000000000u, 0x0010000000000000u, cond)
TESTS(X)
#undef X

// Mixed precision: a (and b of fma) are f16 or bf16, widened exactly; the operation is f32's.
static void widen(float *r, const uint32_t *a, enum uop_type t)
{
	for (unsigned i = 0; i < WARP; i++)
		r[i] = t == UOP_T_BF16 ? softfp_bf16_to_f32((uint16_t)a[i]) : softfp_f16_to_f32((uint16_t)a[i]);
}

#define MIXED(name, op, n_half)                                                                                \
	BODY(name)                                                                                             \
	{                                                                                                      \
		const enum uop_type t = (enum uop_type)u->mode.type[1];                                  \
		_Alignas(64) float rows[4][WARP];                                                              \
		struct uop v = *u;                                                                             \
		const int32_t src[3] = {u->a, u->b, u->c};                                                     \
		float *rd = ROW(float, u->d);                                                                  \
		for (unsigned k = 0; k < 3; k++) {                                                             \
			if (k < n_half)                                                                        \
				widen(rows[k + 1], ROW(uint32_t, src[k]), t);                                  \
			else                                                                                   \
				memcpy(rows[k + 1], ROW(float, src[k]), sizeof(rows[0]));                      \
		}                                                                                              \
		v.d = 0;                                                                                       \
		v.a = sizeof(rows[0]);                                                                         \
		v.b = 2 * sizeof(rows[0]);                                                                     \
		v.c = 3 * sizeof(rows[0]);                                                                     \
		op((uint8_t *)rows, &v, FULL_MASK, w);                                                         \
		LANES(float, rd, rows[0][i]);                                                                  \
	}
MIXED(add_mixed, add_f32_mode, 1)
MIXED(sub_mixed, sub_f32_mode, 1)
MIXED(fma_mixed, fma_f32_mode, 2)

// Two f32 in a 64-bit register.
static inline float half_of(uint64_t v, unsigned k)
{
	return f32_of((uint32_t)(v >> 32 * k));
}

#define PACKED_MODE(name, first, expr)                                                                         \
	BODY(name)                                                                                             \
	{                                                                                                      \
		struct uop v = *u;                                                                             \
		_Alignas(64) uint8_t rows[4][WARP * 4];                                                        \
		const uint64_t *ra = ROW(uint64_t, u->a), *rb = ROW(uint64_t, u->b), *rc = ROW(uint64_t, first); \
		uint64_t *rd = ROW(uint64_t, u->d);                                                            \
		_Alignas(64) uint32_t r[2][WARP];                                                              \
		v.d = 0;                                                                                       \
		v.a = WARP * 4;                                                                                \
		v.b = 2 * WARP * 4;                                                                            \
		v.c = 3 * WARP * 4;                                                                            \
		for (unsigned k = 0; k < 2; k++) {                                                             \
			for (unsigned i = 0; i < WARP; i++) {                                                  \
				((float *)rows[1])[i] = half_of(ra[i], k);                                     \
				((float *)rows[2])[i] = half_of(rb[i], k);                                     \
				((float *)rows[3])[i] = half_of(rc[i], k);                                     \
			}                                                                                      \
			expr(rows[0], &v, FULL_MASK, w);                                                       \
			memcpy(r[k], rows[0], sizeof(r[k]));                                                   \
		}                                                                                              \
		LANES(uint64_t, rd, r[0][i] | (uint64_t)r[1][i] << 32);                                        \
	}
PACKED_MODE(add_f32x2, u->b, add_f32_mode)
PACKED_MODE(sub_f32x2, u->b, sub_f32_mode)
PACKED_MODE(mul_f32x2, u->b, mul_f32_mode)
PACKED_MODE(fma_f32x2, u->c, fma_f32_mode)

#define TWICE(op, t, fn) {op "." t, fn}, {op ".rn." t, fn}, {op ".*" t, fn##_mode}

const struct exec_body EXEC_TABLE(float)[] = {
#define X(t, T, U)                                                                                             \
	TWICE("add", #t, add_##t), TWICE("sub", #t, sub_##t), TWICE("mul", #t, mul_##t),                       \
	{"div.rn." #t, div_##t}, {"rcp.rn." #t, rcp_##t},                                                      \
	{"fma.rn." #t, fma_##t}, {"mad.rn." #t, fma_##t}, {"mad." #t, fma_##t},                                \
	{"fma.*" #t, fma_##t##_mode}, {"mad.*" #t, fma_##t##_mode},                                            \
	{"abs." #t, abs_##t}, {"neg." #t, neg_##t}, {"copysign." #t, copysign_##t},                            \
	{"min." #t, min_##t}, {"max." #t, max_##t},
	FLOATS(X)
#undef X
	{"sqrt.rn.f32", sqrt_f32}, {"sqrt.rn.f64", sqrt_f64},
	{"abs.ftz.f32", abs_ftz_f32}, {"neg.ftz.f32", neg_ftz_f32},
	{"min.*f32", min_f32_mode}, {"max.*f32", max_f32_mode},
#define X(prop, cond) {"testp." #prop ".f32", testp_##prop##_f32}, {"testp." #prop ".f64", testp_##prop##_f64},
	TESTS(X)
#undef X
#define MIXED_ROWS(t) {"add.*f32." t, add_mixed}, {"sub.*f32." t, sub_mixed}, {"fma.*f32." t, fma_mixed},
	MIXED_ROWS("f16") MIXED_ROWS("bf16")
	{"add.*f32x2", add_f32x2}, {"sub.*f32x2", sub_f32x2}, {"mul.*f32x2", mul_f32x2}, {"fma.*f32x2", fma_f32x2},
	{"div.r*f32", div_f32_mode}, {"div.r*f64", div_f64_mode}, {"rcp.r*f32", rcp_f32_mode}, {"rcp.r*f64", rcp_f64_mode},
#define X(op) {#op ".approx.f32", op##_approx_f32}, {#op ".approx.ftz.f32", op##_approx_ftz_f32},
	APPROX1(X)
#undef X
	{"rcp.approx.f32", rcp_approx_f32}, {"rcp.approx.ftz.f32", rcp_approx_ftz_f32},
	{"ex2.approx.f32", ex2_approx_f32}, {"ex2.approx.ftz.f32", ex2_approx_ftz_f32},
	{"sin.approx.f32", sin_approx_f32}, {"sin.approx.ftz.f32", sin_approx_f32},
	{"cos.approx.f32", cos_approx_f32}, {"cos.approx.ftz.f32", cos_approx_f32},
	{"div.approx.f32", div_approx_f32}, {"div.approx.ftz.f32", div_approx_ftz_f32},
	{"div.full.f32", div_full_f32}, {"div.full.ftz.f32", div_full_ftz_f32},
	{"rcp.approx.ftz.f64", rcp_approx_ftz_f64}, {"rsqrt.approx.ftz.f64", rsqrt_approx_ftz_f64},
	{"rsqrt.approx.f64", rsqrt_approx_f64},
	{"sqrt.r*f32", sqrt_f32_mode}, {"sqrt.r*f64", sqrt_f64_mode},
	{0},
};
