// The quickest way of loads that are apart, for CPUs that have it: words that lie anywhere in one allocation or
// window go straight into a row. Rows are read as vectors right after they are written, and a host waits where a
// vector is read that was written word by word; here a row is put together in registers.
//
// Lanes that lie apart often lie close together: of a block of 16 x 16 threads a warp reads two runs of 16 words, or
// two words. So the lanes of a vector are first looked for in two lines of the host, from that of the first lane on.
// A line is read only if some lane's word is in it: nothing is read of a page that no lane goes to.
#ifndef CUDA_SIM_EXEC_BODIES_GATHER_H
#define CUDA_SIM_EXEC_BODIES_GATHER_H

#include "cuda-sim/exec/lanes.h"

#define FOLDED static inline __attribute__((always_inline)) // into bodies, where the width is a constant

#ifdef __AVX512F__
#include <immintrin.h>

enum { GATHERS = 1, GATHER_LINE = 64 };

// Lane k of `in` gets word[k] of `at`, which begins at a line.
FOLDED void gather_b32(uint32_t *row, __mmask16 in, __m512i word, const uint32_t *at)
{
	enum { LINE = GATHER_LINE / sizeof *at };
	if (in == 0xffff) {
		const uint32_t line = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(word)) & ~(LINE - 1u);
		const __m512i near = _mm512_sub_epi32(word, _mm512_set1_epi32((int)line));

		if (__builtin_expect(!_mm512_cmpge_epu32_mask(near, _mm512_set1_epi32(2 * LINE)), 1)) {
			const bool two = _mm512_cmpge_epu32_mask(near, _mm512_set1_epi32(LINE));

			_mm512_store_si512(row, _mm512_permutex2var_epi32(_mm512_load_si512(at + line), near,
			                                                  _mm512_load_si512(at + line + LINE * two)));
			return;
		}
	}
	_mm512_store_si512(row, _mm512_mask_i32gather_epi32(_mm512_load_si512(row), in, word, at, 4));
}

FOLDED void gather_b64(uint64_t *row, __mmask8 in, __m256i word, const uint64_t *at)
{
	enum { LINE = GATHER_LINE / sizeof *at };
	if (in == 0xff) {
		const uint32_t line = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(word)) & ~(LINE - 1u);
		const __m256i near = _mm256_sub_epi32(word, _mm256_set1_epi32((int)line));

		if (__builtin_expect(!_mm256_cmpge_epu32_mask(near, _mm256_set1_epi32(2 * LINE)), 1)) {
			const bool two = _mm256_cmpge_epu32_mask(near, _mm256_set1_epi32(LINE));

			const __m512i from = _mm512_cvtepu32_epi64(near);

			_mm512_store_si512(row, _mm512_permutex2var_epi64(_mm512_load_si512(at + line), from,
			                                                  _mm512_load_si512(at + line + LINE * two)));
			return;
		}
	}
	_mm512_store_si512(row, _mm512_mask_i32gather_epi64(_mm512_load_si512(row), in, word, at, 8));
}

// Lanes `in` of the warp's 32, whose words are word[0] and word[1].
FOLDED void gather_row(uint8_t *row, uint32_t in, const __m512i word[2], const uint8_t *at, unsigned shift)
{
	for (unsigned h = 0; h < 2; h++) {
		if (shift == 2) {
			gather_b32((uint32_t *)row + 16 * h, (__mmask16)(in >> 16 * h), word[h], (const uint32_t *)at);
			continue;
		}
		uint64_t *to = (uint64_t *)row + 16 * h;
		const uint64_t *from = (const uint64_t *)at;
		gather_b64(to, (__mmask8)(in >> 16 * h), _mm512_castsi512_si256(word[h]), from);
		gather_b64(to + 8, (__mmask8)(in >> (16 * h + 8)), _mm512_extracti64x4_epi64(word[h], 1), from);
	}
}

FOLDED void gather_to(uint8_t *row, uint32_t mask, const __m512i word[2], const void *at, unsigned shift)
{
	if (mask == FULL_MASK)
		gather_row(row, FULL_MASK, word, at, shift);
	else
		gather_row(row, mask, word, at, shift);
}

// Loads 1 << shift bytes a lane, 4 or 8, into the row u->d. False if nothing has been done: the lanes have to go
// another way. An offset that is turned right by `shift` is the number of its word, and too large a number if it is
// not aligned.
FOLDED bool gather_shared(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift)
{
	const uint32_t *a = ROW(const uint32_t, u->a), limit = w->cta->shared_size - (1u << shift);
	const __m512i last = _mm512_set1_epi32((int)(limit >> shift)), turn = _mm512_set1_epi32((int)shift);
	const __m512i imm = _mm512_set1_epi32((int)u->imm);
	__m512i word[2];
	uint32_t out = 0;

	if (u->flags & UOP_ADDR64 || limit > INT32_MAX)
		return false;
	for (unsigned h = 0; h < 2; h++) {
		word[h] = _mm512_rorv_epi32(_mm512_add_epi32(_mm512_load_si512(a + 16 * h), imm), turn);
		out |= (uint32_t)_mm512_cmpgt_epu32_mask(word[h], last) << 16 * h;
	}
	if (out & mask)
		return false;
	gather_to(fp + u->d, mask, word, w->cta->shared, shift);
	return true;
}

FOLDED bool gather_global(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift)
{
	const struct devmem_hit *hit = exec_hit(w, u);
	const struct effects *staged = exec_effects(w);
	const uint64_t *a = ROW(const uint64_t, u->a), base = hit->base, words = (hit->end - base) >> shift;
	const __m512i start = _mm512_set1_epi64((long long)((uint64_t)u->imm - base)), turn = _mm512_set1_epi64(shift);
	const __m512i last = _mm512_set1_epi64((long long)words - 1);
	__m512i word[2];
	uint32_t out = 0;

	if (!(u->flags & UOP_ADDR64) || base % GATHER_LINE || !words || words > INT32_MAX)
		return false;
	if (__builtin_expect(staged != NULL, 0) && (staged->claims ? !claims_open(staged->claims, hit) : staged->n))
		return false;
	for (unsigned h = 0; h < 2; h++) {
		const __m512i lo = _mm512_rorv_epi64(_mm512_add_epi64(_mm512_load_si512(a + 16 * h), start), turn);
		const __m512i hi = _mm512_rorv_epi64(_mm512_add_epi64(_mm512_load_si512(a + 16 * h + 8), start), turn);

		out |= (uint32_t)_mm512_cmpgt_epu64_mask(lo, last) << 16 * h;
		out |= (uint32_t)_mm512_cmpgt_epu64_mask(hi, last) << (16 * h + 8);
		word[h] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(lo)),
		                             _mm512_cvtepi64_epi32(hi), 1);
	}
	if (out & mask)
		return false;
	gather_to(fp + u->d, mask, word, (const void *)base, shift);
	return true;
}

// Shared and local windows are no allocation.
FOLDED bool gather_generic(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift)
{
	return gather_global(fp, u, mask, w, shift);
}

#else
enum { GATHERS = 0 };

#define NO_GATHER(space)                                                                                            \
	FOLDED bool gather_##space(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift) \
	{                                                                                                           \
		return (void)fp, (void)u, (void)mask, (void)w, (void)shift, false;                                  \
	}
NO_GATHER(shared)
NO_GATHER(global)
NO_GATHER(generic)
#endif

#endif
