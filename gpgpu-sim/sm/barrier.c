// Barriers of a CTA take time. A unit of the SM counts arrivals of warps, one after another, -barrier_arrival cycles each; what the
// last one opens goes on -barrier_latency cycles behind it. With neither, warps go on as the front end lets them (sm.c).
#include "gpgpu-sim/sm/sm.h"

static void hold(struct sm *m, unsigned slot, uint64_t until)
{
	if (!m->held || until < m->held_next)
		m->held_next = until;
	m->held |= (uint64_t)1 << slot;
	m->warp[slot].held_until = until;
}

void sm_barrier_reached(struct sm *m, unsigned slot, enum isa_barrier how)
{
	struct sm_warp *w = &m->warp[slot];
	const struct sm_cta *c = &m->cta[w->cta];
	const uint64_t bit = (uint64_t)1 << slot;
	if (m->barrier_free < m->now)
		m->barrier_free = m->now;
	m->barrier_free += m->cfg->barrier_arrival;
	const uint64_t until = m->barrier_free + m->cfg->barrier_latency;
	if (how == ISA_BARRIER_SYNC && w->next) { // it was the last one, for which the front end does not wait
		w->next = NULL;
		m->at_barrier |= bit;
	}
	for (uint64_t s = c->warps & m->at_barrier & ~m->held; s; s &= s - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(s);
		if (c->k->launch->fe->ready(c->fe, m->warp[i].fe_warp))
			hold(m, i, until);
	}
}

void sm_barrier_tick(struct sm *m)
{
	m->held_next = UINT64_MAX;
	for (uint64_t s = m->held; s; s &= s - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(s);
		const uint64_t bit = (uint64_t)1 << i;
		struct sm_warp *w = &m->warp[i];
		if (w->held_until > m->now) {
			if (w->held_until < m->held_next)
				m->held_next = w->held_until;
			continue;
		}
		m->held &= ~bit;
		m->at_barrier &= ~bit;
		w->next = w->k->launch->fe->peek(w->fe, w->fe_warp);
		m->core->refresh(m, i);
	}
}
