// Stream-ordered allocation. Memory is allocated when the call is made and freed when the stream gets there; pools keep count, and keep
// nothing back.
#ifndef LIBCUDA_MEMORY_POOL_H
#define LIBCUDA_MEMORY_POOL_H

#include "libcuda/context/cuda_abi.h"

struct devmem_range;

// cudaErrorInvalidValue for what is no pool, cudaErrorInvalidResourceHandle for what is no stream, cudaErrorMemoryAllocation. With a
// `pool` of NULL the device's current one is used by pool_alloc_current only.
cudaError_t pool_alloc(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t pool_alloc_current(void **out, size_t size, cudaStream_t stream);
cudaError_t pool_free_async(void *p, cudaStream_t stream); // of any device memory

// The device's own pool, and the one that is used without naming one.
cudaError_t pool_default(cudaMemPool_t *out, int device);
cudaError_t pool_current(cudaMemPool_t *out, int device);
cudaError_t pool_set_current(int device, cudaMemPool_t pool);

// The same by a place and a kind of allocation. cudaErrorNotSupported: pools of host and managed memory.
cudaError_t pool_default_at(cudaMemPool_t *out, const struct cudaMemLocation *l, int type);
cudaError_t pool_current_at(cudaMemPool_t *out, const struct cudaMemLocation *l, int type);
cudaError_t pool_set_current_at(const struct cudaMemLocation *l, int type, cudaMemPool_t pool);

// A pool that is destroyed with memory in use ends when that is freed. cudaErrorNotSupported: pools that other processes may open.
cudaError_t pool_create(cudaMemPool_t *out, const struct cudaMemPoolProps *props);
cudaError_t pool_destroy(cudaMemPool_t pool);
cudaError_t pool_trim(cudaMemPool_t pool, size_t keep);
cudaError_t pool_get_attribute(cudaMemPool_t pool, int attribute, void *value);
cudaError_t pool_set_attribute(cudaMemPool_t pool, int attribute, const void *value);
cudaError_t pool_get_access(int *flags, cudaMemPool_t pool, const struct cudaMemLocation *l);
cudaError_t pool_set_access(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n);

// Sharing with other processes: no pool here allows that.
cudaError_t pool_export(void *handle, cudaMemPool_t pool, int type, unsigned flags);
cudaError_t pool_import(cudaMemPool_t *out, void *handle, int type, unsigned flags);
cudaError_t pool_export_pointer(void *data, void *p);
cudaError_t pool_import_pointer(void **out, cudaMemPool_t pool, void *data);

// The pool that memory is of; NULL if of none.
cudaMemPool_t pool_of(const struct devmem_range *r);

// All but the device's own end.
void pools_reset(void);

#endif
