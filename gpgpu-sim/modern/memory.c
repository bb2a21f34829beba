// The memory unit that the sub-cores of an SM share. An accepted instruction takes an entry of the pending request table and
// keeps it until its result is written. The oldest few entries generate accesses, one a cycle each: a line of L1D (all of its
// sectors), a pass through the banks of shared memory, a line of constants or texels, or a request that passes L1D by.
// Answers go back over a link to each sub-core.
//
// Work is done in the cycles in which something happens: every queue knows when its first item is due, and `next` is the
// first of these times. What can be refused (tags, network, register ports) is tried again in every cycle.
#include "gpgpu-sim/modern/memory_internal.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/trace.h"

#include <stdio.h>
#include <string.h>

enum { WAR_RING = 256 };

// A pending request table entry.
struct entry {
	struct winst *w;
	uint64_t first; // cycle of the first datum, 0 before
	uint64_t until; // shared memory: cycle of the last pass, 0 before the first
	uint16_t link;  // cycles on the link
	uint8_t parts;  // LDGSTS: of release and copy, those to come
	bool read;      // war_at_end: the sources were released
};

// The link from the SM to a sub-core's register file.
struct link {
	struct port results;
	struct winst *moving;
	uint64_t arrives;
};

// A constant line that was asked for.
struct constant {
	struct mem_req *r;
	bool back;
};

struct modern_memory_unit {
	const struct modern_config *cfg;
	const struct mmem_core *core;
	struct local_unit local[MODERN_SUBCORES];
	struct winst *war[WAR_RING]; // sources to release, by cycle
	uint64_t war_due[WAR_RING / 64];
	uint32_t live;               // instructions in all of it

	uint64_t accept_at;          // first cycle in which one may be accepted
	uint8_t turn;                // sub-core that goes first
	struct entry *prt;
	uint16_t *free_entry;
	uint32_t n_free;
	struct port waiting;         // accepted, without a coalescer
	struct winst **active;       // with one, oldest first
	uint32_t n_active;

	struct port *bank;           // L1D: pipes before the tags
	uint8_t *lookups;            // of each bank in this cycle
	uint32_t n_bank, in_banks;
	uint64_t shared_free;        // first cycle in which the banks of shared memory are free
	struct port shared;          // instructions
	struct port constant, texture; // requests
	uint64_t constant_used, texture_used, bypass_used; // last cycle in which one was given an access
	struct port release, hop, copied; // LDGSTS: counter to go down; on the way to shared memory; written there
	struct winst **fence;        // wait for the stores of their warps
	uint32_t n_fence;
	struct port ask;             // constants that missed, to be asked for
	struct constant *asked;
	uint32_t n_asked, max_asked, n_back;
	struct link link[MODERN_SUBCORES];

	uint64_t next;
	bool step;
};

static struct modern_memory_unit *unit_of(const struct sm *m) { return m->modern->mem; }
static struct entry *entry_of(struct modern_memory_unit *u, const struct winst *w) { return &u->prt[w->left]; }

// --- construction

// The way of missing constants: to L1 I/C.
static bool ask_full(void *ctx, const struct mem_req *r)
{
	const struct modern_memory_unit *u = ctx;
	return port_full(&u->ask) || u->ask.n + u->n_asked >= u->max_asked;
}

static void ask_push(void *ctx, struct mem_req *r)
{
	struct modern_memory_unit *u = ctx;
	port_push(&u->ask, r);
}

static void make_constant_cache(struct modern_memory_unit *u, struct sm *m)
{
	struct ldst *l = &m->ldst;
	const char *name = l->l1c.cache ? cache_name(l->l1c.cache) : NULL;
	cache_free(l->l1c.cache);
	l->l1c.cache = NULL;
	if (!u->cfg->l0vl.present)
		return;
	if (!name) {
		char *fresh = l->cache_name[l->n_named++];
		snprintf(fresh, sizeof l->cache_name[0], "gpu.sm[%u].l1c", m->id);
		name = fresh;
	}
	struct cache_config c = {.form = u->cfg->l0vl, .role = CACHE_INST_CONST, .name = name};
	u->max_asked = c.form.mshr_entries;
	u->asked = mem_alloc(u->max_asked * sizeof *u->asked);
	l->l1c.cache = cache_new(&c, m->pool, (struct cache_below){u, ask_full, ask_push});
}

struct modern_memory_unit *mmem_new_in(struct sm *m, const struct modern_config *cfg, const struct mmem_core *core)
{
	struct modern_memory_unit *u = MEM_NEW(struct modern_memory_unit);
	uint32_t prt = cfg->prt ? cfg->prt : 1;
	u->cfg = cfg;
	u->core = core;
	u->next = UINT64_MAX;
	u->constant_used = u->texture_used = u->bypass_used = UINT64_MAX;
	u->prt = mem_alloc(prt * sizeof *u->prt);
	u->free_entry = mem_alloc(prt * sizeof *u->free_entry);
	for (uint32_t i = prt; i-- > 0;)
		u->free_entry[u->n_free++] = (uint16_t)i;
	u->active = mem_alloc((cfg->coalescers ? cfg->coalescers : 1) * sizeof *u->active);
	u->fence = mem_alloc(prt * sizeof *u->fence);
	port_init(&u->waiting, "pending request table, without a coalescer", prt);
	port_init(&u->shared, "shared memory", prt);
	port_init(&u->constant, "constants", cfg->const_latency + 2);
	port_init(&u->texture, "texture", cfg->unit[ISA_UNIT_TEXTURE].latency + 2);
	port_init(&u->release, "LDGSTS counters", prt);
	port_init(&u->hop, "LDGSTS data", prt);
	port_init(&u->copied, "LDGSTS stores", prt);
	port_init(&u->ask, "constant misses", 1);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		local_init(&u->local[s], cfg->queue + 1);
		port_init(&u->link[s].results, "results", prt);
	}
	if (m->ldst.l1d.cache) {
		u->n_bank = m->cfg->l1_banks;
		u->bank = mem_alloc(u->n_bank * sizeof *u->bank);
		u->lookups = mem_alloc(u->n_bank);
		for (unsigned b = 0; b < u->n_bank; b++)
			port_init(&u->bank[b], "L1D pipe", (cfg->l1d_latency + MMEM_L1D_DISPATCH + 1) * cfg->l1d_lookups);
	}
	make_constant_cache(u, m);
	return u;
}

void mmem_free(struct modern_memory_unit *u)
{
	if (!u)
		return;
	struct port *const p[] = {&u->waiting, &u->shared, &u->constant, &u->texture, &u->release, &u->hop, &u->copied, &u->ask};
	for (unsigned i = 0; i < sizeof p / sizeof *p; i++)
		port_free(p[i]);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		local_free(&u->local[s]);
		port_free(&u->link[s].results);
	}
	for (unsigned b = 0; b < u->n_bank; b++)
		port_free(&u->bank[b]);
	mem_free(u->bank);
	mem_free(u->lookups);
	mem_free(u->prt);
	mem_free(u->free_entry);
	mem_free(u->active);
	mem_free(u->fence);
	mem_free(u->asked);
	mem_free(u);
}

void mmem_step(struct modern_memory_unit *u, bool step) { u->step = step; }

// --- issue, and sources

bool mmem_has_place(const struct sm *m, unsigned subcore) { return local_has_place(&unit_of(m)->local[subcore]); }

void mmem_issue(struct sm *m, unsigned subcore, struct winst *w)
{
	struct modern_memory_unit *u = unit_of(m);
	w->sched = (uint8_t)subcore;
	local_issue(&u->local[subcore], w, m->now);
	u->live++;
	if (m->now + LOCAL_ENTRY < u->next)
		u->next = m->now + LOCAL_ENTRY;
}

static void release_later(struct modern_memory_unit *u, struct winst *w, uint64_t at)
{
	unsigned i = at % WAR_RING;
	w->next = u->war[i];
	u->war[i] = w;
	u->war_due[i / 64] |= (uint64_t)1 << i % 64;
}

static void release_sources(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	unsigned i = now % WAR_RING;
	if (!(u->war_due[i / 64] >> i % 64 & 1))
		return;
	struct winst *w = u->war[i];
	u->war[i] = NULL;
	u->war_due[i / 64] &= ~((uint64_t)1 << i % 64);
	while (w) {
		struct winst *rest = w->next;
		u->core->sources_read(m, w);
		w = rest;
	}
}

static uint64_t next_release(const struct modern_memory_unit *u, uint64_t now)
{
	for (unsigned k = 1, i; k <= WAR_RING; k += 64 - i % 64) {
		i = (unsigned)((now + k) % WAR_RING);
		uint64_t due = u->war_due[i / 64] >> i % 64;
		if (due)
			return now + k + (unsigned)__builtin_ctzll(due);
	}
	return UINT64_MAX;
}

// --- the end of an instruction

static void finish(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	u->free_entry[u->n_free++] = w->left;
	u->live--;
	u->core->done(m, w);
}

static bool is_copy(const struct winst *w) { return w->modern->memory == MODERN_MEM_LDGSTS || w->st->async == ISA_ASYNC_COPY; }

// All of its data is there in cycle `at`, or it needs none.
static void answered(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t at)
{
	struct entry *e = entry_of(u, w);
	if (!e->first)
		e->first = at;
	if (w->atomic && w->space == SPACE_SHARED && m->warp[w->warp].atomics)
		sm_atomic_done(m, w->warp, (unsigned)__builtin_popcount(w->mask));
	if (is_copy(w)) {
		uint64_t first = e->first + MMEM_COPY_FIRST, last = at + MMEM_COPY_LAST;
		e->parts = 2;
		port_push_at(&u->release, w, first > last ? first : last);
		port_push_at(&u->hop, w, at + u->cfg->ldgsts_hop);
		return;
	}
	// What came before the last datum has crossed the link while the rest was on its way.
	unsigned back = w->modern->back, least = back < 2 ? back : 2;
	uint64_t ahead = at - e->first;
	e->link = (uint16_t)(ahead + least < back ? back - ahead : least);
	port_push_at(&u->link[w->sched].results, w, at + MMEM_RETURN);
}

static void arrived(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	struct entry *e = entry_of(u, w);
	if (!e->first)
		e->first = now;
	if (ldst_arrived(w))
		answered(m, u, w, now);
}

// A request that came back, by its instruction; the request is over.
static void take_answer(struct sm *m, struct modern_memory_unit *u, struct mem_req *r, uint64_t now)
{
	struct winst *w = m->inst[r->inst];
	mem_req_free(m->pool, r);
	arrived(m, u, w, now);
}

static bool write_result(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	struct entry *e = entry_of(u, w);
	if (w->modern->war_at_end && !e->read) {
		e->read = true;
		u->core->sources_read(m, w);
	}
	return u->core->write(m, w);
}

// One result at a time crosses a sub-core's link; it stands there until its registers are written.
static void move_results(struct sm *m, struct modern_memory_unit *u, unsigned subcore, uint64_t now)
{
	struct link *l = &u->link[subcore];
	for (;;) {
		if (l->moving) {
			if (l->arrives > now || !write_result(m, u, l->moving))
				return;
			finish(m, u, l->moving);
			l->moving = NULL;
		}
		struct winst *w = port_front(&l->results, now);
		if (!w)
			return;
		port_pop(&l->results);
		l->moving = w;
		l->arrives = now + entry_of(u, w)->link;
	}
}

// A store has nothing to bring back.
static void end_store(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (u->core->write(m, w)) {
		finish(m, u, w);
		return;
	}
	entry_of(u, w)->link = 0;
	port_push_at(&u->link[w->sched].results, w, now + 1);
}

// --- LDGSTS: the counter, and the data that goes to shared memory

static void part_done(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	if (--entry_of(u, w)->parts == 0)
		finish(m, u, w);
}

static void copies(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct winst *w;
	while ((w = port_front(&u->release, now)) && u->core->write(m, w)) {
		port_pop(&u->release);
		part_done(m, u, w);
	}
	while ((w = port_front(&u->copied, now))) {
		port_pop(&u->copied);
		part_done(m, u, w);
	}
	// The second phase goes before new instructions.
	w = port_front(&u->hop, now);
	if (w && u->shared_free <= now) {
		port_pop(&u->hop);
		u->shared_free = now + (w->cycles ? w->cycles : 1);
		port_push_at(&u->copied, w, u->shared_free);
	}
}

// --- answers

static void take_misses(struct sm *m, struct modern_memory_unit *u, uint64_t now)
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
	take_answer(m, u, r, now);
}

static void take_response(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct ldst *l = &m->ldst;
	struct mem_req *r = port_first(&l->responses);
	if (r->type == TEXTURE_ACC_R) {
		if (!ldst_fill(&l->l1t, r, now))
			return;
	} else if (r->write) {
		sm_store_ack(m, r);
		mem_req_free(m->pool, r);
	} else if (ldst_passes_l1d(m, r->origin ? r->origin : r)) {
		take_bypass(m, u, r, now);
	} else if (!ldst_fill(&l->l1d, r, now)) {
		return;
	}
	port_pop(&l->responses);
}

static bool take_constants(struct sm *m, struct modern_memory_unit *u)
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

static void constants(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct mem_req *r = port_first(&u->ask);
	if (r && u->core->request_constant(m, r->addr, r->stream)) {
		port_pop(&u->ask);
		u->asked[u->n_asked++] = (struct constant){.r = r};
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
		for (unsigned k = 0; k < u->cfg->l1d_lookups && (r = port_front(&u->bank[b], now)); k++) {
			if (!ldst_access_l1d(m, r, now, &hit))
				break;
			port_pop(&u->bank[b]);
			u->in_banks--;
			if (hit)
				arrived(m, u, hit, now);
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

static void pipes(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct winst *w;
	if (u->in_banks)
		l1d_pipes(m, u, now);
	line_pipe(m, u, &u->constant, &m->ldst.l1c, u->cfg->perfect_const, now);
	line_pipe(m, u, &u->texture, &m->ldst.l1t, false, now);
	while ((w = port_front(&u->shared, now))) {
		port_pop(&u->shared);
		answered(m, u, w, now);
	}
}

static void fences(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < u->n_fence; i++) {
		struct winst *w = u->fence[i];
		if (m->warp[w->warp].stores)
			u->fence[n++] = w;
		else
			answered(m, u, w, now);
	}
	u->n_fence = n;
}

// --- generation of accesses: each function makes those of a cycle; true if there are no more

static void stalled(struct sm *m, enum ldst_kind kind, enum ldst_stall why, uint64_t cycles)
{
	m->ldst.stall = why;
	m->stats.stall_mem += cycles;
	m->stats.stall[kind][why] += cycles;
}

static enum ldst_kind memory_kind(const struct winst *w)
{
	if (w->space == SPACE_LOCAL)
		return w->store ? LDST_L_MEM_ST : LDST_L_MEM_LD;
	return w->store ? LDST_G_MEM_ST : LDST_G_MEM_LD;
}

static bool generate_shared(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	struct entry *e = entry_of(u, w);
	unsigned passes = w->cycles ? w->cycles : 1;
	if (!e->until) {
		if (u->shared_free > now)
			return false;
		e->until = now + passes - 1;
		u->shared_free = now + passes;
		m->stats.shared_conflicts += passes - 1;
		if (passes > 1)
			stalled(m, LDST_S_MEM, LDST_BK_CONF, passes - 1);
		unsigned latency = w->modern->memory == MODERN_MEM_LDS ? w->modern->latency : u->cfg->shared_latency + 1;
		if (!w->store)
			port_push_at(&u->shared, w, e->until + MMEM_DISPATCH + latency);
	}
	return e->until <= now;
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
	port_push_at(pipe, r, now + MMEM_DISPATCH + (pipe == &u->constant ? u->cfg->const_latency : w->modern->latency));
	return !w->access;
}

static bool generate_bypass(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (u->bypass_used == now) {
		stalled(m, memory_kind(w), LDST_COAL_STALL, 1);
		return false;
	}
	if (ldst_below_full(m, w->access)) {
		stalled(m, memory_kind(w), LDST_ICNT_RC_FAIL, 1);
		return false;
	}
	u->bypass_used = now;
	w->access->created = now;
	ldst_send(m, ldst_pop_access(w));
	return !w->access;
}

// The sectors of one line are one access.
static bool generate_l1d(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
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

static bool generate(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (w->mask && w->space == SPACE_SHARED)
		return generate_shared(m, u, w, now);
	if (!w->access)
		return true;
	switch ((enum isa_space)w->space) {
	case SPACE_CONST:
	case SPACE_PARAM:
		return generate_line(m, u, w, &u->constant, &u->constant_used, LDST_C_MEM, now);
	case SPACE_TEX:
		return generate_line(m, u, w, &u->texture, &u->texture_used, LDST_T_MEM, now);
	default:
		return ldst_bypasses(m, w) ? generate_bypass(m, u, w, now) : generate_l1d(m, u, w, now);
	}
}

static bool is_fence(const struct winst *w) { return w->st->cls == ISA_FENCE || w->modern->fence; }

// The last access has been generated.
static void generated(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (w->store)
		end_store(m, u, w, now);
	else if (w->mask && w->space == SPACE_SHARED)
		return; // comes out of its pipe
	else if (is_fence(w) && m->warp[w->warp].stores)
		u->fence[u->n_fence++] = w;
	else if (!w->refs)
		answered(m, u, w, now + MMEM_DISPATCH);
}

static void start(struct modern_memory_unit *u)
{
	while (u->n_active < u->cfg->coalescers && !port_empty(&u->waiting))
		u->active[u->n_active++] = port_pop(&u->waiting);
}

static void coalescers(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	uint32_t n = 0;
	if (u->n_bank)
		memset(u->lookups, 0, u->n_bank);
	for (uint32_t i = 0; i < u->n_active; i++) {
		struct winst *w = u->active[i];
		if (generate(m, u, w, now))
			generated(m, u, w, now);
		else
			u->active[n++] = w;
	}
	u->n_active = n;
	start(u);
}

// --- from the sub-cores

static void accept_one(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	w->left = u->free_entry[--u->n_free];
	u->prt[w->left] = (struct entry){.w = w};
	if (w->store)
		for (const struct mem_req *r = w->access; r; r = r->next)
			m->warp[w->warp].stores += ldst_acks_of(m, r);
	else
		w->refs = w->space == SPACE_SHARED ? 0 : w->n_access;
	ldst_count(m, w);
	port_push(&u->waiting, w);
	start(u);
}

static void accept(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	if (u->accept_at > now || !u->n_free)
		return;
	for (unsigned k = 0; k < MODERN_SUBCORES; k++) {
		unsigned s = (u->turn + k) % MODERN_SUBCORES;
		struct winst *w = local_offer(&u->local[s], now);
		if (!w)
			continue;
		local_accepted(&u->local[s]);
		u->turn = (uint8_t)((s + 1) % MODERN_SUBCORES);
		u->accept_at = now + u->cfg->mem_spacing;
		accept_one(m, u, w);
		if (m->trace & TRACE_BIT(CORE))
			modern_view(m, w, MODERN_VIEW_ACCEPT);
		return;
	}
}

// The sources are read when the first stage, which calculates the address, ends.
static void view_entry(struct sm *m, const struct winst *w)
{
	unsigned s = 0;
	while (s < LOCAL_STAGES - 1 && !w->modern->stage[s])
		s++;
	modern_view(m, w, MODERN_VIEW_ADDRESS);
	modern_view_at(m, w, MODERN_VIEW_READ, m->now + w->modern->stage[s] - 1u);
}

static void sub_cores(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		if (!u->local[s].held)
			continue;
		struct winst *w = local_tick(&u->local[s], now);
		if (w && m->trace & TRACE_BIT(CORE))
			view_entry(m, w);
		if (w && !w->modern->war_at_end)
			release_later(u, w, now + w->modern->war - LOCAL_READ);
	}
}

// --- a cycle

static void sooner(uint64_t *next, uint64_t t)
{
	if (t < *next)
		*next = t;
}

// When the instructions with a coalescer can go on: passes through shared memory are known ahead.
static uint64_t next_generation(struct modern_memory_unit *u, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < u->n_active; i++) {
		const struct winst *w = u->active[i];
		uint64_t until = entry_of(u, w)->until, t = now + 1;
		if (w->mask && w->space == SPACE_SHARED)
			t = until ? until : u->shared_free;
		sooner(&next, t);
	}
	return next;
}

static uint64_t next_event(const struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	if (m->ldst.l1d.busy || m->ldst.l1c.busy || m->ldst.l1t.busy || u->ask.n || u->n_back)
		return now + 1;
	if (!u->live && !u->in_banks)
		return UINT64_MAX;
	const struct port *const p[] = {&u->shared, &u->constant, &u->texture, &u->release, &u->copied};
	uint64_t next = next_release(u, now), offer = UINT64_MAX;
	for (unsigned i = 0; i < sizeof p / sizeof *p; i++)
		sooner(&next, port_next(p[i]));
	for (unsigned b = 0; b < u->n_bank && u->in_banks; b++)
		sooner(&next, port_next(&u->bank[b]));
	if (u->hop.n)
		sooner(&next, port_next(&u->hop) > u->shared_free ? port_next(&u->hop) : u->shared_free);
	sooner(&next, next_generation(u, now));
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		const struct link *l = &u->link[s];
		sooner(&next, l->moving ? l->arrives : port_next(&l->results));
		if (!u->local[s].held)
			continue;
		sooner(&next, local_next(&u->local[s], now));
		sooner(&offer, local_next_offer(&u->local[s]));
	}
	if (u->n_free && offer != UINT64_MAX)
		sooner(&next, offer > u->accept_at ? offer : u->accept_at);
	return next > now ? next : now + 1;
}

void mmem_tick(struct sm *m, uint64_t now)
{
	struct modern_memory_unit *u = unit_of(m);
	struct ldst *l = &m->ldst;
	bool constant = u->n_asked && take_constants(m, u);
	if (now < u->next && !constant && port_empty(&l->responses) && !u->step) {
		ldst_skip(l, 1);
		return;
	}
	release_sources(m, u, now);
	copies(m, u, now);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++)
		move_results(m, u, s, now);
	take_misses(m, u, now);
	if (!port_empty(&l->responses))
		take_response(m, u, now);
	constants(m, u, now);
	lazy_tick(&l->l1t);
	lazy_tick(&l->l1c);
	lazy_tick(&l->l1d);
	pipes(m, u, now);
	if (u->n_fence)
		fences(m, u, now);
	if (u->n_active)
		coalescers(m, u, now);
	sub_cores(m, u, now);
	accept(m, u, now);
	u->next = next_event(m, u, now);
}

uint64_t mmem_next(const struct sm *m, uint64_t now)
{
	const struct modern_memory_unit *u = unit_of(m);
	if (!port_empty(&m->ldst.responses) || u->next <= now)
		return now + 1;
	return u->next;
}

void mmem_drain(struct sm *m, uint64_t now) { mmem_tick(m, now); }

void mmem_skip(struct sm *m, uint64_t cycles) { ldst_skip(&m->ldst, cycles); }

bool mmem_holds_requests(const struct sm *m)
{
	const struct modern_memory_unit *u = unit_of(m);
	const struct lazy_cache *const c[] = {&m->ldst.l1d, &m->ldst.l1c, &m->ldst.l1t};
	for (unsigned i = 0; i < 3; i++)
		if (c[i]->busy && !cache_quiet(c[i]->cache))
			return true;
	for (unsigned s = 0; s < MODERN_SUBCORES; s++)
		if (u->local[s].held)
			return true;
	return u->in_banks || u->n_active || u->waiting.n || u->constant.n || u->texture.n || u->ask.n || u->n_back ||
	       !port_empty(&m->ldst.responses);
}

// --- for people who look inside

static void say_port(const struct sm *m, const struct port *p, void (*put)(void *ctx, const char *line), void *ctx)
{
	char what[96], line[160];
	if (port_empty(p))
		return;
	port_describe(p, what, sizeof what);
	snprintf(line, sizeof line, "gpu.sm[%u] %s%s\n", m->id, what, port_full(p) ? " (full)" : "");
	put(ctx, line);
}

void mmem_describe(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx)
{
	const struct modern_memory_unit *u = unit_of(m);
	const struct port *const p[] = {&u->waiting, &u->shared, &u->constant, &u->texture, &u->release, &u->hop, &u->copied, &u->ask};
	char line[256];
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		const struct local_unit *l = &u->local[s];
		if (l->held) {
			snprintf(line, sizeof line, "gpu.sm[%u] sub-core %u, memory unit: %u of %u places, %u in the queue\n", m->id, s, l->held, l->places,
			         l->queue.n);
			put(ctx, line);
		}
		if (u->link[s].moving) {
			snprintf(line, sizeof line, "gpu.sm[%u] sub-core %u, link from the SM: a result of warp %u since cycle %llu\n", m->id, s,
			         u->link[s].moving->warp, (unsigned long long)u->link[s].arrives);
			put(ctx, line);
		}
		say_port(m, &u->link[s].results, put, ctx);
	}
	if (u->n_free != (u->cfg->prt ? u->cfg->prt : 1)) {
		snprintf(line, sizeof line, "gpu.sm[%u] pending request table: %u of %u free, %u with a coalescer, %u fences\n", m->id, u->n_free,
		         u->cfg->prt, u->n_active, u->n_fence);
		put(ctx, line);
	}
	for (unsigned i = 0; i < sizeof p / sizeof *p; i++)
		say_port(m, p[i], put, ctx);
	for (unsigned b = 0; b < u->n_bank; b++)
		say_port(m, &u->bank[b], put, ctx);
	if (u->n_asked) {
		snprintf(line, sizeof line, "gpu.sm[%u] constants asked of L1: %u of %u\n", m->id, u->n_asked, u->max_asked);
		put(ctx, line);
	}
}
