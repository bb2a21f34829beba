// What programs do with modules and libraries. The functions of both APIs are names for these.
//
// A handle of a kernel is kernel.host: the same for cudaKernel_t, cudaFunction_t, CUkernel and CUfunction.
//
// cudaErrorInvalidValue for null pointers and names that can't be read, cudaErrorInvalidResourceHandle for what is no module or library,
// cudaErrorSymbolNotFound for names that are not in the code, besides the errors of what is called.
#ifndef LIBCUDA_CODE_MODULE_CALLS_H
#define LIBCUDA_CODE_MODULE_CALLS_H

#include "libcuda/code/jit.h"
#include "libcuda/code/module.h"

// Loads PTX text, a cubin or a fat binary at `image`. cudaErrorInvalidKernelImage, cudaErrorInvalidPtx, cudaErrorUnsupportedPtxVersion,
// cudaErrorNoKernelImageForDevice; what is wrong with it goes to the log of the options.
cudaError_t module_load_image(struct module **out, const void *image, const struct jit_options *o);
cudaError_t module_load_file(struct module **out, const char *path);

// cudaErrorNotPermitted for the module of a library.
cudaError_t module_call_unload(struct module *m);

// CUlibraryOption and cudaLibraryOption, n numbers with their values.
struct library_options {
	unsigned n;
	const int *option;
	void **value;
};

cudaError_t library_load_image(struct module **out, const void *image, const struct jit_options *j, const struct library_options *o);
cudaError_t library_load_file(struct module **out, const char *path, const struct jit_options *j, const struct library_options *o);
cudaError_t library_unload(struct module *m);

// The module of a library; Heddle has one for all contexts.
cudaError_t library_module(struct module **out, struct module *library);

// cudaErrorSymbolNotFound: no GPU of Heddle's has unified function pointers.
cudaError_t library_unified_function(void **out, struct module *library, const char *name);

// Handles of kernels, of a module or a library. `library`: the handle must be a library's.
cudaError_t module_get_kernel(const void **out, struct module *m, const char *name, bool library);
cudaError_t module_count_kernels(unsigned *out, struct module *m, bool library);
cudaError_t module_list_kernels(const void **out, unsigned n, struct module *m, bool library);

// Where a variable is and how large, one of which may be NULL.
cudaError_t module_get_variable(uint64_t *addr, size_t *bytes, struct module *m, const char *name, bool library, bool managed);

#endif
