// Attributes of kernels.
#ifndef LIBCUDA_RUNTIME_ATTRIBUTES_H
#define LIBCUDA_RUNTIME_ATTRIBUTES_H

#include "libcuda/context/context.h"

// cudaFuncGetAttributes; only the first `size` bytes, those that the caller's release has, are written.
cudaError_t func_attributes(struct cudaFuncAttributes *out, const void *host, size_t size);

#endif
