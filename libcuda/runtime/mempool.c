// Stream-ordered allocation: what libcuda/memory/pool.h does, by the runtime's names.
#include "libcuda/memory/pool.h"

#include "libcuda/runtime/api.h"

API_STREAM(cudaMallocAsync, (void **p, size_t size, cudaStream_t stream), pool_alloc_current(p, size, stream))
API_STREAM(cudaMallocFromPoolAsync, (void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream), pool_alloc(p, size, pool, stream))
API_STREAM(cudaFreeAsync, (void *p, cudaStream_t stream), pool_free_async(p, stream))
API(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device), pool_default(pool, device))
API(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), pool_current(pool, device))
API(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), pool_set_current(device, pool))
API(cudaMemGetDefaultMemPool, (cudaMemPool_t * pool, struct cudaMemLocation *location, int type), pool_default_at(pool, location, type))
API(cudaMemGetMemPool, (cudaMemPool_t * pool, struct cudaMemLocation *location, int type), pool_current_at(pool, location, type))
API(cudaMemSetMemPool, (struct cudaMemLocation * location, int type, cudaMemPool_t pool), pool_set_current_at(location, type, pool))
API(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *props), pool_create(pool, props))
API(cudaMemPoolDestroy, (cudaMemPool_t pool), pool_destroy(pool))
API(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), pool_trim(pool, keep))
API(cudaMemPoolGetAttribute, (cudaMemPool_t pool, int attribute, void *value), pool_get_attribute(pool, attribute, value))
API(cudaMemPoolSetAttribute, (cudaMemPool_t pool, int attribute, void *value), pool_set_attribute(pool, attribute, value))
API(cudaMemPoolGetAccess, (int *flags, cudaMemPool_t pool, struct cudaMemLocation *location), pool_get_access(flags, pool, location))
API(cudaMemPoolSetAccess, (cudaMemPool_t pool, const struct cudaMemAccessDesc *desc, size_t n), pool_set_access(pool, desc, n))
API(cudaMemPoolExportToShareableHandle, (void *handle, cudaMemPool_t pool, int type, unsigned flags),
    pool_export(handle, pool, type, flags))
API(cudaMemPoolImportFromShareableHandle, (cudaMemPool_t * pool, void *handle, int type, unsigned flags),
    pool_import(pool, handle, type, flags))
API(cudaMemPoolExportPointer, (void *data, void *p), pool_export_pointer(data, p))
API(cudaMemPoolImportPointer, (void **p, cudaMemPool_t pool, void *data), pool_import_pointer(p, pool, data))
