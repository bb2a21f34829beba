// Greedy, then oldest: the warp that issued last goes on while it can; then the oldest one.
#include "gpgpu-sim/classic/sched.h"

// GPGPU-Sim starts as if the first slot had issued.
static void init(struct sched *s, const struct scheduler_form *f)
{
	(void)f;
	s->last = (uint8_t)__builtin_ctzll(s->own);
}

static unsigned pick(const struct sched *s, uint64_t set, const struct sched_view *v)
{
	return set >> s->last & 1 ? s->last : sched_oldest(set, v->age);
}

const struct sched_ops sched_gto = {.name = "gto", .init = init, .pick = pick, .issued = sched_note_issued};
