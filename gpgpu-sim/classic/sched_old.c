// Oldest first.
#include "gpgpu-sim/classic/sched.h"

static unsigned pick(const struct sched *s, uint64_t set, const struct sched_view *v)
{
	(void)s;
	return sched_oldest(set, v->age);
}

const struct sched_ops sched_old = {.name = "old", .init = sched_nothing, .pick = pick, .issued = sched_note_issued};
