// The device as programs choose it.
#ifndef LIBCUDA_RUNTIME_DEVICE_H
#define LIBCUDA_RUNTIME_DEVICE_H

#include "libcuda/context/cuda_abi.h"

cudaError_t device_choose(int *device, const void *prop); // cudaChooseDevice

#endif
