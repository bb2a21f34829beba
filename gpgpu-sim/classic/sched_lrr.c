// Loose round robin: the warp behind the one that issued last goes first.
#include "gpgpu-sim/classic/sched.h"

static unsigned pick(const struct sched *s, uint64_t set, const struct sched_view *v)
{
	(void)v;
	return s->last == SCHED_NONE ? (unsigned)__builtin_ctzll(set) : sched_after(set, s->last);
}

const struct sched_ops sched_lrr = {.name = "lrr", .init = sched_nothing, .pick = pick, .issued = sched_note_issued};
