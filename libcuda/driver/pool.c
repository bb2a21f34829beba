// Stream-ordered allocation: what libcuda/memory/pool.h does, by the driver's names.
#include "libcuda/memory/pool.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

static cudaError_t given(CUdeviceptr *out, void *const *p, cudaError_t e)
{
	if (!e)
		*out = (CUdeviceptr)(uintptr_t)*p;
	return e;
}

// Where the runtime gives no memory for 0 bytes, the driver refuses.
static cudaError_t alloc(CUdeviceptr *out, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
	void *p;
	return !GUARD_OUT(out) || !size ? cudaErrorInvalidValue : given(out, &p, pool_alloc(&p, size, pool, stream));
}

static cudaError_t alloc_current(CUdeviceptr *out, size_t size, cudaStream_t stream)
{
	void *p;
	return !GUARD_OUT(out) || !size ? cudaErrorInvalidValue : given(out, &p, pool_alloc_current(&p, size, stream));
}

DRIVER_STREAM(cuMemAllocAsync, (CUdeviceptr * p, size_t size, cudaStream_t stream), alloc_current(p, size, stream))
DRIVER_STREAM(cuMemAllocFromPoolAsync, (CUdeviceptr * p, size_t size, cudaMemPool_t pool, cudaStream_t stream),
              alloc(p, size, pool, stream))
DRIVER_STREAM(cuMemFreeAsync, (CUdeviceptr p, cudaStream_t stream), pool_free_async((void *)(uintptr_t)p, stream))
DRIVER_DEVICE(cuDeviceGetDefaultMemPool, (cudaMemPool_t * pool, CUdevice device), pool_default(pool, device))
DRIVER_DEVICE(cuDeviceGetMemPool, (cudaMemPool_t * pool, CUdevice device), pool_current(pool, device))
DRIVER_DEVICE(cuDeviceSetMemPool, (CUdevice device, cudaMemPool_t pool), pool_set_current(device, pool))
DRIVER_DEVICE(cuMemGetDefaultMemPool, (cudaMemPool_t * pool, struct cudaMemLocation *location, int type),
              pool_default_at(pool, location, type))
DRIVER_DEVICE(cuMemGetMemPool, (cudaMemPool_t * pool, struct cudaMemLocation *location, int type),
              pool_current_at(pool, location, type))
DRIVER_DEVICE(cuMemSetMemPool, (struct cudaMemLocation * location, int type, cudaMemPool_t pool),
              pool_set_current_at(location, type, pool))
DRIVER_DEVICE(cuMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *props), pool_create(pool, props))
DRIVER_DEVICE(cuMemPoolDestroy, (cudaMemPool_t pool), pool_destroy(pool))
DRIVER_DEVICE(cuMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), pool_trim(pool, keep))
DRIVER_DEVICE(cuMemPoolGetAttribute, (cudaMemPool_t pool, int attribute, void *value), pool_get_attribute(pool, attribute, value))
DRIVER_DEVICE(cuMemPoolSetAttribute, (cudaMemPool_t pool, int attribute, void *value), pool_set_attribute(pool, attribute, value))
DRIVER_DEVICE(cuMemPoolGetAccess, (int *flags, cudaMemPool_t pool, struct cudaMemLocation *location),
              pool_get_access(flags, pool, location))
DRIVER_DEVICE(cuMemPoolSetAccess, (cudaMemPool_t pool, const struct cudaMemAccessDesc *desc, size_t n), pool_set_access(pool, desc, n))
DRIVER_DEVICE(cuMemPoolExportToShareableHandle, (void *handle, cudaMemPool_t pool, int type, unsigned long long flags),
              flags ? cudaErrorInvalidValue : pool_export(handle, pool, type, 0))
DRIVER_DEVICE(cuMemPoolImportFromShareableHandle, (cudaMemPool_t * pool, void *handle, int type, unsigned long long flags),
              flags ? cudaErrorInvalidValue : pool_import(pool, handle, type, 0))
DRIVER_DEVICE(cuMemPoolExportPointer, (void *data, CUdeviceptr p), pool_export_pointer(data, (void *)(uintptr_t)p))
DRIVER_DEVICE(cuMemPoolImportPointer, (CUdeviceptr * p, cudaMemPool_t pool, void *data), pool_import_pointer((void **)p, pool, data))
