// What one copy by a tensor map moves: rows of bytes that lie side by side in global memory, and where they go in shared memory.
//
// TILE: the box begins at the coordinates, dimension 0 is the fastest in shared memory. Along a dimension with element stride s each
// s-th element of the box is taken. With an interleaved layout an element is a pixel's slice of 16 or 32 bytes: dimensions are W, H,
// .., slices, N, and dimension 0 has an element stride too. (The manuals leave the order of dimensions open; this one is what their
// rules for strides, ranks and element strides allow.)
// IM2COL: dimensions are C, W, (H, D,) N. From the pixel at the coordinates on, `pixels` pixels are taken in the order W, H, D, N from
// the box that reaches from `lower` to the last pixel plus `upper`; of each, `channels` channels at the pixel plus the offsets.
// Coordinates are signed. What lies outside the tensor is not there: filled by loads, left alone by stores.
#ifndef CUDA_SIM_TENSOR_TILE_H
#define CUDA_SIM_TENSOR_TILE_H

#include "cuda-sim/tensor/map.h"

struct tensor_place {
	int32_t at[TENSOR_MAP_RANK];          // coordinates, dimension 0 first
	uint32_t offset[TENSOR_MAP_RANK - 2]; // IM2COL: along W, H, D
};

// A row of the box. Its bytes are those of `before` bytes outside, `inside` bytes from `global` on, and `after` bytes outside.
struct tensor_row {
	uint64_t global;
	uint32_t at; // offset from the begin of the box, without swizzle
	uint32_t before, inside, after;
};

// Bytes that a copy takes in shared memory, whatever lies outside.
uint64_t tensor_tile_bytes(const struct tensor_map *m);
// Calls `row` for each row in the order of `at`, until it returns false. Returns what the last call did.
bool tensor_tile_rows(const struct tensor_map *m, const struct tensor_place *p, bool (*row)(void *ctx, const struct tensor_row *r), void *ctx);
// Where the byte that lies at an address of shared memory without swizzle goes. Bytes of 8 that lie side by side stay so.
uint32_t tensor_tile_swizzle(const struct tensor_map *m, uint32_t address);
// An element as a copy brings it: numbers of FTZ types without subnormals, those of tf32 rounded to nearest. In place.
void tensor_tile_convert(const struct tensor_map *m, uint8_t *at, uint32_t bytes);
// Fills bytes outside the tensor: 0, or NaNs with all bits but the sign set.
void tensor_tile_fill(const struct tensor_map *m, uint8_t *at, uint32_t bytes);

#endif
