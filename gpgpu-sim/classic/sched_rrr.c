// Strict round robin: one warp has the turn, and only it may issue. The turn goes on when it has issued, waits or is gone.
#include "gpgpu-sim/classic/sched.h"

static void init(struct sched *s, const struct scheduler_form *f)
{
	(void)f;
	s->turn = (uint8_t)__builtin_ctzll(s->own);
}

static uint64_t begin(struct sched *s, const struct sched_view *v)
{
	uint64_t can = s->own & v->resident & ~v->waiting;
	// Once something has issued GPGPU-Sim looks for the next warp in every cycle; it finds the same one until that issues.
	if (s->ever_issued || !(can >> s->turn & 1)) {
		if (!can)
			return 0;
		s->turn = (uint8_t)(s->last == SCHED_NONE ? (unsigned)__builtin_ctzll(can) : sched_after(can, s->last));
	}
	return (uint64_t)1 << s->turn;
}

static unsigned pick(const struct sched *s, uint64_t set, const struct sched_view *v)
{
	(void)v;
	(void)set;
	return s->turn;
}

static void issued(struct sched *s, unsigned slot)
{
	s->last = (uint8_t)slot;
	s->ever_issued = true;
}

const struct sched_ops sched_rrr = {.name = "rrr", .init = init, .begin = begin, .pick = pick, .issued = issued};
