// CTA barriers of machine code: BAR.SYNC, BAR.ARV, BAR.RED. See exec/barrier.h.
#include "cuda-sim/sass/exec/warp.h"

#include "isa/grids.h"

// What a reduction gave goes where B2R finds it.
static void deliver(struct sx_warp *w, const struct sx_group *g, const struct exec_barrier *b, const struct uop *u)
{
	uint8_t *fp = w->w.fp;
	uint32_t *row = (uint32_t *)(fp + SX_AT_RESULT), *pred = (uint32_t *)(fp + SX_AT_P_RESULT);
	uint32_t result = exec_barrier_result(b, (enum uop_bar)u->x[0]);
	if (u->x[0] < UOP_BAR_POPC)
		return;
	for (unsigned i = 0; i < WARP; i++)
		if (g->mask >> i & 1)
			row[i] = u->x[0] == UOP_BAR_POPC ? result : result != 0;
	*pred = (*pred & ~g->mask) | (result ? g->mask : 0);
}

static void open_barrier(struct sx_cta *c, unsigned id)
{
	struct exec_barrier *b = &c->x.barrier[id];
	c->opened = true;
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct sx_warp *w = &c->warp[k];
		if (!b->lanes[k])
			continue;
		w->fresh = SX_FRESH;
		for (uint32_t l = 0; l < w->n_group; l++) {
			struct sx_group *g = &w->group[l];
			if (g->state != SX_AT_BARRIER || g->barrier != id)
				continue;
			deliver(w, g, b, &c->kernel->uop[g->pc - 1]);
			g->state = SX_RUNS;
			w->settled = false;
		}
	}
	*b = (struct exec_barrier){0};
}

void sx_barrier_recheck(struct sx_cta *c)
{
	for (unsigned id = 0; id < EXEC_BARRIERS; id++)
		if (c->x.barrier[id].arrived && exec_barrier_complete(&c->x, id))
			open_barrier(c, id);
}

bool sx_barrier_arrive(struct sx_warp *w, struct sx_group *g, const struct uop *u, uint32_t mask)
{
	const uint8_t *fp = w->w.fp;
	unsigned lane = (unsigned)__builtin_ctz(mask);
	uint32_t id = ((const uint32_t *)(fp + u->a))[lane], count = u->b ? ((const uint32_t *)(fp + u->b))[lane] : 0;
	if (u->x[3])
		count = id >> 16, id &= 0xffff;
	uint32_t holds = 0;
	if (u->x[0] >= UOP_BAR_POPC) {
		uint32_t p = *(const uint32_t *)(fp + u->c);
		holds = u->flags & UOP_NEG_C ? ~p : p;
	}
	if (!exec_barrier_arrive(&w->w, u, mask, id, count, holds))
		return true;
	if (u->x[0] != UOP_BAR_ARRIVE) {
		g->state = SX_AT_BARRIER;
		g->barrier = (uint8_t)id;
	}
	if (exec_barrier_complete(&w->cta->x, id))
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
