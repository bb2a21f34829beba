// An SM as a whole: its parts, their cycle, and the answers that come from the network.
#include "gpgpu-sim/sm/sm.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/bulk.h"

#include <string.h>

// --- construction

bool sm_init(struct sm *m, const struct core_ops *core, const struct core_config *cfg, unsigned id, const struct sm_world *world,
             struct mem_pool *pool, struct diag *d)
{
	memset(m, 0, sizeof *m);
	m->cfg = cfg;
	m->core = core;
	m->id = id;
	m->cluster = id / cfg->cores_per_cluster;
	m->world = world;
	m->pool = pool;
	m->asleep = true;
	effects_init(&m->effects);
	m->alarm = UINT64_MAX;
	ldst_init(&m->ldst, m);
	for (unsigned i = 0; i < 2; i++)
		away_init(&m->away[i], cfg->least_answer);
	products_init(&m->products);
	return m->core->init(m, d);
}

void sm_free(struct sm *m)
{
	if (m->core)
		m->core->free(m);
	sm_insts_free(m);
	bulk_free(m->bulk);
	products_free(&m->products);
	if (m->cfg)
		mem_free_dense(m->reg_store, (size_t)m->reg_words * m->cfg->max_warps * sizeof *m->reg_store);
	mem_free(m->flow);
	mem_free(m->by_age);
	effects_free(&m->effects);
	for (size_t i = 0; i < m->message.n; i++)
		mem_free(m->message.at[i].text);
	VEC_FREE(&m->message);
	VEC_FREE(&m->places);
	for (unsigned i = 0; i < CORE_MAX_WARPS; i++)
		VEC_FREE(&m->owing[i]);
	ldst_free(&m->ldst);
	cache_free(m->l1i.cache);
}

// --- a cycle

// Cycles of an active SM, whatever it did in them.
static void count_cycles(struct sm *m, uint64_t n)
{
	m->stats.cycles += n;
	m->stats.warps += n * m->n_resident;
}

// What a sleeping SM would have counted in each cycle.
void sm_catch_up(struct sm *m, uint64_t now)
{
	if (now <= m->now + 1)
		return;
	uint64_t n = now - m->now - 1;
	if (m->n_cta) {
		m->activity++;
		count_cycles(m, n);
		m->core->catch_up(m, n);
	}
	m->now += n;
}

void sm_settle(struct sm *m, uint64_t now)
{
	sm_catch_up(m, now);
	if (m->core->settle)
		m->core->settle(m);
	lazy_settle(&m->ldst.l1d);
	lazy_settle(&m->ldst.l1c);
	lazy_settle(&m->ldst.l1t);
	lazy_settle(&m->l1i);
}

bool sm_begin_service(struct sm *m, unsigned slot)
{
	struct sm_warp *w = &m->warp[slot];
	const uint32_t *cost = m->cfg->service[w->next->service];
	if (w->served || (!cost[0] && !cost[1])) {
		w->served = false;
		return false;
	}
	uint32_t lanes = w->k->launch->fe->active(w->fe, w->fe_warp);
	w->served = true;
	w->service_until = m->now + cost[0] + (uint64_t)cost[1] * (unsigned)__builtin_popcount(lanes);
	m->at_service |= (uint64_t)1 << slot;
	if (w->service_until < m->alarm)
		m->alarm = w->service_until, m->effects.any = true;
	return true;
}

static void end_services(struct sm *m)
{
	for (uint64_t s = m->at_service; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		if (m->warp[i].service_until <= m->now)
			m->at_service &= ~((uint64_t)1 << i), m->core->refresh(m, i);
	}
}

bool sm_holds_requests(const struct sm *m)
{
	const struct lazy_cache *const c[] = {&m->ldst.l1d, &m->ldst.l1c, &m->ldst.l1t, &m->l1i};
	for (unsigned i = 0; i < 4; i++)
		if (c[i]->busy && !cache_quiet(c[i]->cache))
			return true;
	return !port_empty(&m->ldst.responses) || bulk_holds_requests(m) || m->core->holds_requests(m);
}

uint64_t sm_tick(struct sm *m, uint64_t now)
{
	sm_catch_up(m, now);
	m->now = now;
	m->asleep = false;
	m->activity++;
	if (m->n_cta) {
		count_cycles(m, 1);
		if (m->at_service)
			end_services(m);
	}
	if (m->held && m->held_next <= now)
		sm_barrier_tick(m);
	if (m->places.n && m->places.at[0].at <= now)
		sm_give_places(m);
	m->at_network = false;
	if (m->bulk)
		bulk_tick(m, now);
	if (m->products.live)
		products_tick(m, now);
	uint64_t next = m->core->tick(m, now), at;
	if (m->bulk && (at = bulk_next(m, now)) < next)
		next = at;
	if (m->products.live && (at = products_next(m)) < next)
		next = at;
	if (m->held && m->held_next < next)
		next = m->held_next;
	if (m->places.n && m->places.at[0].at < next)
		next = m->places.at[0].at;
	m->asleep = next == UINT64_MAX;
	return next;
}

// No answer that has come or comes before cycle `now` makes a difference.
static bool unanswered(struct sm *m, uint64_t now, uint64_t gpu)
{
	return port_empty(&m->ldst.responses) && away_next(&m->away[0], now) > now && (!m->bulk || bulk_unanswered(m, now, gpu));
}

bool sm_alone(struct sm *m, uint64_t now, uint64_t gpu, uint64_t answers)
{
	if (!m->n_cta || m->at_end | m->at_service | m->to_park || m->observed || m->at_network)
		return false;
	return (now < answers || unanswered(m, now, gpu)) && (!m->bulk || bulk_alone(m, now)) && m->core->alone(m);
}

void sm_accept_fetch(struct sm *m, struct mem_req *r, uint64_t now)
{
	m->core->accept_fetch(m, r, now);
	m->asleep = false;
	m->activity++;
}

void sm_accept_data(struct sm *m, struct mem_req *r, uint64_t now)
{
	m->stats.in_type[r->type]++;
	m->asleep = false;
	m->activity++;
	if (r->bulk) {
		bulk_accept(m, r, now);
		return;
	}
	port_push(&m->ldst.responses, r);
	if (sm_may_be_l1d(m, r))
		cache_expect_answer(m->ldst.l1d.cache, r);
	if (m->core->accept_data)
		m->core->accept_data(m);
}
