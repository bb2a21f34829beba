// What programs do with arrays as a whole: freed, with the texture references that are bound to them, and asked about.
#ifndef LIBCUDA_CODE_ARRAY_CALLS_H
#define LIBCUDA_CODE_ARRAY_CALLS_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

// After all work. cudaErrorInvalidResourceHandle for what is no array, or is a level of a mipmapped one.
cudaError_t array_end(cudaArray_t handle);
cudaError_t mipmap_end(cudaMipmappedArray_t handle);

cudaError_t mipmap_level(cudaArray_t *out, cudaMipmappedArray_t handle, unsigned level);

// Planes, memory requirements and sparse properties are of arrays with several planes, of those to which memory is mapped later, and of
// sparse ones. There are none of these here, and for others the documented answer is cudaErrorInvalidValue.
cudaError_t array_none_such(const void *out, cudaArray_t handle);
cudaError_t mipmap_none_such(const void *out, cudaMipmappedArray_t handle);

#endif
