// The sums of tensor.h for tiles of 16 rows and many columns, for the file that is compiled once for each CPU level. The results are
// those of tensor_block, bit by bit.
//
// A tile goes by groups of eight columns, in two halves: four even and four odd columns, which stand side by side in registers of
// the accumulators (wgmma.h). 64 places, 16 rows by 4 columns, are worked on together: place 4 i + j has row i and column j.
//
// Why it is fast: products of numbers with up to 11 significant bits are exact in f32, so to cut a product to the bits that stay it is
// enough to scale it and make an integer of it. Where a product may leave the range of f32, where there are infinities or NaNs, and
// where all terms are tiny, the answer is `false` and tensor_block does the work.
#ifndef CUDA_SIM_TENSOR_GROUP_H
#define CUDA_SIM_TENSOR_GROUP_H

#include "cuda-sim/tensor/product.h"

#include <immintrin.h>

enum {
	GROUP_ROWS = 16, GROUP_COLUMNS = 64, // of a tile
	GROUP_HALF = 4,                      // columns
	GROUP_PLACES = GROUP_ROWS * GROUP_HALF,
	GROUP_MAX_K = 64,
	GROUP_ZERO = -4096,                  // exponent of zero: below that of any product, also with the largest one
};

#if defined __AVX512F__
enum { GROUP_LANES = 16 };
#elif defined __AVX2__
enum { GROUP_LANES = 8 };
#else
enum { GROUP_LANES = 4 };
#endif
enum { GROUP_VECTORS = 4, GROUP_BLOCK = GROUP_VECTORS * GROUP_LANES }; // worked on at a time; GROUP_BLOCK divides GROUP_PLACES
typedef float group_floats __attribute__((vector_size(4 * GROUP_LANES)));
typedef int32_t group_ints __attribute__((vector_size(4 * GROUP_LANES)));
typedef uint32_t group_words __attribute__((vector_size(4 * GROUP_LANES)));
typedef int16_t group_shorts __attribute__((vector_size(4 * GROUP_LANES)));
typedef int16_t group_narrow __attribute__((vector_size(2 * GROUP_LANES)));
typedef int64_t group_longs __attribute__((vector_size(4 * GROUP_LANES)));

// A tile's factors, by k. A: place 4 i + j of each k has the number of row i. B: the columns of each k, the four even ones of each
// eight before the odd ones.
struct group_tile {
	_Alignas(64) float a[GROUP_MAX_K][GROUP_PLACES], b[GROUP_MAX_K][GROUP_COLUMNS];
	_Alignas(64) int16_t ae[GROUP_MAX_K][GROUP_PLACES], be[GROUP_MAX_K][GROUP_COLUMNS]; // exponents
};

// Of all that takes or returns vectors.
#define GROUP_INLINE __attribute__((always_inline)) static inline

#define GROUP_LOAD(type, from) ({ type v_; memcpy(&v_, (from), sizeof v_); v_; })
#define GROUP_PUT(to, value)   ({ __typeof__(value) v_ = (value); memcpy((to), &v_, sizeof v_); })

// Four numbers, over and over.
GROUP_INLINE group_floats group_columns(const float *p)
{
#if defined __AVX512F__
	return (group_floats)_mm512_broadcast_f32x4(_mm_loadu_ps(p));
#elif defined __AVX2__
	return (group_floats)_mm256_broadcast_ps((const __m128 *)p);
#else
	return (group_floats)_mm_loadu_ps(p);
#endif
}

GROUP_INLINE group_shorts group_exponents(const int16_t *p)
{
	int64_t four;
	memcpy(&four, p, sizeof four);
	return (group_shorts)((group_longs){0} + four);
}

GROUP_INLINE group_shorts group_max_shorts(group_shorts a, group_shorts b)
{
#if defined __AVX512F__
	return (group_shorts)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif defined __AVX2__
	return (group_shorts)_mm256_max_epi16((__m256i)a, (__m256i)b);
#else
	return (group_shorts)_mm_max_epi16((__m128i)a, (__m128i)b);
#endif
}

GROUP_INLINE group_ints group_pick(group_ints m, group_ints yes, group_ints no) { return (m & yes) | (~m & no); }
GROUP_INLINE group_ints group_max(group_ints a, group_ints b) { return group_pick(a < b, b, a); }

GROUP_INLINE bool group_any(group_ints m)
{
	uint64_t w[sizeof m / 8], any = 0;
	memcpy(w, &m, sizeof w);
	for (unsigned i = 0; i < sizeof w / sizeof *w; i++)
		any |= w[i];
	return any;
}

// Without the instruction: of sums that are not rounded.
GROUP_INLINE group_floats group_fma(group_floats a, group_floats b, group_floats c)
{
#if defined __AVX512F__
	return (group_floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined __FMA__
	return (group_floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
	return a * b + c;
#endif
}

// --- numbers of a type as f32, eight at a time: `w` has the bits of each

GROUP_INLINE tensor_ints group_value(enum tensor_type type, tensor_words w)
{
#if defined __F16C__ && defined __AVX2__
	if (type == TENSOR_F16) {
		const __m256i bits = (__m256i)w;
		return (tensor_ints)_mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1)));
	}
#endif
	unsigned up, magnitude, infinite;
	float scale; // the bits, moved up, have the exponent of their own format: this makes f32's of it
	switch (type) {
	case TENSOR_BF16: return (tensor_ints)(w << 16);
	case TENSOR_TF32: return (tensor_ints)(w & 0xffffe000u);
	case TENSOR_F16: up = 13, magnitude = 0x7fff, infinite = 0x7c00, scale = 0x1p112f; break;
	case TENSOR_E4M3: up = 20, magnitude = 0x7f, infinite = 0x7f, scale = 0x1p120f; break;
	default: up = 21, magnitude = 0x7f, infinite = 0x7c, scale = 0x1p112f; break; // E5M2
	}
	const tensor_words m = w & magnitude, sign = (w & (magnitude + 1)) << (32 - tensor_type_bits[type]);
	const tensor_words v = (tensor_words)((tensor_floats)(m << up) * scale);
	const tensor_words special = (tensor_words)((tensor_ints)m >= (int32_t)infinite);
	const tensor_words quiet = type == TENSOR_E4M3 ? (tensor_words){0} + 0x7fc00000u : (m << up) | 0x7f800000u;
	return (tensor_ints)((special & quiet) | (~special & v) | sign);
}

// Their exponents, of which none is below `least`.
GROUP_INLINE tensor_ints group_exponent(tensor_ints v, int least)
{
	const tensor_ints magnitude = v & INT32_MAX, e = (magnitude >> F32_MANTISSA) - F32_BIAS;
	return tensor_pick(magnitude == 0, (tensor_ints){0} + GROUP_ZERO, tensor_pick(e < least, (tensor_ints){0} + least, e));
}

// The exponent of a type's smallest normal number.
static inline int group_least(enum tensor_type type)
{
	return type == TENSOR_F16 || type == TENSOR_E5M2 ? -14 : type == TENSOR_E4M3 ? -6 : -126;
}

// --- rounding to f16, to nearest even

GROUP_INLINE tensor_floats group_nearest_f16(tensor_floats v)
{
#ifdef __F16C__
	return (tensor_floats)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
#else
	return tensor_nearest_f16(__builtin_convertvector(v, tensor_doubles));
#endif
}

// Of sums that are no subnormal f32.
GROUP_INLINE tensor_floats group_sum_to_f16(tensor_doubles v)
{
#ifdef __F16C__
	// First to f32, cut but with a last bit of 1 if anything is lost: that tells on which side of a tie the sum is.
	const int64_t last = (int64_t)1 << (F64_MANTISSA - F32_MANTISSA), lost = last - 1;
	const tensor_longs bits = (tensor_longs)v, odd = ((bits & lost) + lost) & last;
	return group_nearest_f16(__builtin_convertvector((tensor_doubles)((bits & ~lost) | odd), tensor_floats));
#else
	return tensor_nearest_f16(v);
#endif
}

// The bits of values of f16.
GROUP_INLINE tensor_words group_half_bits(tensor_floats v)
{
	const tensor_ints bits = (tensor_ints)v, magnitude = bits & INT32_MAX;
	const tensor_words sign = (tensor_words)(bits & INT32_MIN) >> 16;
	const tensor_ints finite = (tensor_ints)((tensor_floats)magnitude * 0x1p-112f) >> 13;
	const tensor_ints infinite = (tensor_ints){0} + 0x7c00, nan = (tensor_ints){0} + 0x7fff;
	const tensor_ints number = tensor_pick(magnitude >= (int32_t)0x7f800000, infinite, finite);
	const tensor_ints is_nan = magnitude > (int32_t)0x7f800000;
	return (tensor_words)tensor_pick(is_nan, nan, number | (tensor_ints)sign);
}

// --- sums

// What a block of places had before and gets. The values of f16 are f32 here.
struct group_sums {
	_Alignas(64) float c[GROUP_BLOCK], d[GROUP_BLOCK];
};

// Adds `len` products in one block of tensor_block. `a` is where the first place's numbers stand, `b` where those of its four
// columns do, or, with `each`, every place has a number of b too. At most `at_once` products are added as integers of 32 bits.
// False: not done.
GROUP_INLINE bool group_add(const struct tensor_rule *rule, bool half, bool each, unsigned len, unsigned at_once,
                                                            const float (*a)[GROUP_PLACES], const int16_t (*ae)[GROUP_PLACES],
                                                            const float (*b)[GROUP_COLUMNS], const int16_t (*be)[GROUP_COLUMNS],
                                                            struct group_sums *x)
{
	enum { LEAST_TOP = -100 }; // 2 to the power fraction - top is an f32
	const int fraction = rule->fraction;
	_Alignas(64) int16_t tops[GROUP_BLOCK];
	_Alignas(64) int32_t top_of[GROUP_BLOCK], first[GROUP_BLOCK], sums[GROUP_BLOCK];
	group_shorts t0 = (group_shorts){0} - 2 * 4096, t1 = t0;
	for (unsigned k = 0; k < len; k++) {
		const group_shorts e0 = each ? GROUP_LOAD(group_shorts, be[k]) : group_exponents(be[k]);
		const group_shorts e1 = each ? GROUP_LOAD(group_shorts, be[k] + 2 * GROUP_LANES) : e0;
		t0 = group_max_shorts(t0, GROUP_LOAD(group_shorts, ae[k]) + e0);
		t1 = group_max_shorts(t1, GROUP_LOAD(group_shorts, ae[k] + 2 * GROUP_LANES) + e1);
	}
	GROUP_PUT(tops, t0);
	GROUP_PUT(tops + 2 * GROUP_LANES, t1);

	group_floats scale[GROUP_VECTORS];
	group_ints bad = {0};
	for (unsigned v = 0; v < GROUP_VECTORS; v++) {
		const group_ints products = __builtin_convertvector(GROUP_LOAD(group_narrow, tops + v * GROUP_LANES), group_ints);
		const group_floats c = GROUP_LOAD(group_floats, x->c + v * GROUP_LANES);
		const group_ints bits = (group_ints)c & INT32_MAX, field = bits >> F32_MANTISSA, zero = bits == 0;
		group_ints e = field - F32_BIAS - (field == 0);
		if (half)
			e = group_pick(zero, (group_ints){0} - 126, group_max(e, (group_ints){0} - 14));
		group_ints top = group_max(products, e);
		bad |= (field == 0xff) | ((top < LEAST_TOP) & (~zero | (products > GROUP_ZERO / 2)));
		top = group_max(top, (group_ints){0} + LEAST_TOP);
		scale[v] = (group_floats)((fraction - top + F32_BIAS) << F32_MANTISSA);
		GROUP_PUT(first + v * GROUP_LANES, __builtin_convertvector(c * scale[v], group_ints));
		GROUP_PUT(top_of + v * GROUP_LANES, top);
	}
	if (group_any(bad))
		return false;

	tensor_doubles total[GROUP_BLOCK / TENSOR_WIDE];
	for (unsigned i = 0; i < GROUP_BLOCK / TENSOR_WIDE; i++)
		total[i] = __builtin_convertvector(tensor_load_ints(first + i * TENSOR_WIDE), tensor_doubles);
	for (unsigned from = 0; from < len; from += at_once) {
		group_ints s[GROUP_VECTORS] = {0};
		for (unsigned k = from; k < len && k < from + at_once; k++) {
			const group_floats column = group_columns(b[k]);
			for (unsigned v = 0; v < GROUP_VECTORS; v++) {
				const group_floats other = each ? GROUP_LOAD(group_floats, b[k] + v * GROUP_LANES) : column;
				s[v] += __builtin_convertvector(GROUP_LOAD(group_floats, a[k] + v * GROUP_LANES) * other * scale[v], group_ints);
			}
		}
		for (unsigned v = 0; v < GROUP_VECTORS; v++)
			GROUP_PUT(sums + v * GROUP_LANES, s[v]);
		for (unsigned i = 0; i < GROUP_BLOCK / TENSOR_WIDE; i++)
			total[i] += __builtin_convertvector(tensor_load_ints(sums + i * TENSOR_WIDE), tensor_doubles);
	}
	for (unsigned i = 0; i < GROUP_BLOCK / TENSOR_WIDE; i++) {
		const tensor_longs top = __builtin_convertvector(tensor_load_ints(top_of + i * TENSOR_WIDE), tensor_longs);
		const tensor_doubles v = total[i] * (tensor_doubles)((top - fraction + F64_BIAS) << F64_MANTISSA);
		// A sum that is not 0 is no subnormal f32, since the largest exponent is at least LEAST_TOP.
		const int64_t kept = (int64_t)(~(uint64_t)0 << (F64_MANTISSA - rule->kept));
		GROUP_PUT(x->d + i * TENSOR_WIDE,
		          half ? group_sum_to_f16(v) : __builtin_convertvector((tensor_doubles)((tensor_longs)v & kept), tensor_floats));
	}
	return true;
}

// fma after fma in the order of k. `exact`: no sum is ever rounded.
GROUP_INLINE void group_plain(bool exact, unsigned k, const float (*a)[GROUP_PLACES], const float (*even)[GROUP_COLUMNS],
                                                              struct group_sums x[2])
{
#ifndef __FMA__
	for (unsigned h = 0; h < 2 && !exact; h++)
		for (unsigned p = 0; p < GROUP_BLOCK; p++) {
			float s = x[h].c[p];
			for (unsigned i = 0; i < k; i++)
				s = tensor_fma(a[i][p], even[i][h * GROUP_HALF + p % GROUP_HALF], s);
			x[h].d[p] = s;
		}
	if (!exact)
		return;
#else
	(void)exact;
#endif
	group_floats s[2][GROUP_VECTORS];
	for (unsigned v = 0; v < GROUP_VECTORS; v++) {
		s[0][v] = GROUP_LOAD(group_floats, x[0].c + v * GROUP_LANES);
		s[1][v] = GROUP_LOAD(group_floats, x[1].c + v * GROUP_LANES);
	}
	for (unsigned i = 0; i < k; i++) {
		const group_floats p = group_columns(even[i]), q = group_columns(even[i] + GROUP_HALF);
		for (unsigned v = 0; v < GROUP_VECTORS; v++) {
			const group_floats row = GROUP_LOAD(group_floats, a[i] + v * GROUP_LANES);
			s[0][v] = group_fma(row, p, s[0][v]);
			s[1][v] = group_fma(row, q, s[1][v]);
		}
	}
	for (unsigned v = 0; v < GROUP_VECTORS; v++) {
		GROUP_PUT(x[0].d + v * GROUP_LANES, s[0][v]);
		GROUP_PUT(x[1].d + v * GROUP_LANES, s[1][v]);
	}
}

#endif
