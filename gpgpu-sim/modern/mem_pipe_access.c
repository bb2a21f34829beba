// Accesses of the SM's memory unit: from the instruction that generates them through the pipes to the caches, and the answers.
#include "gpgpu-sim/modern/mem_pipe_state.h"

#include <string.h>

// --- answers

// A request that came back, by its instruction; the request is over.
static void take_answer(struct sm *m, struct modern_memory_unit *u, struct mem_req *r, uint64_t now)
{
	struct winst *w = m->inst[r->inst];
	mem_req_free(m->pool, r);
	mmem_arrived(m, u, w, now);
}

void mmem_take_misses(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct ldst *l = &m->ldst;
	if (l->l1t.busy && cache_access_ready(l->l1t.cache))
		take_answer(m, u, cache_next_access(l->l1t.cache), now);
	if (l->l1c.busy && cache_access_ready(l->l1c.cache))
		take_answer(m, u, cache_next_access(l->l1c.cache), now);
	if (l->l1d.busy && cache_access_ready(l->l1d.cache)) {
		struct mem_req *r = cache_next_access(l->l1d.cache);
		if (r->type == L1_WR_ALLOC_R)
			ldst_end_write_fetch(m, r);
		else
			take_answer(m, u, r, now);
	}
}

static void take_bypass(struct sm *m, struct modern_memory_unit *u, struct mem_req *part, uint64_t now)
{
	struct mem_req *r = ldst_whole_answer(m, part);
	if (!r)
		return;
	if (r->atomic && m->warp[r->warp].atomics)
		sm_atomic_done(m, r->warp, (unsigned)__builtin_popcount(r->lanes));
	take_answer(m, u, r, now + u->cfg->bypass_latency);
}

bool mmem_take_response(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct ldst *l = &m->ldst;
	struct mem_req *r = port_first(&l->responses);
	if (r->type == TEXTURE_ACC_R) {
		if (!ldst_fill(&l->l1t, r, now))
			return false;
	} else if (r->write) {
		sm_store_ack(m, r);
		mem_req_free(m->pool, r);
	} else if (ldst_passes_l1d(m, r->origin ? r->origin : r)) {
		take_bypass(m, u, r, now);
	} else if (!ldst_fill(&l->l1d, r, now)) {
		return false;
	}
	port_pop(&l->responses);
	return true;
}

bool mmem_take_constants(struct sm *m, struct modern_memory_unit *u)
{
	uint64_t addr;
	bool any = false;
	while (u->core->constant_back(m, &addr)) {
		for (uint32_t i = 0; i < u->n_asked; i++) {
			if (u->asked[i].back || u->asked[i].r->addr != addr)
				continue;
			u->asked[i].back = true;
			u->n_back++;
			any = true;
			break;
		}
	}
	return any;
}

void mmem_constants(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct mem_req *r = port_first(&u->ask);
	if (r && u->core->request_constant(m, r->addr, r->stream)) {
		port_pop(&u->ask);
		u->asked[u->n_asked++] = (struct mmem_constant){.r = r};
	}
	if (!u->n_back)
		return;
	uint32_t i = 0;
	while (!u->asked[i].back)
		i++;
	if (!ldst_fill(&m->ldst.l1c, u->asked[i].r, now))
		return;
	u->n_back--;
	u->n_asked--;
	memmove(&u->asked[i], &u->asked[i + 1], (u->n_asked - i) * sizeof *u->asked);
}

// --- pipes

static void l1d_pipes(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	for (unsigned b = 0; b < u->n_bank && u->in_banks; b++) {
		struct mem_req *r;
		struct winst *hit;
		if (port_next(&u->bank[b]) > now)
			continue;
		for (unsigned k = 0; k < u->cfg->l1d_lookups && (r = port_front(&u->bank[b], now)); k++) {
			if (!ldst_access_l1d(m, r, now, &hit))
				break;
			port_pop(&u->bank[b]);
			u->in_banks--;
			if (hit)
				mmem_arrived(m, u, hit, now);
		}
	}
}

// Constants and texels: the pipe before the cache, one look-up a cycle.
static void line_pipe(struct sm *m, struct modern_memory_unit *u, struct port *pipe, struct lazy_cache *lazy, bool perfect, uint64_t now)
{
	struct mem_req *r = port_front(pipe, now);
	if (!r)
		return;
	if (perfect || !lazy->cache) {
		port_pop(pipe);
		take_answer(m, u, r, now);
		return;
	}
	lazy_touch(lazy);
	if (!cache_data_port_free(lazy->cache))
		return;
	unsigned events = 0;
	enum cache_status st = cache_access(lazy->cache, r, now, &events);
	if (st == CACHE_RESERVATION_FAIL)
		return;
	port_pop(pipe);
	if (st == CACHE_HIT)
		take_answer(m, u, r, now);
}

void mmem_pipes(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct winst *w;
	if (u->in_banks)
		l1d_pipes(m, u, now);
	if (u->constant.n)
		line_pipe(m, u, &u->constant, &m->ldst.l1c, u->cfg->perfect_const, now);
	if (u->texture.n)
		line_pipe(m, u, &u->texture, &m->ldst.l1t, false, now);
	while ((w = port_front(&u->shared, now))) {
		port_pop(&u->shared);
		mmem_answered(m, u, w, now);
	}
	while (m->ldst.remote.n && (w = remote_take(m, now)))
		mmem_answered(m, u, w, now);
}

// --- generation of accesses: each function makes those of a cycle; true if there are no more

static void stalled(struct sm *m, enum ldst_kind kind, enum ldst_stall why, uint64_t cycles)
{
	m->stats.stall_mem += cycles;
	m->stats.stall[kind][why] += cycles;
}

static enum ldst_kind memory_kind(const struct winst *w)
{
	if (w->space == SPACE_LOCAL)
		return w->store ? LDST_L_MEM_ST : LDST_L_MEM_LD;
	return w->store ? LDST_G_MEM_ST : LDST_G_MEM_LD;
}

// Two words a lane take two passes and four take four, conflict or not; the link moves one while the next is read.
static uint64_t first_pass(const struct winst *w, uint64_t last, unsigned passes, unsigned each)
{
	unsigned words = w->st->bytes / 4u, wide = passes < words ? passes : words;
	return last - (wide ? wide - 1 : 0) * each;
}

static bool generate_shared(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	struct mmem_entry *e = mmem_entry(u, w);
	unsigned passes = w->cycles ? w->cycles : 1, each = u->cfg->shared_pass;
	if (!e->until) {
		if (u->shared_free > now)
			return false;
		e->until = now + (passes - 1) * each;
		u->shared_free = e->until + each;
		m->stats.shared_conflicts += (passes - 1) * each;
		if (passes > 1)
			stalled(m, LDST_S_MEM, LDST_BK_CONF, (uint64_t)(passes - 1) * each);
		unsigned latency = modern_inst_of(w)->memory == MODERN_MEM_LDS ? modern_inst_of(w)->latency : u->cfg->shared_latency + 1;
		uint64_t datum = e->until + MMEM_DISPATCH + latency;
		e->first = first_pass(w, datum, passes, each);
		if (!w->store)
			port_push_at(&u->shared, w, datum);
	}
	return e->until <= now;
}

static bool generate_remote(struct sm *m, struct winst *w, uint64_t now)
{
	if (remote_full(&m->ldst.remote)) {
		stalled(m, LDST_S_MEM, LDST_ICNT_RC_FAIL, 1);
		return false;
	}
	remote_send(m, w, now);
	return true;
}

static bool generate_line(struct sm *m, struct modern_memory_unit *u, struct winst *w, struct port *pipe, uint64_t *used, enum ldst_kind kind,
                          uint64_t now)
{
	if (*used == now || port_full(pipe)) {
		stalled(m, kind, LDST_BK_CONF, 1);
		return false;
	}
	struct mem_req *r = ldst_pop_access(w);
	*used = now;
	r->created = now;
	port_push_at(pipe, r, now + MMEM_DISPATCH + (pipe == &u->constant ? u->cfg->const_latency : modern_inst_of(w)->latency));
	return !w->access;
}

// The texture units are taken by one instruction at a time, for as long as they need for its lanes.
static bool generate_texture(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	unsigned lanes = u->cfg->texture_lanes;
	if (lanes && u->texture_of != w) {
		if (u->texture_of || u->texture_free > now) {
			stalled(m, LDST_T_MEM, LDST_BK_CONF, 1);
			return false;
		}
		u->texture_of = w;
		u->texture_free = now + ((unsigned)__builtin_popcount(w->mask) + lanes - 1) / lanes;
	}
	bool all = generate_line(m, u, w, &u->texture, &u->texture_used, LDST_T_MEM, now);
	if (all)
		u->texture_of = NULL;
	return all;
}

bool mmem_still_refused(struct sm *m, const struct mmem_refused *r)
{
	if (!ldst_network_full(m, r->bytes))
		return false;
	stalled(m, (enum ldst_kind)r->kind, LDST_ICNT_RC_FAIL, 1);
	return true;
}

void mmem_count_refused(struct sm *m, const struct mmem_refused *r, uint64_t cycles)
{
	m->refused += cycles;
	stalled(m, (enum ldst_kind)r->kind, LDST_ICNT_RC_FAIL, cycles);
}

static bool generate_bypass(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (u->bypass_used == now) {
		stalled(m, memory_kind(w), LDST_COAL_STALL, 1);
		return false;
	}
	const struct mmem_refused r = {.bytes = mem_packet_bytes(w->access), .kind = (uint8_t)memory_kind(w)};
	if (mmem_still_refused(m, &r)) {
		mmem_entry(u, w)->refused = true;
		u->refused[u->n_refused++] = r;
		return false;
	}
	u->bypass_used = now;
	w->access->created = now;
	ldst_send(m, ldst_pop_access(w));
	return !w->access;
}

// The banks of L1D's data are taken by one instruction at a time, for a pass for each word that it wants of one bank.
static bool takes_banks(struct sm *m, struct modern_memory_unit *u, const struct winst *w, struct mmem_entry *e,
                        uint64_t now)
{
	if (!m->cfg->l1_conflicts || e->until)
		return true;
	if (u->l1d_free > now) {
		stalled(m, memory_kind(w), LDST_BK_CONF, 1);
		return false;
	}
	e->until = now;
	u->l1d_free = now + (uint64_t)w->cycles * u->cfg->l1d_pass;
	return true;
}

// The sectors of one line are one access.
static bool generate_l1d(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (!takes_banks(m, u, w, mmem_entry(u, w), now))
		return false;
	uint64_t line = w->access->addr / MEM_MAX_LINE;
	while (w->access && w->access->addr / MEM_MAX_LINE == line) {
		unsigned b = ldst_l1_bank(m, w->access->addr);
		if (u->lookups[b] == u->cfg->l1d_lookups || port_full(&u->bank[b])) {
			m->stats.l1_conflicts++;
			stalled(m, memory_kind(w), LDST_BK_CONF, 1);
			return false;
		}
		struct mem_req *r = ldst_pop_access(w);
		r->created = now;
		u->lookups[b]++;
		u->in_banks++;
		port_push_at(&u->bank[b], r, now + MMEM_L1D_DISPATCH + u->cfg->l1d_latency);
	}
	if (w->access)
		stalled(m, memory_kind(w), LDST_COAL_STALL, 1);
	return !w->access;
}

bool mmem_generate(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (mmem_shared(w))
		return generate_shared(m, u, w, now);
	if (mmem_remote(w))
		return generate_remote(m, w, now);
	if (!w->access)
		return true;
	switch ((enum isa_space)w->space) {
	case SPACE_CONST:
	case SPACE_PARAM:
		return generate_line(m, u, w, &u->constant, &u->constant_used, LDST_C_MEM, now);
	case SPACE_TEX:
		return generate_texture(m, u, w, now);
	default:
		return ldst_bypasses(m, w) ? generate_bypass(m, u, w, now) : generate_l1d(m, u, w, now);
	}
}
