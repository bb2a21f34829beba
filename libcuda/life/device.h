// The device as programs see it: its properties and attributes.
#ifndef LIBCUDA_LIFE_DEVICE_H
#define LIBCUDA_LIFE_DEVICE_H

#include "libcuda/context/context.h"

enum { DEVICE_PCI_BUS = 1 };

// cudaDeviceProp in the layout of a release; `out` has it. cudaErrorInvalidDevice for any device but 0.
cudaError_t device_properties_9(struct cudaDeviceProp_9 *out, int device);
cudaError_t device_properties_10(struct cudaDeviceProp_10 *out, int device);
cudaError_t device_properties_11(struct cudaDeviceProp_11 *out, int device);
cudaError_t device_properties_12(struct cudaDeviceProp_12 *out, int device);
cudaError_t device_properties_13(struct cudaDeviceProp_13 *out, int device);
cudaError_t device_attribute(int *value, int attribute, int device); // cudaDeviceGetAttribute, whose numbers are the driver's

// "0000:01:00.0" into `len` bytes at `out`; and back.
cudaError_t device_bus_id(char *out, int len, int device);
cudaError_t device_by_bus_id(int *device, const char *id);

// Limits of cudaDeviceSetLimit, CU_LIMIT_...
cudaError_t device_set_limit(int limit, size_t value);
cudaError_t device_get_limit(size_t *value, int limit);

// How L1 and shared memory are shared out, and the width of a bank. cudaErrorInvalidValue for what is no cudaFuncCache or
// cudaSharedMemConfig.
cudaError_t device_set_cache_config(int config);
cudaError_t device_set_shared_config(int config);

enum { SHARED_BANK_FOUR_BYTES = 1 }; // the only width there is

enum { CUDA_VERSION_REPORTED = 13000 }; // cudaDriverGetVersion
#define DRIVER_VERSION_REPORTED "580.65" // a driver of that release of CUDA
#define DEVICE_UUID "heddle-gpu-0" // the first 12 bytes; the rest are 0

#endif
