// One matrix product of a warp group, as both front ends describe it to the body: D = A B + C, A of 64 x k, B of k x n elements.
// Each of the four warps has 16 rows of A, C and D. B lies in shared memory (smem.h), A there or in registers.
//
// In registers, lane 4 g + t of a warp has
//  A  register r: row g + 8 (r mod 2), the 32 bits number 4 (r div 2) + t of the row
//  C, D of 32 bits  register r: row g + 8 (r div 2 mod 2), column 8 (r div 4) + 2 t + (r mod 2)
//  C, D of f16      register r: row g + 8 (r mod 2), columns 8 (r div 2) + 2 t and the one after it
//
// A sparse A has two elements of four (TF32: one of two) along k; the others are 0. Metadata says which, four bits for each four (two)
// elements: PTX ISA, "Sparse matrix storage", and the layouts of its figures for wgmma.mma_async.sp: see wgmma_place.
#ifndef CUDA_SIM_TENSOR_WGMMA_H
#define CUDA_SIM_TENSOR_WGMMA_H

#include "cuda-sim/tensor/tensor.h"

enum {
	WGMMA_WARPS = 4,
	WGMMA_ROWS = 16,       // of a warp
	WGMMA_MAX_N = 256,
	WGMMA_A_REGS = 4,
	WGMMA_A_WORDS = 8,     // of 32 bits that a row of A has in memory or in registers
	WGMMA_MAX_REGS = 128,  // of C and D
};

struct tensor_wgmma {
	uint16_t n, k;
	uint8_t a, b, d;        // enum tensor_type; C is of d's
	bool satfinite;         // an S32 result is clamped
	bool negative;          // the products count with the other sign
	bool sparse;
	uint8_t selector;       // of metadata: which pair of each four lanes has it
	bool closes;            // it ends a group of products
	bool nothing;           // its result is not wanted
	bool a_shared;          // A lies in shared memory
	bool mn_a, mn_b;        // MN-major
	bool words;             // descriptors have two rows of 4 bytes a lane; else one of 8 bytes
	int32_t desc_a[2], desc_b[2]; // byte offsets of rows from the frame
	int32_t row_a[WGMMA_A_REGS], row_meta;
	int32_t scale;          // of a predicate: C counts where it holds; 0: it always does
	bool scale_neg;         // where it does not
	struct tensor_rule rule;
	int32_t row_c[WGMMA_MAX_REGS], row_d[WGMMA_MAX_REGS];
};

// Elements of a row of A as it is stored.
static inline unsigned wgmma_stored(const struct tensor_wgmma *t) { return t->sparse ? t->k / 2u : t->k; }

static inline unsigned wgmma_registers(unsigned n, enum tensor_type d) { return d == TENSOR_F16 ? n / 4 : n / 2; }

// The place along k of stored element e of a sparse row, which is row g + 8 h of its warp. `meta`: the register of the warp's lanes.
static inline unsigned wgmma_place(const struct tensor_wgmma *t, const uint32_t *meta, unsigned g, unsigned h, unsigned e)
{
	const unsigned bits = tensor_type_bits[t->a];
	if (bits == 8) { // 32 places in each lane, those of row g in even ones
		const uint32_t m = meta[4 * g + h + 2 * (e / 16)];
		return 32 * (e / 16) + 4 * (e % 16 / 2) + (m >> 2 * (e % 16) & 3);
	}
	if (bits == 16) { // 16 places of both rows in each lane of the pair
		const uint32_t m = meta[4 * g + 2u * t->selector + e / 8] >> 16 * h;
		return 16 * (e / 8) + 4 * (e % 8 / 2) + (m >> 2 * (e % 8) & 3);
	}
	const uint32_t m = meta[4 * g + 2u * t->selector + e / 4] >> 16 * h;
	return 8 * (e / 4) + 2 * (e % 4) + (m >> (4 * (e % 4) + 1) & 1); // 0b1110 is the second of two, 0b0100 the first
}

#endif
