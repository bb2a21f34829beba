// Floating point in software: the formats and rounding modes of PTX that C has not, with results that do not depend on
// the host. Only + - * / on float and double, and integer code, are used; no host rounding mode, no host fma.
//
// Formats travel as bit patterns in the low bits (f16 and bf16 as uint16_t, f8 as uint8_t, tf32 as the f32 that holds
// it). Rounding is an enum rounding; ROUND_NONE and ROUND_RNI mean ROUND_RN, and so on for the other integer modes.
//
// NaN results are canonical, as the PTX ISA gives them: f16 and bf16 0x7fff, f32 and tf32 0x7fffffff, f8 0x7f. For f64
// the ISA names no pattern; 0xfff8000000000000 is used, CUDART_NAN of CUDA's math_constants.h.
//
// The functions here in the header are written without branches so that a loop over 32 lanes vectorises. The softfp_*
// functions below them that take a format work for all formats and modes, some 20 ns each.
#ifndef CUDA_SIM_NUMBERS_SOFTFP_H
#define CUDA_SIM_NUMBERS_SOFTFP_H

#include "cuda-sim/numbers/rounding.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum softfp_fmt { SOFTFP_F16, SOFTFP_BF16, SOFTFP_TF32, SOFTFP_F32, SOFTFP_F64, SOFTFP_E4M3, SOFTFP_E5M2, SOFTFP_N };

#define SOFTFP_NAN16 0x7fffu
#define SOFTFP_NAN32 0x7fffffffu
#define SOFTFP_NAN64 UINT64_C(0xfff8000000000000)

static inline uint32_t softfp_bits_f32(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return u;
}
static inline float softfp_f32(uint32_t u)
{
	float x;
	memcpy(&x, &u, 4);
	return x;
}
static inline uint64_t softfp_bits_f64(double x)
{
	uint64_t u;
	memcpy(&u, &x, 8);
	return u;
}
static inline double softfp_f64(uint64_t u)
{
	double x;
	memcpy(&x, &u, 8);
	return x;
}

// x, or the canonical NaN if x is one. Which NaN a host operation returns depends on operand order, which compilers
// choose; whatever may be NaN passes through here before its bits can be seen.
static inline float softfp_canon_f32(float x)
{
	return softfp_f32(x != x ? SOFTFP_NAN32 : softfp_bits_f32(x));
}
static inline double softfp_canon_f64(double x)
{
	return softfp_f64(x != x ? SOFTFP_NAN64 : softfp_bits_f64(x));
}

// .ftz: subnormals become zeros of the same sign.
static inline float softfp_ftz_f32(float x)
{
	uint32_t u = softfp_bits_f32(x);
	return softfp_f32((u & 0x7f800000) ? u : (u & 0x80000000));
}

// f16 -> f32, exact. The multiplication renormalises, subnormals included.
static inline float softfp_f16_to_f32(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, mag = h & 0x7fff;
	uint32_t finite = softfp_bits_f32(softfp_f32(mag << 13) * 0x1p112f);
	uint32_t u = mag >= 0x7c00 ? (mag > 0x7c00 ? SOFTFP_NAN32 : 0x7f800000 | sign) : finite | sign;
	return softfp_f32(u);
}

// f32 -> f16, rn. Normal results by integer rounding; subnormal ones by adding 0.5, whose last place in float is f16's
// smallest number.
static inline uint16_t softfp_f32_to_f16(float x)
{
	uint32_t u = softfp_bits_f32(x), sign = u >> 16 & 0x8000, mag = u & 0x7fffffff;
	uint32_t normal = (mag - 0x38000000 + 0xfff + (mag >> 13 & 1)) >> 13;
	uint32_t small = softfp_bits_f32(softfp_f32(mag < 0x38800000 ? mag : 0) + 0.5f) - 0x3f000000;
	uint32_t r = mag < 0x38800000 ? small : normal;
	r = mag >= 0x477ff000 ? 0x7c00 : r;
	return (uint16_t)(mag > 0x7f800000 ? SOFTFP_NAN16 : r | sign);
}

static inline float softfp_bf16_to_f32(uint16_t h)
{
	return softfp_canon_f32(softfp_f32((uint32_t)h << 16));
}

// f32 -> bf16, rn.
static inline uint16_t softfp_f32_to_bf16(float x)
{
	uint32_t u = softfp_bits_f32(x);
	uint32_t r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
	return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? SOFTFP_NAN16 : r);
}

// f32 -> tf32 (10 bits of fraction, low 13 bits zero), rna: ties away from zero. Of a NaN too only the low bits are cut, so one that
// has no others becomes infinity: ptxas makes it so.
static inline uint32_t softfp_f32_to_tf32_rna(float x)
{
	uint32_t u = softfp_bits_f32(x), mag = u & 0x7fffffff;
	uint32_t r = (u + 0x1000) & 0xffffe000;
	return mag > 0x7f800000 ? u & 0xffffe000 : r;
}

// The same with .satfinite. ptxas takes one off the tenth place of the fraction of whatever has the exponent of infinities: of those
// that is the largest number, and NaNs go through it too.
static inline uint32_t softfp_f32_to_tf32_rna_finite(float x)
{
	uint32_t r = softfp_f32_to_tf32_rna(x);
	return r - ((r & 0x7fffffff) >= 0x7f800000 ? 0x2000 : 0);
}

// a + b in double, inexact results made odd in the last place: rounding that again to 51 bits or fewer gives what
// rounding the exact sum once would have given. (Boldo and Melquiond, "When double rounding is odd", 2005.)
// Invalid where a + b overflows a double.
static inline double softfp_add_odd(double a, double b)
{
	double s = a + b, t = s - a;
	double e = (a - (s - t)) + (b - t); // s + e is exact
	uint64_t u = softfp_bits_f64(s);
	uint64_t away = softfp_bits_f64(e) >> 63 == u >> 63 ? 1 : UINT64_MAX;
	bool inexact = e < 0 || e > 0;
	return softfp_f64(u + (inexact && !(u & 1) ? away : 0));
}

// f64 -> f32 in rounding mode rnd. Give rnd as a constant.
static inline float softfp_f64_to_f32(double x, enum rounding rnd)
{
	float f = (float)x; // rn
	uint32_t u = softfp_bits_f32(f), step = 0; // +1 is one place away from zero, -1 towards it
	double g = f;
	switch (rnd) {
	case ROUND_RZ: case ROUND_RZI:
		step = (x >= 0 ? g > x : g < x) ? UINT32_MAX : 0;
		break;
	case ROUND_RM: case ROUND_RMI:
		step = g > x ? (u >> 31 ? 1 : UINT32_MAX) : 0;
		break;
	case ROUND_RP: case ROUND_RPI:
		step = g < x ? (u >> 31 ? UINT32_MAX : 1) : 0;
		break;
	default:
		break;
	}
	return softfp_canon_f32(softfp_f32(u + step));
}

// x rounded to odd as float; odd rounding composes with a later rounding to 22 bits or fewer.
static inline float softfp_f64_to_f32_odd(double x)
{
	float f = (float)x;
	uint32_t u = softfp_bits_f32(f);
	double g = f;
	bool inexact = g < x || g > x;
	uint32_t step = (x >= 0 ? g < x : g > x) ? 1 : UINT32_MAX;
	return softfp_f32(u + (inexact && !(u & 1) ? step : 0));
}

// a * b + c with one rounding. Give rnd as a constant. rn, rz, rm, rp.
static inline float softfp_fma_f32(float a, float b, float c, enum rounding rnd)
{
	double p = (double)a * b; // exact
	double s = softfp_add_odd(p, c);
	if (rnd == ROUND_RM || rnd == ROUND_RMI) { // an exact zero from opposite signs is -0 in this mode
		bool differ = (softfp_bits_f64(p) ^ softfp_bits_f64(c)) >> 63;
		s = s == 0 && differ ? -0.0 : s;
	}
	return softfp_f64_to_f32(s, rnd);
}

// The same in rn, by the CPU's instruction in a file compiled for one. Both are exact before the one rounding, so the
// result is the same.
static inline float softfp_fma_f32_rn(float a, float b, float c)
{
#ifdef __FMA__
	return softfp_canon_f32(__builtin_fmaf(a, b, c));
#else
	return softfp_fma_f32(a, b, c, ROUND_RN);
#endif
}

// f32 add and mul in any mode. The sum is a double's only after odd rounding; the product is exact.
static inline float softfp_add_f32(float a, float b, enum rounding rnd)
{
	return softfp_fma_f32(a, 1.0f, b, rnd);
}
static inline float softfp_mul_f32(float a, float b, enum rounding rnd)
{
	return softfp_f64_to_f32((double)a * b, rnd);
}

// f16 and bf16 arithmetic, rn, one rounding. For + - * of f16 a float is wide enough (24 >= 2 * 11 + 2 bits) for two
// roundings to equal one; likewise bf16 sums. bf16 products may fall below float's range and go through double.
static inline uint16_t softfp_add_f16(uint16_t a, uint16_t b)
{
	return softfp_f32_to_f16(softfp_f16_to_f32(a) + softfp_f16_to_f32(b));
}
static inline uint16_t softfp_sub_f16(uint16_t a, uint16_t b)
{
	return softfp_f32_to_f16(softfp_f16_to_f32(a) - softfp_f16_to_f32(b));
}
static inline uint16_t softfp_mul_f16(uint16_t a, uint16_t b)
{
	return softfp_f32_to_f16(softfp_f16_to_f32(a) * softfp_f16_to_f32(b));
}
static inline uint16_t softfp_fma_f16(uint16_t a, uint16_t b, uint16_t c)
{
	double p = (double)softfp_f16_to_f32(a) * softfp_f16_to_f32(b);
	return softfp_f32_to_f16(softfp_f64_to_f32_odd(softfp_add_odd(p, softfp_f16_to_f32(c))));
}
static inline uint16_t softfp_add_bf16(uint16_t a, uint16_t b)
{
	return softfp_f32_to_bf16(softfp_bf16_to_f32(a) + softfp_bf16_to_f32(b));
}
static inline uint16_t softfp_sub_bf16(uint16_t a, uint16_t b)
{
	return softfp_f32_to_bf16(softfp_bf16_to_f32(a) - softfp_bf16_to_f32(b));
}
static inline uint16_t softfp_mul_bf16(uint16_t a, uint16_t b)
{
	return softfp_f32_to_bf16(softfp_f64_to_f32_odd((double)softfp_bf16_to_f32(a) * softfp_bf16_to_f32(b)));
}
static inline uint16_t softfp_fma_bf16(uint16_t a, uint16_t b, uint16_t c)
{
	double p = (double)softfp_bf16_to_f32(a) * softfp_bf16_to_f32(b);
	return softfp_f32_to_bf16(softfp_f64_to_f32_odd(softfp_add_odd(p, softfp_bf16_to_f32(c))));
}

// x rounded to an integral value; the sign of a zero result is that of x. Below 2^52, adding and subtracting that power
// rounds to nearest even; the other modes correct by one. NaN becomes canonical.
static inline double softfp_integral_f64(double x, enum rounding rnd)
{
	uint64_t u = softfp_bits_f64(x), sign = u & (UINT64_C(1) << 63);
	double big = softfp_f64(UINT64_C(0x4330000000000000) | sign);
	double one = softfp_f64(UINT64_C(0x3ff0000000000000) | sign);
	double r = (x + big) - big;
	r = softfp_f64(u ^ sign) < 0x1p52 ? r : x;
	switch (rnd) {
	case ROUND_RZ: case ROUND_RZI:
		r = (r - x) * one > 0 ? r - one : r;
		break;
	case ROUND_RM: case ROUND_RMI:
		r = r > x ? r - 1 : r;
		break;
	case ROUND_RP: case ROUND_RPI:
		r = r < x ? r + 1 : r;
		break;
	case ROUND_RNA:
		r = (x - r) * one == 0.5 ? r + one : r;
		break;
	default:
		break;
	}
	return softfp_canon_f64(softfp_f64(softfp_bits_f64(r) | sign));
}
static inline float softfp_integral_f32(float x, enum rounding rnd)
{
	return softfp_canon_f32((float)softfp_integral_f64(x, rnd));
}

// Float to integer of `bits` bits (8, 16, 32, 64), rounded by rnd, clamped to the limits. NaN gives `nan`; the PTX ISA
// says under cvt: zero if the source is not f64 and the destination not 64 bits wide, else 1 << (bits - 1).
// The result is the integer's two's complement in the low `bits` bits.
static inline uint64_t softfp_f64_to_sint(double x, enum rounding rnd, unsigned bits, uint64_t nan)
{
	double r = softfp_integral_f64(x, rnd), lim = softfp_f64((uint64_t)(1023 + bits - 1) << 52);
	uint64_t max = (UINT64_C(1) << (bits - 1)) - 1;
	int64_t in = (int64_t)(r >= -lim && r < lim ? r : 0);
	uint64_t v = r >= lim ? max : r < -lim ? ~max : (uint64_t)in;
	v = x != x ? nan : v;
	return bits == 64 ? v : v & (max << 1 | 1);
}
static inline uint64_t softfp_f64_to_uint(double x, enum rounding rnd, unsigned bits, uint64_t nan)
{
	double r = softfp_integral_f64(x, rnd), half = softfp_f64((uint64_t)(1023 + bits - 1) << 52);
	uint64_t top = UINT64_C(1) << (bits - 1), max = top - 1 + top;
	double in = r > 0 && r < half ? r : 0, over = r >= half && r < 2 * half ? r - half : 0;
	uint64_t v = r >= 2 * half ? max : r >= half ? top + (uint64_t)(int64_t)over : (uint64_t)(int64_t)in;
	return x != x ? nan : v;
}

// The commonest of these, cvt.rzi between f32 and 32 bits, in a form that vectorises.
static inline int32_t softfp_f32_to_s32_rz(float x)
{
	double d = x;
	d = d < -0x1p31 ? -0x1p31 : d;
	d = d > 0x7fffffff ? 0x7fffffff : d;
	return (int32_t)(x != x ? 0 : d);
}
static inline uint32_t softfp_f32_to_u32_rz(float x)
{
	double d = x;
	d = d > 0 ? d : 0; // NaN too
	d = d > 0xffffffffu ? 0xffffffffu : d;
	bool high = d >= 0x1p31; // CPUs convert to signed only
	uint32_t low = (uint32_t)(int32_t)(high ? d - 0x1p31 : d);
	return high ? low + 0x80000000 : low;
}

// What cvt gives for NaN: see softfp_f64_to_sint. src_bits is the width of the source format.
static inline uint64_t softfp_cvt_nan(unsigned src_bits, unsigned dst_bits)
{
	return src_bits == 64 || dst_bits == 64 ? UINT64_C(1) << (dst_bits - 1) : 0;
}

// Any format to any other. satfinite: values too large, infinities too, become the largest finite number; NaN stays
// NaN. E4M3 has no infinity: what would be one is NaN, or the largest finite number with satfinite.
uint64_t softfp_convert(enum softfp_fmt dst, enum softfp_fmt src, uint64_t bits, enum rounding rnd, bool satfinite);

// Integer to float. `v` is the value sign- or zero-extended to 64 bits.
uint64_t softfp_from_sint(enum softfp_fmt dst, int64_t v, enum rounding rnd);
uint64_t softfp_from_uint(enum softfp_fmt dst, uint64_t v, enum rounding rnd);

// Arithmetic in any format and mode, each with one rounding.
uint64_t softfp_fma(enum softfp_fmt fmt, uint64_t a, uint64_t b, uint64_t c, enum rounding rnd);
uint64_t softfp_add(enum softfp_fmt fmt, uint64_t a, uint64_t b, enum rounding rnd);
uint64_t softfp_mul(enum softfp_fmt fmt, uint64_t a, uint64_t b, enum rounding rnd);
uint64_t softfp_div(enum softfp_fmt fmt, uint64_t a, uint64_t b, enum rounding rnd);
uint64_t softfp_sqrt(enum softfp_fmt fmt, uint64_t a, enum rounding rnd);

// The same on doubles. fma in rn takes a faster way where no exponent is extreme.
double softfp_fma_f64(double a, double b, double c, enum rounding rnd);
static inline double softfp_fma_f64_rn(double a, double b, double c)
{
#ifdef __FMA__
	return softfp_canon_f64(__builtin_fma(a, b, c));
#else
	return softfp_fma_f64(a, b, c, ROUND_RN);
#endif
}
double softfp_add_f64(double a, double b, enum rounding rnd);
double softfp_mul_f64(double a, double b, enum rounding rnd);
double softfp_div_f64(double a, double b, enum rounding rnd);
double softfp_sqrt_f64(double a, enum rounding rnd);
float softfp_div_f32(float a, float b, enum rounding rnd);
float softfp_sqrt_f32(float a, enum rounding rnd);

#endif
