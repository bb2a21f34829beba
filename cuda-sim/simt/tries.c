// Lanes of PTX kernels that wait for phases of mbarriers. See exec/tries.h.
#include "cuda-sim/exec/tries.h"
#include "cuda-sim/simt/simt.h"

// Lanes that leave a loop in which others go on asking may have what these ask for: see exec_turn_end.
static void seen_asking(struct exec_spin *s, const struct uop *u, uint32_t mask)
{
	if (s->at != u)
		s->seen = 0;
	s->at = u;
	s->seen |= mask;
}

enum simt_try simt_try(struct simt_warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask)
{
	uint32_t passed;
	if (!exec_try(&w->w, fp, u, mask, &passed))
		return TRY_GOES_ON;
	seen_asking(&w->turn.spin, u, mask);
	if (!passed && u->x[3] & TRY_WAITS)
		return TRY_WAIT;
	exec_try_answer(w->w.fp, u, mask, passed);
	if (passed)
		return TRY_GOES_ON;
	exec_try_in_vain(&w->w, 1);
	return TRY_YIELD;
}

void simt_try_wait(struct simt_warp *w, int32_t leaf, const struct uop *u)
{
	struct split *s = &w->split.at[leaf];
	s->state = SPLIT_MBARRIER;
	s->at = u;
	exec_try_wait(&w->w, w->rows + w->frame.at[s->frame].fp, u, s->mask);
}

static void go_on(struct simt_warp *w, struct split *s, uint32_t passed)
{
	exec_try_answer(w->rows + w->frame.at[s->frame].fp, s->at, s->mask, passed);
	s->state = SPLIT_RUN;
	w->w.settled = false;
}

void simt_retry(struct warp *warp)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	for (size_t l = 0; l < w->leaf.n; l++) {
		struct split *s = &w->split.at[w->leaf.at[l]];
		uint32_t passed;
		if (s->state == SPLIT_MBARRIER && exec_try(warp, w->rows + w->frame.at[s->frame].fp, s->at, s->mask, &passed) && passed)
			go_on(w, s, passed);
	}
}

bool simt_try_let_go(struct simt_warp *w)
{
	for (size_t l = 0; l < w->leaf.n; l++) {
		struct split *s = &w->split.at[w->leaf.at[l]];
		if (s->state != SPLIT_MBARRIER)
			continue;
		exec_try_in_vain(&w->w, TRY_LET_GO);
		go_on(w, s, 0);
		return true;
	}
	return false;
}

void simt_expire(struct warp *warp)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	if (exec_try_expired(warp, false))
		simt_try_let_go(w);
}

bool simt_can_run(const struct warp *warp)
{
	const struct simt_warp *w = (const struct simt_warp *)warp;
	for (size_t l = 0; l < w->leaf.n; l++) {
		const uint8_t state = w->split.at[w->leaf.at[l]].state;
		if (state != SPLIT_BARRIER && state != SPLIT_MBARRIER)
			return true;
	}
	return false;
}
