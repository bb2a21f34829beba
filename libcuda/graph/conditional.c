#include "libcuda/graph/conditional.h"

#include "base/mem.h"
#include "libcuda/checkpoint/checkpoint.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/graph.h"

#include <string.h>

cudaError_t conditional_create(uint64_t *out, struct graph *g, unsigned start, unsigned flags)
{
	if (!GUARD_OUT(out) || !g || flags & ~(unsigned)CONDITION_ASSIGN_DEFAULT)
		return cudaErrorInvalidValue;
	uint64_t addr = devmem_alloc(cu.mem, sizeof start, 0, DEVMEM_GLOBAL, 0);
	if (!addr)
		return cudaErrorMemoryAllocation;
	struct conditional *c = MEM_NEW(struct conditional);
	*c = (struct conditional){.refs = 1, .addr = addr, .start = start, .flags = flags};
	VEC_PUSH(&g->conditionals, c);
	*out = addr;
	return cudaSuccess;
}

struct conditional *conditional_of(const struct graph *g, uint64_t handle)
{
	for (size_t i = 0; i < g->conditionals.n; i++)
		if (g->conditionals.at[i]->addr == handle)
			return g->conditionals.at[i];
	return NULL;
}

void conditional_release(struct conditional *c)
{
	if (--c->refs)
		return;
	devmem_free(cu.mem, c->addr);
	mem_free(c);
}

unsigned conditional_value(const struct conditional *c)
{
	unsigned value = *(const volatile unsigned *)(uintptr_t)c->addr;
	return cu.checkpoint ? checkpoint_condition(value) : value;
}

void conditional_begin(const struct conditional *c)
{
	if (c->flags & CONDITION_ASSIGN_DEFAULT)
		*(volatile unsigned *)(uintptr_t)c->addr = c->start;
}
