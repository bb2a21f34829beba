#include "cuda-sim/exec/spin.h"

#include "base/assert.h"

enum { FRUITLESS = HEDDLE_LIMIT(1, 2) }; // polls in a row that tell nothing new before others get a turn

bool exec_spin_poll(struct exec_spin *s, const struct uop *u, uint32_t mask, const uint64_t addr[WARP],
                    const uint64_t value[WARP])
{
	bool same = s->at == u && !(mask & ~s->seen);
	if (s->at != u)
		s->seen = 0;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		same &= s->addr[i] == addr[i] && s->value[i] == value[i];
		s->addr[i] = addr[i];
		s->value[i] = value[i];
	}
	s->at = u;
	s->seen |= mask;
	s->fruitless = same ? s->fruitless + 1 : 0;
	return s->fruitless >= FRUITLESS;
}
