#include "cuda-sim/exec/tries.h"

#include "cuda-sim/exec/check.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/engine.h"
#include "cuda-sim/exec/mbarrier.h"
#include "cuda-sim/exec/shared.h"

#include <stdio.h>

enum { WORD = 8 };

static bool parity_of(const uint8_t *fp, const struct uop *u, unsigned lane)
{
	if (!(u->x[3] & TRY_PARITY))
		return ((const uint64_t *)(fp + u->b))[lane] >> 63;
	return ((const uint32_t *)(fp + u->b))[lane] >> (u->x[3] & TRY_HIGH ? 31 : 0) & 1;
}

bool exec_try(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t *passed)
{
	struct exec_tries *t = &w->tries;
	*passed = 0;
	for (uint32_t m = mask; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);
		struct exec_place p;
		const uint32_t more = u->x[0] ? ((const uint32_t *)(fp + u->x[0]))[i] : 0;
		if (!exec_shared_place(w, u, i, exec_lane_addr(fp, u, i) + more, WORD, WORD, false, EXEC_OWN, &p))
			return false;
		const uint64_t word = *(const uint64_t *)p.at;
		const enum mbarrier_fault f = mbarrier_check(word);
		if (f) {
			exec_fault(w, u, FAULT_LAUNCH, i, p.offset, "it waits at the mbarrier at shared memory offset 0x%x: %s", p.offset,
			           mbarrier_fault_text(f));
			return false;
		}
		*passed |= (uint32_t)mbarrier_passed(word, parity_of(fp, u, i)) << i;
		t->at[i] = p.offset;
	}
	t->lanes = (t->lanes | mask) & ~*passed;
	if (*passed)
		exec_try_anew(w);
	if (w->cta->check && *passed && w->cta->check->by->awaited)
		w->cta->check->by->awaited(w, *passed, t->at);
	return true;
}

void exec_try_answer(uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t passed)
{
	uint32_t *row = (uint32_t *)(fp + u->d);
	*row = (*row & ~mask) | (passed & mask);
}

static uint64_t now(const struct warp *w)
{
	const struct kernel_services *s = w->cta->launch->services;
	return s->clock(s->ctx) + exec_ahead(w);
}

void exec_try_wait(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask)
{
	struct exec_tries *t = &w->tries;
	const uint32_t limit = u->c ? ((const uint32_t *)(fp + u->c))[__builtin_ctz(mask)] : (uint32_t)TRY_CYCLES;
	t->turns = 0;
	t->until = now(w) + limit;
}

void exec_try_in_vain(struct warp *w, uint32_t times)
{
	w->tries.vain += w->tries.vain < UINT32_MAX / 2 ? times : 0;
}

bool exec_try_expired(struct warp *w, bool turn)
{
	return turn ? ++w->tries.turns >= TRY_TURNS : now(w) >= w->tries.until;
}

void exec_try_touches(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask)
{
	for (uint32_t m = u->flags & UOP_ADDR64 ? mask : 0; m; m &= m - 1)
		if (exec_lane_addr(fp, u, (unsigned)__builtin_ctz(m)) >> 48 == LOCAL_WINDOW >> 48)
			return;
	exec_try_anew(w);
}

void exec_phase_complete(const struct exec_cta *by, struct exec_cta *c)
{
	for (unsigned k = 0; k < c->n_warp; k++)
		c->engine->retry(c->warp[k]);
	exec_cluster_opened(by, c);
}

// Some lanes of the warp may do more than wait and try.
static bool alive(const struct warp *w)
{
	return w->live && w->cta->engine->can_run(w) && !exec_try_for_nothing(w);
}

static bool dead(const struct exec_cta *c)
{
	for (unsigned k = 0; k < c->n_warp; k++)
		if (alive(c->warp[k]))
			return false;
	return !c->at_children && !c->copying;
}

bool exec_cluster_dead(const struct exec_cta *c)
{
	const struct exec_cluster *l = c->cluster;
	for (uint32_t k = 0; l && k < l->n; k++)
		if (l->cta[k] && l->cta[k] != c && !dead(l->cta[k]))
			return false;
	return c->live_threads && dead(c);
}

bool exec_try_describe(const struct warp *w, uint32_t mask, char *buf, size_t len)
{
	const struct exec_tries *t = &w->tries;
	char state[160];
	if (!(mask & t->lanes))
		return false;
	const uint32_t at = t->at[__builtin_ctz(mask & t->lanes)];
	mbarrier_describe(*(const uint64_t *)(w->cta->shared + at), state, sizeof state);
	snprintf(buf, len, "waits at the mbarrier at shared offset 0x%x: %s", at, state);
	return true;
}
