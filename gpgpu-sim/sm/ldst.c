#include "gpgpu-sim/sm/ldst.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/sm.h"

#include <stdio.h>
#include <string.h>

bool ldst_below_full(void *ctx, const struct mem_req *r)
{
	struct sm *m = ctx;
	return m->world->icnt_full(m->world->ctx, m->cluster, mem_packet_bytes(r));
}

void ldst_send(struct sm *m, struct mem_req *r)
{
	struct sm_stats *s = &m->stats;
	switch ((enum mem_access_type)r->type) {
	case GLOBAL_ACC_R: s->mem_read[0]++; break;
	case LOCAL_ACC_R: s->mem_read[1]++; break;
	case GLOBAL_ACC_W:
	case L1_WRBK_ACC: s->mem_write[0]++; break;
	case LOCAL_ACC_W: s->mem_write[1]++; break;
	case CONST_ACC_R: s->mem_const++; break;
	case TEXTURE_ACC_R: s->mem_tex++; break;
	case INST_ACC_R: s->mem_inst++; break;
	default: break;
	}
	s->out_type[r->type]++;
	r->t_icnt = m->now;
	m->world->icnt_push(m->world->ctx, r);
}

static void below_push(void *ctx, struct mem_req *r) { ldst_send(ctx, r); }

static struct cache *new_cache(struct sm *m, const struct cache_form *form, enum cache_role role, const char *what, uint32_t max_ways)
{
	if (!form->present)
		return NULL;
	char *name = m->ldst.cache_name[m->ldst.n_named++];
	snprintf(name, sizeof m->ldst.cache_name[0], "gpu.sm[%u].%s", m->id, what);
	struct cache_config c = {.form = *form, .role = role, .name = name, .max_ways = max_ways};
	if (role == CACHE_L1D) {
		c.write_ratio = m->cfg->l1_write_ratio;
		c.prefetch = m->cfg->l1d_prefetch;
	}
	return cache_new(&c, m->pool, (struct cache_below){.ctx = m, .full = ldst_below_full, .push = below_push});
}

void ldst_init(struct ldst *l, struct sm *m)
{
	const struct core_config *c = m->cfg;
	memset(l, 0, sizeof *l);
	l->shared_depth = c->shared_latency;
	l->shared = mem_alloc(l->shared_depth * sizeof *l->shared);
	port_init(&l->responses, "responses of the load/store unit", c->response_buffer + 1);
	// With a unified memory L1 can grow to all of it.
	uint32_t ways = c->l1d.ways;
	if (c->adaptive && c->unified_bytes > c->l1d.sets * c->l1d.line * ways)
		ways = c->unified_bytes / (c->l1d.sets * c->l1d.line);
	l->l1d.cache = new_cache(m, &c->l1d, CACHE_L1D, "l1d", ways);
	l->l1c.cache = new_cache(m, &c->l1c, CACHE_INST_CONST, "l1c", 0);
	l->l1t.cache = new_cache(m, &c->l1t, CACHE_TEXTURE, "l1t", 0);
	m->l1i.cache = new_cache(m, &c->l1i, CACHE_INST_CONST, "l1i", 0);
	if (l->l1d.cache) {
		static const char kind[] = {'L', 'X', 'P', 'H', 'C'}; // -gpgpu_l1_banks_hashing_function
		set_index_init(&l->l1_bank, kind[c->l1_bank_hash], c->l1_banks, c->l1_bank_bytes, NULL);
		l->bank = mem_alloc(c->l1_banks * sizeof *l->bank);
		for (unsigned b = 0; b < c->l1_banks; b++)
			l->bank[b].at = mem_alloc(c->l1_latency * sizeof *l->bank[b].at);
		l->n_bank = c->l1_banks;
	}
}

void ldst_reshape_l1d(struct sm *m)
{
	struct ldst *l = &m->ldst;
	struct cache_config c = {.form = m->cfg->l1d, .role = CACHE_L1D, .name = cache_name(l->l1d.cache),
	                         .write_ratio = m->cfg->l1_write_ratio, .prefetch = m->cfg->l1d_prefetch};
	lazy_settle(&l->l1d);
	cache_reshape(l->l1d.cache, &c);
}

void ldst_free(struct ldst *l)
{
	cache_free(l->l1d.cache);
	cache_free(l->l1c.cache);
	cache_free(l->l1t.cache);
	for (unsigned b = 0; b < l->n_bank; b++)
		mem_free(l->bank[b].at);
	mem_free(l->bank);
	mem_free(l->shared);
	port_free(&l->responses);
}

void ldst_count(struct sm *m, const struct winst *w)
{
	unsigned n = (unsigned)__builtin_popcount(w->mask);
	struct sm_stats *s = &m->stats;
	s->unit_issued[PIPE_MEM]++;
	if (!n)
		return;
	switch ((enum isa_space)w->space) {
	case SPACE_SHARED: s->n_shared += n; break;
	case SPACE_CONST: s->n_const += n; break;
	case SPACE_PARAM: s->n_param += n; break;
	case SPACE_TEX: s->n_tex += n; break;
	case SPACE_GLOBAL:
	case SPACE_LOCAL: *(w->store ? &s->n_store : &s->n_load) += n; break;
	default: break;
	}
}

void ldst_issue(struct sm *m, struct winst *w)
{
	struct ldst *l = &m->ldst;
	HEDDLE_ASSERT(!l->dispatch);
	l->dispatch = w;
	l->passes = w->cycles;
	if (w->load && w->space != SPACE_SHARED)
		w->refs = w->n_access;
	ldst_count(m, w);
}

static void finish_load(struct sm *m, struct winst *w)
{
	if (w->st->n_dst) {
		sm_release(m, w);
		sm_complete(m, w);
	}
	if (w->st->async == ISA_ASYNC_COPY)
		sm_copy_done(m, w);
	sm_inst_free(m, w);
}

unsigned ldst_acks_of(const struct sm *m, const struct mem_req *r)
{
	return m->cfg->sector_acks && r->bytes > MEM_SECTOR ? r->bytes / MEM_SECTOR : 1;
}

void ldst_own_store_ack(struct sm *m, struct mem_req *r)
{
	for (unsigned n = ldst_acks_of(m, r); n; n--)
		sm_store_ack(m, r);
}

// The line that a store waited for is there (fetch on write).
void ldst_end_write_fetch(struct sm *m, struct mem_req *fetch)
{
	if (fetch->origin) {
		ldst_own_store_ack(m, fetch->origin);
		mem_req_free(m->pool, fetch->origin);
	}
	mem_req_free(m->pool, fetch);
}

// --- write-back: one instruction at a time, from one of five sources in turn

static void take_wb(struct ldst *l, struct winst *w)
{
	w->dst_left = (uint8_t)((1u << w->st->n_dst) - 1);
	l->next_wb = w;
}

static void take_wb_answer(struct sm *m, struct mem_req *r)
{
	take_wb(&m->ldst, m->inst[r->inst]);
	mem_req_free(m->pool, r);
}

static bool take_from(struct sm *m, unsigned source)
{
	struct ldst *l = &m->ldst;
	switch (source) {
	case LDST_WB_SHARED: {
		struct winst *w = l->n_shared ? l->shared[0] : NULL;
		if (!w)
			return false;
		l->shared[0] = NULL;
		l->n_shared--;
		if (w->atomic)
			sm_atomic_done(m, w->warp, (unsigned)__builtin_popcount(w->mask));
		sm_left_pipe(m, w);
		take_wb(l, w);
		return true;
	}
	case LDST_WB_TEXTURE:
		if (!l->l1t.busy || !cache_access_ready(l->l1t.cache))
			return false;
		take_wb_answer(m, cache_next_access(l->l1t.cache));
		return true;
	case LDST_WB_CONST:
		if (!l->l1c.busy || !cache_access_ready(l->l1c.cache))
			return false;
		take_wb_answer(m, cache_next_access(l->l1c.cache));
		return true;
	case LDST_WB_GLOBAL: {
		struct mem_req *r = l->next_global;
		if (!r)
			return false;
		if (r->atomic)
			sm_atomic_done(m, r->warp, (unsigned)__builtin_popcount(r->lanes));
		l->next_global = NULL;
		take_wb_answer(m, r);
		return true;
	}
	default:
		if (!l->l1d.busy || !cache_access_ready(l->l1d.cache))
			return false;
		struct mem_req *r = cache_next_access(l->l1d.cache);
		if (r->type == L1_WR_ALLOC_R)
			ldst_end_write_fetch(m, r);
		else
			take_wb_answer(m, r);
		return true;
	}
}

static void writeback(struct sm *m)
{
	struct ldst *l = &m->ldst;
	if (l->next_wb) {
		struct winst *w = l->next_wb;
		if (!opcoll_writeback(&m->opcoll, w))
			return;
		l->next_wb = NULL;
		if (w->space == SPACE_SHARED || ldst_arrived(w))
			finish_load(m, w);
	}
	for (unsigned c = 0; c < LDST_N_WB; c++) {
		unsigned source = (l->wb_turn + c) % LDST_N_WB;
		if (take_from(m, source)) {
			l->wb_turn = (uint8_t)((source + 1) % LDST_N_WB);
			return;
		}
	}
}

// --- answers from the network

bool ldst_passes_l1d(const struct sm *m, const struct mem_req *r)
{
	if (r->cache_op == ISA_CACHE_CG || r->atomic || !m->ldst.l1d.cache)
		return true;
	return (r->type == GLOBAL_ACC_R || r->type == GLOBAL_ACC_W) && m->cfg->skip_l1d && r->cache_op != ISA_CACHE_NC;
}

// A sectored L2 answers sector by sector; the request itself comes back with the last one, else NULL.
struct mem_req *ldst_whole_answer(struct sm *m, struct mem_req *r)
{
	struct mem_req *o = r->origin;
	if (!o)
		return r;
	o->bytes -= r->bytes < o->bytes ? r->bytes : o->bytes;
	mem_req_free(m->pool, r);
	return o->bytes ? NULL : o;
}

bool ldst_fill(struct lazy_cache *c, struct mem_req *r, uint64_t now)
{
	lazy_touch(c);
	if (!cache_fill_port_free(c->cache))
		return false;
	cache_fill(c->cache, r, now);
	return true;
}

static void take_response(struct sm *m, uint64_t now)
{
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
		taken = !l->next_global;
		if (taken)
			l->next_global = ldst_whole_answer(m, r);
	} else {
		taken = ldst_fill(&l->l1d, r, now);
	}
	if (taken)
		port_pop(&l->responses);
}

// --- L1D: requests pass a pipeline of -gpgpu_l1_latency stages per bank, then access the cache

bool ldst_access_l1d(struct sm *m, struct mem_req *r, uint64_t now, struct winst **hit)
{
	struct ldst *l = &m->ldst;
	const struct cache_form *f = &m->cfg->l1d;
	bool store = r->write;
	struct winst *w = store ? NULL : m->inst[r->inst];
	unsigned events = 0;
	*hit = NULL;
	lazy_touch(&l->l1d);
	enum cache_status st = cache_access(l->l1d.cache, r, now, &events);
	if (st == CACHE_RESERVATION_FAIL)
		return false;
	if (st == CACHE_HIT) {
		bool sent = events & CACHE_SENT_WRITE;
		*hit = w;
		if (store && !sent)
			ldst_own_store_ack(m, r);
		if (!sent)
			mem_req_free(m->pool, r);
		return true;
	}
	bool fetches = f->write_allocate == 'F' || f->write_allocate == 'L';
	if (store && f->write != 'T' && fetches && !(events & CACHE_SENT_ALLOCATE))
		ldst_own_store_ack(m, r);
	if (!cache_took(st, store, events))
		mem_req_free(m->pool, r);
	return true;
}

// False: refused. What was refused is refused again while nothing in the cache changes.
static bool access_bank(struct sm *m, struct ldst_bank *b, uint64_t now)
{
	struct cache *c = m->ldst.l1d.cache;
	struct mem_req *r = b->at[b->head].r;
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

static void l1_pipes_tick(struct sm *m, uint64_t now)
{
	struct ldst *l = &m->ldst;
	l->l1_ticks++;
	for (unsigned i = 0; i < l->n_bank; i++) {
		struct ldst_bank *b = &l->bank[i];
		if (!b->n || b->at[b->head].due > l->l1_ticks || !access_bank(m, b, now))
			continue;
		b->refused = 0;
		b->head = b->head + 1 == m->cfg->l1_latency ? 0 : b->head + 1;
		b->n--;
		l->l1_n--;
	}
}

// Its first stage is taken by what came in the same tick, or by a standstill.
static bool bank_full(const struct ldst *l, const struct ldst_bank *b, uint32_t depth)
{
	uint32_t last = b->head + b->n - 1;
	return b->n && (b->n == depth || b->at[last >= depth ? last - depth : last].due == l->l1_ticks + depth);
}

unsigned ldst_l1_bank(const struct sm *m, uint64_t addr)
{
	return set_index_of(&m->ldst.l1_bank, addr);
}

static enum ldst_stall queue_for_l1d(struct sm *m, struct winst *w)
{
	struct ldst *l = &m->ldst;
	uint32_t depth = m->cfg->l1_latency;
	for (unsigned k = 0; k < m->cfg->l1_banks && w->access; k++) {
		struct mem_req *r = w->access;
		unsigned b = ldst_l1_bank(m, r->addr);
		struct ldst_bank *q = &l->bank[b];
		if (bank_full(l, q, depth)) {
			m->stats.l1_conflicts++;
			return LDST_BK_CONF;
		}
		w->access = r->next;
		w->n_access--;
		r->next = NULL;
		r->created = m->now;
		uint32_t i = q->head + q->n++;
		q->at[i >= depth ? i - depth : i].r = r;
		q->at[i >= depth ? i - depth : i].due = l->l1_ticks + depth;
		l->l1_n++;
		if (w->store)
			m->warp[w->warp].stores += ldst_acks_of(m, r);
	}
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

bool ldst_bypasses(const struct sm *m, const struct winst *w)
{
	if (w->st->cache_op == ISA_CACHE_CG || w->atomic || !m->ldst.l1d.cache)
		return true;
	return w->space == SPACE_GLOBAL && m->cfg->skip_l1d && w->st->cache_op != ISA_CACHE_NC;
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
		m->warp[w->warp].stores += ldst_acks_of(m, w->access);
	w->access->created = m->now;
	ldst_send(m, ldst_pop_access(w));
	return w->access ? LDST_COAL_STALL : LDST_NO_RC_FAIL;
}

static void leave_dispatch(struct sm *m, struct winst *w)
{
	struct ldst *l = &m->ldst;
	if (w->load && w->space == SPACE_SHARED && w->mask) {
		if (l->shared[l->shared_depth - 1])
			return;
		l->shared[l->shared_depth - 1] = w;
		l->n_shared++;
		l->dispatch = NULL;
		return;
	}
	l->dispatch = NULL;
	sm_left_pipe(m, w);
	// A load whose data is there already, and everything that writes no register, is over.
	if (w->load && w->refs && w->st->n_dst)
		return;
	if (w->st->n_dst)
		sm_release(m, w);
	sm_complete(m, w);
	if (w->refs)
		return;
	if (w->st->async == ISA_ASYNC_COPY)
		sm_copy_done(m, w);
	sm_inst_free(m, w);
}

static void dispatch(struct sm *m, uint64_t now)
{
	struct ldst *l = &m->ldst;
	struct winst *w = l->dispatch;
	enum ldst_stall st = LDST_NO_RC_FAIL;
	enum ldst_kind kind = LDST_S_MEM;
	if (w->mask) {
		switch ((enum isa_space)w->space) {
		case SPACE_SHARED:
			if (l->passes)
				l->passes--;
			if (l->passes) {
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
		case SPACE_GLOBAL:
		case SPACE_LOCAL:
			st = access_memory(m, w);
			kind = w->space == SPACE_LOCAL ? (w->store ? LDST_L_MEM_ST : LDST_L_MEM_LD)
			                               : (w->store ? LDST_G_MEM_ST : LDST_G_MEM_LD);
			break;
		default:
			break;
		}
	}
	l->stall = st;
	if (st != LDST_NO_RC_FAIL) {
		m->stats.stall_mem++;
		m->stats.stall[kind][st]++;
		return;
	}
	leave_dispatch(m, w);
}

static void shared_tick(struct ldst *l)
{
	for (uint32_t i = 0; i + 1 < l->shared_depth; i++) {
		if (!l->shared[i] && l->shared[i + 1]) {
			l->shared[i] = l->shared[i + 1];
			l->shared[i + 1] = NULL;
		}
	}
}

void ldst_tick(struct sm *m, uint64_t now)
{
	struct ldst *l = &m->ldst;
	writeback(m);
	if (l->n_shared)
		shared_tick(l);
	if (!port_empty(&l->responses))
		take_response(m, now);
	lazy_tick(&l->l1t);
	lazy_tick(&l->l1c);
	lazy_tick(&l->l1d);
	if (l->l1_n)
		l1_pipes_tick(m, now);
	if (l->dispatch)
		dispatch(m, now);
}

bool ldst_idle(const struct ldst *l)
{
	return !l->dispatch && !l->n_shared && !l->next_wb && !l->next_global && !l->l1_n && port_empty(&l->responses) && !l->l1d.busy &&
	       !l->l1c.busy && !l->l1t.busy;
}

void ldst_skip(struct ldst *l, uint64_t cycles)
{
	l->l1d.skipped += cycles;
	l->l1c.skipped += cycles;
	l->l1t.skipped += cycles;
}
