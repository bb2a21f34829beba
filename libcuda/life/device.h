// The device as programs see it: its properties and attributes.
#ifndef LIBCUDA_LIFE_DEVICE_H
#define LIBCUDA_LIFE_DEVICE_H

#include "libcuda/context/cuda_abi.h"

enum { DEVICE_PCI_BUS = 1 };

// cudaDeviceProp in the layout of a release; `out` has it. cudaErrorInvalidDevice for any device but 0.
cudaError_t device_properties_9(struct cudaDeviceProp_9 *out, int device);
cudaError_t device_properties_10(struct cudaDeviceProp_10 *out, int device);
cudaError_t device_properties_11(struct cudaDeviceProp_11 *out, int device);
cudaError_t device_properties_12(struct cudaDeviceProp_12 *out, int device);
cudaError_t device_properties_13(struct cudaDeviceProp_13 *out, int device);
cudaError_t device_attribute(int *value, int attribute, int device); // cudaDeviceGetAttribute

#endif
