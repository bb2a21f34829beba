// CUDA arrays: texel storage that programs reach by copies and textures only.
#ifndef LIBCUDA_MEMORY_ARRAY_H
#define LIBCUDA_MEMORY_ARRAY_H

#include "libcuda/context/cuda_abi.h"

enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 }; // cudaMalloc3DArray's flags

struct array {
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent; // as asked for, in texels; 0 where the dimension does not exist
	uint32_t owner;           // of the context that it was made in
	unsigned flags;
	unsigned texel;           // bytes
	uint64_t addr;
	size_t pitch, slice;      // bytes
	size_t rows, slices;      // at least 1
};

struct array *array_new(void);
void array_free(struct array *a);
struct array *array_find(cudaArray_t handle); // NULL if it is none

// The error of a handle that is none: without any at all the argument is invalid, as the documentation of all that take arrays
// says; one that was freed is no resource any more.
cudaError_t array_missing(cudaArray_t handle);

void arrays_reset(void);                 // forgets all; their memory goes with the device's
void arrays_release(uint32_t owner);      // those of a context

// Bytes of a texel: 1, 2, 4, 8 or 16; 0 if there is no such format.
unsigned channel_bytes(const struct cudaChannelFormatDesc *d);

#endif
