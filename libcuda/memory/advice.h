// What programs say about where managed memory should be. It never is anywhere else, so this is checked, remembered and told.
#ifndef LIBCUDA_MEMORY_ADVICE_H
#define LIBCUDA_MEMORY_ADVICE_H

#include "libcuda/context/cuda_abi.h"

// Places: the device is 0, the host PLACE_HOST.
enum { PLACE_HOST = -1, PLACE_NONE = -2 };

// A location of CUDA 12 and 13 as the device number of older releases.
int memory_location(struct cudaMemLocation l);

// All of it must be in one managed allocation: else cudaErrorInvalidValue. cudaErrorInvalidDevice for places that do not exist,
// cudaErrorInvalidResourceHandle for what is no stream.
cudaError_t memory_hint(const void *p, size_t count); // checks only
cudaError_t memory_advise(const void *p, size_t count, int advice, int device);
cudaError_t memory_prefetch(const void *p, size_t count, int device, cudaStream_t stream);
cudaError_t memory_range_attribute(void *data, size_t size, int attribute, const void *p, size_t count);
cudaError_t memory_range_attributes(void **data, size_t *sizes, int *attributes, size_t n, const void *p, size_t count);

#endif
