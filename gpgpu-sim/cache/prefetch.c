#include "gpgpu-sim/cache/prefetch.h"

static const struct prefetch_ops *const all[] = {
	[PREFETCH_NONE] = NULL,
	[PREFETCH_NEXT_LINE] = &prefetch_next_line,
	[PREFETCH_TAGGED] = &prefetch_tagged,
};

void prefetch_init(struct prefetch *p, const struct prefetch_form *f, uint32_t line)
{
	p->ops = all[f->policy];
	p->degree = f->degree;
	p->line = line;
	if (p->ops)
		RING_INIT(&p->want, PREFETCH_WANTS);
}

void prefetch_free(struct prefetch *p)
{
	if (p->ops)
		RING_FREE(&p->want);
}
