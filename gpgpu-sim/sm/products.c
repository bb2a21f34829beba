#include "gpgpu-sim/sm/products.h"

#include "gpgpu-sim/sm/sm.h"

#include <string.h>

enum { WARP_ROWS = 16, GROUP_ROWS = 64, BITS_OF_BYTE = 8 };

void products_init(struct products *p) { memset(p, 0, sizeof *p); }

void products_free(struct products *p)
{
	for (unsigned s = 0; s < CORE_MAX_SCHEDULERS; s++)
		if (p->done[s].size)
			port_free(&p->done[s]);
}

// Cycles of a tensor core.
static uint64_t cycles_of(const struct core_config *c, const struct isa_matrix *x)
{
	const uint64_t bits = (uint64_t)x->n * x->k * x->bits, rows = x->shared_a ? GROUP_ROWS : 0;
	const uint64_t product = WARP_ROWS * bits / (x->sparse ? 2 : 1) / c->wgmma_rate;
	const uint64_t a = rows * x->k * x->bits / (x->sparse ? 2 : 1);
	const uint64_t operands = (a + bits) / BITS_OF_BYTE / c->wgmma_fetch;
	return product > operands ? product : operands ? operands : 1;
}

// What stands in the queue: the warp and its group, and a bit so that it is no NULL.
static void *item(unsigned warp, unsigned group) { return (void *)(uintptr_t)(1u | group << 1 | warp << 8); }

void products_start(struct sm *m, const struct winst *w)
{
	struct products *p = &m->products;
	struct port *done = &p->done[w->sched];
	uint64_t *free = &p->free[w->sched];
	if (!done->size)
		port_init(done, PRODUCTS_QUEUE);
	if (port_full(done)) // nobody waits for them
		return;
	const uint64_t cycles = cycles_of(m->cfg, &w->st->matrix);
	m->stats.products++;
	m->stats.product_cycles += cycles;
	*free = (*free > m->now ? *free : m->now) + cycles;
	port_push_at(done, item(w->warp, sm_group_join(m, w->warp, SM_PRODUCTS)), *free + m->cfg->wgmma_latency);
	p->live++;
}

void products_tick(struct sm *m, uint64_t now)
{
	struct products *p = &m->products;
	for (unsigned s = 0; s < m->cfg->n_schedulers; s++) {
		uintptr_t i;
		while (p->done[s].n && (i = (uintptr_t)port_front(&p->done[s], now))) {
			const unsigned warp = (unsigned)(i >> 8), group = (unsigned)(i >> 1) & (SM_ASYNC_GROUPS - 1);
			port_pop(&p->done[s]);
			p->live--;
			if (sm_group_leave(m, warp, SM_PRODUCTS, (uint8_t)group))
				m->core->refresh(m, warp);
		}
	}
}

uint64_t products_next(const struct sm *m)
{
	uint64_t next = UINT64_MAX;
	for (unsigned s = 0; s < m->cfg->n_schedulers; s++)
		if (port_next(&m->products.done[s]) < next)
			next = port_next(&m->products.done[s]);
	return next;
}
