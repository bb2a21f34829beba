// What pointers are.
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/life/contexts.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/memory/pool.h"
#include "libcuda/memory/virtual.h"
#include "libcuda/work/wait.h"

enum { MEMORY_TYPE_HOST = 1, MEMORY_TYPE_DEVICE = 2, ACCESS_READ = 1, ACCESS_READ_WRITE = 3, NO_DEVICE = -2 };

// CU_POINTER_ATTRIBUTE_...
enum {
	CONTEXT = 1, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, P2P_TOKENS, SYNC_MEMOPS, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL, IPC_CAPABLE,
	RANGE_START, RANGE_SIZE, MAPPED, HANDLE_TYPES, RDMA_CAPABLE, ACCESS_FLAGS, MEMPOOL, MAPPING_SIZE, MAPPING_BASE, BLOCK_ID,
	DECOMPRESS_CAPABLE, LAST_ATTRIBUTE = DECOMPRESS_CAPABLE
};

static const struct devmem_range *range_of(CUdeviceptr p)
{
	const struct devmem_range *r = p ? devmem_find(cu.mem, p) : NULL;
	return r && r->kind != DEVMEM_HEAP && r->kind != DEVMEM_ARRAY ? r : NULL;
}

static bool on_host(const struct devmem_range *r) { return r->kind == DEVMEM_HOST || r->kind == DEVMEM_REGISTERED; }

// The value of an attribute, and its size. `r` is NULL for pointers that are none of ours: all is 0 then but the device.
static cudaError_t value_of(uint64_t *out, size_t *size, int attribute, const struct devmem_range *r, CUdeviceptr p)
{
	struct virtual_mapping m;
	bool mapped = r && r->flags & RANGE_MAPPED && virtual_find(&m, p);
	*out = 0;
	*size = sizeof(int);
	switch (attribute) {
	case CONTEXT:
		*size = sizeof(void *);
		*out = r && !mapped && !pool_of(r) ? (uint64_t)(uintptr_t)context_of_owner(r->owner) : 0;
		return cudaSuccess;
	case MEMORY_TYPE: *out = !r ? 0 : on_host(r) ? MEMORY_TYPE_HOST : MEMORY_TYPE_DEVICE; return cudaSuccess;
	case DEVICE_POINTER:
		*size = sizeof(void *);
		*out = r ? p : 0;
		return cudaSuccess;
	case HOST_POINTER:
		*size = sizeof(void *);
		*out = r && (on_host(r) || r->kind == DEVMEM_MANAGED) ? p : 0;
		return r && !*out ? cudaErrorInvalidValue : cudaSuccess;
	case P2P_TOKENS: return cudaErrorNotSupported;
	case SYNC_MEMOPS: *out = r && r->flags & RANGE_SYNC_MEMOPS; return cudaSuccess;
	case BUFFER_ID:
		*size = sizeof(uint64_t);
		*out = r ? r->uid : 0;
		return cudaSuccess;
	case IS_MANAGED: *out = r && r->kind == DEVMEM_MANAGED; return cudaSuccess;
	case DEVICE_ORDINAL: *out = r ? 0 : (uint32_t)NO_DEVICE; return cudaSuccess;
	case RANGE_START:
		*size = sizeof(void *);
		*out = r ? r->base : 0;
		return cudaSuccess;
	case RANGE_SIZE:
		*size = sizeof(size_t);
		*out = r ? r->size : 0;
		return cudaSuccess;
	case MAPPED: *out = r != NULL; return cudaSuccess;
	case HANDLE_TYPES:
		*size = sizeof(uint64_t);
		*out = mapped ? (uint64_t)m.handle_types : 0;
		return cudaSuccess;
	case ACCESS_FLAGS: *out = !r ? 0 : r->kind == DEVMEM_CONST ? ACCESS_READ : ACCESS_READ_WRITE; return cudaSuccess;
	case MEMPOOL:
		*size = sizeof(void *);
		*out = r ? (uint64_t)(uintptr_t)pool_of(r) : 0;
		return cudaSuccess;
	case MAPPING_SIZE:
		*size = sizeof(size_t);
		*out = mapped ? m.size : r ? r->size : 0;
		return cudaSuccess;
	case MAPPING_BASE:
		*size = sizeof(void *);
		*out = mapped ? m.base : r ? r->base : 0;
		return cudaSuccess;
	case BLOCK_ID:
		*size = sizeof(uint64_t);
		*out = mapped ? m.id : r ? r->uid : 0;
		return cudaSuccess;
	// Says what memory it is, although there is no other process to give it to: NCCL takes what is not for memory of cuMemCreate.
	case IPC_CAPABLE: *out = r && r->kind == DEVMEM_DEVICE && !mapped && !pool_of(r); return cudaSuccess;
	case RDMA_CAPABLE:
	case DECOMPRESS_CAPABLE: return cudaSuccess;
	default: return cudaErrorInvalidValue;
	}
}

static cudaError_t get(void *data, int attribute, CUdeviceptr p)
{
	const struct devmem_range *r = range_of(p);
	uint64_t value;
	size_t size;
	if (!data || !r)
		return cudaErrorInvalidValue;
	cudaError_t e = value_of(&value, &size, attribute, r, p);
	return e ? e : guard_write(data, &value, size) ? cudaSuccess : cudaErrorInvalidValue;
}

// Of these an attribute that the memory does not have is 0.
static cudaError_t get_many(unsigned n, const int *attributes, void **data, CUdeviceptr p)
{
	if (!n || !attributes || !data)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++) {
		int attribute;
		void *at;
		uint64_t value;
		size_t size;
		if (!guard_read(&attribute, &attributes[i], sizeof attribute) || !guard_read(&at, &data[i], sizeof at) || !at ||
		    attribute < CONTEXT || attribute > LAST_ATTRIBUTE || attribute == P2P_TOKENS)
			return cudaErrorInvalidValue;
		value_of(&value, &size, attribute, range_of(p), p);
		if (!guard_write(at, &value, size))
			return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

// Synchronous operations already wait for those before them on the same memory; with the attribute new ones find nothing pending.
static cudaError_t set(const void *value, int attribute, CUdeviceptr p)
{
	unsigned on;
	if (!value || attribute != SYNC_MEMOPS || !range_of(p) || !guard_read(&on, value, sizeof on) || on > 1)
		return cudaErrorInvalidValue;
	cudaError_t e = wait_all();
	if (!e)
		devmem_change_flags(cu.mem, p, RANGE_SYNC_MEMOPS, on ? RANGE_SYNC_MEMOPS : 0);
	return e;
}

DRIVER_NEEDS(DRIVER_MEMORY, cuPointerGetAttribute, (void *data, int attribute, CUdeviceptr p), get(data, attribute, p))
DRIVER_NEEDS(DRIVER_MEMORY, cuPointerGetAttributes, (unsigned n, const int *attributes, void **data, CUdeviceptr p),
             get_many(n, attributes, data, p))
DRIVER_NEEDS(DRIVER_MEMORY, cuPointerSetAttribute, (const void *value, int attribute, CUdeviceptr p), set(value, attribute, p))
