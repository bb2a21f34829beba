// Modules: loaded, unloaded, and what is in them.
#include "libcuda/code/module_calls.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

#define JIT(n, option, value) (&(struct jit_options){n, option, value})

DRIVER(cuModuleLoad, (struct module * *module, const char *path), module_load_file(module, path))
DRIVER(cuModuleLoadData, (struct module * *module, const void *image), module_load_image(module, image, JIT(0, NULL, NULL)))
DRIVER(cuModuleLoadDataEx, (struct module * *module, const void *image, unsigned n, int *options, void **values),
       module_load_image(module, image, JIT(n, options, values)))
DRIVER(cuModuleLoadFatBinary, (struct module * *module, const void *image), module_load_image(module, image, JIT(0, NULL, NULL)))
DRIVER(cuModuleUnload, (struct module * module), module_call_unload(module))

static cudaError_t loading_mode(int *mode)
{
	enum { EAGER = 1 };
	if (!GUARD_OUT(mode))
		return cudaErrorInvalidValue;
	*mode = EAGER;
	return cudaSuccess;
}

DRIVER_DEVICE(cuModuleGetLoadingMode, (int *mode), loading_mode(mode))

DRIVER(cuModuleGetFunction, (const void **function, struct module *module, const char *name),
       module_get_kernel(function, module, name, false))
DRIVER(cuModuleGetFunctionCount, (unsigned *count, struct module *module), module_count_kernels(count, module, false))
DRIVER(cuModuleEnumerateFunctions, (const void **functions, unsigned n, struct module *module),
       module_list_kernels(functions, n, module, false))
DRIVER(cuModuleGetGlobal_v2, (CUdeviceptr * address, size_t *bytes, struct module *module, const char *name),
       module_get_variable(address, bytes, module, name, false, false))

// The form of 32-bit programs, whose addresses Heddle has none of.
static cudaError_t get_global_32(uint32_t *address, uint32_t *bytes, struct module *m, const char *name)
{
	uint64_t at;
	size_t size;
	if ((!address && !bytes) || !GUARD_OUT_OR_NULL(address) || !GUARD_OUT_OR_NULL(bytes))
		return cudaErrorInvalidValue;
	cudaError_t e = module_get_variable(&at, &size, m, name, false, false);
	if (!e && address && at > UINT32_MAX)
		return cudaErrorInvalidValue;
	if (!e && address)
		*address = (uint32_t)at;
	if (!e && bytes)
		*bytes = (uint32_t)size;
	return e;
}

DRIVER(cuModuleGetGlobal, (uint32_t * address, uint32_t *bytes, struct module *module, const char *name),
       get_global_32(address, bytes, module, name))
