#include "libcuda/memory/pool.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/advice.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/capture.h"
#include "libcuda/memory/graph_memory.h"
#include "libcuda/work/wait.h"

enum { N_REUSE = 3, POOL_TYPE_PINNED = 1, POOL_TYPE_MANAGED, DEVICE_PLACE = 1, LAST_PLACE = 4 };

struct mempool {
	bool implicit; // the device's own: cannot be destroyed
	bool ended;    // destroyed by the program, with memory in use
	uint32_t number;
	int reuse[N_REUSE];
	uint64_t release_threshold, most; // most: bytes, 0: no limit
	uint64_t used_high, reserved_high;
};

static struct handle_pool pools = {.size = sizeof(struct mempool)};
static VEC(struct mempool *) numbered; // at [number - 1]; NULL where the number is free
static struct mempool *default_pool, *current_pool;

// Allocations carry the number of their pool in their flags.
static uint32_t flags_of(const struct mempool *p) { return p->number << RANGE_POOL_SHIFT; }
static uint64_t used(const struct mempool *p) { return *memory_pool_bytes(flags_of(p)); }

static struct mempool *pool_new(bool implicit)
{
	size_t n = 0;
	while (n < numbered.n && numbered.at[n])
		n++;
	if (n + 1 >= MOST_POOLS)
		return NULL;
	struct mempool *p = handle_new(&pools);
	*p = (struct mempool){.implicit = implicit, .reuse = {1, 1, 1}, .number = (uint32_t)n + 1};
	if (n == numbered.n)
		VEC_PUSH(&numbered, p);
	else
		numbered.at[n] = p;
	return p;
}

static void forget(struct mempool *p)
{
	numbered.at[p->number - 1] = NULL;
	handle_free(&pools, p);
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
	return handle && handle_valid(&pools, handle) && !handle->ended ? handle : NULL;
}

static struct mempool *current(void) { return the_default() ? current_pool : NULL; }

cudaMemPool_t pool_of(const struct devmem_range *r)
{
	uint32_t number = r->kind == DEVMEM_DEVICE ? r->flags >> RANGE_POOL_SHIFT : 0;
	return number && number <= numbered.n ? numbered.at[number - 1] : NULL;
}

// Pools go that were destroyed and have nothing in use any more.
static void collect(void)
{
	for (size_t i = 0; i < numbered.n; i++)
		if (numbered.at[i] && numbered.at[i]->ended && !used(numbered.at[i]))
			forget(numbered.at[i]);
}

void pools_reset(void)
{
	for (size_t i = 0; i < numbered.n; i++)
		if (numbered.at[i] && !numbered.at[i]->implicit)
			forget(numbered.at[i]);
	if (default_pool)
		*default_pool = (struct mempool){.implicit = true, .reuse = {1, 1, 1}, .number = default_pool->number};
	current_pool = default_pool;
}

// --- memory

cudaError_t pool_alloc(void **out, size_t size, cudaMemPool_t handle, cudaStream_t stream)
{
	struct mempool *p = pool_find(handle);
	if (!GUARD_OUT(out) || !p)
		return cudaErrorInvalidValue;
	if (!stream_find(stream))
		return cudaErrorInvalidResourceHandle;
	*out = NULL;
	if (!size)
		return cudaSuccess;
	cudaError_t e;
	if (cu.capture && cu.capture->alloc(stream_find(stream), size, out, &e))
		return e;
	if (p->most && (size > p->most || used(p) > p->most - size))
		return cudaErrorMemoryAllocation;
	*out = (void *)memory_alloc(size, DEVMEM_DEVICE, flags_of(p));
	if (!*out)
		return cudaErrorMemoryAllocation;
	uint64_t now = *memory_pool_bytes(flags_of(p)) += size;
	if (now > p->used_high)
		p->used_high = now;
	if (now > p->reserved_high)
		p->reserved_high = now;
	return cudaSuccess;
}

cudaError_t pool_alloc_current(void **out, size_t size, cudaStream_t stream) { return pool_alloc(out, size, current(), stream); }

cudaError_t pool_free_async(void *p, cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!p)
		return cudaSuccess;
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)p);
	if (!r || r->base != (uint64_t)p || r->kind != DEVMEM_DEVICE || r->flags & RANGE_MAPPED) {
		cu_complain("%p is not the start of device memory that is allocated", p);
		return cudaErrorInvalidValue;
	}
	struct graph_memory *m = graph_memory_find(r->base);
	if (m && !s->capture)
		return graph_memory_free(m);
	struct op *op = op_new(OP_FREE);
	op->u.free.addr = r->base;
	op->u.free.used = memory_pool_bytes(r->flags);
	return sim_push(s, op);
}

// --- which pool

static cudaError_t give(cudaMemPool_t *out, int device, struct mempool *p)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*out = p;
	return cudaSuccess;
}

cudaError_t pool_default(cudaMemPool_t *out, int device) { return give(out, device, the_default()); }
cudaError_t pool_current(cudaMemPool_t *out, int device) { return give(out, device, current()); }

cudaError_t pool_set_current(int device, cudaMemPool_t pool)
{
	if (device)
		return cudaErrorInvalidDevice;
	if (!pool_find(pool))
		return cudaErrorInvalidValue;
	current_pool = pool;
	return cudaSuccess;
}

static cudaError_t place(int *device, const struct cudaMemLocation *given, int type)
{
	struct cudaMemLocation l;
	if (!given || !guard_read(&l, given, sizeof l) || type < POOL_TYPE_PINNED || type > POOL_TYPE_MANAGED || l.type < 0 || l.type > LAST_PLACE)
		return cudaErrorInvalidValue;
	if (type == POOL_TYPE_MANAGED || l.type > DEVICE_PLACE)
		return cudaErrorNotSupported;
	*device = l.id;
	return l.type == DEVICE_PLACE ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t pool_default_at(cudaMemPool_t *out, const struct cudaMemLocation *l, int type)
{
	int device;
	cudaError_t e = place(&device, l, type);
	return e ? e : pool_default(out, device);
}

cudaError_t pool_current_at(cudaMemPool_t *out, const struct cudaMemLocation *l, int type)
{
	int device;
	cudaError_t e = place(&device, l, type);
	return e ? e : pool_current(out, device);
}

cudaError_t pool_set_current_at(const struct cudaMemLocation *l, int type, cudaMemPool_t pool)
{
	int device;
	cudaError_t e = place(&device, l, type);
	return e ? e : pool_set_current(device, pool);
}

// --- pools of the program

cudaError_t pool_create(cudaMemPool_t *out, const struct cudaMemPoolProps *given)
{
	struct cudaMemPoolProps p;
	if (!GUARD_OUT(out) || !GUARD_IN(p, given) || p.allocType < POOL_TYPE_PINNED || p.allocType > POOL_TYPE_MANAGED)
		return cudaErrorInvalidValue;
	if (p.allocType == POOL_TYPE_MANAGED || p.handleTypes || (p.location.type > DEVICE_PLACE && p.location.type <= LAST_PLACE))
		return cudaErrorNotSupported;
	if (p.location.type != DEVICE_PLACE)
		return cudaErrorInvalidValue;
	if (p.location.id)
		return cudaErrorInvalidDevice;
	the_default();
	collect();
	struct mempool *made = pool_new(false);
	if (!made)
		return cudaErrorMemoryAllocation;
	made->most = p.maxSize;
	*out = made;
	return cudaSuccess;
}

cudaError_t pool_destroy(cudaMemPool_t pool)
{
	struct mempool *p = pool_find(pool);
	if (!p || p->implicit)
		return cudaErrorInvalidValue;
	if (current_pool == p)
		current_pool = default_pool;
	p->ended = true;
	collect();
	return cudaSuccess;
}

cudaError_t pool_trim(cudaMemPool_t pool, size_t keep) { return pool_find(pool) ? cudaSuccess : cudaErrorInvalidValue; }

// cudaMemPoolAttr.
enum { REUSE_FIRST = 1, REUSE_LAST = 3, RELEASE_THRESHOLD, RESERVED_CURRENT, RESERVED_HIGH, USED_CURRENT, USED_HIGH };

cudaError_t pool_get_attribute(cudaMemPool_t pool, int attribute, void *value)
{
	struct mempool *p = pool_find(pool);
	if (!p || !value || attribute < REUSE_FIRST || attribute > USED_HIGH)
		return cudaErrorInvalidValue;
	if (attribute <= REUSE_LAST)
		return guard_write(value, &p->reuse[attribute - REUSE_FIRST], sizeof(int)) ? cudaSuccess : cudaErrorInvalidValue;
	uint64_t v = attribute == RELEASE_THRESHOLD ? p->release_threshold
	             : attribute == RESERVED_HIGH   ? p->reserved_high
	             : attribute == USED_HIGH       ? p->used_high
	                                            : used(p);
	return guard_write(value, &v, sizeof v) ? cudaSuccess : cudaErrorInvalidValue;
}

// High-water marks can only be set to 0, which makes them what is in use.
cudaError_t pool_set_attribute(cudaMemPool_t pool, int attribute, const void *value)
{
	struct mempool *p = pool_find(pool);
	uint64_t v = 0;
	if (!p || !value || attribute < REUSE_FIRST || attribute > USED_HIGH ||
	    !guard_read(&v, value, attribute <= REUSE_LAST ? sizeof(int) : sizeof v))
		return cudaErrorInvalidValue;
	if (attribute <= REUSE_LAST)
		p->reuse[attribute - REUSE_FIRST] = (int)v;
	else if (attribute == RELEASE_THRESHOLD)
		p->release_threshold = v;
	else if (attribute == RESERVED_HIGH && !v)
		p->reserved_high = used(p);
	else if (attribute == USED_HIGH && !v)
		p->used_high = used(p);
	else
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_READ_WRITE = 3 };

cudaError_t pool_get_access(int *flags, cudaMemPool_t pool, const struct cudaMemLocation *given)
{
	struct cudaMemLocation l;
	if (!GUARD_OUT(flags) || !pool_find(pool) || !GUARD_IN(l, given) || memory_location(l))
		return cudaErrorInvalidValue;
	*flags = ACCESS_READ_WRITE;
	return cudaSuccess;
}

// The device that a pool is on always has access to it.
cudaError_t pool_set_access(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n)
{
	if (!pool_find(pool) || (n && !d))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++) {
		struct cudaMemAccessDesc a;
		if (!guard_read(&a, &d[i], sizeof a) || (a.flags != ACCESS_NONE && a.flags != ACCESS_READ && a.flags != ACCESS_READ_WRITE))
			return cudaErrorInvalidValue;
		if (memory_location(a.location))
			return cudaErrorInvalidDevice;
		if (a.flags != ACCESS_READ_WRITE)
			return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

// --- other processes

enum { HANDLE_FD = 1, HANDLE_FABRIC = 8 };

static bool handle_type(int type) { return type >= HANDLE_FD && type <= HANDLE_FABRIC && !(type & (type - 1)); }

cudaError_t pool_export(void *handle, cudaMemPool_t pool, int type, unsigned flags)
{
	if (!handle || !pool_find(pool) || flags || !handle_type(type))
		return cudaErrorInvalidValue;
	cu_complain("the pool was not made for sharing, and none can be made so here");
	return cudaErrorInvalidValue;
}

cudaError_t pool_import(cudaMemPool_t *out, void *handle, int type, unsigned flags)
{
	return !out || flags || !handle_type(type) ? cudaErrorInvalidValue : cudaErrorNotSupported;
}

cudaError_t pool_export_pointer(void *data, void *p)
{
	if (data && p)
		cu_complain("%p is no memory of a pool that was made for sharing, and none can be made so here", p);
	return cudaErrorInvalidValue;
}

cudaError_t pool_import_pointer(void **out, cudaMemPool_t pool, void *data) { return cudaErrorInvalidValue; }
