// Two levels: only `limit` warps are active and go round robin; one that waits, at a barrier or for a long operation, makes
// room for the one that has been pending longest. Narasiman et al., "Improving GPU Performance via Large Warps and
// Two-Level Warp Scheduling" (MICRO 2011).
#include "gpgpu-sim/classic/sched.h"

static void init(struct sched *s, const struct scheduler_form *f)
{
	s->limit = f->arg[0];
	RING_USE(&s->pending, s->pending_at, SCHED_MAX_WARPS);
	for (uint64_t m = s->own; m; m &= m - 1)
		RING_PUSH(&s->pending, (uint8_t)__builtin_ctzll(m));
}

static uint64_t begin(struct sched *s, const struct sched_view *v)
{
	uint64_t stuck = v->waiting | v->longop | ~v->resident, set = 0;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->n_active; i++) {
		uint8_t w = s->active[i];
		if (stuck >> w & 1)
			RING_PUSH(&s->pending, w);
		else
			s->active[kept++] = w;
	}
	s->n_active = kept;
	while (s->n_active < s->limit && s->pending.n)
		s->active[s->n_active++] = RING_TAKE(&s->pending);
	for (uint32_t i = 0; i < s->n_active; i++)
		set |= (uint64_t)1 << s->active[i];
	return set;
}

static unsigned pick(const struct sched *s, uint64_t set, const struct sched_view *v)
{
	(void)v;
	for (uint32_t i = 0; i < s->n_active; i++)
		if (set >> s->active[i] & 1)
			return s->active[i];
	return (unsigned)__builtin_ctzll(set);
}

// The one that issued goes to the end, those behind it to the front.
static void issued(struct sched *s, unsigned slot)
{
	uint8_t turned[SCHED_MAX_WARPS];
	uint32_t at = 0;
	s->last = (uint8_t)slot;
	while (at < s->n_active && s->active[at] != slot)
		at++;
	for (uint32_t i = 0; i < s->n_active; i++)
		turned[i] = s->active[(at + 1 + i) % s->n_active];
	for (uint32_t i = 0; i < s->n_active; i++)
		s->active[i] = turned[i];
}

const struct sched_ops sched_two_level = {
	.name = "two_level_active", .every_cycle = true, .init = init, .begin = begin, .pick = pick, .issued = issued};
