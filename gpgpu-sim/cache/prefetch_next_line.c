// A miss fetches the next lines too: DEGREE of them, in a sectored cache of each the sector that was missed.
#include "gpgpu-sim/cache/prefetch.h"

static void seen(struct prefetch *p, const struct prefetch_seen *s)
{
	for (uint32_t i = 1; s->miss && i <= p->degree; i++)
		prefetch_want(p, s, s->r->addr + (uint64_t)i * p->line);
}

const struct prefetch_ops prefetch_next_line = {.name = "next_line", .seen = seen};
