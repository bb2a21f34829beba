// The sums of tensor.h, for the file that is compiled once for each CPU level.
#ifndef CUDA_SIM_TENSOR_PRODUCT_H
#define CUDA_SIM_TENSOR_PRODUCT_H

#include "cuda-sim/numbers/softfp.h"
#include "cuda-sim/tensor/tensor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A number is taken apart into a significand below 2 in magnitude and a power of 2. A zero has exponent TENSOR_ZERO. Infinities and
// NaNs stay whole in the significand.
enum { TENSOR_ZERO = -4096 };

enum { F32_BIAS = 127, F64_BIAS = 1023, F32_MANTISSA = 23, F64_MANTISSA = 52 };

// 2 to the power `e`, for -127 < e <= 127; 0 below.
static inline float tensor_power(int32_t e)
{
	int32_t biased = e + F32_BIAS;
	return softfp_f32((uint32_t)(biased < 0 ? 0 : biased) << F32_MANTISSA);
}

// Takes a number of `exponent` and `mantissa` bits apart, which lies in the low bits. e4m3 has no infinities and one NaN of each sign.
// Returns 1 for infinities and NaNs.
static inline uint32_t tensor_split(uint32_t bits, unsigned exponent, unsigned mantissa, bool finite, float *sig, int32_t *exp)
{
	const uint32_t max = (1u << exponent) - 1, fraction = bits & ((1u << mantissa) - 1), e = bits >> mantissa & max;
	const int32_t bias = (int32_t)(max >> 1);
	const uint32_t sign = (bits >> (exponent + mantissa) & 1) << 31;
	const bool special = finite ? e == max && fraction == (1u << mantissa) - 1 : e == max;
	const uint32_t one = (uint32_t)F32_BIAS << F32_MANTISSA, wide = fraction << (F32_MANTISSA - mantissa);
	const float normal = softfp_f32(one | wide), f = e ? normal : normal - 1.0f;
	const uint32_t whole = (uint32_t)0xff << F32_MANTISSA | (finite ? 1u << 22 : wide);
	*sig = softfp_f32((special ? whole : softfp_bits_f32(f)) | sign);
	*exp = !e && !fraction ? TENSOR_ZERO : (int32_t)(e ? e : 1) - bias;
	return special;
}

// n elements of `type`, each in a word of its own. Returns whether there is an infinity or a NaN among them.
static inline bool tensor_split_all(enum tensor_type type, const uint32_t *restrict bits, size_t n, float *restrict sig, int32_t *restrict exp)
{
	uint32_t special = 0;
#define ALL(read, exponent, mantissa, finite) \
	for (size_t i = 0; i < n; i++)        \
		special |= tensor_split(read, exponent, mantissa, finite, &sig[i], &exp[i]);
	switch (type) {
	case TENSOR_F16: ALL(bits[i], 5, 10, false) break;
	case TENSOR_BF16: ALL(bits[i], 8, 7, false) break;
	case TENSOR_TF32: ALL(bits[i] >> 13, 8, 10, false) break; // the low 13 bits of an f32 are not looked at
	case TENSOR_E4M3: ALL(bits[i], 4, 3, true) break;
	default: ALL(bits[i], 5, 2, false) break; // E5M2
	}
#undef ALL
	return special;
}

static inline float tensor_e4m3(uint32_t bits)
{
	float sig;
	int32_t exp;
	tensor_split(bits, 4, 3, true, &sig, &exp);
	return sig * tensor_power(exp);
}

// The same as f32.
static inline void tensor_values(enum tensor_type type, const uint32_t *restrict bits, size_t n, float *restrict out)
{
	for (size_t i = 0; i < n; i++) {
		const uint16_t b = (uint16_t)bits[i];
		switch (type) {
		case TENSOR_F16: out[i] = softfp_f16_to_f32(b); break;
		case TENSOR_BF16: out[i] = softfp_bf16_to_f32(b); break;
		case TENSOR_TF32: out[i] = softfp_f32(bits[i] >> 13 << 13); break;
		case TENSOR_E4M3: out[i] = tensor_e4m3(b); break;
		default: out[i] = softfp_f16_to_f32((uint16_t)(b << 8)); break; // E5M2
		}
	}
}

// Eight columns side by side. Written with vectors of the compiler: of loops over so few it makes scalar code.
enum { TENSOR_WIDE = 8 };
typedef float tensor_floats __attribute__((vector_size(32)));
typedef int32_t tensor_ints __attribute__((vector_size(32)));
typedef uint32_t tensor_words __attribute__((vector_size(32)));
typedef double tensor_doubles __attribute__((vector_size(64)));
typedef int64_t tensor_longs __attribute__((vector_size(64)));

static inline tensor_floats tensor_load(const float *p)
{
	tensor_floats v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline tensor_ints tensor_load_ints(const int32_t *p)
{
	tensor_ints v;
	memcpy(&v, p, sizeof v);
	return v;
}

// m has all ones where `yes` is wanted.
static inline tensor_ints tensor_pick(tensor_ints m, tensor_ints yes, tensor_ints no) { return (m & yes) | (~m & no); }
static inline tensor_longs tensor_pick_longs(tensor_longs m, tensor_longs yes, tensor_longs no) { return (m & yes) | (~m & no); }

// 2 to the powers `e`, each at most 127; 0 below -126.
static inline tensor_floats tensor_powers(tensor_ints e)
{
	const tensor_ints biased = e + F32_BIAS;
	return (tensor_floats)((biased & (biased > 0)) << F32_MANTISSA);
}

// Whether a mask has a one.
static inline bool tensor_any(tensor_ints m)
{
	uint64_t w[4];
	memcpy(w, &m, sizeof w);
	return w[0] | w[1] | w[2] | w[3];
}

static inline tensor_longs tensor_magnitude(tensor_doubles v) { return (tensor_longs)v & INT64_MAX; }

static inline int64_t tensor_double_bits(double d) { return (int64_t)softfp_bits_f64(d); }

// Cuts sums to `kept` fraction bits.
static inline tensor_floats tensor_cut(tensor_doubles v, unsigned kept)
{
	const tensor_longs small = tensor_magnitude(v) < tensor_double_bits(0x1p-126);
	// The last place of subnormal numbers, and 1 / it.
	const double place = softfp_f64((uint64_t)(F64_BIAS - 126 - kept) << F64_MANTISSA);
	const double unit = softfp_f64((uint64_t)(F64_BIAS + 126 + kept) << F64_MANTISSA);
	const tensor_longs cut = (tensor_longs)v & (int64_t)(~(uint64_t)0 << (F64_MANTISSA - kept));
	const tensor_doubles scaled = (tensor_doubles)((tensor_longs)v & small) * unit;
	const tensor_doubles of_small = __builtin_convertvector(__builtin_convertvector(scaled, tensor_ints), tensor_doubles) * place;
	const tensor_longs sign = (tensor_longs)v & INT64_MIN; // also of what is cut to 0
	return __builtin_convertvector((tensor_doubles)(tensor_pick_longs(small, (tensor_longs)of_small, cut) | sign), tensor_floats);
}

// Rounds sums to f16, to nearest even.
__attribute__((always_inline)) static inline tensor_floats tensor_nearest_f16(tensor_doubles v)
{
	const int lost = F64_MANTISSA - 10;
	const tensor_longs bits = (tensor_longs)v, sign = bits & INT64_MIN;
	const tensor_longs normal = (bits + (((int64_t)1 << (lost - 1)) - 1) + (bits >> lost & 1)) & (int64_t)(~(uint64_t)0 << lost);
	const double magic = 0x1.8p52 * 0x1p-24; // its last place is that of subnormal halves
	const tensor_longs small = tensor_magnitude(v) < tensor_double_bits(0x1p-14);
	tensor_longs r = tensor_pick_longs(small, (tensor_longs)(v + magic - magic), normal);
	const tensor_longs large = tensor_magnitude((tensor_doubles)r) > tensor_double_bits(65504);
	r = tensor_pick_longs(large, sign | tensor_double_bits(INFINITY), r);
	return __builtin_convertvector((tensor_doubles)r, tensor_floats);
}

// Whether a block with infinities or NaNs gives one, and which. `as` is a row, `bs` a column of stride `ldb`.
static inline bool tensor_special(unsigned len, const float *as, const float *bs, size_t ldb, float c, float *out)
{
	double sum = c;
	for (unsigned k = 0; k < len; k++)
		sum += (double)as[k] * bs[k * ldb]; // the exponents of finite factors do not matter
	if (isfinite(sum))
		return false;
	*out = isnan(sum) ? softfp_f32(SOFTFP_NAN32) : (float)sum;
	return true;
}

// Adds one block to TENSOR_WIDE places of a row of D, which hold f32 or the values of f16 (`half`).
__attribute__((always_inline)) static inline void tensor_block(const struct tensor_rule *rule, bool half, unsigned len,
                                                               const float *restrict as, const int32_t *restrict ae, const float *restrict bs,
                                                               const int32_t *restrict be, size_t ldb, bool special, float *restrict d)
{
	enum { AT_ONCE = 16 }; // the sum of as many products below 4, of 25 fraction bits, fits 32 bits
	const int fraction = rule->fraction, least = half ? -14 : -126;
	const tensor_floats c = tensor_load(d);
	const tensor_ints bits = (tensor_ints)c, field = bits >> F32_MANTISSA & 0xff, e = field - F32_BIAS;
	const tensor_ints normal = (field != 0) & (e >= least), zero = (bits & INT32_MAX) == 0;
	const tensor_ints one = (bits & (int32_t)0x807fffff) | F32_BIAS << F32_MANTISSA;
	const tensor_floats cs = (tensor_floats)tensor_pick(normal, one, (tensor_ints)(c * tensor_power(-least)));
	const tensor_ints ce = tensor_pick(zero, (tensor_ints){0} - 126, tensor_pick(normal, e, (tensor_ints){0} + least));
	tensor_ints top = ce;
	for (unsigned k = 0; k < len; k++) {
		const tensor_ints x = tensor_load_ints(be + k * ldb) + ae[k];
		top = tensor_pick(top < x, x, top);
	}
	tensor_doubles total = __builtin_convertvector(__builtin_convertvector(cs * tensor_powers(ce - top + fraction), tensor_ints), tensor_doubles);
	for (unsigned from = 0; from < len; from += AT_ONCE) {
		const unsigned end = from + AT_ONCE < len ? from + AT_ONCE : len;
		const tensor_ints base = fraction - top;
		tensor_words sum = {0}; // of infinities and NaNs anything, which is not used
		for (unsigned k = from; k < end; k++) {
			const tensor_floats power = tensor_powers(tensor_load_ints(be + k * ldb) + ae[k] + base);
			sum += (tensor_words)__builtin_convertvector(tensor_load(bs + k * ldb) * as[k] * power, tensor_ints);
		}
		total += __builtin_convertvector((tensor_ints)sum, tensor_doubles);
	}
	const tensor_longs scale = (__builtin_convertvector(top, tensor_longs) - fraction + F64_BIAS) << F64_MANTISSA;
	const tensor_doubles v = total * (tensor_doubles)scale;
	const tensor_floats r = half ? tensor_nearest_f16(v) : tensor_cut(v, rule->kept);
	memcpy(d, &r, sizeof r);
	if (special || tensor_any(field == 0xff))
		for (unsigned j = 0; j < TENSOR_WIDE; j++)
			tensor_special(len, as, bs + j, ldb, c[j], &d[j]);
}

// a * b + c, rounded once.
static inline float tensor_fma(float a, float b, float c)
{
#ifdef __FMA__
	return __builtin_fmaf(a, b, c);
#else
	return (float)softfp_add_odd((double)a * b, c);
#endif
}

#endif
