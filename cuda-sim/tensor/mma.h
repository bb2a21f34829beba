// One matrix product of a warp, as both front ends describe it to the body: what is multiplied, and the rows that hold it.
//
// Elements lie in a warp's registers as the PTX ISA's figures for mma show them. With p elements in a register, lane 4 g + t has
//  A  register r: row g + 8 (r mod 2), columns 4p (r div 2) + p t and the p - 1 after it; of 8 rows, register r: row g, columns 4p r + ..
//  B  register r: column g, rows 4p r + p t and the p - 1 after it
//  C, D of 32 or 64 bits  register r: row g + 8 (r div 2), column 2 t + (r mod 2)
//  C, D of f16            register r: row g + 8 r, columns 2 t and 2 t + 1
//
// A sparse A has half its columns: of four side by side, two; of tf32, one of two; of 4-bit numbers two pairs of eight. Which, the
// metadata tell with 4 bits for each such group, two indices (tf32: one of two halves): tensor_metadata.
//
// The 8 x 8 x 4 product of f16 is four products, each of 8 lanes: 4 q + x and 16 + 4 q + x. With r = x, + 4 in the upper lanes,
//  A  by rows: row r, columns 0 to 3; by columns: column x, rows 0 to 3, + 4 in the upper lanes.  B  likewise by columns and by rows
//  C, D of f16  row r, columns 0 to 7
//  C, D of f32  register s: row (x & 1) + (s & 2), + 4 in the upper lanes, column (s & 4) + (x & 2) + (s & 1)
#ifndef CUDA_SIM_TENSOR_MMA_H
#define CUDA_SIM_TENSOR_MMA_H

#include "cuda-sim/numbers/rounding.h"
#include "cuda-sim/tensor/tensor.h"

enum { MMA_MAX_M = 16, MMA_MAX_N = 8, MMA_MAX_REGS = 16 };

enum tensor_bits { TENSOR_XOR, TENSOR_AND }; // what is done with single bits before they are counted

struct tensor_mma {
	uint16_t m, n, k;
	uint8_t a, b, c, d;     // enum tensor_type
	uint8_t bits;           // enum tensor_bits
	uint8_t rnd;            // enum rounding, of F64
	bool satfinite;         // an S32 result is clamped
	bool a_column, b_row;   // of 8 x 8 x 4 of f16
	bool by_fma;            // of these: tensor_quarters_by_fma
	bool by_halves;         // of 8-bit floats: tensor_by_halves; `rule` is that of halves
	uint8_t step;           // of 8 x 8 x 4: the registers of D that are computed, from step * 2 on, and how many
	uint8_t steps;
	bool sparse;
	uint8_t selector;       // of sparse ones: whose metadata count
	int32_t row_e;          // metadata
	uint8_t negated;        // F64: bit per operand, a, b and c, of which the negative is taken
	bool words;             // F64: two rows of 4 bytes a lane for each number, the low one first; else rows of 8 bytes
	struct tensor_rule rule;
	int32_t row_a[MMA_MAX_REGS], row_b[MMA_MAX_REGS], row_c[MMA_MAX_REGS], row_d[MMA_MAX_REGS]; // byte offsets from the frame
};

// Registers that `elements` elements of a type take in each lane of a warp.
static inline unsigned tensor_registers(enum tensor_type type, unsigned elements)
{
	const unsigned word = type == TENSOR_F64 ? 64 : 32;
	return (elements / 32 * tensor_type_bits[type] + word - 1) / word;
}

// How many selectors a sparse product has: groups of lanes that may hold its metadata.
static inline unsigned tensor_selectors(enum tensor_type type, unsigned k)
{
	const unsigned bytes = k * tensor_type_bits[type] / 8; // of a row of A, had it all its columns
	return bytes <= 32 && tensor_type_bits[type] > 8 ? 4 : bytes <= (tensor_type_bits[type] > 8 ? 64 : 32) ? 2 : 1;
}

// The lane that holds the 4 bits of group `group` of row `row`, and where in its word they stand. A word has four groups of a row and
// of the row 8 below, or, of 8 bits and less, eight of one row.
static inline unsigned tensor_metadata(enum tensor_type type, unsigned k, unsigned selector, unsigned row, unsigned group, unsigned *shift)
{
	const unsigned lane = row % 8 * 4;
	if (tensor_type_bits[type] > 8) {
		*shift = row / 8 * 16 + group % 4 * 4;
		return lane + (tensor_selectors(type, k) == 4 ? selector : 2 * selector + group / 4);
	}
	*shift = group % 8 * 4;
	return lane + 2 * selector + 2 * (group / 8) + row / 8;
}

#endif
