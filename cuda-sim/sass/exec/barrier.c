// CTA barriers of machine code: BAR.SYNC, BAR.ARV, BAR.RED. See exec/barrier.h.
#include "cuda-sim/sass/exec/warp.h"

// What a reduction gave goes where B2R finds it.
static void deliver(struct sx_warp *w, const struct sx_group *g, const struct exec_barrier *b, const struct uop *u)
{
	uint8_t *fp = w->w.fp;
	uint32_t *row = (uint32_t *)(fp + w->cta->kernel->extra[SX_RESULT]), *pred = (uint32_t *)(fp + SX_AT_P_RESULT);
	uint32_t result = exec_barrier_result(b, (enum uop_bar)u->x[0]);
	if (u->x[0] < UOP_BAR_POPC)
		return;
	for (unsigned i = 0; i < WARP; i++)
		if (g->mask >> i & 1)
			row[i] = u->x[0] == UOP_BAR_POPC ? result : result != 0;
	*pred = (*pred & ~g->mask) | (result ? g->mask : 0);
}

void sx_release(struct warp *warp, uint32_t barrier, const struct exec_barrier *b)
{
	struct sx_warp *w = (struct sx_warp *)warp;
	if (barrier < EXEC_BARRIERS || barrier == EXEC_AT_CLUSTER)
		w->fresh = SX_FRESH;
	for (uint32_t l = 0; l < w->n_group; l++) {
		struct sx_group *g = &w->group[l];
		if (g->state != SX_AT_BARRIER || g->barrier != barrier)
			continue;
		if (barrier < EXEC_BARRIERS)
			deliver(w, g, b, &w->cta->kernel->uop[g->pc - 1]);
		g->state = SX_RUNS;
		w->w.settled = false;
	}
}

void sx_arrive(struct sx_warp *w, struct sx_group *g, const struct uop *u, uint32_t mask)
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
		return;
	if (u->x[0] != UOP_BAR_ARRIVE) {
		g->state = SX_AT_BARRIER;
		g->barrier = (uint8_t)id;
	}
	exec_barrier_open(&w->cta->x, id);
}
