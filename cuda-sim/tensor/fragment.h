// Fragments of wmma: which elements of a matrix a warp's registers hold, and what of memory they are read from and written to.
//
// The manual leaves it open. Here a fragment is that of mma products of 16 x 8 (8 x 8) elements, one behind the other, as ptxas makes
// it for sm_75 to sm_90 (see mma.h): a product of 16 x 16 is one of A and two of B, of 32 x 8 two of A and one of B. One of 8 x 32 is
// turned over: the transposed B stands where A does, and A where B does, C and D too are transposed. Registers that a fragment has
// beyond what its elements need repeat the first ones.
//
// The "lines" of a fragment are the rows of the products' A and C and the columns of their B; along a line stand the elements that
// share a register.
#ifndef CUDA_SIM_TENSOR_FRAGMENT_H
#define CUDA_SIM_TENSOR_FRAGMENT_H

#include "cuda-sim/tensor/mma.h"

enum tensor_part { TENSOR_PART_A, TENSOR_PART_B, TENSOR_PART_C, TENSOR_PART_D };

struct tensor_fragment {
	uint16_t m, n, k;
	uint8_t part;   // enum tensor_part
	uint8_t type;   // enum tensor_type
	bool column;    // in memory: columns one after the other, else rows
};

// Products of 16 x 8 or 8 x 8 elements that wmma.mma is made of.
struct tensor_tiles {
	bool over;          // turned over
	uint8_t tall, thin; // so many of the first factor, and of the second
	uint8_t m;          // 8 or 16
};
struct tensor_tiles tensor_tiles(unsigned m, unsigned n);

// Registers that PTX gives a fragment, and how many of them do not repeat others: register r repeats r modulo that.
unsigned tensor_fragment_registers(const struct tensor_fragment *f);
unsigned tensor_fragment_own(const struct tensor_fragment *f);

// What must be done with registers as they come from memory.
enum tensor_turn {
	TENSOR_TURN_NONE,
	TENSOR_TURN_16, // matrices of 8 x 8 elements of 16 bits are transposed: movmatrix
	TENSOR_TURN_8,  // 16 x 8 elements of 8 bits become 8 x 16
};

enum { TENSOR_MAX_PIECES = 8 };

// One access by all lanes: `n` registers, from register `first` on, for which each lane has one place.
struct tensor_piece {
	uint8_t first, n;
	uint16_t major[32], minor[32]; // the place of a lane: major * stride + minor elements from the first
};

// The accesses that move a fragment; returns their number. *bytes: of a lane in each.
unsigned tensor_pieces(const struct tensor_fragment *f, struct tensor_piece out[TENSOR_MAX_PIECES], enum tensor_turn *turn,
                       unsigned *bytes);

// The stride that counts if none is given, in elements.
unsigned tensor_default_stride(const struct tensor_fragment *f);

#endif
