// CUDA arrays: texel storage that programs reach by copies, textures and surfaces only. A mipmapped array is several of them, each
// half as large as the one before.
#ifndef LIBCUDA_MEMORY_ARRAY_H
#define LIBCUDA_MEMORY_ARRAY_H

#include "isa/texture.h"
#include "libcuda/context/cuda_abi.h"

// cudaMalloc3DArray's flags.
enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8, ARRAY_SPARSE = 0x40, ARRAY_DEFERRED = 0x80 };

struct array {
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent; // as asked for, in texels; 0 where the dimension does not exist
	uint32_t owner;           // of the context that it was made in
	unsigned flags;
	unsigned texel;           // bytes
	uint64_t addr;
	size_t pitch, slice;      // bytes
	size_t rows, slices;      // at least 1
	struct mipmap *mipmap;    // that it is a level of; NULL: it stands alone
};

struct mipmap {
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent; // of the finest level, as struct array has it
	uint32_t owner;
	unsigned flags, levels;
	uint64_t addr;            // of all levels
	struct array *level[TEX_MAX_LEVELS];
};

// Makes an array or mipmapped array on the device. cudaErrorInvalidValue if extent and flags make none or it is larger than the
// device allows, cudaErrorInvalidChannelDescriptor, cudaErrorNotSupported, cudaErrorMemoryAllocation. Of levels there are at least 1,
// and no more than the largest dimension has halves.
cudaError_t array_create(struct array **out, const struct cudaChannelFormatDesc *d, struct cudaExtent e, unsigned flags);
cudaError_t mipmap_create(struct mipmap **out, const struct cudaChannelFormatDesc *d, struct cudaExtent e, unsigned levels, unsigned flags);

// Frees it with its memory, or with all levels. Nothing on the device may still use it: texrefs_forget_array comes first.
void array_destroy(struct array *a);
void mipmap_destroy(struct mipmap *m);

struct array *array_find(cudaArray_t handle);              // NULL if it is none
struct mipmap *mipmap_find(cudaMipmappedArray_t handle);

// The error of a handle that is none: without any at all the argument is invalid, as the documentation of all that take arrays
// says; one that was freed is no resource any more.
cudaError_t array_missing(cudaArray_t handle);

void arrays_reset(void);                 // forgets all; their memory goes with the device's
void arrays_release(uint32_t owner);      // those of a context

// Bytes of a texel: 1, 2, 4, 8 or 16; 0 if there is no such format.
unsigned channel_bytes(const struct cudaChannelFormatDesc *d);

// cudaSuccess, or why there are no arrays of that format: cudaErrorInvalidChannelDescriptor, or after a message
// cudaErrorNotSupported.
cudaError_t channel_check(const struct cudaChannelFormatDesc *d);

#endif
