// Registration. The program's compiler calls these before main, and again at exit or when a shared object with kernels is
// closed.
#include "libcuda/runtime/api.h"
#include "libcuda/code/module.h"

CUDA_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
void **__cudaRegisterFatBinary(void *wrapper)
{
	cu_enter_registration();
	struct module *m = module_add(wrapper);
	cu_leave_registration();
	return (void **)m;
}

CUDA_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle)
{
	struct module *m = (struct module *)handle;
	cu_enter_registration();
	if (cu.state == CU_READY && module_known(m)) // a shared object opened while the program runs
		module_place_managed(m);
	cu_leave_registration();
}

CUDA_EXPORT void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
	struct module *m = (struct module *)handle;
	if (atomic_load(&cu.forked) || cu_thread.in_host_function)
		return;
	cu_enter_registration();
	cu.departing = true;
	if (cu.state != CU_ENDED && module_known(m))
		module_remove(m);
	cu.departing = cu.exiting;
	cu_leave_registration();
}

CUDA_EXPORT void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int threads,
                                        void *tid, void *bid, struct dim3 *block, struct dim3 *grid, int *warp);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int threads, void *tid,
                            void *bid, struct dim3 *block, struct dim3 *grid, int *warp)
{
	struct module *m = (struct module *)handle;
	cu_enter_registration();
	if (module_known(m) && name)
		module_add_kernel(m, host, name);
	cu_leave_registration();
}

static void add_variable(void **handle, const void *host, const char *name, size_t size, bool constant, void **slot)
{
	struct module *m = (struct module *)handle;
	cu_enter_registration();
	if (module_known(m) && name)
		module_add_variable(m, host, name, size, constant, slot);
	cu_leave_registration();
}

CUDA_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                                   int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global)
{
	add_variable(handle, host, name, size, constant, NULL);
}

CUDA_EXPORT void __cudaRegisterManagedVar(void **handle, void **slot, char *device, const char *name, int ext,
                                          size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **slot, char *device, const char *name, int ext, size_t size,
                              int constant, int global)
{
	add_variable(handle, slot, name, size, false, slot);
}

CUDA_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) {}

// Called before main by code that touches managed variables: they need an address now. As for all of a child's calls,
// nothing can be done after a fork.
CUDA_EXPORT char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
	if (cu_enter(CU_CONTEXT, "__cudaInitModule", CU_CALLER))
		return 0;
	struct module *m = (struct module *)handle;
	if (module_known(m) && module_is_new(m))
		module_place_managed(m);
	cu_leave(cudaSuccess);
	return 1;
}

CUDA_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
                                       int normalized, int ext);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
                           int normalized, int ext)
{
	struct module *m = (struct module *)handle;
	cu_enter_registration();
	if (module_known(m) && name)
		module_add_texref(m, host, name, dim, normalized);
	cu_leave_registration();
}

CUDA_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim,
                                       int ext);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext)
{
	struct module *m = (struct module *)handle;
	cu_enter_registration();
	if (module_known(m) && name)
		module_add_surfref(m, host, name, dim);
	cu_leave_registration();
}

CUDA_EXPORT void __cudaRegisterShared(void **handle, void **device);
void __cudaRegisterShared(void **handle, void **device) {}

CUDA_EXPORT void __cudaRegisterSharedVar(void **handle, void **device, size_t size, size_t align, int storage);
void __cudaRegisterSharedVar(void **handle, void **device, size_t size, size_t align, int storage) {}

CUDA_EXPORT void __cudaRegisterUnifiedTable(void **handle, void *table);
void __cudaRegisterUnifiedTable(void **handle, void *table) {}
