// Static warp limiting: greedy, then oldest, among the `limit` oldest warps that do not wait. Rogers et al.,
// "Cache-Conscious Wavefront Scheduling" (MICRO 2012).
#include "gpgpu-sim/classic/sched.h"

static void init(struct sched *s, const struct scheduler_form *f)
{
	s->limit = f->arg[1];
	s->last = (uint8_t)__builtin_ctzll(s->own);
}

static uint64_t begin(struct sched *s, const struct sched_view *v)
{
	uint64_t left = s->own & v->resident & ~v->waiting, set = (uint64_t)1 << s->last;
	for (uint32_t i = 0; i < s->limit && left; i++) {
		uint64_t bit = (uint64_t)1 << sched_oldest(left, v->age);
		set |= bit;
		left &= ~bit;
	}
	return set;
}

static unsigned pick(const struct sched *s, uint64_t set, const struct sched_view *v)
{
	return set >> s->last & 1 ? s->last : sched_oldest(set, v->age);
}

const struct sched_ops sched_swl = {.name = "warp_limiting", .init = init, .begin = begin, .pick = pick, .issued = sched_note_issued};
