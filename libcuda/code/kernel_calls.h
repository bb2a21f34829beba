// What programs ask about kernels and set for them. The functions of both APIs are names for these.
//
// A handle is the address of a host function, a CUfunction or a CUkernel. cudaErrorInvalidDeviceFunction for what is none, and why a
// kernel can't be executed, besides what is told below.
#ifndef LIBCUDA_CODE_KERNEL_CALLS_H
#define LIBCUDA_CODE_KERNEL_CALLS_H

#include "libcuda/code/module.h"

// cudaFuncGetAttributes; only the first `size` bytes, those that the caller's release has, are written.
cudaError_t func_attributes(struct cudaFuncAttributes *out, const void *handle, size_t size);

// CUfunction_attribute, whose numbers are cudaFuncAttribute's too. cudaErrorInvalidValue for one that does not exist or can't be set,
// or a value out of range; cudaErrorNotPermitted to set the size of clusters that the kernel was compiled for, cudaErrorNotSupported
// to set anything of clusters on a GPU without them.
cudaError_t kernel_attribute(int *out, int attribute, const void *handle);
cudaError_t kernel_set_attribute(const void *handle, int attribute, int value);

// cudaErrorInvalidValue for what is no cudaFuncCache, or no cudaSharedMemConfig, which has no effect.
cudaError_t kernel_set_cache_config(const void *handle, int config);
cudaError_t kernel_set_shared_config(const void *handle, int config);

// The name lives as long as the kernel's module.
cudaError_t kernel_get_name(const char **name, const void *handle);

// Where a parameter lies among the others, in bytes, and how large it is, which is told where `size` is not NULL.
// cudaErrorInvalidValue if there is no parameter of that number.
cudaError_t kernel_param_info(const void *handle, size_t index, size_t *offset, size_t *size);

// The module or library that it belongs to. `library`: cudaErrorSymbolNotFound if it is in a module of the program's.
cudaError_t kernel_get_module(struct module **out, const void *handle, bool library);

// Whether its code is made ready, and to make it ready.
cudaError_t kernel_is_loaded(int *state, const void *handle);
cudaError_t kernel_load_now(const void *handle);

#endif
