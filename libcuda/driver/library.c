// Libraries, which belong to no context, and their kernels.
#include "libcuda/code/kernel_calls.h"
#include "libcuda/code/module_calls.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

#define OPTIONS int *jit, void **jit_values, unsigned n_jit, int *options, void **values, unsigned n
#define JIT (&(struct jit_options){n_jit, jit, jit_values})
#define LIBRARY (&(struct library_options){n, options, values})

DRIVER_ANY_CONTEXT(cuLibraryLoadData, (struct module * *library, const void *code, OPTIONS), library_load_image(library, code, JIT, LIBRARY))
DRIVER_ANY_CONTEXT(cuLibraryLoadFromFile, (struct module * *library, const char *path, OPTIONS),
                   library_load_file(library, path, JIT, LIBRARY))
DRIVER_ANY_CONTEXT(cuLibraryUnload, (struct module * library), library_unload(library))

DRIVER_ANY_CONTEXT(cuLibraryGetKernel, (const void **kernel, struct module *library, const char *name),
                   module_get_kernel(kernel, library, name, true))
DRIVER_ANY_CONTEXT(cuLibraryGetKernelCount, (unsigned *count, struct module *library), module_count_kernels(count, library, true))
DRIVER_ANY_CONTEXT(cuLibraryEnumerateKernels, (const void **kernels, unsigned n, struct module *library),
                   module_list_kernels(kernels, n, library, true))
DRIVER(cuLibraryGetModule, (struct module * *module, struct module *library), library_module(module, library))
DRIVER(cuLibraryGetGlobal, (CUdeviceptr * address, size_t *bytes, struct module *library, const char *name),
       module_get_variable(address, bytes, library, name, true, false))
DRIVER_ANY_CONTEXT(cuLibraryGetManaged, (CUdeviceptr * address, size_t *bytes, struct module *library, const char *name),
                   module_get_variable(address, bytes, library, name, true, true))
DRIVER_ANY_CONTEXT(cuLibraryGetUnifiedFunction, (void **function, struct module *library, const char *name),
                   library_unified_function(function, library, name))

// A kernel's function in the context that is current is the kernel itself.
static cudaError_t get_function(const void **function, const void *kernel)
{
	struct module *m;
	if (!GUARD_OUT(function))
		return cudaErrorInvalidValue;
	cudaError_t e = kernel_get_module(&m, kernel, false);
	if (!e)
		*function = kernel;
	return e;
}

DRIVER(cuKernelGetFunction, (const void **function, const void *kernel), get_function(function, kernel))
DRIVER_ANY_CONTEXT(cuKernelGetLibrary, (struct module * *library, const void *kernel), kernel_get_module(library, kernel, true))
DRIVER_ANY_CONTEXT(cuKernelGetAttribute, (int *value, int attribute, const void *kernel, CUdevice device),
                   device ? cudaErrorInvalidDevice : kernel_attribute(value, attribute, kernel))
DRIVER_ANY_CONTEXT(cuKernelSetAttribute, (int attribute, int value, const void *kernel, CUdevice device),
                   device ? cudaErrorInvalidDevice : kernel_set_attribute(kernel, attribute, value))
DRIVER_ANY_CONTEXT(cuKernelSetCacheConfig, (const void *kernel, int config, CUdevice device),
                   device ? cudaErrorInvalidDevice : kernel_set_cache_config(kernel, config))
DRIVER_ANY_CONTEXT(cuKernelGetName, (const char **name, const void *kernel), kernel_get_name(name, kernel))
DRIVER_ANY_CONTEXT(cuKernelGetParamInfo, (const void *kernel, size_t index, size_t *offset, size_t *size),
                   kernel_param_info(kernel, index, offset, size))
