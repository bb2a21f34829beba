// One matrix product of a warp, as both front ends describe it to the body: what is multiplied, and the rows that hold it.
//
// Elements lie in a warp's registers as the PTX ISA's figures for mma show them. With p elements in a register, lane 4 g + t has
//  A  register r: row g + 8 (r mod 2), columns 4p (r div 2) + p t and the p - 1 after it; of 8 rows, register r: row g, columns 4p r + ..
//  B  register r: column g, rows 4p r + p t and the p - 1 after it
//  C, D of 32 or 64 bits  register r: row g + 8 (r div 2), column 2 t + (r mod 2)
//  C, D of f16            register r: row g + 8 r, columns 2 t and 2 t + 1
#ifndef CUDA_SIM_TENSOR_MMA_H
#define CUDA_SIM_TENSOR_MMA_H

#include "cuda-sim/numbers/rounding.h"
#include "cuda-sim/tensor/tensor.h"

enum { MMA_MAX_M = 16, MMA_MAX_N = 8, MMA_MAX_K = 256, MMA_MAX_REGS = 16 };

enum tensor_bits { TENSOR_XOR, TENSOR_AND }; // what is done with single bits before they are counted

struct tensor_mma {
	uint8_t m, n, k;        // k is 0 for 256
	uint8_t a, b, c, d;     // enum tensor_type
	uint8_t bits;           // enum tensor_bits
	uint8_t rnd;            // enum rounding, of F64
	bool satfinite;         // an S32 result is clamped
	bool words;             // F64: two rows of 4 bytes a lane for each number, the low one first; else rows of 8 bytes
	struct tensor_rule rule;
	int32_t row_a[MMA_MAX_REGS], row_b[MMA_MAX_REGS], row_c[MMA_MAX_REGS], row_d[MMA_MAX_REGS]; // byte offsets from the frame
};

static inline unsigned tensor_mma_k(const struct tensor_mma *t) { return t->k ? t->k : MMA_MAX_K; }

// Registers that `elements` elements of a type take in each lane of a warp.
static inline unsigned tensor_registers(enum tensor_type type, unsigned elements)
{
	const unsigned word = type == TENSOR_F64 ? 64 : 32;
	return (elements / 32 * tensor_type_bits[type] + word - 1) / word;
}

#endif
