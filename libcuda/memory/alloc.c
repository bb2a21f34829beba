// Allocation: device, pinned, managed and registered memory, and what pointers are.
#include "libcuda/memory/alloc.h"

#include "libcuda/context/guard.h"
#include "libcuda/memory/graph_memory.h"
#include "libcuda/memory/room.h"
#include "libcuda/work/wait.h"

#include <string.h>

enum { HOST_REGISTER_FLAGS = 15, REGISTER_READ_ONLY = 8 };

static bool counts(enum devmem_kind kind) { return kind != DEVMEM_HOST && kind != DEVMEM_REGISTERED; }

bool memory_room(uint64_t size) { return size <= room_usable() && cu.mem->in_use <= room_usable() - size; }

uint64_t memory_alloc(uint64_t size, enum devmem_kind kind, uint32_t flags)
{
	if (counts(kind) && !memory_room(size))
		return 0;
	if (size > cu.mem->size)
		return 0;
	uint64_t p = devmem_alloc(cu.mem, size, 0, kind, flags);
	if (p && (kind == DEVMEM_HOST || kind == DEVMEM_MANAGED))
		cu.host_visible++;
	return p;
}

static uint64_t pool_bytes[MOST_POOLS]; // by the pool's number

uint64_t *memory_pool_bytes(uint32_t range_flags) { return &pool_bytes[range_flags >> RANGE_POOL_SHIFT]; }

void device_free(uint64_t addr)
{
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	if (!r)
		return;
	if ((r->kind == DEVMEM_HOST || r->kind == DEVMEM_MANAGED) && cu.host_visible)
		cu.host_visible--;
	if (r->kind == DEVMEM_DEVICE && r->flags >> RANGE_POOL_SHIFT)
		*memory_pool_bytes(r->flags) -= r->size;
	devmem_free(cu.mem, addr);
}

cudaError_t alloc_new(void **out, size_t size, enum devmem_kind kind, uint32_t flags)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	*out = NULL;
	if (!size)
		return cudaSuccess;
	*out = (void *)memory_alloc(size, kind, flags);
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t alloc_managed(void **p, size_t size, unsigned flags)
{
	if (!size || (flags != 1 && flags != 2)) // attached to all streams, or to the host
		return cudaErrorInvalidValue;
	return alloc_new(p, size, DEVMEM_MANAGED, flags);
}

// Rows start at multiples of the texture pitch alignment, and of 512 bytes, the pitch seen on real devices.
static size_t pitch_of(size_t width) { return (width + 511) / 512 * 512; }

cudaError_t alloc_pitch(void **p, size_t *pitch, size_t width, size_t height, size_t depth)
{
	if (!GUARD_OUT(p) || !GUARD_OUT(pitch) || width > cu.desc.max_pitch)
		return cudaErrorInvalidValue;
	if (!width || !height || !depth) {
		*pitch = pitch_of(width);
		*p = NULL;
		return cudaSuccess;
	}
	uint64_t rows = cu.desc.memory_size / pitch_of(width);
	if (height > rows || depth > rows / height)
		return cudaErrorMemoryAllocation;
	cudaError_t e = alloc_new(p, pitch_of(width) * height * depth, DEVMEM_DEVICE, 0);
	if (!e)
		*pitch = pitch_of(width);
	return e;
}

cudaError_t alloc_3d(struct cudaPitchedPtr *out, struct cudaExtent e)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	struct cudaPitchedPtr made = {.xsize = e.width, .ysize = e.height};
	cudaError_t error = alloc_pitch(&made.ptr, &made.pitch, e.width, e.height, e.depth);
	if (!error)
		*out = made;
	return error;
}

static const struct devmem_range *allocation(const void *p)
{
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)p) : NULL;
	return r && r->base == (uint64_t)p ? r : NULL;
}

// Freeing waits for the device, as with the real runtime.
cudaError_t alloc_free(void *p)
{
	if (!p)
		return cudaSuccess;
	cudaError_t e = wait_all();
	if (e)
		return e;
	struct graph_memory *m = graph_memory_find((uint64_t)(uintptr_t)p);
	if (m)
		return graph_memory_free(m);
	const struct devmem_range *r = allocation(p);
	if (!r || (r->kind != DEVMEM_DEVICE && r->kind != DEVMEM_MANAGED) || r->flags & RANGE_MAPPED) {
		cu_complain("%p is not the start of device memory that is allocated%s", p,
		            r && r->kind == DEVMEM_HOST ? "; pinned memory is freed by cudaFreeHost" : "");
		return cudaErrorInvalidValue;
	}
	device_free(r->base);
	return cudaSuccess;
}

cudaError_t alloc_free_host(void *p)
{
	if (!p)
		return cudaSuccess;
	cudaError_t e = wait_all();
	if (e)
		return e;
	const struct devmem_range *r = allocation(p);
	if (!r || r->kind != DEVMEM_HOST || r->flags & RANGE_MAPPED) {
		cu_complain("%p is not the start of pinned memory that is allocated", p);
		return cudaErrorInvalidValue;
	}
	device_free(r->base);
	return cudaSuccess;
}

cudaError_t alloc_register(void *p, size_t size, unsigned flags)
{
	if (!p || !size || flags & ~HOST_REGISTER_FLAGS)
		return cudaErrorInvalidValue;
	if (flags & REGISTER_READ_ONLY)
		return cudaErrorNotSupported;
	if (devmem_find(cu.mem, (uint64_t)p))
		return cudaErrorHostMemoryAlreadyRegistered;
	if (!guard_mapped(p, size)) {
		cu_complain("%zu bytes at %p are not all memory of this program", size, p);
		return cudaErrorInvalidValue;
	}
	// Registering needs memory that can be written, but for a flag that a GPU without cudaDevAttrHostRegisterReadOnlySupported
	// does not take.
	if (!guard_writable(p, size)) {
		cu_complain("the memory at %p cannot be written", p);
		return cudaErrorInvalidValue;
	}
	if (!devmem_register(cu.mem, (uint64_t)p, size, flags))
		return cudaErrorHostMemoryAlreadyRegistered;
	cu.host_visible++;
	return cudaSuccess;
}

cudaError_t alloc_unregister(void *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	cudaError_t e = wait_all();
	if (e)
		return e;
	const struct devmem_range *r = allocation(p);
	if (!r || r->kind != DEVMEM_REGISTERED || !devmem_unregister(cu.mem, r->base))
		return cudaErrorHostMemoryNotRegistered;
	cu.host_visible -= cu.host_visible > 0;
	return cudaSuccess;
}

static const struct devmem_range *pinned(const void *p)
{
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)p) : NULL;
	return r && (r->kind == DEVMEM_HOST || r->kind == DEVMEM_REGISTERED) ? r : NULL;
}

cudaError_t alloc_device_pointer(void **out, void *host, unsigned flags)
{
	if (!GUARD_OUT(out) || flags || !pinned(host))
		return cudaErrorInvalidValue;
	*out = host; // host and device addresses are the same
	return cudaSuccess;
}

cudaError_t alloc_host_flags(unsigned *flags, void *host)
{
	const struct devmem_range *r = pinned(host);
	if (!GUARD_OUT(flags) || !r)
		return cudaErrorInvalidValue;
	*flags = (r->flags & RANGE_API_FLAGS) | 2; // with unified addresses everything is mapped
	return cudaSuccess;
}

cudaError_t alloc_info(size_t *free, size_t *total)
{
	if (!GUARD_OUT(free) || !GUARD_OUT(total))
		return cudaErrorInvalidValue;
	*total = cu.desc.memory_size;
	*free = room_left();
	return cudaSuccess;
}

cudaError_t memory_attributes(struct cudaPointerAttributes *out, const void *p)
{
	*out = (struct cudaPointerAttributes){.type = MEMORY_UNREGISTERED, .device = -2, .hostPointer = (void *)p};
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)p) : NULL;
	if (!r || r->kind == DEVMEM_HEAP)
		return cudaSuccess;
	bool host = r->kind == DEVMEM_HOST || r->kind == DEVMEM_REGISTERED;
	out->type = host ? MEMORY_HOST : r->kind == DEVMEM_MANAGED ? MEMORY_MANAGED : MEMORY_DEVICE;
	out->device = 0;
	out->devicePointer = (void *)p;
	out->hostPointer = out->type == MEMORY_DEVICE ? NULL : (void *)p;
	return cudaSuccess;
}
