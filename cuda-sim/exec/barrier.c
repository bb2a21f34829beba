#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/engine.h"

#include "isa/grids.h"

#include <stdio.h>

bool exec_barrier_complete(const struct exec_cta *c, uint32_t id)
{
	const struct exec_barrier *b = &c->barrier[id];
	if (!b->arrived)
		return false;
	if (!b->count)
		return b->arrived >= c->live_threads;
	uint32_t n = b->again;
	for (unsigned k = 0; k < c->n_warp; k++)
		if (b->lanes[k])
			n += (uint32_t)(__builtin_popcount(b->lanes[k]) + WARP - __builtin_popcount(c->warp[k]->live | b->lanes[k]));
	return n >= b->count;
}

void exec_barrier_open(struct exec_cta *c, uint32_t id)
{
	struct exec_barrier *b = &c->barrier[id];
	if (!exec_barrier_complete(c, id))
		return;
	c->opened = true;
	if (c->check)
		c->check->by->open(c, id);
	for (unsigned k = 0; k < c->n_warp; k++)
		if (b->lanes[k])
			c->engine->release(c->warp[k], id, b);
	*b = (struct exec_barrier){0};
	c->came &= ~(1u << id);
}

void exec_barriers_open(struct exec_cta *c)
{
	exec_cluster_exits(c);
	for (uint32_t m = c->came; m; m &= m - 1)
		exec_barrier_open(c, (uint32_t)__builtin_ctz(m));
}

bool exec_children_open(struct exec_cta *c)
{
	if (!c->at_children || c->launch->behind || (c->launches && grids_wait(c->launches)))
		return false;
	c->at_children = false;
	c->opened = true;
	for (unsigned k = 0; k < c->n_warp; k++)
		c->engine->release(c->warp[k], EXEC_CHILDREN, NULL);
	return true;
}

bool exec_barrier_arrive(struct warp *w, const struct uop *u, uint32_t mask, uint32_t id, uint32_t count, uint32_t holds)
{
	unsigned lane = (unsigned)__builtin_ctz(mask);
	uint32_t asked = w->cta->launch->services->named_barriers, have = asked && asked < EXEC_BARRIERS ? asked : EXEC_BARRIERS;
	if (id >= have) {
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, lane, id, "barrier %u does not exist (0 to %u do)%s", id, have - 1,
		           have < EXEC_BARRIERS ? "; -gpgpu_num_cta_barriers gives a CTA no more" : "");
		return false;
	}
	if (count % WARP) {
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, lane, count,
		           "barrier %u: a thread count of %u is not a multiple of the warp size", id, count);
		return false;
	}
	struct exec_barrier *b = &w->cta->barrier[id];
	b->count = count;
	w->cta->came |= 1u << id;
	const uint32_t twice = mask & b->lanes[w->id];
	if (count && twice) // lanes that have exited count with the others of their warp
		b->again += twice == w->live ? WARP : (uint32_t)__builtin_popcount(twice);
	b->arrived += (uint32_t)__builtin_popcount(mask & ~b->lanes[w->id]);
	b->lanes[w->id] |= mask;
	b->popc += (uint32_t)__builtin_popcount(holds & mask);
	if (w->cta->check)
		w->cta->check->by->arrive(w, mask, id, u->x[0] != UOP_BAR_ARRIVE, u->flags & UOP_ALIGNED);
	return true;
}

uint32_t exec_barrier_result(const struct exec_barrier *b, enum uop_bar what)
{
	switch (what) {
	case UOP_BAR_POPC: return b->popc;
	case UOP_BAR_AND: return b->popc == b->arrived ? FULL_MASK : 0;
	case UOP_BAR_OR: return b->popc ? FULL_MASK : 0;
	default: return 0;
	}
}

// The warps of the CTA that have not come: ", missing: warp 2, 5".
static void missing(const struct exec_cta *c, const struct exec_barrier *b, char *buf, size_t len)
{
	size_t n = 0;
	unsigned count = 0;
	buf[0] = 0;
	for (unsigned k = 0; k < c->n_warp && n + 32 < len; k++) {
		uint32_t live = c->warp[k]->live & ~b->lanes[k];
		if (!live || (b->count && b->lanes[k]))
			continue;
		if (count++ == 8) {
			snprintf(buf + n, len - n, " and more");
			return;
		}
		n += (size_t)snprintf(buf + n, len - n, "%s %u", count == 1 ? ", missing: warp" : ",", k);
		if (live != c->warp[k]->live)
			n += (size_t)snprintf(buf + n, len - n, " lanes %08x", live);
	}
}

void exec_barrier_describe(const struct exec_cta *c, uint32_t id, char *buf, size_t len)
{
	const struct exec_barrier *b = &c->barrier[id];
	char others[200];
	missing(c, b, others, sizeof others);
	snprintf(buf, len, "waits at barrier %u (%u of %u threads have come%s)", id, b->arrived + b->again, b->count ? b->count : c->live_threads,
	         others);
}
