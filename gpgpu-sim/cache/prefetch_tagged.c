// Tagged prefetch (A. J. Smith, "Cache memories", ACM Computing Surveys 14(3), 1982): as next_line, and the first access that
// finds a prefetched line fetches ahead like a miss, so that a stream, once it is found, need not miss again.
#include "gpgpu-sim/cache/prefetch.h"

static void seen(struct prefetch *p, const struct prefetch_seen *s)
{
	for (uint32_t i = 1; (s->miss || s->first_use) && i <= p->degree; i++)
		prefetch_want(p, s, s->r->addr + (uint64_t)i * p->line);
}

const struct prefetch_ops prefetch_tagged = {.name = "tagged", .seen = seen};
