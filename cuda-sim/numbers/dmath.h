// Device mathematics: what a GPU's math library and its approximate instructions compute, bit for bit the same on every
// host. Nothing here calls the host's libm; only + - * / and sqrt, which IEEE 754 defines to the last bit, and integer
// code are used. Compile with -ffp-contract=off.
//
// Special values are those of C99 annex F and the CUDA math API. A NaN result is canonical (see softfp.h).
//
// Accuracy: greatest error seen in units of the last place, over 3000 arguments of each function spread over its range
// (trigonometric functions up to 2^1020), against mpmath with 40 digits. Half a unit is correct rounding.
//   f64  0.50  cos cospi asin acos atan atan2 cosh asinh acosh atanh exp10 log log2 log10 log1p cbrt rcbrt rsqrt
//              hypot rhypot sinpi tan exp pow erf lgamma(x > 0)   (all below 0.52)
//        0.51  sin sinh tanh exp2 erfcx      0.53  tgamma erfc normcdf cyl_bessel_i0      0.56  expm1
//        0.61  erfinv      0.63  normcdfinv  0.65  erfcinv      0.81  cyl_bessel_i1
//        j0 j1 y0 y1: an absolute error of 0.52 2^-52 max(1, |value|); near their zeros no relative bound.
//        jn yn: absolute, 1e-14 for orders up to 40. lgamma(x < 0): absolute beside its zeros.
//   f32  all 0.51 or better; jn yn as f64.
#ifndef CUDA_SIM_NUMBERS_DMATH_H
#define CUDA_SIM_NUMBERS_DMATH_H

#include "cuda-sim/numbers/softfp.h"

// The functions of one argument that exist for both formats: DM_UNARY(X) is X(name) for dm_name and dm_namef.
#define DM_UNARY(X)                                                                                            \
	X(sin) X(cos) X(tan) X(sinpi) X(cospi) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh)        \
	X(acosh) X(atanh) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb) X(cbrt)    \
	X(rcbrt) X(sqrt) X(rsqrt) X(erf) X(erfc) X(erfinv) X(erfcinv) X(erfcx) X(normcdf) X(normcdfinv)        \
	X(tgamma) X(lgamma) X(j0) X(j1) X(y0) X(y1) X(cyl_bessel_i0) X(cyl_bessel_i1) X(round) X(rint)         \
	X(trunc) X(floor) X(ceil)
#define DM_BINARY(X)                                                                                           \
	X(atan2) X(pow) X(hypot) X(rhypot) X(fmod) X(remainder) X(nextafter) X(fdim) X(copysign) X(fmin) X(fmax)

#define X(name)                       \
	double dm_##name(double x);   \
	float dm_##name##f(float x);
DM_UNARY(X)
#undef X
#define X(name)                                 \
	double dm_##name(double x, double y);   \
	float dm_##name##f(float x, float y);
DM_BINARY(X)
#undef X

void dm_sincos(double x, double *s, double *c);
void dm_sincosf(float x, float *s, float *c);
void dm_sincospi(double x, double *s, double *c);
void dm_sincospif(float x, float *s, float *c);
double dm_powi(double x, int n);
float dm_powif(float x, int n);
// Euclidean length of v[0..n-1], and its reciprocal. Infinite if any element is, even beside a NaN.
double dm_norm(const double *v, int n);
double dm_rnorm(const double *v, int n);
float dm_normf(const float *v, int n);
float dm_rnormf(const float *v, int n);
// Bessel functions of order n: NaN for n < 0 and for n above 2^20.
double dm_jn(int n, double x);
double dm_yn(int n, double x);
float dm_jnf(int n, float x);
float dm_ynf(int n, float x);
// *quotient: at least the low 31 bits of the rounded quotient's magnitude, with its sign.
double dm_remquo(double x, double y, int *quotient);
float dm_remquof(float x, float y, int *quotient);
double dm_frexp(double x, int *exp);
float dm_frexpf(float x, int *exp);
double dm_ldexp(double x, int n);
float dm_ldexpf(float x, int n);
double dm_modf(double x, double *whole);
float dm_modff(float x, float *whole);
// Exponent as an integer: INT32_MIN for 0 and NaN, INT32_MAX for infinity.
int dm_ilogb(double x);
// To 64 bits, clamped; NaN gives INT64_MIN. round: ties away from zero, rint: to even. For floats too.
int64_t dm_llround(double x);
int64_t dm_llrint(double x);

// The kernels below are branch-free double arithmetic for results of float accuracy (relative error about 2^-45 unless
// stated), so that loops over lanes vectorise. Coefficients are those of the Taylor series, rounded.

// 2^x for |x| <= 1000.
static inline double dm_kernel_exp2(double x)
{
	double n = (x + 0x1.8p52) - 0x1.8p52, t = (x - n) * 0x1.62e42fefa39efp-1; // |t| <= 0.347
	uint64_t bits = softfp_bits_f64(x + 0x1.8p52);
	double p = 1 / 39916800.0;
	p = p * t + 1 / 3628800.0;
	p = p * t + 1 / 362880.0;
	p = p * t + 1 / 40320.0;
	p = p * t + 1 / 5040.0;
	p = p * t + 1 / 720.0;
	p = p * t + 1 / 120.0;
	p = p * t + 1 / 24.0;
	p = p * t + 1 / 6.0;
	p = p * t + 0.5;
	p = p * t + 1;
	p = p * t + 1;
	return softfp_f64(softfp_bits_f64(p) + (bits << 52)); // the low bits of `bits` are n
}

// log2 x for a positive normal x. Exact for powers of two; relative error 2^-45 near 1 too.
static inline double dm_kernel_log2(double x)
{
	// Bring the significand into [sqrt(1/2), sqrt(2)): subtract the bits of sqrt(1/2) before taking the exponent.
	uint64_t u = softfp_bits_f64(x) - UINT64_C(0x3fe6a09e667f3bcd), e = u >> 52; // biased by 0, modulo 4096
	double m = softfp_f64((u & ((UINT64_C(1) << 52) - 1)) + UINT64_C(0x3fe6a09e667f3bcd));
	double k = softfp_f64(UINT64_C(0x4330000000000000) | ((e + 2048) & 4095)) - (0x1p52 + 2048);
	double s = (m - 1) / (m + 1), z = s * s; // z <= 0.0295
	double p = 1 / 17.0;
	p = p * z + 1 / 15.0;
	p = p * z + 1 / 13.0;
	p = p * z + 1 / 11.0;
	p = p * z + 1 / 9.0;
	p = p * z + 1 / 7.0;
	p = p * z + 1 / 5.0;
	p = p * z + 1 / 3.0;
	p = p * z + 1;
	return k + s * p * 0x1.71547652b82fep+1; // 2 / ln 2
}

// sin(2 pi t), |t| <= 2^51. Absolute error 2^-37, relative 2^-37 near 0.
static inline double dm_kernel_sin_turns(double t)
{
	double f = t - ((t + 0x1.8p52) - 0x1.8p52);             // [-1/2, 1/2]
	double a = softfp_f64(softfp_bits_f64(f) & INT64_MAX);
	double g = a > 0.25 ? 0.5 - a : a;                       // [0, 1/4]
	double r = g * 0x1.921fb54442d18p+2, z = r * r;          // 2 pi
	double p = -1 / 1307674368000.0;
	p = p * z + 1 / 6227020800.0;
	p = p * z - 1 / 39916800.0;
	p = p * z + 1 / 362880.0;
	p = p * z - 1 / 5040.0;
	p = p * z + 1 / 120.0;
	p = p * z - 1 / 6.0;
	p = p * z * r + r;
	return softfp_f64(softfp_bits_f64(p) | (softfp_bits_f64(f) & (UINT64_C(1) << 63)));
}

// The approximate instructions of PTX. Results are those of the exact function rounded to nearest, but for rare last
// bits, except where the ISA's tables of special values say otherwise; hardware is less exact. Subnormals are kept: for
// .ftz pass arguments and result through softfp_ftz_f32.

// MUFU, the unit of such functions, is what .ftz gives; without it ptxas scales what MUFU would flush, and what it takes for
// zero or infinity, and these functions do the same.

static inline float dm_mufu_ex2(float x)
{
	float f = softfp_ftz_f32(x), in = f < -160 ? -160 : f > 160 ? 160 : f;
	float r = (float)dm_kernel_exp2(in == in ? in : 0);
	return softfp_ftz_f32(softfp_f32(x != x ? SOFTFP_NAN32 : softfp_bits_f32(r)));
}

static inline float dm_ex2_approx_f32(float x)
{
	bool low = x < -126;
	float r = dm_mufu_ex2(low ? x * 0.5f : x);
	return low ? r * r : r;
}

static inline float dm_mufu_lg2(float x)
{
	bool in = x > 0 && x < __builtin_inff();
	float r = (float)dm_kernel_log2(in ? x : 1);
	float special = x == 0 ? -__builtin_inff() : x > 0 ? x : softfp_f32(SOFTFP_NAN32);
	return in ? r : special;
}

// Of a subnormal number ptxas takes the logarithm of the number times 2^24, and 24 off that: the result is rounded twice.
static inline float dm_lg2_approx_f32(float x)
{
	bool low = x > -0x1p-126f && x < 0x1p-126f;
	float r = dm_mufu_lg2(low ? x * 0x1p24f : x);
	return low ? r - 24 : r;
}

// Sine and cosine of an angle in turns. All numbers from 2^24 on are whole turns.
static inline float dm_mufu_sin(float turns)
{
	bool finite = turns - turns == 0;
	float r = (float)dm_kernel_sin_turns(finite && turns < 0x1p24f && turns > -0x1p24f ? turns : 0);
	uint32_t zero = softfp_bits_f32(turns);
	return softfp_f32(!finite ? SOFTFP_NAN32 : turns == 0 ? zero : softfp_bits_f32(r));
}

static inline float dm_mufu_cos(float turns)
{
	bool finite = turns - turns == 0;
	float r = (float)dm_kernel_sin_turns((finite && turns < 0x1p24f && turns > -0x1p24f ? turns : 0) + 0.25);
	return softfp_f32(finite ? softfp_bits_f32(r) : SOFTFP_NAN32);
}

// Radians in turns as ptxas makes them: multiplied by 1 / (2 pi) in f32, rounded towards zero.
static inline float dm_turns(float x)
{
	double p = (double)x * 0x1.45f306p-3, m = softfp_f64(softfp_bits_f64(p) & INT64_MAX);
	float r = (float)p;
	uint32_t u = softfp_bits_f32(r);
	return softfp_f32(softfp_f32(u & 0x7fffffff) > m ? u - 1 : u);
}

static inline float dm_sin_approx_f32(float x) { return dm_mufu_sin(dm_turns(x)); }
static inline float dm_cos_approx_f32(float x) { return dm_mufu_cos(dm_turns(x)); }

static inline float dm_tanh_approx_f32(float x)
{
	double a = softfp_f32(softfp_bits_f32(x) & 0x7fffffff);
	double in = a < 20 ? a : 20; // NaN too
	double big = 1 - 2 / (dm_kernel_exp2(in * 0x1.71547652b82fep+1) + 1), z = in * in;
	double small = in - in * z * (1 / 3.0 - z * (2 / 15.0 - z * (17 / 315.0)));
	float r = (float)(in < 0.01 ? small : big);
	uint32_t u = softfp_bits_f32(r) | (softfp_bits_f32(x) & 0x80000000);
	return softfp_f32(x != x ? SOFTFP_NAN32 : u);
}

static inline float dm_mufu_rcp(float x)
{
	return softfp_ftz_f32(softfp_canon_f32(1.0f / softfp_ftz_f32(x)));
}

static inline float dm_magnitude(float x)
{
	return softfp_f32(softfp_bits_f32(x) & 0x7fffffff);
}

static inline float dm_rcp_approx_f32(float x)
{
	float m = dm_magnitude(x), by = m > 0x1p126f ? 0.25f : m < 0x1p-126f ? 0x1p24f : 1;
	return softfp_canon_f32(by * dm_mufu_rcp(x * by));
}

static inline float dm_sqrt_approx_f32(float x)
{
	return softfp_canon_f32(__builtin_sqrtf(x));
}

static inline float dm_rsqrt_approx_f32(float x)
{
	return softfp_canon_f32((float)(1 / __builtin_sqrt((double)x)));
}

// a * (1 / b). For 2^126 < |b| < 2^128 the reciprocal counts as zero, as the ISA says.
static inline float dm_div_approx_f32(float a, float b)
{
	float by = dm_magnitude(b) < 0x1p-126f ? 0x1p24f : 1;
	return softfp_canon_f32(a * by * dm_mufu_rcp(b * by));
}

static inline float dm_div_full_f32(float a, float b)
{
	float m = dm_magnitude(b), by = m > 0x1p126f ? 0.25f : m < 0x1p-126f ? 0x1p24f : 1;
	return softfp_canon_f32(dm_mufu_rcp(b * by) * (a * by));
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper word of x, into the upper word of the result. The result is
// rounded to the nearest upper word.
static inline double dm_upper_word(double in, double r)
{
	uint64_t u = softfp_bits_f64(r), up = (u + 0x80000000) & UINT64_C(0xffffffff00000000);
	uint64_t flushed = u >> 52 & 0x7ff ? up : u & (UINT64_C(1) << 63);
	return softfp_f64(in != in || r != r ? UINT64_C(0x7fffffff00000000) : flushed);
}
static inline double dm_seed_argument(double x)
{
	uint64_t u = softfp_bits_f64(x) & UINT64_C(0xffffffff00000000);
	// A NaN stays one where only the lower word says so; hardware sees the upper word alone and would see infinity.
	return softfp_f64(u >> 52 & 0x7ff ? u : u & (UINT64_C(1) << 63));
}
static inline double dm_rcp_approx_ftz_f64(double x)
{
	double a = dm_seed_argument(x);
	return dm_upper_word(a, 1 / a);
}
static inline double dm_rsqrt_approx_ftz_f64(double x)
{
	double a = dm_seed_argument(x);
	return dm_upper_word(a, 1 / __builtin_sqrt(a));
}

#endif
