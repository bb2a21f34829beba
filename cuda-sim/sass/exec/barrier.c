// CTA barriers of machine code: BAR.SYNC, BAR.ARV, BAR.RED. What they count is PTX's (cuda-sim/simt/barrier.c).
#include "cuda-sim/sass/exec/warp.h"

#include "isa/grids.h"

static bool complete(const struct sx_cta *c, const struct sx_barrier *b)
{
	if (!b->arrived)
		return false;
	if (!b->count)
		return b->arrived >= c->live_threads;
	uint32_t n = 0;
	for (unsigned k = 0; k < c->x.n_warp; k++)
		if (b->lanes[k])
			n += (uint32_t)(__builtin_popcount(b->lanes[k]) + WARP - __builtin_popcount(c->warp[k].w.live | b->lanes[k]));
	return n >= b->count;
}

// What a reduction gave goes where B2R finds it.
static void deliver(struct sx_warp *w, const struct sx_group *g, const struct sx_barrier *b, const struct uop *u)
{
	uint8_t *fp = w->w.fp;
	uint32_t *row = (uint32_t *)(fp + SX_AT_RESULT), *pred = (uint32_t *)(fp + SX_AT_P_RESULT);
	bool holds = u->x[0] == UOP_BAR_AND ? b->popc == b->arrived : b->popc != 0;
	if (u->x[0] < UOP_BAR_POPC)
		return;
	for (unsigned i = 0; i < WARP; i++)
		if (g->mask >> i & 1)
			row[i] = u->x[0] == UOP_BAR_POPC ? b->popc : holds;
	*pred = (*pred & ~g->mask) | (holds ? g->mask : 0);
}

static void open_barrier(struct sx_cta *c, unsigned id)
{
	struct sx_barrier *b = &c->barrier[id];
	c->opened = true;
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct sx_warp *w = &c->warp[k];
		if (!b->lanes[k])
			continue;
		w->fresh = true;
		for (uint32_t l = 0; l < w->n_group; l++) {
			struct sx_group *g = &w->group[l];
			if (g->state != SX_AT_BARRIER || g->barrier != id)
				continue;
			deliver(w, g, b, &c->kernel->uop[g->pc - 1]);
			g->state = SX_RUNS;
			w->settled = false;
		}
	}
	*b = (struct sx_barrier){0};
}

void sx_barrier_recheck(struct sx_cta *c)
{
	for (unsigned id = 0; id < SX_BARRIERS; id++)
		if (c->barrier[id].arrived && complete(c, &c->barrier[id]))
			open_barrier(c, id);
}

bool sx_barrier_arrive(struct sx_warp *w, struct sx_group *g, const struct uop *u, uint32_t mask)
{
	const uint8_t *fp = w->w.fp;
	unsigned lane = (unsigned)__builtin_ctz(mask);
	uint32_t id = ((const uint32_t *)(fp + u->a))[lane], count = u->b ? ((const uint32_t *)(fp + u->b))[lane] : 0;
	if (u->x[3])
		count = id >> 16, id &= 0xffff;
	uint32_t asked = w->cta->x.launch->services->named_barriers, have = asked && asked < SX_BARRIERS ? asked : SX_BARRIERS;
	if (id >= have) {
		exec_fault(&w->w, u, FAULT_ILLEGAL_INSTRUCTION, lane, id, "barrier %u does not exist (0 to %u do)%s", id, have - 1,
		           have < SX_BARRIERS ? "; -gpgpu_num_cta_barriers gives a CTA no more" : "");
		return true;
	}
	if (count % WARP) {
		exec_fault(&w->w, u, FAULT_ILLEGAL_INSTRUCTION, lane, count,
		           "barrier %u: a thread count of %u is not a multiple of the warp size", id, count);
		return true;
	}
	struct sx_barrier *b = &w->cta->barrier[id];
	b->count = count;
	b->arrived += (uint32_t)__builtin_popcount(mask & ~b->lanes[w->w.id]);
	b->lanes[w->w.id] |= mask;
	if (u->x[0] >= UOP_BAR_POPC) {
		uint32_t p = *(const uint32_t *)(fp + u->c);
		b->popc += (uint32_t)__builtin_popcount((u->flags & UOP_NEG_C ? ~p : p) & mask);
	}
	if (u->x[0] != UOP_BAR_ARRIVE) {
		g->state = SX_AT_BARRIER;
		g->barrier = (uint8_t)id;
	}
	if (complete(w->cta, b))
		open_barrier(w->cta, id);
	return g->state == SX_AT_BARRIER;
}

bool sx_barrier_children(struct sx_cta *c)
{
	if (!c->at_children || grids_wait(c->x.launches))
		return false;
	c->at_children = false;
	c->opened = true;
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct sx_warp *w = &c->warp[k];
		for (uint32_t l = 0; l < w->n_group; l++) {
			if (w->group[l].state != SX_AT_CHILDREN)
				continue;
			w->group[l].state = SX_RUNS;
			w->settled = false;
		}
	}
	return true;
}
