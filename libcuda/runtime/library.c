// Libraries that programs load by themselves, and handles of kernels.
#include "libcuda/code/module_calls.h"
#include "libcuda/runtime/api.h"

#define OPTIONS int *jit, void **jit_values, unsigned n_jit, int *options, void **values, unsigned n
#define JIT (&(struct jit_options){n_jit, jit, jit_values})
#define LIBRARY (&(struct library_options){n, options, values})

API(cudaLibraryLoadData, (struct module * *library, const void *code, OPTIONS), library_load_image(library, code, JIT, LIBRARY))
API(cudaLibraryLoadFromFile, (struct module * *library, const char *path, OPTIONS), library_load_file(library, path, JIT, LIBRARY))
API(cudaLibraryUnload, (struct module * library), library_unload(library))
API(cudaLibraryGetKernel, (const void **kernel, struct module *library, const char *name), module_get_kernel(kernel, library, name, true))
API(cudaLibraryGetKernelCount, (unsigned *count, struct module *library), module_count_kernels(count, library, true))
API(cudaLibraryEnumerateKernels, (const void **kernels, unsigned n, struct module *library), module_list_kernels(kernels, n, library, true))
API(cudaLibraryGetGlobal, (uint64_t * address, size_t *bytes, struct module *library, const char *name),
    module_get_variable(address, bytes, library, name, true, false))
API(cudaLibraryGetManaged, (uint64_t * address, size_t *bytes, struct module *library, const char *name),
    module_get_variable(address, bytes, library, name, true, true))
API(cudaLibraryGetUnifiedFunction, (void **function, struct module *library, const char *name),
    library_unified_function(function, library, name))
