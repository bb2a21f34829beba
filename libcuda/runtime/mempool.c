// Stream-ordered allocation. Memory is allocated when the call is made and freed when the stream gets there; pools only
// keep count.
#include "libcuda/memory/alloc.h"
#include "libcuda/runtime/api.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"

#include <string.h>

struct mempool {
	bool implicit; // the device's own: cannot be destroyed
	int reuse[3];
	uint64_t release_threshold, high;
};

static struct handle_pool pools = {.size = sizeof(struct mempool)};
static struct mempool *default_pool, *current_pool;

static struct mempool *pool_new(bool implicit)
{
	struct mempool *p = handle_new(&pools);
	*p = (struct mempool){.implicit = implicit, .reuse = {1, 1, 1}};
	return p;
}

static struct mempool *the_default(void)
{
	if (!default_pool)
		default_pool = current_pool = pool_new(true);
	return default_pool;
}

static struct mempool *pool_find(cudaMemPool_t handle)
{
	the_default();
	return handle && handle_valid(&pools, handle) ? handle : NULL;
}

static cudaError_t alloc(void **out, size_t size, struct mempool *pool, cudaStream_t stream)
{
	if (!out || !pool || !stream_find(stream))
		return out && pool ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*out = NULL;
	if (!size)
		return cudaSuccess;
	*out = (void *)memory_alloc(size, DEVMEM_DEVICE, 0);
	if (cu.mem->in_use > pool->high)
		pool->high = cu.mem->in_use;
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

static struct mempool *current(void) { return the_default() ? current_pool : NULL; }

API_STREAM(cudaMallocAsync, (void **p, size_t size, cudaStream_t stream), alloc(p, size, current(), stream))
API_STREAM(cudaMallocFromPoolAsync, (void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream),
           alloc(p, size, pool_find(pool), stream))

static cudaError_t free_async(void *p, cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!p)
		return cudaSuccess;
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)p);
	if (!r || r->base != (uint64_t)p || r->kind != DEVMEM_DEVICE) {
		cu_complain("%p is not the start of device memory that is allocated", p);
		return cudaErrorInvalidValue;
	}
	struct op *op = op_new(OP_FREE);
	op->u.free.addr = r->base;
	sim_push(s, op);
	return cudaSuccess;
}

API_STREAM(cudaFreeAsync, (void *p, cudaStream_t stream), free_async(p, stream))

static cudaError_t get_pool(cudaMemPool_t *out, int device, bool the_current)
{
	if (!out)
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*out = the_current ? current() : the_default();
	return cudaSuccess;
}

static cudaError_t set_pool(int device, cudaMemPool_t pool)
{
	if (device)
		return cudaErrorInvalidDevice;
	if (!pool_find(pool))
		return cudaErrorInvalidValue;
	current_pool = pool;
	return cudaSuccess;
}

API(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device), get_pool(pool, device, false))
API(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), get_pool(pool, device, true))
API(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), set_pool(device, pool))

static cudaError_t create(cudaMemPool_t *out, const struct cudaMemPoolProps *p)
{
	enum { PINNED_TYPE = 1 };
	if (!out || !p || p->allocType != PINNED_TYPE)
		return cudaErrorInvalidValue;
	if (p->handleTypes || memory_location(p->location))
		return cudaErrorNotSupported;
	the_default();
	*out = pool_new(false);
	return cudaSuccess;
}

static cudaError_t destroy(cudaMemPool_t pool)
{
	struct mempool *p = pool_find(pool);
	if (!p || p->implicit)
		return cudaErrorInvalidValue;
	if (current_pool == p)
		current_pool = default_pool;
	handle_free(&pools, p);
	return cudaSuccess;
}

API(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *props), create(pool, props))
API(cudaMemPoolDestroy, (cudaMemPool_t pool), destroy(pool))
API(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), pool_find(pool) ? cudaSuccess : cudaErrorInvalidValue)

// cudaMemPoolAttr.
enum { REUSE_FIRST = 1, REUSE_LAST = 3, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT, USED_HIGH };

static cudaError_t get_attribute(struct mempool *p, int attribute, void *value)
{
	if (!p || !value || attribute < REUSE_FIRST || attribute > USED_HIGH)
		return cudaErrorInvalidValue;
	if (attribute <= REUSE_LAST)
		*(int *)value = p->reuse[attribute - REUSE_FIRST];
	else if (attribute == RELEASE_THRESHOLD)
		*(uint64_t *)value = p->release_threshold;
	else
		*(uint64_t *)value = attribute == RESERVED_CURRENT || attribute == USED_CURRENT ? cu.mem->in_use : p->high;
	return cudaSuccess;
}

static cudaError_t set_attribute(struct mempool *p, int attribute, const void *value)
{
	if (!p || !value || attribute < REUSE_FIRST || attribute > USED_HIGH)
		return cudaErrorInvalidValue;
	if (attribute <= REUSE_LAST)
		p->reuse[attribute - REUSE_FIRST] = *(const int *)value;
	else if (attribute == RELEASE_THRESHOLD)
		p->release_threshold = *(const uint64_t *)value;
	else if ((attribute == RESERVED_HIGH || attribute == USED_HIGH) && !*(const uint64_t *)value)
		p->high = cu.mem->in_use;
	else
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

API(cudaMemPoolGetAttribute, (cudaMemPool_t pool, int attribute, void *value),
    get_attribute(pool_find(pool), attribute, value))
API(cudaMemPoolSetAttribute, (cudaMemPool_t pool, int attribute, void *value),
    set_attribute(pool_find(pool), attribute, value))

static cudaError_t get_access(int *flags, cudaMemPool_t pool, const struct cudaMemLocation *l)
{
	enum { READ_WRITE = 3 };
	if (!flags || !pool_find(pool) || !l || memory_location(*l))
		return cudaErrorInvalidValue;
	*flags = READ_WRITE;
	return cudaSuccess;
}

static cudaError_t set_access(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n)
{
	if (!pool_find(pool) || (n && !d))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++)
		if (memory_location(d[i].location))
			return cudaErrorInvalidDevice;
	return cudaSuccess;
}

API(cudaMemPoolGetAccess, (int *flags, cudaMemPool_t pool, struct cudaMemLocation *location),
    get_access(flags, pool, location))
API(cudaMemPoolSetAccess, (cudaMemPool_t pool, const struct cudaMemAccessDesc *desc, size_t n),
    set_access(pool, desc, n))
