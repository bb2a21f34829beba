// Allocation: what libcuda/memory/alloc.h does, by the runtime's names.
#include "libcuda/memory/advice.h"
#include "libcuda/memory/alloc.h"

#include "libcuda/code/module.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/batch.h"
#include "libcuda/runtime/api.h"

enum { HOST_ALLOC_FLAGS = 7 };

static cudaError_t symbol_address(void **out, const void *symbol)
{
	cudaError_t e;
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	struct variable *v = variable_get(symbol, &e);
	if (v)
		*out = (void *)v->addr;
	return e;
}

static cudaError_t symbol_size(size_t *out, const void *symbol)
{
	cudaError_t e;
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	struct variable *v = variable_get(symbol, &e);
	if (v)
		*out = v->size;
	return e;
}

API(cudaMalloc, (void **p, size_t size), alloc_new(p, size, DEVMEM_DEVICE, 0))
API(cudaMallocHost, (void **p, size_t size), alloc_new(p, size, DEVMEM_HOST, 0))
API(cudaHostAlloc, (void **p, size_t size, unsigned flags),
    flags & ~HOST_ALLOC_FLAGS ? cudaErrorInvalidValue : alloc_new(p, size, DEVMEM_HOST, flags))
API(cudaMallocManaged, (void **p, size_t size, unsigned flags), alloc_managed(p, size, flags))
API(cudaMallocPitch, (void **p, size_t *pitch, size_t width, size_t height), alloc_pitch(p, pitch, width, height, 1))
API(cudaMalloc3D, (struct cudaPitchedPtr * p, struct cudaExtent extent), alloc_3d(p, extent))
API(cudaFree, (void *p), alloc_free(p))
API(cudaFreeHost, (void *p), alloc_free_host(p))
API(cudaHostRegister, (void *p, size_t size, unsigned flags), alloc_register(p, size, flags))
API(cudaHostUnregister, (void *p), alloc_unregister(p))
API(cudaHostGetDevicePointer, (void **device, void *host, unsigned flags), alloc_device_pointer(device, host, flags))
API(cudaHostGetFlags, (unsigned *flags, void *host), alloc_host_flags(flags, host))
API(cudaMemGetInfo, (size_t *free, size_t *total), alloc_info(free, total))
API(cudaGetSymbolAddress, (void **p, const void *symbol), symbol_address(p, symbol))
API(cudaGetSymbolSize, (size_t *size, const void *symbol), symbol_size(size, symbol))
API(cudaMemAdvise_v2, (const void *p, size_t count, int advice, struct cudaMemLocation location),
    memory_advise(p, count, advice, memory_location(location)))
API_STREAM(cudaMemPrefetchAsync_v2,
           (const void *p, size_t count, struct cudaMemLocation location, unsigned flags, cudaStream_t stream),
           flags ? cudaErrorInvalidValue : memory_prefetch(p, count, memory_location(location), stream))
API(cudaMemRangeGetAttribute, (void *data, size_t size, int attribute, const void *p, size_t count),
    memory_range_attribute(data, size, attribute, p, count))
API(cudaMemRangeGetAttributes,
    (void **data, size_t *sizes, int *attributes, size_t n, const void *p, size_t count),
    memory_range_attributes(data, sizes, attributes, n, p, count))

#define RANGES void *const *p, const size_t *sizes, size_t count
#define PLACES const struct cudaMemLocation *places, const size_t *first, size_t n_places
API_STREAM(cudaMemPrefetchBatchAsync, (RANGES, PLACES, unsigned long long flags, cudaStream_t stream),
           batch_prefetch(p, sizes, count, places, first, n_places, flags, stream))
API_STREAM(cudaMemDiscardAndPrefetchBatchAsync, (RANGES, PLACES, unsigned long long flags, cudaStream_t stream),
           batch_prefetch(p, sizes, count, places, first, n_places, flags, stream))
API_STREAM(cudaMemDiscardBatchAsync, (RANGES, unsigned long long flags, cudaStream_t stream),
           batch_discard(p, sizes, count, flags, stream))
