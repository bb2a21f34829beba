// Lanes of machine code that wait for phases of mbarriers: SYNCS.PHASECHK. See exec/tries.h.
#include "cuda-sim/exec/tries.h"
#include "cuda-sim/sass/exec/warp.h"

// A group that waits stands behind its instruction.
static const struct uop *instruction_of(const struct sx_warp *w, const struct sx_group *g) { return &w->cta->kernel->uop[g->pc - 1]; }

bool sx_try(struct sx_warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t passed;
	struct sx_group *g = &w->group[w->n_group - 1];
	if (!exec_try(&w->w, w->w.fp, u, mask, &passed))
		return false;
	if (passed || !(u->x[3] & TRY_WAITS)) {
		exec_try_answer(w->w.fp, u, mask, passed);
		if (!passed)
			exec_try_in_vain(&w->w, 1);
		return !passed && exec_turn_poll(&w->turn);
	}
	if (mask != g->mask) {
		g->mask &= ~mask;
		HEDDLE_ASSERT(w->n_group < WARP);
		w->group[w->n_group] = (struct sx_group){.pc = g->pc, .mask = mask};
		g = &w->group[w->n_group++];
	}
	g->state = SX_AT_MBARRIER;
	exec_try_wait(&w->w, w->w.fp, u, mask);
	return w->w.tries.vain >= TRY_LET_GO; // in a loop
}

static void go_on(struct sx_warp *w, struct sx_group *g, uint32_t passed)
{
	exec_try_answer(w->w.fp, instruction_of(w, g), g->mask, passed);
	g->state = SX_RUNS;
	w->w.settled = false;
}

void sx_retry(struct warp *warp)
{
	struct sx_warp *w = (struct sx_warp *)warp;
	for (uint32_t k = 0; k < w->n_group; k++) {
		struct sx_group *g = &w->group[k];
		uint32_t passed;
		if (g->state == SX_AT_MBARRIER && exec_try(warp, warp->fp, instruction_of(w, g), g->mask, &passed) && passed)
			go_on(w, g, passed);
	}
}

bool sx_try_let_go(struct sx_warp *w)
{
	for (uint32_t k = 0; k < w->n_group; k++) {
		if (w->group[k].state != SX_AT_MBARRIER)
			continue;
		exec_try_in_vain(&w->w, TRY_LET_GO);
		go_on(w, &w->group[k], 0);
		return true;
	}
	return false;
}

void sx_expire(struct warp *warp)
{
	struct sx_warp *w = (struct sx_warp *)warp;
	if (exec_try_expired(warp, false))
		sx_try_let_go(w);
}

bool sx_can_run(const struct warp *warp)
{
	const struct sx_warp *w = (const struct sx_warp *)warp;
	for (uint32_t k = 0; k < w->n_group; k++)
		if (w->group[k].state != SX_AT_BARRIER && w->group[k].state != SX_AT_MBARRIER)
			return true;
	return false;
}
