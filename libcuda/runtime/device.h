// The device as programs choose it.
#ifndef LIBCUDA_RUNTIME_DEVICE_H
#define LIBCUDA_RUNTIME_DEVICE_H

#include "libcuda/context/cuda_abi.h"

enum { CUDA_VERSION_REPORTED = 13000 }; // cudaDriverGetVersion

cudaError_t device_choose(int *device, const void *prop); // cudaChooseDevice

#endif
