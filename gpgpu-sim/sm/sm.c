#include "gpgpu-sim/sm/sm.h"

#include "base/mem.h"
#include "gpgpu-sim/look/sm_streams.h"

#include <stdio.h>
#include <string.h>

enum { INST_CHUNK = 64 };

// --- construction

bool sm_init(struct sm *m, const struct core_config *cfg, unsigned id, const struct sm_world *world, struct mem_pool *pool,
             struct diag *d)
{
	memset(m, 0, sizeof *m);
	m->cfg = cfg;
	m->core = cfg->modern ? &core_modern : &core_classic;
	m->id = id;
	m->cluster = id / cfg->cores_per_cluster;
	m->world = world;
	m->pool = pool;
	m->asleep = true;
	ldst_init(&m->ldst, m);
	return m->core->init(m, d);
}

void sm_free(struct sm *m)
{
	if (m->core)
		m->core->free(m);
	for (uint32_t i = 0; i < m->n_inst; i += INST_CHUNK)
		mem_free(m->inst[i]);
	mem_free(m->inst);
	mem_free(m->reg_store);
	mem_free(m->flow);
	mem_free(m->by_age);
	ldst_free(&m->ldst);
	cache_free(m->l1i.cache);
}

void sm_reserve_streams(struct sm *m, unsigned n)
{
	struct cache *const c[] = {m->ldst.l1d.cache, m->ldst.l1c.cache, m->ldst.l1t.cache, m->l1i.cache};
	for (unsigned i = 0; i < 4; i++)
		if (c[i])
			cache_reserve_streams(c[i], n);
}

void sm_reserve_registers(struct sm *m, uint32_t n)
{
	uint32_t words = (n + 63) / 64, kinds = m->cfg->longop_tracking ? 2 : 1;
	if (words <= m->reg_words)
		return;
	uint64_t *store = mem_alloc((size_t)words * kinds * m->cfg->max_warps * sizeof *store);
	for (unsigned w = 0; w < m->cfg->max_warps; w++) {
		uint64_t *at = store + (size_t)w * words * kinds;
		if (m->reg_words) {
			memcpy(at, m->warp[w].reg, m->reg_words * sizeof *at);
			if (kinds == 2)
				memcpy(at + words, m->warp[w].longop, m->reg_words * sizeof *at);
		}
		m->warp[w].reg = at;
		m->warp[w].longop = kinds == 2 ? at + words : NULL;
	}
	mem_free(m->reg_store);
	m->reg_store = store;
	m->reg_words = words;
	if (m->core->reserve_registers)
		m->core->reserve_registers(m);
}

// --- instructions in flight. The pool doubles when all are out, which buffers bound to a few times in a run.

struct winst *sm_inst_new(struct sm *m)
{
	if (!m->free_inst) {
		struct winst *chunk = mem_alloc(INST_CHUNK * sizeof *chunk);
		m->inst = mem_realloc(m->inst, (m->n_inst + INST_CHUNK) * sizeof *m->inst);
		for (uint32_t i = INST_CHUNK; i-- > 0;) {
			chunk[i].index = m->n_inst + i;
			chunk[i].next = m->free_inst;
			m->free_inst = &chunk[i];
			m->inst[m->n_inst + i] = &chunk[i];
		}
		m->n_inst += INST_CHUNK;
	}
	struct winst *w = m->free_inst;
	uint32_t index = w->index;
	m->free_inst = w->next;
	*w = (struct winst){.index = index, .uid = ++m->next_uid};
	return w;
}

void sm_inst_free(struct sm *m, struct winst *w)
{
	HEDDLE_ASSERT(!w->access && !w->in_pipe);
	w->next = m->free_inst;
	m->free_inst = w;
}

// --- what may issue

static bool collides(const struct sm_warp *w, const struct isa_inst *st)
{
	if (!w->pending)
		return false;
	for (unsigned i = 0; i < st->n_src; i++)
		if (w->reg[st->src[i] / 64] >> st->src[i] % 64 & 1)
			return true;
	for (unsigned i = 0; i < st->n_dst; i++)
		if (w->reg[st->dst[i] / 64] >> st->dst[i] % 64 & 1)
			return true;
	return false;
}

void sm_refresh(struct sm *m, unsigned warp)
{
	struct sm_warp *w = &m->warp[warp];
	uint64_t bit = (uint64_t)1 << warp;
	m->wants[w->wants] &= ~bit;
	m->ready &= ~bit;
	m->mismatch &= ~bit;
	m->ib_empty &= ~bit;
	if (!w->ib_n)
		m->ib_empty |= bit;
	else if (w->next && w->next->pc != w->ib_pc && !w->k->launch->fe->path)
		m->mismatch |= bit;
	else if (w->next && !collides(w, w->next)) {
		m->ready |= bit;
		w->wants = core_cost(m->cfg, w->next)->pipe;
		m->wants[w->wants] |= bit;
	}
}

// A warp leaves once it is done, its stores are acknowledged and nothing of it is in flight.
void sm_check_leaving(struct sm *m, unsigned warp)
{
	struct sm_warp *w = &m->warp[warp];
	uint64_t bit = (uint64_t)1 << warp;
	if (m->done & m->resident & bit && !w->stores && !w->in_pipe && !w->pending && !w->copies)
		m->leaving |= bit;
}

// A fence holds a warp until what it wrote before is seen and what it read before is there. Stores are counted when they
// leave the pipe, so the pipe must be empty too, the fence itself included.
void sm_check_fence(struct sm *m, unsigned warp)
{
	uint64_t bit = (uint64_t)1 << warp;
	const struct sm_warp *w = &m->warp[warp];
	if (!(m->at_fence & bit) || w->pending)
		return;
	if (m->cfg->fence_waits_for_stores && (w->stores || w->in_pipe))
		return;
	m->at_fence &= ~bit;
	if (m->cfg->flush_l1)
		sm_invalidate_l1(m);
}

void sm_release(struct sm *m, struct winst *w)
{
	struct sm_warp *s = &m->warp[w->warp];
	if (m->dbg & DBG_BIT(SCOREBOARD))
		sm_dbg_release(m, w);
	for (unsigned i = 0; i < w->st->n_dst; i++) {
		unsigned r = w->st->dst[i];
		uint64_t bit = (uint64_t)1 << r % 64;
		if (!(s->reg[r / 64] & bit))
			continue;
		s->reg[r / 64] &= ~bit;
		if (s->longop)
			s->longop[r / 64] &= ~bit;
		s->pending--;
	}
	sm_refresh(m, w->warp);
	sm_check_fence(m, w->warp);
	sm_check_leaving(m, w->warp);
}

void sm_complete(struct sm *m, struct winst *w)
{
	m->last_done = m->now;
	m->stats.warp_insts++;
	m->stats.thread_insts += (unsigned)__builtin_popcount(w->mask);
	if (m->world->lines)
		m->world->lines[w->line].n[SM_LINE_LATENCY] += (m->now - w->issued) * (unsigned)__builtin_popcount(w->mask);
}

void sm_left_pipe(struct sm *m, struct winst *w)
{
	HEDDLE_ASSERT(w->in_pipe && m->warp[w->warp].in_pipe > 0);
	w->in_pipe = false;
	m->warp[w->warp].in_pipe--;
	sm_check_fence(m, w->warp);
	sm_check_leaving(m, w->warp);
}

void sm_store_ack(struct sm *m, struct mem_req *r)
{
	HEDDLE_ASSERT(m->warp[r->warp].stores > 0);
	m->warp[r->warp].stores--;
	sm_check_fence(m, r->warp);
	sm_check_leaving(m, r->warp);
}

void sm_atomic_done(struct sm *m, unsigned warp, unsigned lanes)
{
	struct sm_warp *w = &m->warp[warp];
	HEDDLE_ASSERT(w->atomics >= lanes);
	w->atomics -= lanes;
	if (!w->atomics)
		m->at_atomic &= ~((uint64_t)1 << warp);
}

bool sm_copies_done(const struct sm_warp *w)
{
	uint32_t open = w->group - w->group_wait; // groups behind those waited for
	uint32_t newer = 0;
	for (uint32_t k = 0; k <= open && k < SM_ASYNC_GROUPS; k++)
		newer += w->in_group[(w->group - k) % SM_ASYNC_GROUPS];
	return w->copies == newer;
}

void sm_copy_issued(struct sm *m, struct winst *i)
{
	struct sm_warp *w = &m->warp[i->warp];
	switch ((enum isa_async)i->st->async) {
	case ISA_ASYNC_COPY:
		i->group = (uint8_t)(w->group % SM_ASYNC_GROUPS);
		w->in_group[i->group]++;
		w->copies++;
		break;
	case ISA_ASYNC_COMMIT:
		w->group++;
		break;
	case ISA_ASYNC_WAIT:
		w->group_wait = w->group - (i->st->async_keep < w->group ? i->st->async_keep : w->group);
		if (!sm_copies_done(w))
			m->at_async |= (uint64_t)1 << i->warp;
		break;
	default:
		break;
	}
}

void sm_copy_done(struct sm *m, const struct winst *i)
{
	struct sm_warp *w = &m->warp[i->warp];
	HEDDLE_ASSERT(w->copies && w->in_group[i->group]);
	w->copies--;
	w->in_group[i->group]--;
	if (m->at_async >> i->warp & 1 && sm_copies_done(w))
		m->at_async &= ~((uint64_t)1 << i->warp);
	sm_check_leaving(m, i->warp);
}

void sm_cta_warps_moved(struct sm *m, unsigned cta)
{
	const struct sm_cta *c = &m->cta[cta];
	for (uint64_t s = c->warps & m->at_barrier; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		struct sm_warp *w = &m->warp[i];
		if (!c->k->launch->fe->ready(c->fe, w->fe_warp))
			continue;
		m->at_barrier &= ~((uint64_t)1 << i);
		w->next = c->k->launch->fe->peek(c->fe, w->fe_warp);
		m->core->refresh(m, i);
	}
}

// --- CTAs

static int first_warp_for(const struct sm *m, const struct kernel_run *k)
{
	uint64_t need = k->warps >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << k->warps) - 1;
	for (unsigned at = 0; at + k->warps <= m->cfg->max_warps; at += k->warps)
		if (!(m->used_warps & need << at))
			return (int)at;
	return -1;
}

static uint32_t registers_of(const struct kernel_run *k) { return k->padded_threads * ((k->regs + 3) & ~3u); }

bool sm_has_room(const struct sm *m, const struct kernel_run *k)
{
	const struct core_config *c = m->cfg;
	if (!c->concurrent_kernels || !m->n_cta) // a CTA fits on an empty SM, or limits are to be ignored
		return m->n_cta < k->max_ctas;
	return m->used_threads + k->padded_threads <= c->max_threads && first_warp_for(m, k) >= 0 &&
	       m->used_shared + k->shared <= c->shared_bytes && m->used_regs + registers_of(k) <= c->registers && m->n_cta < c->max_ctas;
}

static void start_warp(struct sm *m, unsigned i, struct sm_cta *c, unsigned cta, unsigned fe_warp, bool parked)
{
	struct sm_warp *w = &m->warp[i];
	uint64_t bit = (uint64_t)1 << i, *reg = w->reg, *longop = w->longop;
	m->wants[w->wants] &= ~bit;
	uint32_t left = c->k->threads - fe_warp * 32;
	HEDDLE_ASSERT(!(m->resident & bit) && !w->in_pipe && !w->stores);
	*w = (struct sm_warp){.fe = c->fe, .k = c->k, .fe_warp = fe_warp, .cta = (uint8_t)cta, .reg = reg, .longop = longop,
	                      .threads = left < 32 ? left : 32};
	w->next = c->k->launch->fe->peek(c->fe, fe_warp);
	w->fetch_pc = w->next ? w->next->pc : 0;
	m->age[i] = m->next_age++;
	m->resident |= bit;
	uint64_t *const sets[] = {&m->done, &m->imiss, &m->at_barrier, &m->at_fence, &m->at_atomic, &m->at_async, &m->at_service, &m->leaving};
	for (unsigned s = 0; s < sizeof sets / sizeof *sets; s++)
		*sets[s] &= ~bit;
	if (!w->next && parked) {
		m->at_barrier |= bit;
	} else if (!w->next) {
		m->done |= bit;
		m->leaving |= bit;
	}
	m->core->start_warp(m, i);
}

// A CTA of k that has not run yet.
static struct parked_cta first_time(struct sm *m, struct kernel_run *k)
{
	uint64_t id = k->next_cta++;
	const uint32_t *grid = k->launch->grid;
	uint32_t xyz[3] = {(uint32_t)(id % grid[0]), (uint32_t)(id / grid[0] % grid[1]), (uint32_t)(id / grid[0] / grid[1])};
	struct parked_cta p = {.fe_slot = k->free_slot[--k->n_free_slot], .threads_left = k->threads, .warps = ~(uint64_t)0};
	p.fe = k->launch->fe->cta_start(k->slots, p.fe_slot, xyz, m->id);
	k->launch->counts.ctas++;
	return p;
}

// The first of those that are parked and ready.
static struct parked_cta once_more(struct kernel_run *k)
{
	size_t i = 0;
	while (!k->parked.at[i].ready)
		i++;
	struct parked_cta p = k->parked.at[i];
	memmove(&k->parked.at[i], &k->parked.at[i + 1], (--k->parked.n - i) * sizeof p);
	k->n_ready--;
	return p;
}

static void take_split(struct sm *m)
{
	struct cache *l1d = m->ldst.l1d.cache;
	if (!m->carve_ways || !cache_quiet(l1d))
		return;
	cache_set_ways(l1d, m->carve_ways);
	if (m->cfg->l1d.allocate == 's')
		cache_set_allocate_on_miss(l1d, m->carve_on_miss);
	m->carve_ways = 0;
}

void sm_carve(struct sm *m, uint32_t ways, bool on_miss)
{
	m->carve_ways = ways;
	m->carve_on_miss = on_miss;
	take_split(m);
}

void sm_reshape_l1d(struct sm *m)
{
	HEDDLE_ASSERT(!m->n_cta);
	ldst_reshape_l1d(m);
}

void sm_start_cta(struct sm *m, struct kernel_run *k)
{
	const struct core_config *cfg = m->cfg;
	uint32_t limit = cfg->concurrent_kernels ? cfg->max_ctas : k->max_ctas, n = 0;
	while (n < limit && m->cta[n].threads_left)
		n++;
	HEDDLE_ASSERT(n < limit);
	take_split(m);
	struct sm_cta *c = &m->cta[n];
	unsigned first = n * k->warps;
	if (cfg->concurrent_kernels) {
		first = (unsigned)first_warp_for(m, k);
		m->used_threads += k->padded_threads;
		m->used_shared += k->shared;
		m->used_regs += registers_of(k);
	}
	m->local_max_ctas = k->max_ctas;
	m->local_padded = k->padded_threads;
	bool parked = k->n_ready;
	struct parked_cta p = parked ? once_more(k) : first_time(m, k);
	k->running++;
	*c = (struct sm_cta){.fe = p.fe, .k = k, .threads_left = p.threads_left, .first_thread = first * 32, .fe_slot = p.fe_slot};
	for (unsigned i = 0; i < k->warps; i++) {
		c->warps |= (uint64_t)1 << (first + i);
		if (p.warps >> i & 1)
			start_warp(m, first + i, c, n, i, parked);
	}
	m->used_warps |= c->warps;
	m->n_cta++;
	m->threads += p.threads_left;
	m->asleep = false;
	if (m->dbg & DBG_BIT(LIVENESS))
		sm_dbg_cta(m, c, "begins");
}

static void release_cta(struct sm *m, struct sm_cta *c)
{
	struct kernel_run *k = c->k;
	k->running--;
	m->n_cta--;
	m->used_warps &= ~c->warps;
	m->to_park &= ~((uint64_t)1 << (c - m->cta));
	if (m->cfg->concurrent_kernels) {
		m->used_threads -= k->padded_threads;
		m->used_shared -= k->shared;
		m->used_regs -= registers_of(k);
	}
	*c = (struct sm_cta){0};
	if (!m->n_cta)
		m->kernel = NULL;
}

static void end_cta(struct sm *m, struct sm_cta *c)
{
	struct kernel_run *k = c->k;
	if (m->dbg & DBG_BIT(LIVENESS))
		sm_dbg_cta(m, c, "has finished");
	k->launch->fe->cta_end(c->fe);
	k->free_slot[k->n_free_slot++] = c->fe_slot;
	m->stats.ctas++;
	release_cta(m, c);
	m->world->cta_done(m->world->ctx, k, m->id);
}

// Nothing of the warp is under way and it waits for others.
static bool rests(const struct sm *m, unsigned i)
{
	const struct sm_warp *w = &m->warp[i];
	uint64_t bit = (uint64_t)1 << i;
	return m->at_barrier & bit & ~(m->imiss | m->at_fence | m->at_atomic | m->at_async) && !w->in_pipe && !w->stores && !w->pending &&
	       !w->copies && !w->atomics && !(m->fetched && m->fetched_warp == i);
}

// CTAs that wait for kernels they launched make room for them.
void sm_park_ctas(struct sm *m)
{
	for (uint64_t s = m->to_park; s; s &= s - 1) {
		struct sm_cta *c = &m->cta[__builtin_ctzll(s)];
		struct kernel_run *k = c->k;
		uint64_t here = c->warps & m->resident;
		bool all = true;
		for (uint64_t h = here; h && all; h &= h - 1)
			all = rests(m, (unsigned)__builtin_ctzll(h));
		if (!all)
			continue;
		struct parked_cta p = {.fe = c->fe, .fe_slot = c->fe_slot, .threads_left = c->threads_left,
		                       .warps = here >> __builtin_ctzll(c->warps)};
		if (m->dbg & DBG_BIT(LIVENESS))
			sm_dbg_cta(m, c, "waits for what it launched");
		for (uint64_t h = here; m->core->park_warp && h; h &= h - 1)
			m->core->park_warp(m, (unsigned)__builtin_ctzll(h));
		m->resident &= ~here;
		m->threads -= c->threads_left;
		VEC_PUSH(&k->parked, p);
		release_cta(m, c);
		m->world->parked(m->world->ctx, k);
	}
}

void sm_warp_leaves(struct sm *m, unsigned i)
{
	struct sm_warp *w = &m->warp[i];
	struct sm_cta *c = &m->cta[w->cta];
	uint64_t bit = (uint64_t)1 << i;
	m->resident &= ~bit;
	m->leaving &= ~bit;
	m->threads -= w->threads;
	c->threads_left -= w->threads;
	if (!c->threads_left)
		end_cta(m, c);
}

void sm_stop_kernel(struct sm *m, struct kernel_run *k)
{
	for (uint64_t s = m->resident; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		struct sm_warp *w = &m->warp[i];
		uint64_t bit = (uint64_t)1 << i;
		if (w->k != k)
			continue;
		m->done |= bit;
		m->at_barrier &= ~bit;
		m->at_fence &= ~bit;
		m->at_service &= ~bit;
		w->next = NULL;
		w->ib_n = 0;
		if (m->fetched_warp == i)
			m->fetched = false; // its place may be another kernel's when that would be decoded
		m->core->refresh(m, i);
		sm_check_leaving(m, i);
	}
	m->asleep = false;
}

// --- a cycle

// Cycles of an active SM, whatever it did in them.
static void count_cycles(struct sm *m, uint64_t n)
{
	m->stats.cycles += n;
	m->stats.warp_slots_active += n * (unsigned)__builtin_popcountll(m->resident);
	m->stats.warp_slots_all += n * m->cfg->max_warps;
}

// What a sleeping SM would have counted in each cycle.
void sm_catch_up(struct sm *m, uint64_t now)
{
	if (now <= m->now + 1)
		return;
	uint64_t n = now - m->now - 1;
	if (m->n_cta) {
		count_cycles(m, n);
		m->core->catch_up(m, n);
	}
	m->now += n;
}

void sm_settle(struct sm *m, uint64_t now)
{
	sm_catch_up(m, now);
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
	m->world->alarm(m->world->ctx, w->service_until);
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
	return !port_empty(&m->ldst.responses) || m->core->holds_requests(m);
}

uint64_t sm_tick(struct sm *m, uint64_t now)
{
	sm_catch_up(m, now);
	m->now = now;
	m->asleep = false;
	if (m->n_cta) {
		count_cycles(m, 1);
		if (m->at_service)
			end_services(m);
	}
	uint64_t next = m->core->tick(m, now);
	m->asleep = next == UINT64_MAX;
	return next;
}

bool sm_response_full(const struct sm *m) { return m->core->response_full(m); }

void sm_accept_fetch(struct sm *m, struct mem_req *r, uint64_t now)
{
	m->core->accept_fetch(m, r, now);
	m->asleep = false;
}

void sm_accept_data(struct sm *m, struct mem_req *r)
{
	m->stats.in_type[r->type]++;
	port_push(&m->ldst.responses, r);
	if (m->core->accept_data)
		m->core->accept_data(m);
	m->asleep = false;
}

void sm_invalidate_l1(struct sm *m)
{
	if (m->ldst.l1d.cache)
		cache_invalidate(m->ldst.l1d.cache);
}

void sm_end_kernel(struct sm *m)
{
	if (m->core->end_kernel)
		m->core->end_kernel(m);
}
