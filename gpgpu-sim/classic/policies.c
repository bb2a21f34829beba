// The policies of warp schedulers by their number in -gpgpu_scheduler.
#include "gpgpu-sim/classic/sched.h"

#include <string.h>

static const struct sched_ops *const all[] = {
	[SCHEDULER_LRR] = &sched_lrr,             [SCHEDULER_GTO] = &sched_gto, [SCHEDULER_OLD] = &sched_old, [SCHEDULER_RRR] = &sched_rrr,
	[SCHEDULER_TWO_LEVEL] = &sched_two_level, [SCHEDULER_SWL] = &sched_swl,
};

void sched_init(struct sched *s, const struct scheduler_form *f, unsigned id, unsigned n, unsigned slots)
{
	memset(s, 0, sizeof *s);
	s->ops = all[f->kind];
	s->last = SCHED_NONE;
	for (unsigned w = id; w < slots; w += n)
		s->own |= (uint64_t)1 << w;
	s->ops->init(s, f);
}
