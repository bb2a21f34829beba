// Memory: allocated, freed, and asked about.
#include "libcuda/memory/advice.h"
#include "libcuda/memory/alloc.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/memory/batch.h"

#define TO(p) ((void *)(uintptr_t)(p))

// Where the runtime gives no memory for 0 bytes, the driver refuses.
static cudaError_t alloc(CUdeviceptr *out, size_t size)
{
	void *p;
	if (!GUARD_OUT(out) || !size)
		return cudaErrorInvalidValue;
	cudaError_t e = alloc_new(&p, size, DEVMEM_DEVICE, 0);
	if (!e)
		*out = (CUdeviceptr)(uintptr_t)p;
	return e;
}

// The largest element that kernels will access in a row: 4, 8 or 16 bytes. Rows are aligned for all.
static cudaError_t alloc_rows(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
	void *p;
	if (!GUARD_OUT(out) || !GUARD_OUT(pitch) || !width || !height || (element != 4 && element != 8 && element != 16))
		return cudaErrorInvalidValue;
	cudaError_t e = alloc_pitch(&p, pitch, width, height, 1);
	if (!e)
		*out = (CUdeviceptr)(uintptr_t)p;
	return e;
}

static cudaError_t alloc_shared(CUdeviceptr *out, size_t size, unsigned flags)
{
	void *p;
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	cudaError_t e = alloc_managed(&p, size, flags);
	if (!e)
		*out = (CUdeviceptr)(uintptr_t)p;
	return e;
}

static cudaError_t alloc_host(void **out, size_t size, unsigned flags)
{
	enum { FLAGS_ALLOWED = 7 };
	return !size || flags & ~(unsigned)FLAGS_ALLOWED ? cudaErrorInvalidValue : alloc_new(out, size, DEVMEM_HOST, flags);
}

static cudaError_t device_pointer(CUdeviceptr *out, void *host, unsigned flags)
{
	void *p;
	cudaError_t e = GUARD_OUT(out) ? alloc_device_pointer(&p, host, flags) : cudaErrorInvalidValue;
	if (!e)
		*out = (CUdeviceptr)(uintptr_t)p;
	return e;
}

// Either may be NULL.
static cudaError_t address_range(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
	const struct devmem_range *r = p ? devmem_find(cu.mem, p) : NULL;
	if (!r || r->kind == DEVMEM_HEAP || r->kind == DEVMEM_ARRAY || p - r->base >= r->size)
		return cudaErrorSymbolNotFound;
	if (!GUARD_OUT_OR_NULL(base) || !GUARD_OUT_OR_NULL(size))
		return cudaErrorInvalidValue;
	if (base)
		*base = r->base;
	if (size)
		*size = r->size;
	return cudaSuccess;
}

DRIVER(cuMemAlloc_v2, (CUdeviceptr * p, size_t size), alloc(p, size))
DRIVER(cuMemAllocPitch_v2, (CUdeviceptr * p, size_t *pitch, size_t width, size_t height, unsigned element),
       alloc_rows(p, pitch, width, height, element))
DRIVER(cuMemAllocManaged, (CUdeviceptr * p, size_t size, unsigned flags), alloc_shared(p, size, flags))
DRIVER(cuMemFree_v2, (CUdeviceptr p), alloc_free(TO(p)))
DRIVER(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t *size, CUdeviceptr p), address_range(base, size, p))
DRIVER(cuMemGetInfo_v2, (size_t * free, size_t *total), alloc_info(free, total))
DRIVER(cuMemAllocHost_v2, (void **p, size_t size), alloc_host(p, size, 0))
DRIVER(cuMemHostAlloc, (void **p, size_t size, unsigned flags), alloc_host(p, size, flags))
DRIVER(cuMemFreeHost, (void *p), alloc_free_host(p))
DRIVER(cuMemHostRegister_v2, (void *p, size_t size, unsigned flags), alloc_register(p, size, flags))
DRIVER(cuMemHostUnregister, (void *p), alloc_unregister(p))
DRIVER(cuMemHostGetDevicePointer_v2, (CUdeviceptr * p, void *host, unsigned flags), device_pointer(p, host, flags))
DRIVER(cuMemHostGetFlags, (unsigned *flags, void *host), alloc_host_flags(flags, host))

// --- where managed memory should be. Before CUDA 12.2 a place was a device number.

DRIVER(cuMemAdvise, (CUdeviceptr p, size_t n, int advice, CUdevice device), memory_advise(TO(p), n, advice, device))
DRIVER(cuMemAdvise_v2, (CUdeviceptr p, size_t n, int advice, struct cudaMemLocation l),
       memory_advise(TO(p), n, advice, memory_location(l)))
DRIVER_STREAM(cuMemPrefetchAsync, (CUdeviceptr p, size_t n, CUdevice device, cudaStream_t stream),
              memory_prefetch(TO(p), n, device, stream))
DRIVER_STREAM(cuMemPrefetchAsync_v2, (CUdeviceptr p, size_t n, struct cudaMemLocation l, unsigned flags, cudaStream_t stream),
              flags ? cudaErrorInvalidValue : memory_prefetch(TO(p), n, memory_location(l), stream))
DRIVER(cuMemRangeGetAttribute, (void *data, size_t size, int attribute, CUdeviceptr p, size_t n),
       memory_range_attribute(data, size, attribute, TO(p), n))
DRIVER(cuMemRangeGetAttributes, (void **data, size_t *sizes, int *attributes, size_t count, CUdeviceptr p, size_t n),
       memory_range_attributes(data, sizes, attributes, count, TO(p), n))

#define RANGES void *const *p, const size_t *sizes, size_t count
#define PLACES const struct cudaMemLocation *places, const size_t *first, size_t n_places
DRIVER_STREAM(cuMemPrefetchBatchAsync, (RANGES, PLACES, unsigned long long flags, cudaStream_t stream),
              batch_prefetch(p, sizes, count, places, first, n_places, flags, stream))
DRIVER_STREAM(cuMemDiscardAndPrefetchBatchAsync, (RANGES, PLACES, unsigned long long flags, cudaStream_t stream),
              batch_prefetch(p, sizes, count, places, first, n_places, flags, stream))
DRIVER_STREAM(cuMemDiscardBatchAsync, (RANGES, unsigned long long flags, cudaStream_t stream),
              batch_discard(p, sizes, count, flags, stream))
