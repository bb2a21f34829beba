// Lanes of PTX kernels that wait at barriers of their CTA, and go on. See exec/barrier.h.
#include "cuda-sim/simt/simt.h"

#include "isa/grids.h"

static void deliver(struct simt_warp *w, const struct split *s, const struct exec_barrier *b)
{
	const struct uop *u = s->at;
	uint8_t *fp = w->rows + w->frame.at[s->frame].fp;
	uint32_t *row = (uint32_t *)(fp + u->d), result = exec_barrier_result(b, (enum uop_bar)u->x[0]);
	if (u->x[0] == UOP_BAR_AND || u->x[0] == UOP_BAR_OR)
		*row = (*row & ~s->mask) | (result & s->mask);
	if (u->x[0] == UOP_BAR_POPC)
		for (unsigned i = 0; i < WARP; i++)
			row[i] = s->mask >> i & 1 ? result : row[i];
}

static void open_barrier(struct simt_cta *c, unsigned id)
{
	struct exec_barrier *b = &c->x.barrier[id];
	c->opened = true;
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct simt_warp *w = &c->warp[k];
		if (!b->lanes[k])
			continue;
		w->fresh = true;
		for (size_t l = 0; l < w->leaf.n; l++) {
			struct split *s = &w->split.at[w->leaf.at[l]];
			if (s->state == SPLIT_BARRIER && s->barrier == id) {
				deliver(w, s, b);
				s->state = SPLIT_RUN;
				w->settled = false;
			}
		}
	}
	*b = (struct exec_barrier){0};
}

void barrier_recheck(struct simt_cta *c)
{
	for (unsigned id = 0; id < EXEC_BARRIERS; id++)
		if (c->x.barrier[id].arrived && exec_barrier_complete(&c->x, id))
			open_barrier(c, id);
}

bool barrier_arrive(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t mask)
{
	struct split *s = &w->split.at[leaf];
	const uint8_t *fp = w->rows + w->frame.at[s->frame].fp;
	unsigned lane = (unsigned)__builtin_ctz(mask);
	uint32_t id = ((const uint32_t *)(fp + u->a))[lane];
	uint32_t count = u->b ? ((const uint32_t *)(fp + u->b))[lane] : 0;
	uint32_t holds = 0;
	if (u->x[0] >= UOP_BAR_POPC) {
		uint32_t p = *(const uint32_t *)(fp + u->c);
		holds = u->flags & UOP_NEG_C ? ~p : p;
	}
	if (!exec_barrier_arrive(&w->w, u, mask, id, count, holds))
		return true;
	if (u->x[0] != UOP_BAR_ARRIVE) {
		s->state = SPLIT_BARRIER;
		s->barrier = (uint8_t)id;
		s->at = u;
	}
	if (exec_barrier_complete(&w->cta->x, id))
		open_barrier(w->cta, id);
	return s->state == SPLIT_BARRIER;
}

bool barrier_children(struct simt_cta *c)
{
	if (!c->at_children || grids_wait(c->x.launches))
		return false;
	c->at_children = false;
	c->opened = true;
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct simt_warp *w = &c->warp[k];
		for (size_t l = 0; l < w->leaf.n; l++) {
			struct split *s = &w->split.at[w->leaf.at[l]];
			if (s->state == SPLIT_BARRIER && s->barrier == SIMT_CHILDREN) {
				s->state = SPLIT_RUN;
				w->settled = false;
			}
		}
	}
	return true;
}
