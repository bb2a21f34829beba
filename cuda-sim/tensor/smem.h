// Matrices in shared memory as a descriptor of 64 bits tells where they lie (PTX ISA, "Matrix-descriptor Format" and
// "Asynchronous Warpgroup Level Matrix Shared Memory Layout").
//
// The smallest part is a unit of 16 bytes. K-major: a unit has elements side by side along k, of one row of A or one column of B.
// MN-major: it has eight elements of 16 bits along m or n, of one k. With a swizzle of 16 w bytes, w 2, 4 or 8, units stand in rows
// of w, and eight such rows, one below the other, are a pattern, in which each row's units are permuted; w is 1 without a swizzle.
//
//                     unit (i, u), K-major: row or column i, unit u along k   unit (c, k), MN-major: eight elements c, and one k
//   without swizzle   16 (i % 8) + stride (i / 8) + leading u                 16 (k % 8) + stride c + leading (k / 8)
//   with one          16 w (i % 8) + stride (i / 8) + 16 (u % w)              16 w (k % 8) + stride (k / 8) + 16 (c % w)
//                       + leading (u / w)                                       + leading (c / w)
//
// behind the start address; then bits 4 up of the address are xored with as many bits from 7 up as the swizzle has: the number of
// the row in its pattern. Patterns begin at multiples of their size, or `phase` rows of 128 bytes behind one. A K-major matrix of a
// dense product has two units along k, so `leading` counts there without a swizzle only.
#ifndef CUDA_SIM_TENSOR_SMEM_H
#define CUDA_SIM_TENSOR_SMEM_H

#include <stdint.h>

enum { SMEM_UNIT = 16 };

struct smem_matrix {
	uint32_t start, leading, stride; // bytes
	uint32_t width, shift;           // w, and the power of 2 that it is
	uint32_t phase;
};

static inline struct smem_matrix smem_matrix_of(uint64_t descriptor)
{
	enum { FIELD = 0x3fff }; // of 16 bytes each
	static const uint8_t shift[] = {0, 3, 2, 1};
	return (struct smem_matrix){.start = (uint32_t)(descriptor & FIELD) * SMEM_UNIT,
	                            .leading = (uint32_t)(descriptor >> 16 & FIELD) * SMEM_UNIT,
	                            .stride = (uint32_t)(descriptor >> 32 & FIELD) * SMEM_UNIT,
	                            .phase = (uint32_t)(descriptor >> 49 & 7),
	                            .width = 1u << shift[descriptor >> 62],
	                            .shift = shift[descriptor >> 62]};
}

static inline uint32_t smem_swizzle(const struct smem_matrix *m, uint32_t at)
{
	return at ^ (((at >> 7) - m->phase) & (m->width - 1)) << 4;
}

// The address of unit u along k of row or column i.
static inline uint32_t smem_k_major(const struct smem_matrix *m, uint32_t i, uint32_t u)
{
	const uint32_t w = m->width, row = SMEM_UNIT * w * (i % 8) + m->stride * (i / 8);
	return smem_swizzle(m, m->start + row + SMEM_UNIT * (u & (w - 1)) + m->leading * (u >> m->shift));
}

// The address of the eight elements c of one k.
static inline uint32_t smem_mn_major(const struct smem_matrix *m, uint32_t c, uint32_t k)
{
	const uint32_t w = m->width, row = SMEM_UNIT * w * (k % 8);
	if (w == 1)
		return m->start + row + m->stride * c + m->leading * (k / 8);
	return smem_swizzle(m, m->start + row + m->stride * (k / 8) + SMEM_UNIT * (c & (w - 1)) + m->leading * (c >> m->shift));
}

#endif
