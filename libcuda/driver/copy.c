// Copies and fills.
#include "libcuda/memory/copy.h"

#include "libcuda/driver/driver.h"

#define TO(p) ((void *)(uintptr_t)(p))

DRIVER_SYNC(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t n), copy_linear(TO(dst), src, n, COPY_HOST_TO_DEVICE, stream, false))
DRIVER_SYNC(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t n), copy_linear(dst, TO(src), n, COPY_DEVICE_TO_HOST, stream, false))
DRIVER_SYNC(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t n),
            copy_linear(TO(dst), TO(src), n, COPY_DEVICE_TO_DEVICE, stream, false))
