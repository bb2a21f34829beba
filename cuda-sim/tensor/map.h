// Tensor maps: how a tensor lies in global memory, and what part of it one copy brings (CUtensorMap, PTX ISA "Tensors").
//
// A map is 128 bytes. Programs change it in place: ptxas makes loads and stores of words of tensormap.replace, so what it changes
// lies where its code for sm_90a has it. By byte:
//   0x00  global address, 64 bits
//   0x08  bits 0..3 mode - TENSOR_MAP_TILE, 4..6 rank - 1, 7..10 type, 11..12 interleave, 13..14 swizzle, 15 NaN fill, 16 numbers become
//         tf32, 17..18 L2 promotion, 19..21 atom of the swizzle, 22 a swizzle of later GPUs
//   0x0c  strides of dimensions 1 to 4 in units of 16 bytes, the low 32 bits of each; 0x1c: bits 0..15 their high four bits each
//   0x20  five sizes - 1, 32 bits each
//   0x34  bits 0..14 five element strides - 1, 3 bits each; bits 24..31 size 0 of the box - 1, or channels - 1
//   0x38  sizes 1 to 4 of the box - 1, 8 bits each; im2col: corners of the box of pixels, the lower one in the low half
//   0x3c  im2col: pixels - 1
// The mode, the promotion and what is of im2col no code of ptxas touches: these places are Heddle's own. Kernels that make a map of tiles
// set every field of 128 bytes that were zero, so the mode of tiles is 0; bytes that are all zero are no map.
#ifndef CUDA_SIM_TENSOR_MAP_H
#define CUDA_SIM_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128, TENSOR_MAP_RANK = 5, TENSOR_MAP_ALIGN = 64 };

enum tensor_map_mode { TENSOR_MAP_NONE, TENSOR_MAP_TILE, TENSOR_MAP_IM2COL, TENSOR_MAP_IM2COL_W, TENSOR_MAP_IM2COL_W128, TENSOR_MAP_MODES };

// In the order of tensormap.replace.elemtype.
enum tensor_map_type {
	TENSOR_MAP_U8, TENSOR_MAP_U16, TENSOR_MAP_U32, TENSOR_MAP_S32, TENSOR_MAP_U64, TENSOR_MAP_S64, TENSOR_MAP_F16, TENSOR_MAP_F32,
	TENSOR_MAP_F32_FTZ, TENSOR_MAP_F64, TENSOR_MAP_BF16, TENSOR_MAP_TF32, TENSOR_MAP_TF32_FTZ,
	TENSOR_MAP_B4, TENSOR_MAP_B4_P64, TENSOR_MAP_B6, TENSOR_MAP_TYPES, // packed: of GPUs after sm_90
};

enum tensor_map_swizzle { TENSOR_MAP_LINEAR, TENSOR_MAP_32B, TENSOR_MAP_64B, TENSOR_MAP_128B };
enum tensor_map_atom { TENSOR_MAP_ATOM_16B, TENSOR_MAP_ATOM_32B, TENSOR_MAP_ATOM_32B_FLIP, TENSOR_MAP_ATOM_64B };

// What stands in every two bytes outside of a tensor, where its map asks for NaN. It is a NaN of halves, of bf16, and, twice and four
// times, of wider numbers; fma.oob knows it, whatever its sign. NVIDIA's manuals name no bits ("OOB-NaN"). These are what two public
// emulators of the PTX ISA have; no measurement was seen.
enum { TENSOR_OUTSIDE = 0x7ff7 };

struct tensor_map {
	uint8_t mode;        // enum tensor_map_mode
	uint8_t type;        // enum tensor_map_type
	uint8_t rank;        // 1 to TENSOR_MAP_RANK
	uint8_t interleave;  // 0 none, 1: pixels of 16 bytes, 2: of 32
	uint8_t swizzle;     // enum tensor_map_swizzle
	uint8_t atom;        // enum tensor_map_atom, of TENSOR_MAP_128B
	uint8_t promotion;
	bool nan;            // what is outside is NaN, not 0
	uint64_t address;
	uint64_t size[TENSOR_MAP_RANK];       // elements
	uint64_t stride[TENSOR_MAP_RANK - 1]; // bytes from one element of dimension 1, 2, .. to the next
	uint32_t box[TENSOR_MAP_RANK];        // TILE: elements
	uint32_t step[TENSOR_MAP_RANK];       // of these each step-th is taken
	int32_t lower[TENSOR_MAP_RANK - 2], upper[TENSOR_MAP_RANK - 2]; // im2col: corners of the box of pixels, along W, H, D
	uint32_t channels, pixels;            // im2col
};

// The 128 bytes of a map for which tensor_map_wrong has nothing to say.
void tensor_map_encode(const struct tensor_map *m, uint8_t out[TENSOR_MAP_BYTES]);
// What 128 bytes say; whatever they are.
void tensor_map_decode(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *m);
// Which rule of cuTensorMapEncodeTiled, -Im2col or -Im2colWide it breaks for GPUs of capability `arch` (90); NULL: none.
const char *tensor_map_wrong(const struct tensor_map *m, unsigned arch);
// Bytes of an element, of none of the packed types. 1, 2, 4 or 8.
unsigned tensor_map_element(const struct tensor_map *m);

#endif
