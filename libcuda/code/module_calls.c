#include "libcuda/code/module_calls.h"

#include "base/mem.h"
#include "libcuda/context/guard.h"

enum { LONGEST_NAME = 16384, LONGEST_PATH = 4096 };

static bool read_name(char name[LONGEST_NAME], const char *from) { return guard_read_text(name, LONGEST_NAME, from) && *name; }

// --- loading

static cudaError_t load(struct module **out, const void *image, const char *path, bool library, const struct jit_options *o)
{
	char file[LONGEST_PATH];
	struct jit_log log;
	struct diag d = {0};
	if (!GUARD_OUT(out) || (path ? !guard_read_text(file, sizeof file, path) : !image))
		return cudaErrorInvalidValue;
	cudaError_t e = jit_log_begin(&log, o);
	if (e)
		return e;
	struct module *m = path ? module_new_file(file, library, &e, &d) : module_new(image, 0, library, &e, &d);
	jit_log_end(&log, &d);
	if (m)
		*out = m;
	return e;
}

cudaError_t module_load_image(struct module **out, const void *image, const struct jit_options *o)
{
	return load(out, image, NULL, false, o);
}

cudaError_t module_load_file(struct module **out, const char *path)
{
	static const struct jit_options none;
	return path ? load(out, NULL, path, false, &none) : cudaErrorInvalidValue;
}

cudaError_t module_call_unload(struct module *m)
{
	if (module_is_library(m))
		return cudaErrorNotPermitted;
	if (!module_is_own(m))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	module_remove(m);
	return cudaSuccess;
}

// The image is copied in any case, so that it is preserved or not says nothing to Heddle.
static cudaError_t check_options(const struct library_options *o, bool file)
{
	enum { UNIVERSAL_TABLE = 0, BINARY_IS_PRESERVED = 1, N_OPTIONS };
	if (o->n && !o->option)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < o->n; i++) {
		int option;
		if (!guard_read(&option, o->option + i, sizeof option) || option < 0 || option >= N_OPTIONS ||
		    (option == BINARY_IS_PRESERVED && file))
			return cudaErrorInvalidValue;
		if (option == UNIVERSAL_TABLE) {
			cu_complain("a table of functions and data of the host (option 0) is not supported");
			return cudaErrorNotSupported;
		}
	}
	return cudaSuccess;
}

cudaError_t library_load_image(struct module **out, const void *image, const struct jit_options *j, const struct library_options *o)
{
	cudaError_t e = check_options(o, false);
	return e ? e : load(out, image, NULL, true, j);
}

cudaError_t library_load_file(struct module **out, const char *path, const struct jit_options *j, const struct library_options *o)
{
	cudaError_t e = path ? check_options(o, true) : cudaErrorInvalidValue;
	return e ? e : load(out, NULL, path, true, j);
}

cudaError_t library_unload(struct module *m)
{
	if (module_is_registered(m))
		return cudaErrorNotPermitted;
	if (!module_is_library(m))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	module_remove(m);
	return cudaSuccess;
}

// --- what is in them

static cudaError_t check(const struct module *m, bool library)
{
	return (library ? module_is_library(m) : module_known(m)) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t library_module(struct module **out, struct module *library)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	cudaError_t e = check(library, true);
	if (!e)
		*out = library;
	return e;
}

cudaError_t library_unified_function(void **out, struct module *library, const char *name)
{
	char copy[LONGEST_NAME];
	if (!GUARD_OUT(out) || !read_name(copy, name))
		return cudaErrorInvalidValue;
	cudaError_t e = check(library, true);
	return e ? e : cudaErrorSymbolNotFound;
}

cudaError_t module_get_kernel(const void **out, struct module *m, const char *name, bool library)
{
	char copy[LONGEST_NAME];
	if (!GUARD_OUT(out) || !read_name(copy, name))
		return cudaErrorInvalidValue;
	cudaError_t e = check(m, library);
	if (e)
		return e;
	const struct kernel *k = module_kernel(m, copy, &e);
	if (k)
		*out = k->host;
	return e;
}

cudaError_t module_count_kernels(unsigned *out, struct module *m, bool library)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	cudaError_t e = check(m, library);
	if (!e)
		*out = (unsigned)module_kernel_names(m, NULL, 0);
	return e;
}

cudaError_t module_list_kernels(const void **out, unsigned n, struct module *m, bool library)
{
	if (!out || !n)
		return cudaErrorInvalidValue;
	cudaError_t e = check(m, library);
	if (e)
		return e;
	size_t all = module_kernel_names(m, NULL, 0);
	if (!guard_writable(out, (n < all ? n : all) * sizeof *out))
		return cudaErrorInvalidValue;
	const char **names = mem_alloc((all + 1) * sizeof *names);
	module_kernel_names(m, names, all);
	for (size_t i = 0; i < all && i < n; i++)
		out[i] = module_kernel_unresolved(m, names[i])->host;
	mem_free(names);
	return cudaSuccess;
}

cudaError_t module_get_variable(uint64_t *addr, size_t *bytes, struct module *m, const char *name, bool library, bool managed)
{
	char copy[LONGEST_NAME];
	uint64_t at, size;
	if (!read_name(copy, name) || (!addr && !bytes) || !GUARD_OUT_OR_NULL(addr) || !GUARD_OUT_OR_NULL(bytes))
		return cudaErrorInvalidValue;
	cudaError_t e = check(m, library);
	if (!e)
		e = module_variable(m, copy, managed, &at, &size);
	if (e)
		return e;
	if (addr)
		*addr = at;
	if (bytes)
		*bytes = (size_t)size;
	const struct devmem_range *r = devmem_find(cu.mem, at);
	if (r && r->kind == DEVMEM_MANAGED)
		cu.host_visible++; // the program may look at it without calling
	return cudaSuccess;
}
