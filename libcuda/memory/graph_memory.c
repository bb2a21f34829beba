#include "libcuda/memory/graph_memory.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/memory/room.h"

static VEC(struct graph_memory *) all;
static struct {
	uint64_t used, reserved, reserved_high; // bytes
} sums;

static void forget(struct graph_memory *m)
{
	uint64_t before = cu.mem->in_use;
	devmem_free(cu.mem, m->addr);
	cu.mem->in_use = before;
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i] == m)
			all.at[i] = all.at[--all.n];
	mem_free(m);
}

// Memory that nobody knows any more stays while work is under way, which may use it.
static void forget_unused(void)
{
	for (size_t i = all.n; i-- > 0 && !cu.pending;)
		if (!all.at[i]->refs)
			forget(all.at[i]);
}

void graph_memory_release(struct graph_memory *m)
{
	if (!--m->refs)
		forget_unused();
}

// The room is counted when it is in use, not when its address is reserved.
struct graph_memory *graph_memory_new(uint64_t size)
{
	if (size > cu.desc.memory_size)
		return NULL;
	forget_unused();
	uint64_t before = cu.mem->in_use, addr = devmem_alloc(cu.mem, size, 0, DEVMEM_DEVICE, RANGE_GRAPH);
	if (!addr)
		return NULL;
	cu.mem->in_use = before;
	struct graph_memory *m = MEM_NEW(struct graph_memory);
	*m = (struct graph_memory){.refs = 1, .addr = addr, .size = size};
	VEC_PUSH(&all, m);
	return m;
}

struct graph_memory *graph_memory_find(uint64_t addr)
{
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	if (!r || r->base != addr || !(r->flags & RANGE_GRAPH))
		return NULL;
	for (size_t i = all.n; i-- > 0;)
		if (all.at[i]->addr == addr && all.at[i]->refs)
			return all.at[i];
	return NULL;
}

cudaError_t graph_memory_begin(struct graph_memory *m)
{
	uint64_t used = sums.used + m->size, more = used > sums.reserved ? used - sums.reserved : 0;
	if (more > room_left())
		return cudaErrorMemoryAllocation;
	m->in_use = true;
	m->refs++;
	sums.used = used;
	sums.reserved += more;
	cu.mem->in_use += more;
	if (sums.reserved > sums.reserved_high)
		sums.reserved_high = sums.reserved;
	return cudaSuccess;
}

void graph_memory_end(struct graph_memory *m)
{
	if (!m->in_use)
		return;
	m->in_use = false;
	sums.used -= m->size;
	graph_memory_release(m);
}

cudaError_t graph_memory_free(struct graph_memory *m)
{
	if (!m->in_use || m->freed_inside)
		return cudaErrorInvalidValue;
	graph_memory_end(m);
	return cudaSuccess;
}

cudaError_t graph_memory_trim(int device)
{
	if (device)
		return cudaErrorInvalidValue;
	cu.mem->in_use -= sums.reserved - sums.used;
	sums.reserved = sums.used;
	return cudaSuccess;
}

// What counts as used is what graphs hold, in use or not: NVIDIA's sample graphMemoryFootprint reads it so.
enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH }; // cudaGraphMemAttributeType

cudaError_t graph_memory_get(int device, int attribute, void *value)
{
	const uint64_t now[] = {sums.reserved, sums.reserved_high, sums.reserved, sums.reserved_high};
	if (device)
		return cudaErrorInvalidDevice;
	if (attribute < USED || attribute > RESERVED_HIGH || !value)
		return cudaErrorInvalidValue;
	return guard_read(value, &now[attribute], sizeof now[attribute]) ? cudaSuccess : cudaErrorInvalidValue;
}

// A high mark can be set to 0 only: it begins again at what is there now.
cudaError_t graph_memory_set(int device, int attribute, const void *value)
{
	uint64_t given;
	if (device)
		return cudaErrorInvalidDevice;
	if ((attribute != USED_HIGH && attribute != RESERVED_HIGH) || !value || !guard_read(&given, value, sizeof given) || given)
		return cudaErrorInvalidValue;
	sums.reserved_high = sums.reserved;
	return cudaSuccess;
}

void graph_memory_reset(void)
{
	while (all.n)
		forget(all.at[0]);
	cu.mem->in_use -= sums.reserved;
	sums.used = sums.reserved = sums.reserved_high = 0;
}
