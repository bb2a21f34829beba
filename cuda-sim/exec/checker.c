#include "cuda-sim/exec/checker.h"

#include "cuda-sim/exec/cluster.h"

#include <string.h>

// Lanes outside the mask get the address of the first inside, so that what follows may look at all 32.
static void fill(uint64_t *restrict addr, uint32_t mask)
{
	const uint64_t first = addr[__builtin_ctz(mask)];
	if (mask == FULL_MASK)
		return;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++) {
		const uint64_t in = (uint64_t)-(int64_t)(mask >> i & 1);
		addr[i] = (addr[i] & in) | (first & ~in);
	}
}

static void tell(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	if (!w->fault)
		w->cta->check->by->touch(w, u, t);
}

static void tell_part(struct warp *w, const struct uop *u, const struct exec_touch *all, uint32_t mask, enum isa_space space, uint64_t window)
{
	if (!mask)
		return;
	struct exec_touch t = *all;
	t.space = (uint8_t)space;
	t.mask = mask;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		t.addr[i] = all->addr[i] - window;
	fill(t.addr, mask);
	tell(w, u, &t);
}

// Lanes go to the CTA's own shared memory, or to that of others.
static void tell_shared(struct warp *w, const struct uop *u, const struct exec_touch *all, uint32_t mask, uint64_t window)
{
	struct exec_touch t = *all;
	uint32_t remote = 0;
	if (!w->cta->cluster) {
		tell_part(w, u, all, mask, SPACE_SHARED, window);
		return;
	}
	for (uint32_t m = mask; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);
		const uint32_t addr = (uint32_t)(t.addr[i] - window);
		remote |= (uint32_t)(exec_cluster_rank(w->cta, addr) >= 0) << i;
		t.addr[i] = addr & EXEC_RANK_OFFSET;
	}
	tell_part(w, u, &t, mask & ~remote, SPACE_SHARED, 0);
	tell_part(w, u, &t, remote, SPACE_CLUSTER, 0);
}

void exec_check_touch(struct warp *w, const struct uop *u, struct exec_touch *t, enum exec_list how)
{
	uint64_t any = 0;
	fill(t->addr, t->mask);
	if (how == EXEC_LIST_GENERIC || t->space == SPACE_CONST)
		t->space = SPACE_GLOBAL;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		any |= t->addr[i];
	if (t->space == SPACE_SHARED && w->cta->cluster) {
		tell_shared(w, u, t, t->mask, 0);
		return;
	}
	if (how != EXEC_LIST_GENERIC || !(any >> 48)) {
		tell(w, u, t);
		return;
	}
	uint32_t shared = 0, local = 0;
	for (uint32_t m = t->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		shared |= (uint32_t)(t->addr[i] >> 48 == SHARED_WINDOW >> 48) << i;
		local |= (uint32_t)(t->addr[i] >> 48 == LOCAL_WINDOW >> 48) << i;
	}
	tell_part(w, u, t, t->mask & ~(shared | local), SPACE_GLOBAL, 0);
	tell_shared(w, u, t, shared, SHARED_WINDOW);
	tell_part(w, u, t, local, SPACE_LOCAL, LOCAL_WINDOW);
}
