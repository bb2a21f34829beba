// What goes on beside warps, in groups that they close and wait for.
#include "gpgpu-sim/sm/sm.h"

// All that the warp waits for.
static bool groups_complete(const struct sm_groups *g)
{
	uint32_t behind = g->open - g->until, newer = 0; // groups behind those waited for
	for (uint32_t k = 0; k <= behind && k < SM_ASYNC_GROUPS; k++)
		newer += g->in[(g->open - k) % SM_ASYNC_GROUPS];
	return g->n == newer;
}

uint8_t sm_group_join(struct sm *m, unsigned warp, enum sm_group_kind kind)
{
	struct sm_warp *w = &m->warp[warp];
	struct sm_groups *g = &w->groups[kind];
	const uint8_t group = (uint8_t)(g->open % SM_ASYNC_GROUPS);
	g->in[group]++;
	g->n++;
	w->async++;
	return group;
}

void sm_async_ended(struct sm *m, unsigned warp)
{
	HEDDLE_ASSERT(m->warp[warp].async);
	m->warp[warp].async--;
	sm_check_leaving(m, warp);
	if (m->leaving && m->core->accept_data)
		m->core->accept_data(m);
}

bool sm_group_leave(struct sm *m, unsigned warp, enum sm_group_kind kind, uint8_t group)
{
	struct sm_warp *w = &m->warp[warp];
	struct sm_groups *g = &w->groups[kind];
	const uint64_t bit = (uint64_t)1 << warp;
	HEDDLE_ASSERT(g->n && g->in[group]);
	g->in[group]--;
	g->n--;
	sm_async_ended(m, warp);
	if (!(w->waits_for >> kind & 1) || !groups_complete(g))
		return false;
	w->waits_for &= (uint8_t)~(1u << kind);
	if (w->waits_for)
		return false;
	m->at_async &= ~bit;
	if (m->core->may_go)
		m->core->may_go(m, warp);
	return true;
}

void sm_group_wait(struct sm *m, unsigned warp, enum sm_group_kind kind, uint32_t keep)
{
	struct sm_warp *w = &m->warp[warp];
	struct sm_groups *g = &w->groups[kind];
	g->until = g->open - (keep < g->open ? keep : g->open);
	if (groups_complete(g))
		return;
	w->waits_for |= (uint8_t)(1u << kind);
	m->at_async |= (uint64_t)1 << warp;
}
