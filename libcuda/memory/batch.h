// Many copies, prefetches or discards in one call.
//
// cudaErrorInvalidValue: an empty batch, arrays that cannot be read, attributes that do not begin at 0 or are not in rising order, the
// legacy stream. *fail (may be NULL) is the number of the entry that is wrong, or SIZE_MAX if none is. All of a batch is done or nothing.
#ifndef LIBCUDA_MEMORY_BATCH_H
#define LIBCUDA_MEMORY_BATCH_H

#include "libcuda/context/cuda_abi.h"

struct copy_attributes { // own text; the layout is cudaMemcpyAttributes'
	int order;
	struct cudaMemLocation source, destination;
	unsigned flags;
};

cudaError_t batch_copy(void *const *dst, const void *const *src, const size_t *sizes, size_t count, const struct copy_attributes *attributes,
                       const size_t *first, size_t n_attributes, size_t *fail, cudaStream_t stream);

struct copy_operand { // cudaMemcpy3DOperand
	int type;
	union {
		struct {
			void *p;
			size_t row, height; // in elements; 0: as the copy
			struct cudaMemLocation hint;
		} ptr;
		struct {
			cudaArray_t array;
			struct cudaPos at;
		} array;
	} u;
};

struct copy_3d_op { // cudaMemcpy3DBatchOp
	struct copy_operand src, dst;
	struct cudaExtent extent;
	int order;
	unsigned flags;
};

cudaError_t batch_copy_3d(size_t count, const struct copy_3d_op *ops, size_t *fail, unsigned long long flags, cudaStream_t stream);

// Managed memory is never anywhere else, so prefetches check and record; what is discarded keeps its contents.
cudaError_t batch_prefetch(void *const *p, const size_t *sizes, size_t count, const struct cudaMemLocation *locations, const size_t *first,
                           size_t n_locations, unsigned long long flags, cudaStream_t stream);
cudaError_t batch_discard(void *const *p, const size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream);

#endif
