// What programs ask about kernels and set for them. cudaFuncGetAttributes is in versions.c.
#include "libcuda/code/kernel_calls.h"
#include "libcuda/runtime/api.h"

API(cudaFuncSetAttribute, (const void *f, int attribute, int value), kernel_set_attribute(f, attribute, value))
API(cudaKernelSetAttributeForDevice, (const void *kernel, int attribute, int value, int device),
    device ? cudaErrorInvalidDevice : kernel_set_attribute(kernel, attribute, value))
API(cudaFuncSetCacheConfig, (const void *f, int config), kernel_set_cache_config(f, config))
API(cudaFuncSetSharedMemConfig, (const void *f, int config), kernel_set_shared_config(f, config))
API(cudaFuncGetName, (const char **name, const void *f), kernel_get_name(name, f))
API(cudaFuncGetParamInfo, (const void *f, size_t index, size_t *offset, size_t *size), kernel_param_info(f, index, offset, size))
