// Copies of boxes as the driver API describes them: each side host memory, device memory or an array.
#ifndef LIBCUDA_MEMORY_COPY_BOX_H
#define LIBCUDA_MEMORY_COPY_BOX_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct op;

enum { BOX_HOST = 1, BOX_DEVICE, BOX_ARRAY, BOX_UNIFIED }; // CUmemorytype

// Own text; the layouts are those of CUDA_MEMCPY3D and CUDA_MEMCPY2D.
struct box_side {
	size_t x, y, z, lod; // x in bytes
	int type;
	const void *host;
	uint64_t device;
	cudaArray_t array;
	void *context; // CUDA_MEMCPY3D_PEER; else NULL
	size_t pitch, height;
};

struct box_copy {
	struct box_side src, dst;
	size_t width, height, depth; // the width in bytes
};

struct rect_side {
	size_t x, y;
	int type;
	const void *host;
	uint64_t device;
	cudaArray_t array;
	size_t pitch;
};

struct rect_copy {
	struct rect_side src, dst;
	size_t width, height;
};

// Reads such a structure of the program's; false if it cannot be read.
bool box_read(struct box_copy *out, const struct box_copy *given);
bool box_read_rect(struct box_copy *out, const struct rect_copy *given);

// cudaErrorInvalidValue: unknown types, a level of detail, a pitch that is smaller than the rows or too large, bytes that are no whole
// texels, what does not fit in an array, and all that copy_submit says.
cudaError_t box_submit(const struct box_copy *c, cudaStream_t stream, bool async);
cudaError_t box_make(struct op **out, const struct box_copy *c); // for a graph, as copy_make

#endif
