// The queue of what a prefetcher wants.
#include "gpgpu-sim/cache/prefetch.h"

void prefetch_want(struct prefetch *p, const struct prefetch_seen *s, uint64_t addr)
{
	const struct mem_req *r = s->r;
	struct prefetch_want w = {.addr = addr, .now = s->now, .place = r->place, .pc_line = r->pc_line, .sm = r->sm,
	                          .stream = r->stream, .sectors = r->sectors};
	if (p->locate && !p->locate(p->ctx, addr, &w.place))
		p->count.elsewhere++;
	else if (RING_FULL(&p->want))
		p->count.dropped++;
	else
		RING_PUSH(&p->want, w);
}
