// What an SM holds: CTAs and their warps; and what it tells of them. Its cycle is in cycle.c.
#include "gpgpu-sim/sm/sm.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/observer.h"

#include <stdio.h>
#include <string.h>

void sm_reserve_streams(struct sm *m, unsigned n)
{
	struct cache *const c[] = {m->ldst.l1d.cache, m->ldst.l1c.cache, m->ldst.l1t.cache, m->l1i.cache};
	for (unsigned i = 0; i < 4; i++)
		if (c[i])
			cache_reserve_streams(c[i], n);
}

void sm_retire_stream(struct sm *m, unsigned stream, struct cache_counts *to)
{
	struct cache *const c[] = {m->ldst.l1d.cache, m->ldst.l1c.cache, m->ldst.l1t.cache, m->l1i.cache};
	for (unsigned i = 0; i < 4; i++)
		if (c[i])
			cache_retire_stream(c[i], stream, to);
	m->activity++;
}

void sm_reserve_registers(struct sm *m, uint32_t n)
{
	uint32_t words = (n + 63) / 64;
	if (words <= m->reg_words)
		return;
	uint64_t *store = mem_alloc_dense((size_t)words * m->cfg->max_warps * sizeof *store);
	for (unsigned w = 0; w < m->cfg->max_warps; w++) {
		uint64_t *at = store + (size_t)w * words;
		if (m->reg_words)
			memcpy(at, m->warp[w].reg, m->reg_words * sizeof *at);
		m->warp[w].reg = at;
	}
	mem_free_dense(m->reg_store, (size_t)m->reg_words * m->cfg->max_warps * sizeof *store);
	m->reg_store = store;
	m->reg_words = words;
	if (m->core->reserve_registers)
		m->core->reserve_registers(m);
}

void sm_cta_warps_moved(struct sm *m, unsigned cta)
{
	const struct sm_cta *c = &m->cta[cta];
	for (uint64_t s = c->warps & m->at_barrier & ~m->held; s; s &= s - 1) {
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

// Without concurrent kernels: CTAs and places that k's CTAs share the SM with. None fits beside places of another kernel, whose slots are others.
static size_t taken_for(const struct sm *m, const struct kernel_run *k)
{
	return m->places.n && m->places.at[m->places.n - 1].launch != k->launch->uid ? SIZE_MAX : m->n_cta + m->places.n;
}

bool sm_has_room(const struct sm *m, const struct kernel_run *k)
{
	const struct core_config *c = m->cfg;
	if (!c->concurrent_kernels)
		return taken_for(m, k) < k->max_ctas;
	if (!m->n_cta && !m->places.n) // a CTA fits on an empty SM, or limits are to be ignored
		return k->max_ctas;
	return m->used_threads + k->padded_threads <= c->max_threads && first_warp_for(m, k) >= 0 &&
	       m->used_shared + k->shared <= c->shared_bytes && m->used_regs + registers_of(k) <= c->registers && m->n_cta + m->places.n < c->max_ctas;
}

uint32_t sm_room(const struct sm *m, const struct kernel_run *k)
{
	const struct core_config *c = m->cfg;
	uint64_t warps = m->used_warps;
	uint32_t n = 0, threads = m->used_threads, shared = m->used_shared, regs = m->used_regs, ctas = m->n_cta + (uint32_t)m->places.n;
	if (!c->concurrent_kernels) {
		const size_t taken = taken_for(m, k);
		return taken < k->max_ctas ? k->max_ctas - (uint32_t)taken : 0;
	}
	if (!ctas) // see sm_has_room
		return k->occupancy_ctas ? k->occupancy_ctas : 1;
	const uint64_t need = k->warps >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << k->warps) - 1;
	for (unsigned at = 0; at + k->warps <= c->max_warps; at += k->warps) {
		if (warps & need << at)
			continue;
		threads += k->padded_threads, shared += k->shared, regs += registers_of(k), ctas++;
		if (threads > c->max_threads || shared > c->shared_bytes || regs > c->registers || ctas > c->max_ctas)
			break;
		n++;
	}
	return n;
}

static void start_warp(struct sm *m, unsigned i, struct sm_cta *c, unsigned cta, unsigned fe_warp, bool parked)
{
	struct sm_warp *w = &m->warp[i];
	uint64_t bit = (uint64_t)1 << i, *reg = w->reg;
	uint32_t left = c->k->threads - fe_warp * 32;
	HEDDLE_ASSERT(!(m->resident & bit) && !w->in_pipe && w->stores == m->owed[i]);
	*w = (struct sm_warp){.fe = c->fe, .k = c->k, .fe_warp = fe_warp, .cta = (uint8_t)cta, .reg = reg, .threads = left < 32 ? left : 32,
	                      .stores = m->owed[i]};
	w->next = c->k->launch->fe->peek(c->fe, fe_warp);
	m->age[i] = m->next_age++;
	m->resident |= bit;
	m->n_resident++;
	uint64_t *const sets[] = {&m->done, &m->at_barrier, &m->at_fence, &m->at_atomic, &m->at_async, &m->at_service, &m->at_end, &m->leaving, &m->held};
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

// What CTAs of k on this SM are told of it.
static struct fe_sm place_for(struct sm *m, const struct kernel_run *k)
{
	return (struct fe_sm){.id = m->id, .effects = &m->effects, .counts = &k->counts[m->id]};
}

struct sm_ticket sm_draw_cta(struct kernel_run *k)
{
	k->running++;
	k->launch->counts.ctas++;
	return (struct sm_ticket){.id = k->next_cta++, .slot = k->free_slot[--k->n_free_slot]};
}

// A CTA of k that has not run yet.
static struct parked_cta first_time(struct sm *m, const struct kernel_run *k, struct sm_ticket t)
{
	uint32_t xyz[3];
	isa_cta_id(k->launch, t.id, xyz);
	struct parked_cta p = {.fe_slot = t.slot, .threads_left = k->threads, .warps = ~(uint64_t)0};
	p.cluster = k->launch->cluster[0] ? (uint32_t)(t.id / isa_cluster_ctas(k->launch)) + 1 : 0;
	struct fe_sm here = place_for(m, k);
	p.fe = k->launch->fe->cta_start(k->slots, p.fe_slot, xyz, &here);
	return p;
}

// The first of those that are parked and ready.
static struct parked_cta once_more(struct sm *m, struct kernel_run *k)
{
	size_t i = 0;
	while (!k->parked.at[i].ready)
		i++;
	struct parked_cta p = k->parked.at[i];
	memmove(&k->parked.at[i], &k->parked.at[i + 1], (--k->parked.n - i) * sizeof p);
	k->n_ready--;
	k->running++;
	struct fe_sm here = place_for(m, k);
	k->launch->fe->cta_move(p.fe, &here);
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
	m->activity++;
	ldst_reshape_l1d(m);
}

// The CTA p has come to the SM; parked: it has run before.
static struct sm_cta *start(struct sm *m, struct kernel_run *k, struct parked_cta p, bool parked)
{
	const struct core_config *cfg = m->cfg;
	uint32_t limit = cfg->concurrent_kernels ? cfg->max_ctas : k->max_ctas, n = 0;
	while (n < limit && (m->cta[n].threads_left || m->cta[n].leaving))
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
	if (m->core->start_cta)
		m->core->start_cta(m, k);
	*c = (struct sm_cta){.fe = p.fe, .k = k, .threads_left = p.threads_left, .first_thread = first * 32, .fe_slot = p.fe_slot,
	                     .cluster = p.cluster};
	for (unsigned i = 0; i < k->warps; i++) {
		c->warps |= (uint64_t)1 << (first + i);
		if (p.warps >> i & 1)
			start_warp(m, first + i, c, n, i, parked);
	}
	m->used_warps |= c->warps;
	m->n_cta++;
	m->threads += p.threads_left;
	m->asleep = false;
	m->activity++;
	sm_see_cta(m, c, "begins");
	return c;
}

struct sm_cta *sm_start_drawn(struct sm *m, struct kernel_run *k, struct sm_ticket t)
{
	return start(m, k, first_time(m, k, t), false);
}

struct sm_cta *sm_start_cta(struct sm *m, struct kernel_run *k)
{
	return k->n_ready ? start(m, k, once_more(m, k), true) : sm_start_drawn(m, k, sm_draw_cta(k));
}

// Warps of a CTA that leaves with stores on their way. Of a slot the first to leave is the first to be acknowledged.
static uint32_t owes(struct sm *m, const struct sm_cta *c)
{
	uint32_t n = 0;
	if (m->cfg->exit_waits_for_stores || !m->stores)
		return 0;
	for (uint64_t s = c->warps; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		uint32_t acks = m->warp[i].stores - m->owed[i];
		if (!acks)
			continue;
		m->owed[i] += acks;
		VEC_PUSH(&m->owing[i], ((struct sm_owing){.k = c->k, .acks = acks}));
		n++;
	}
	return n;
}

// Another CTA may start there.
static void give_place(struct sm *m, const struct sm_place *p)
{
	m->used_warps &= ~p->warps;
	m->cta[p->cta].leaving = false;
	if (m->cfg->concurrent_kernels) {
		m->used_threads -= p->threads;
		m->used_shared -= p->shared;
		m->used_regs -= p->regs;
	}
}

void sm_give_places(struct sm *m)
{
	struct sm_place *first = m->places.at;
	size_t n = 0;
	while (n < m->places.n && first[n].at <= m->now)
		give_place(m, &first[n++]);
	memmove(first, first + n, (m->places.n -= n) * sizeof *first);
	sm_tell(m, (struct sm_message){.kind = SM_ROOM});
}

// The CTA has left; its kernel learns of it when the cycle has ended.
static void release_cta(struct sm *m, struct sm_cta *c, enum sm_message_kind kind, struct parked_cta left)
{
	struct kernel_run *k = c->k;
	sm_tell(m, (struct sm_message){.kind = (uint8_t)kind, .k = k, .cta = left, .owes = kind == SM_CTA_DONE ? owes(m, c) : 0});
	const struct sm_place p = {.launch = k->launch->uid, .at = m->now + m->cfg->cta_turnaround, .warps = c->warps, .threads = k->padded_threads,
	                           .shared = k->shared, .regs = registers_of(k), .cta = (uint32_t)(c - m->cta)};
	m->n_cta--;
	m->to_park &= ~((uint64_t)1 << p.cta);
	*c = (struct sm_cta){.leaving = kind == SM_CTA_DONE && m->cfg->cta_turnaround};
	if (c->leaving)
		VEC_PUSH(&m->places, p);
	else
		give_place(m, &p);
	if (!m->n_cta)
		m->kernel = NULL;
}

static void end_cta(struct sm *m, struct sm_cta *c)
{
	sm_see_cta(m, c, "has finished");
	m->stats.ctas++;
	release_cta(m, c, SM_CTA_DONE, (struct parked_cta){.fe = c->fe, .fe_slot = c->fe_slot});
}

// Nothing of the warp is under way and it waits for others.
static bool rests(const struct sm *m, unsigned i)
{
	const struct sm_warp *w = &m->warp[i];
	uint64_t bit = (uint64_t)1 << i;
	return m->at_barrier & bit & ~(m->held | m->at_fence | m->at_atomic | m->at_async) && !w->in_pipe && !w->stores && !w->pending && !w->async &&
	       !w->atomics && !(m->core->fetching && m->core->fetching(m, i));
}

// CTAs that wait for kernels they launched make room for them.
void sm_park_ctas(struct sm *m)
{
	for (uint64_t s = m->to_park; s; s &= s - 1) {
		struct sm_cta *c = &m->cta[__builtin_ctzll(s)];
		uint64_t here = c->warps & m->resident;
		bool all = true;
		for (uint64_t h = here; h && all; h &= h - 1)
			all = rests(m, (unsigned)__builtin_ctzll(h));
		if (!all)
			continue;
		struct parked_cta p = {.fe = c->fe, .fe_slot = c->fe_slot, .threads_left = c->threads_left, .cluster = c->cluster,
		                       .warps = here >> __builtin_ctzll(c->warps)};
		sm_see_cta(m, c, "waits for what it launched");
		for (uint64_t h = here; m->core->park_warp && h; h &= h - 1)
			m->core->park_warp(m, (unsigned)__builtin_ctzll(h));
		m->resident &= ~here;
		m->n_resident -= (unsigned)__builtin_popcountll(here);
		m->threads -= c->threads_left;
		release_cta(m, c, SM_PARKED, p);
	}
}

void sm_warp_leaves(struct sm *m, unsigned i)
{
	struct sm_warp *w = &m->warp[i];
	struct sm_cta *c = &m->cta[w->cta];
	uint64_t bit = (uint64_t)1 << i;
	m->resident &= ~bit;
	m->n_resident--;
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
		m->held &= ~bit;
		m->at_fence &= ~bit;
		m->at_service &= ~bit;
		w->next = NULL;
		m->core->refresh(m, i);
		sm_check_leaving(m, i);
	}
	m->asleep = false;
	m->activity++;
}

// --- what it tells the rest of the GPU

void sm_copy_elsewhere(struct sm *m, unsigned cta, uint32_t token)
{
	const struct sm_cta *c = &m->cta[cta];
	sm_tell(m, (struct sm_message){.kind = SM_COPY_DONE, .k = c->k, .cta = {.fe = c->fe, .cluster = c->cluster}, .token = token});
}

void sm_wake_cluster(struct sm *m, unsigned cta)
{
	sm_tell(m, (struct sm_message){.kind = SM_CLUSTER, .k = m->cta[cta].k, .cta = {.cluster = m->cta[cta].cluster}});
}

void sm_failed(struct sm *m, struct kernel_run *k)
{
	sm_stop_kernel(m, k);
	sm_tell(m, (struct sm_message){.kind = SM_FAULT, .k = k});
}

void sm_note(struct sm *m, struct kernel_run *k, const char *text, uint64_t about, uint64_t about_too)
{
	sm_tell(m, (struct sm_message){.kind = SM_NOTE, .k = k, .text = mem_strdup(text), .about = {about, about_too}});
}

void sm_say(struct sm *m, void (*put)(void *ctx, const char *line), void *ctx, const char *line)
{
	if (m->world->stepping)
		effects_say(&m->effects, put, ctx, line);
	else
		put(ctx, line);
}

bool sm_response_full(const struct sm *m) { return m->core->response_full(m); }

void sm_end_kernels(struct sm *m, bool flush)
{
	if (m->ended == m->activity)
		return;
	if (m->core->end_kernel)
		m->core->end_kernel(m);
	if (flush)
		sm_invalidate_l1(m);
	m->ended = ++m->activity;
}
