// Lanes of PTX kernels that wait at barriers of their CTA, and go on. See exec/barrier.h.
#include "cuda-sim/simt/simt.h"

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

void simt_release(struct warp *warp, uint32_t barrier, const struct exec_barrier *b)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	w->fresh |= barrier < EXEC_BARRIERS || barrier == EXEC_AT_CLUSTER;
	for (size_t l = 0; l < w->leaf.n; l++) {
		struct split *s = &w->split.at[w->leaf.at[l]];
		if (s->state != SPLIT_BARRIER || s->barrier != barrier)
			continue;
		if (barrier < EXEC_BARRIERS)
			deliver(w, s, b);
		s->state = SPLIT_RUN;
		w->w.settled = false;
	}
}

void simt_arrive(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t mask)
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
		return;
	if (u->x[0] != UOP_BAR_ARRIVE) {
		s->state = SPLIT_BARRIER;
		s->barrier = (uint8_t)id;
		s->at = u;
	}
	exec_barrier_open(&w->cta->x, id);
}
