// What policies have in common.
#include "gpgpu-sim/classic/sched.h"

unsigned sched_after(uint64_t set, unsigned slot)
{
	uint64_t behind = slot >= 63 ? 0 : set >> (slot + 1) << (slot + 1);
	return (unsigned)__builtin_ctzll(behind ? behind : set);
}

unsigned sched_oldest(uint64_t set, const uint64_t *age)
{
	unsigned best = (unsigned)__builtin_ctzll(set);
	for (uint64_t m = set & (set - 1); m; m &= m - 1) {
		unsigned w = (unsigned)__builtin_ctzll(m);
		if (age[w] < age[best])
			best = w;
	}
	return best;
}

void sched_note_issued(struct sched *s, unsigned slot) { s->last = (uint8_t)slot; }

void sched_nothing(struct sched *s, const struct scheduler_form *f)
{
	(void)s;
	(void)f;
}
