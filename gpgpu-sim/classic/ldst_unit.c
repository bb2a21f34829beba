#include "gpgpu-sim/classic/ldst_unit.h"

#include "base/mem.h"
#include "gpgpu-sim/classic/classic.h"

#include <string.h>

void ldst_unit_init(struct ldst_unit *u, const struct sm *m)
{
	const struct core_config *c = m->cfg;
	port_init(&u->shared, c->shared_latency);
	if (!m->ldst.l1d.cache)
		return;
	u->bank = mem_alloc_dense(c->l1_banks * sizeof *u->bank);
	for (unsigned b = 0; b < c->l1_banks; b++)
		RING_INIT(&u->bank[b], c->l1_latency);
	u->n_bank = c->l1_banks;
}

void ldst_unit_free(struct ldst_unit *u)
{
	for (unsigned b = 0; b < u->n_bank; b++)
		RING_FREE(&u->bank[b]);
	mem_free_dense(u->bank, u->n_bank * sizeof *u->bank);
	port_free(&u->shared);
}

void ldst_unit_issue(struct sm *m, struct winst *w)
{
	struct ldst_unit *u = &m->classic->ldst;
	HEDDLE_ASSERT(!u->dispatch);
	__builtin_prefetch(w->access);
	u->dispatch = w;
	u->passes = w->cycles;
	if (w->load && w->space != SPACE_SHARED)
		w->refs = w->space == SPACE_CLUSTER ? 1 : w->n_access;
	ldst_count(m, w);
}

// One that goes through L1 and writes no register was complete when it left the dispatch register.
static void finish_load(struct sm *m, struct winst *w)
{
	if (w->st->n_dst)
		classic_release(m, w);
	if (w->st->n_dst || w->space == SPACE_SHARED)
		sm_complete(m, w);
	if (w->st->async == ISA_ASYNC_COPY)
		sm_copy_done(m, w);
	sm_inst_free(m, w);
}

// --- write-back: one instruction at a time, from one of five sources in turn

static void take_wb(struct ldst_unit *u, struct winst *w)
{
	w->dst_left = (uint8_t)((1u << w->st->n_dst) - 1);
	u->next_wb = w;
}

static void take_wb_answer(struct sm *m, struct mem_req *r)
{
	take_wb(&m->classic->ldst, m->inst[r->inst]);
	mem_req_free(m->pool, r);
}

static bool has_answer(const struct lazy_cache *c) { return c->busy && cache_access_ready(c->cache); }

// Bit per source that has something; from other SMs it may still be on its way.
static unsigned sources(const struct sm *m)
{
	const struct ldst_unit *u = &m->classic->ldst;
	const struct ldst *l = &m->ldst;
	const unsigned shared = port_next(&u->shared) <= u->shared_ticks, global = u->next_global != NULL, remote = l->remote.n != 0;
	return shared << LDST_WB_SHARED | global << LDST_WB_GLOBAL | remote << LDST_WB_REMOTE |
	       (unsigned)has_answer(&l->l1t) << LDST_WB_TEXTURE | (unsigned)has_answer(&l->l1c) << LDST_WB_CONST |
	       (unsigned)has_answer(&l->l1d) << LDST_WB_L1D;
}

// False: there was nothing after all.
static bool take_from(struct sm *m, unsigned source)
{
	struct ldst_unit *u = &m->classic->ldst;
	struct ldst *l = &m->ldst;
	switch (source) {
	case LDST_WB_SHARED: {
		struct winst *w = port_pop(&u->shared);
		if (w->atomic)
			sm_atomic_done(m, w->warp, (unsigned)__builtin_popcount(w->mask));
		sm_left_pipe(m, w);
		take_wb(u, w);
		return true;
	}
	case LDST_WB_TEXTURE:
		take_wb_answer(m, cache_next_access(l->l1t.cache));
		return true;
	case LDST_WB_CONST:
		take_wb_answer(m, cache_next_access(l->l1c.cache));
		return true;
	case LDST_WB_GLOBAL: {
		struct mem_req *r = u->next_global;
		if (r->atomic)
			sm_atomic_done(m, r->warp, (unsigned)__builtin_popcount(r->lanes));
		u->next_global = NULL;
		take_wb_answer(m, r);
		return true;
	}
	case LDST_WB_REMOTE: {
		struct winst *w = remote_take(m, m->now);
		if (!w)
			return false;
		if (w->atomic)
			sm_atomic_done(m, w->warp, (unsigned)__builtin_popcount(w->mask));
		take_wb(u, w);
		return true;
	}
	default: {
		struct mem_req *r = cache_next_access(l->l1d.cache);
		if (r->type == L1_WR_ALLOC_R)
			ldst_end_write_fetch(m, r);
		else
			take_wb_answer(m, r);
		return true;
	}
	}
}

static void writeback(struct sm *m)
{
	struct ldst_unit *u = &m->classic->ldst;
	if (u->next_wb) {
		struct winst *w = u->next_wb;
		if (!opcoll_writeback(&m->classic->opcoll, w))
			return;
		u->next_wb = NULL;
		if (w->space == SPACE_SHARED || ldst_arrived(w))
			finish_load(m, w);
	}
	const uint32_t all = (1u << LDST_N_WB) - 1, have = sources(m);
	// In turn: those from wb_turn on, then those before it.
	for (uint32_t left = (have | have << LDST_N_WB) >> u->wb_turn & all; left; left &= left - 1) {
		unsigned source = (u->wb_turn + (unsigned)__builtin_ctz(left)) % LDST_N_WB;
		if (take_from(m, source)) {
			u->wb_turn = (uint8_t)((source + 1) % LDST_N_WB);
			return;
		}
	}
}

// --- answers from the network

static void take_response(struct sm *m, uint64_t now)
{
	struct ldst_unit *u = &m->classic->ldst;
	struct ldst *l = &m->ldst;
	struct mem_req *r = port_first(&l->responses);
	bool taken;
	if (r->type == TEXTURE_ACC_R) {
		taken = ldst_fill(&l->l1t, r, now);
	} else if (r->type == CONST_ACC_R) {
		taken = ldst_fill(&l->l1c, r, now);
	} else if (r->write) {
		sm_store_ack(m, r);
		mem_req_free(m->pool, r);
		taken = true;
	} else if (ldst_passes_l1d(m, r->origin ? r->origin : r)) {
		taken = !u->next_global;
		if (taken)
			u->next_global = ldst_whole_answer(m, r);
	} else {
		taken = ldst_fill(&l->l1d, r, now);
	}
	if (taken)
		port_pop(&l->responses);
}

// --- L1D: requests pass a pipeline of -gpgpu_l1_latency stages per bank, then access the cache

// False: refused. What was refused is refused again while nothing in the cache changes.
static bool access_bank(struct sm *m, struct ldst_bank *b, uint64_t now)
{
	struct cache *c = m->ldst.l1d.cache;
	struct mem_req *r = RING_FRONT(b)->r;
	struct winst *hit;
	if (b->refused == cache_version(c) + 1) {
		lazy_touch(&m->ldst.l1d);
		cache_count_fails(c, r, b->why, 1);
		return false;
	}
	if (!ldst_access_l1d(m, r, now, &hit)) {
		b->refused = cache_version(c) + 1;
		b->why = cache_last_fail(c);
		return false;
	}
	if (hit && ldst_arrived(hit))
		finish_load(m, hit);
	return true;
}

// The host is asked for what the pipe's next accesses will touch.
static void expect_next(const struct sm *m, const struct ldst_bank *b)
{
	const struct ldst_unit *u = &m->classic->ldst;
	const struct ldst_access *a = RING_FRONT(b);
	if (a->due <= u->l1_ticks + 1) {
		__builtin_prefetch(a->r);
		cache_expect(m->ldst.l1d.cache, a->addr, a->addr);
		if (b->n == 1)
			return;
		a = RING_AT(b, 1);
	}
	if (a->due <= u->l1_ticks + 2)
		cache_foresee(m->ldst.l1d.cache, a->addr);
}

static void l1_pipes_tick(struct sm *m, uint64_t now)
{
	struct ldst_unit *u = &m->classic->ldst;
	u->l1_ticks++;
	for (uint32_t left = u->filled; left; left &= left - 1) {
		struct ldst_bank *b = &u->bank[__builtin_ctz(left)];
		if (RING_FRONT(b)->due <= u->l1_ticks) {
			if (!access_bank(m, b, now))
				continue;
			b->refused = 0;
			RING_DROP(b);
		}
		if (b->n)
			expect_next(m, b);
		else
			u->filled &= ~(left & -left);
	}
}

// Its first stage is taken by what came in the same tick, or by a standstill.
static bool bank_full(const struct ldst_unit *u, const struct ldst_bank *b)
{
	return b->n && (RING_FULL(b) || RING_BACK(b)->due == u->l1_ticks + b->size);
}

static enum ldst_stall queue_for_l1d(struct sm *m, struct winst *w)
{
	struct ldst_unit *u = &m->classic->ldst;
	for (unsigned k = 0; k < m->cfg->l1_banks && w->access; k++) {
		struct mem_req *r = w->access;
		unsigned b = set_index_of(&m->ldst.l1_bank, r->addr);
		struct ldst_bank *q = &u->bank[b];
		if (bank_full(u, q)) {
			m->stats.l1_conflicts++;
			__builtin_prefetch(r);
			return LDST_BK_CONF;
		}
		w->access = r->next;
		w->n_access--;
		r->next = NULL;
		r->created = m->now;
		RING_PUSH(q, (struct ldst_access){.r = r, .addr = r->addr, .due = u->l1_ticks + q->size});
		u->filled |= 1u << b;
		if (w->store)
			sm_store_begins(m, w->warp, ldst_acks_of(m, r));
	}
	__builtin_prefetch(w->access);
	return w->access ? LDST_COAL_STALL : LDST_NO_RC_FAIL;
}

// --- the instruction in the dispatch register

// Constants and textures: one access a cycle.
static enum ldst_stall access_line_cache(struct sm *m, struct lazy_cache *lazy, struct winst *w, uint64_t now)
{
	struct cache *c = lazy->cache;
	if (!w->access)
		return LDST_NO_RC_FAIL;
	lazy_touch(lazy);
	if (!cache_data_port_free(c))
		return LDST_DATA_PORT_STALL;
	struct mem_req *r = w->access, *rest = r->next;
	unsigned events = 0;
	r->next = NULL; // the cache may chain it
	r->created = now;
	enum cache_status st = cache_access(c, r, now, &events);
	if (st == CACHE_RESERVATION_FAIL) {
		r->next = rest;
		return LDST_BK_CONF;
	}
	w->access = rest;
	w->n_access--;
	if (st == CACHE_HIT) {
		ldst_arrived(w);
		mem_req_free(m->pool, r);
	}
	return w->access ? LDST_COAL_STALL : LDST_NO_RC_FAIL;
}

static void drop_accesses(struct sm *m, struct winst *w)
{
	while (w->access) {
		mem_req_free(m->pool, ldst_pop_access(w));
		if (w->load)
			ldst_arrived(w);
	}
}

static enum ldst_stall access_const(struct sm *m, struct winst *w, uint64_t now)
{
	if (m->cfg->perfect_inst_const || !m->ldst.l1c.cache) {
		drop_accesses(m, w);
		return LDST_NO_RC_FAIL;
	}
	enum ldst_stall st = access_line_cache(m, &m->ldst.l1c, w, now);
	if (st == LDST_BK_CONF || st == LDST_COAL_STALL)
		m->stats.const_conflicts++;
	return st;
}

static enum ldst_stall access_memory(struct sm *m, struct winst *w)
{
	if (!w->access)
		return LDST_NO_RC_FAIL;
	if (!ldst_bypasses(m, w))
		return queue_for_l1d(m, w);
	if (ldst_below_full(m, w->access))
		return LDST_ICNT_RC_FAIL;
	if (w->store)
		sm_store_begins(m, w->warp, ldst_acks_of(m, w->access));
	w->access->created = m->now;
	ldst_send(m, ldst_pop_access(w));
	return w->access ? LDST_COAL_STALL : LDST_NO_RC_FAIL;
}

static enum ldst_stall access_remote(struct sm *m, struct winst *w, uint64_t now)
{
	if (remote_full(&m->ldst.remote))
		return LDST_ICNT_RC_FAIL;
	remote_send(m, w, now);
	return LDST_NO_RC_FAIL;
}

static enum ldst_kind memory_kind(const struct winst *w)
{
	if (w->space == SPACE_LOCAL)
		return w->store ? LDST_L_MEM_ST : LDST_L_MEM_LD;
	return w->store ? LDST_G_MEM_ST : LDST_G_MEM_LD;
}

static void count_stall(struct sm *m, enum ldst_kind kind, enum ldst_stall why, uint64_t ticks)
{
	m->stats.stall_mem += ticks;
	m->stats.stall[kind][why] += ticks;
}

static void leave_dispatch(struct sm *m, struct winst *w)
{
	struct ldst_unit *u = &m->classic->ldst;
	if (w->load && w->space == SPACE_SHARED && w->mask) {
		const uint64_t out = u->shared_ticks + u->shared.size - 1;
		if (u->shared.n && (port_full(&u->shared) || RING_BACK(&u->shared)->ready == out))
			return;
		port_push_at(&u->shared, w, out);
		u->dispatch = NULL;
		return;
	}
	u->dispatch = NULL;
	sm_left_pipe(m, w);
	// A load whose data is there already, and everything that writes no register, is over.
	if (w->load && w->refs && w->st->n_dst)
		return;
	if (w->st->n_dst)
		classic_release(m, w);
	sm_complete(m, w);
	if (w->refs)
		return;
	if (w->st->async == ISA_ASYNC_COPY)
		sm_copy_done(m, w);
	sm_inst_free(m, w);
}

static void dispatch(struct sm *m, uint64_t now)
{
	struct ldst_unit *u = &m->classic->ldst;
	struct ldst *l = &m->ldst;
	struct winst *w = u->dispatch;
	enum ldst_stall st = LDST_NO_RC_FAIL;
	enum ldst_kind kind = LDST_S_MEM;
	if (w->mask) {
		switch ((enum isa_space)w->space) {
		case SPACE_SHARED:
			if (u->passes)
				u->passes--;
			if (u->passes) {
				st = LDST_BK_CONF;
				m->stats.shared_conflicts++;
			}
			break;
		case SPACE_CONST:
		case SPACE_PARAM:
			st = access_const(m, w, now);
			kind = LDST_C_MEM;
			break;
		case SPACE_TEX:
			st = l->l1t.cache ? access_line_cache(m, &l->l1t, w, now) : (drop_accesses(m, w), LDST_NO_RC_FAIL);
			kind = LDST_T_MEM;
			break;
		case SPACE_CLUSTER:
			st = access_remote(m, w, now);
			break;
		case SPACE_GLOBAL:
		case SPACE_LOCAL:
			st = access_memory(m, w);
			kind = memory_kind(w);
			break;
		default:
			break;
		}
	}
	u->stall = st;
	if (st != LDST_NO_RC_FAIL) {
		count_stall(m, kind, st, 1);
		return;
	}
	leave_dispatch(m, w);
}

void ldst_unit_tick(struct sm *m, uint64_t now)
{
	struct ldst_unit *u = &m->classic->ldst;
	struct ldst *l = &m->ldst;
	writeback(m);
	u->shared_ticks += u->shared.n != 0;
	if (!port_empty(&l->responses))
		take_response(m, now);
	lazy_tick(&l->l1t);
	lazy_tick(&l->l1c);
	lazy_tick(&l->l1d);
	if (u->filled)
		l1_pipes_tick(m, now);
	if (u->dispatch)
		dispatch(m, now);
}

// But for the instruction in the dispatch register.
static bool rests(const struct sm *m)
{
	const struct ldst_unit *u = &m->classic->ldst;
	const struct ldst *l = &m->ldst;
	return !u->shared.n && !u->next_wb && !u->next_global && !u->filled && port_empty(&l->responses) && !l->l1d.busy &&
	       !l->l1c.busy && !l->l1t.busy && !l->remote.n;
}

bool ldst_unit_idle(const struct sm *m) { return !m->classic->ldst.dispatch && rests(m); }

uint64_t ldst_unit_writes(const struct sm *m)
{
	const struct ldst_unit *u = &m->classic->ldst;
	uint64_t set = 0;
	if (m->cfg->mem_ports > 1) // what comes to write-back in one of its ticks is written in another
		return ~(uint64_t)0;
	if (u->next_wb)
		set |= (uint64_t)1 << u->next_wb->warp;
	if (u->dispatch)
		set |= (uint64_t)1 << u->dispatch->warp;
	for (uint32_t left = u->filled; left; left &= left - 1) {
		const struct ldst_access *a = RING_FRONT(&u->bank[__builtin_ctz(left)]);
		if (a->due <= u->l1_ticks + 1) // it may hit
			set |= (uint64_t)1 << a->r->warp;
	}
	return set;
}

bool ldst_unit_refused(const struct sm *m)
{
	const struct ldst_unit *u = &m->classic->ldst;
	return u->dispatch && u->stall == LDST_ICNT_RC_FAIL && rests(m);
}

void ldst_unit_skip(struct sm *m, uint64_t ticks)
{
	const struct winst *w = m->classic->ldst.dispatch;
	if (w) {
		m->refused += ticks;
		count_stall(m, memory_kind(w), LDST_ICNT_RC_FAIL, ticks);
	}
	ldst_skip(&m->ldst, ticks);
}
