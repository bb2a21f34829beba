// Modules: loaded, unloaded, and what is in them.
#include "libcuda/code/module.h"

#include "base/mem.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/driver/jit.h"

#include <string.h>

// A name that the program gives, which may lie anywhere. False if it can't be read or is longer than any name in code.
static bool read_name(char *to, size_t room, const char *name)
{
	for (size_t n = 0; name && n < room; n++) {
		if (!guard_read(to + n, name + n, 1))
			return false;
		if (!to[n])
			return true;
	}
	return false;
}

enum { LONGEST_NAME = 16384 };

static cudaError_t load(struct module **out, const void *image, unsigned n, const int *options, void **values)
{
	cudaError_t e;
	struct jit_log log;
	if (!out || !image)
		return cudaErrorInvalidValue;
	e = jit_log_begin(&log, n, options, values);
	if (e)
		return e;
	struct diag d = {0};
	struct module *m = module_new(image, 0, &e, &d);
	jit_log_end(&log, &d);
	if (m)
		*out = m;
	return e;
}

static cudaError_t load_file(struct module **out, const char *path)
{
	char file[4096];
	cudaError_t e;
	if (!out || !read_name(file, sizeof file, path))
		return cudaErrorInvalidValue;
	struct diag d = {0};
	struct module *m = module_new_file(file, &e, &d);
	cu_print_diag(&d);
	if (m)
		*out = m;
	return e;
}

DRIVER(cuModuleLoad, (struct module * *module, const char *path), load_file(module, path))
DRIVER(cuModuleLoadData, (struct module * *module, const void *image), load(module, image, 0, NULL, NULL))
DRIVER(cuModuleLoadDataEx, (struct module * *module, const void *image, unsigned n, int *options, void **values),
       load(module, image, n, options, values))
DRIVER(cuModuleLoadFatBinary, (struct module * *module, const void *image), load(module, image, 0, NULL, NULL))

static cudaError_t unload(struct module *m)
{
	if (!module_loaded(m))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	module_remove(m);
	return cudaSuccess;
}

DRIVER(cuModuleUnload, (struct module * module), unload(module))

static cudaError_t loading_mode(int *mode)
{
	enum { EAGER = 1 };
	if (!mode)
		return cudaErrorInvalidValue;
	*mode = EAGER;
	return cudaSuccess;
}

DRIVER_DEVICE(cuModuleGetLoadingMode, (int *mode), loading_mode(mode))

static cudaError_t get_function(struct kernel **out, struct module *m, const char *name)
{
	char copy[LONGEST_NAME];
	cudaError_t e;
	if (!out || !read_name(copy, sizeof copy, name) || !*copy)
		return cudaErrorInvalidValue;
	if (!module_loaded(m))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	struct kernel *k = module_kernel(m, copy, &e);
	if (k)
		*out = k;
	return e;
}

DRIVER(cuModuleGetFunction, (struct kernel * *function, struct module *module, const char *name), get_function(function, module, name))

static cudaError_t function_count(unsigned *count, const struct module *m)
{
	if (!count)
		return cudaErrorInvalidValue;
	if (!module_loaded(m))
		return cudaErrorInvalidResourceHandle;
	*count = (unsigned)module_kernel_names(m, NULL, 0);
	return cudaSuccess;
}

static cudaError_t enumerate(struct kernel **out, unsigned n, struct module *m)
{
	cudaError_t e = cudaSuccess;
	if (!out || !n)
		return cudaErrorInvalidValue;
	if (!module_loaded(m))
		return cudaErrorInvalidResourceHandle;
	size_t all = module_kernel_names(m, NULL, 0);
	const char **names = mem_alloc((all + 1) * sizeof *names);
	module_kernel_names(m, names, all);
	for (size_t i = 0; i < all && i < n && !e; i++)
		out[i] = module_kernel(m, names[i], &e);
	mem_free(names);
	return e;
}

DRIVER(cuModuleGetFunctionCount, (unsigned *count, struct module *module), function_count(count, module))
DRIVER(cuModuleEnumerateFunctions, (struct kernel * *functions, unsigned n, struct module *module), enumerate(functions, n, module))

static cudaError_t get_global(CUdeviceptr *address, size_t *bytes, struct module *m, const char *name)
{
	char copy[LONGEST_NAME];
	uint64_t at, size;
	if (!read_name(copy, sizeof copy, name) || !*copy || (!address && !bytes))
		return cudaErrorInvalidValue;
	if (!module_loaded(m))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	if (!module_variable(m, copy, &at, &size))
		return cudaErrorSymbolNotFound;
	if (address)
		*address = at;
	if (bytes)
		*bytes = (size_t)size;
	return cudaSuccess;
}

DRIVER(cuModuleGetGlobal_v2, (CUdeviceptr * address, size_t *bytes, struct module *module, const char *name),
       get_global(address, bytes, module, name))
