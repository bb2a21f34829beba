#include "cuda-sim/exec/spin.h"

#include "base/assert.h"
#include "base/mem.h"

enum { FRUITLESS = HEDDLE_LIMIT(1, 2) }; // polls in a row that tell nothing new before others get a turn

bool exec_spin_poll(struct exec_spin *s, const struct uop *u, uint32_t mask, const uint64_t addr[WARP],
                    const uint64_t value[WARP])
{
	bool same = s->at == u && !(mask & ~s->seen);
	if (s->at != u)
		s->seen = 0;
	if (!s->polled)
		s->polled = MEM_NEW(struct exec_polled);
	struct exec_polled *p = s->polled;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		same &= p->addr[i] == addr[i] && p->value[i] == value[i];
		p->addr[i] = addr[i];
		p->value[i] = value[i];
	}
	s->at = u;
	s->seen |= mask;
	s->fruitless = same ? s->fruitless + 1 : 0;
	return s->fruitless >= FRUITLESS;
}

void exec_spin_free(struct exec_spin *s)
{
	mem_free(s->polled);
	*s = (struct exec_spin){0};
}
