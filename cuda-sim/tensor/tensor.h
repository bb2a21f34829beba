// Matrix products as tensor cores compute them: D = A B + C, A of m x k, B of k x n, C and D of m x n elements.
//
// A tensor core multiplies exactly and adds a block of products and the accumulator at once. Every term is cut, towards zero, to a
// number of bits below the exponent of the largest term; the sum of what is left is exact and is rounded once. How long a block is
// and how many bits stay differs by generation. An exponent is that of the operands' encodings: a product of 1.5 and 1.5 has
// exponent 0 and significand 2.25, and a subnormal has the exponent of the smallest normal number.
//
// Sources: M. Fasi, N. Higham, M. Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330,
// 2021; P. Xie, Y. Wang, F. Yang, M. Yang, "MMA-Sim: bit-accurate reference model of tensor cores and matrix cores",
// arXiv 2511.10909, 2025, who compared their model with eight generations bit by bit.
#ifndef CUDA_SIM_TENSOR_TENSOR_H
#define CUDA_SIM_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

// X(NAME, text in PTX, bits of an element)
#define TENSOR_TYPES(X)                                                                                               \
	X(F16, "f16", 16) X(BF16, "bf16", 16) X(TF32, "tf32", 32) X(E4M3, "e4m3", 8) X(E5M2, "e5m2", 8)               \
	X(F32, "f32", 32) X(F64, "f64", 64)                                                                           \
	X(S8, "s8", 8) X(U8, "u8", 8) X(S4, "s4", 4) X(U4, "u4", 4) X(B1, "b1", 1) X(S32, "s32", 32)

enum tensor_type {
#define X(name, text, bits) TENSOR_##name,
	TENSOR_TYPES(X)
#undef X
	TENSOR_N_TYPES
};

extern const char *const tensor_type_text[TENSOR_N_TYPES];
extern const uint8_t tensor_type_bits[TENSOR_N_TYPES];

// How one generation adds products of floating-point numbers.
struct tensor_rule {
	uint8_t block;    // products that are added at once
	uint8_t fraction; // bits below the largest exponent that stay of each term
	uint8_t kept;     // fraction bits of an f32 result, which is cut; an f16 result is rounded to nearest
	bool plain;       // none of this: f32 fma after fma in the order of k, rounded to nearest, a f16 result rounded at the end
};

// Whose sums are computed.
struct tensor_numerics {
	uint16_t sm; // compute capability: 75, 90
	bool plain;
};

// Which instructions of PTX a generation computes by others: ptxas writes these, and the sums come out as those add up.
//
// mma of 8-bit floats: only sm_89 and sm_120 have QMMA. For sm_90, sm_100 and sm_103 ptxas makes halves of the factors and takes two
// products of halves: of the lower two of every four columns of A and rows of B, then of the upper two, from a sum of 0. C is added last,
// and rounded as an addition of its type is.
bool tensor_by_halves(struct tensor_numerics n, enum tensor_type type);
// mma.m8n8k4 of f16: HMMA.884 of sm_70 to sm_75. From sm_80 on ptxas calls a function of fma instructions.
bool tensor_quarters_by_fma(struct tensor_numerics n);

// The rule for operands of `type`. F64 has none: DMMA is fma after fma in the order of k. Of
// capabilities without the type, the rule of the next that has it.
struct tensor_rule tensor_rule(struct tensor_numerics n, enum tensor_type type);

#endif
