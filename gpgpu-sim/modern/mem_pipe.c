// The memory unit that the sub-cores of an SM share. An accepted instruction takes an entry of the pending request table and
// keeps it until its result is written. The oldest few entries generate accesses, one a cycle each: a line of L1D (all of its
// sectors), a pass through the banks of shared memory, a line of constants or texels, or a request that passes L1D by.
// Answers go back over a link to each sub-core.
//
// Work is done in the cycles in which something happens: every queue knows when its first item is due, and `next` is the
// first of these times. What can be refused (tags, register ports) is tried again in every cycle, what the
// network refuses when it may have room again.
#include "gpgpu-sim/modern/mem_pipe_state.h"

#include "base/lines.h"
#include "base/mem.h"
#include "gpgpu-sim/sm/observer.h"

#include <stdio.h>
#include <string.h>

static struct modern_memory_unit *unit_of(const struct sm *m) { return m->modern->mem; }

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
	l->l1c.cache = cache_new(&c, m->pool, (struct cache_below){.ctx = u, .full = ask_full, .push = ask_push});
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
	u->refused = mem_alloc((cfg->coalescers ? cfg->coalescers : 1) * sizeof *u->refused);
	u->fence = mem_alloc(prt * sizeof *u->fence);
	u->tex = mem_alloc(prt * sizeof *u->tex);
	port_init(&u->waiting, prt);
	port_init(&u->shared, prt);
	port_init(&u->constant, cfg->const_latency + 2);
	port_init(&u->texture, cfg->unit[ISA_UNIT_TEXTURE].latency + 2);
	port_init(&u->release, prt);
	port_init(&u->hop, prt);
	port_init(&u->copied, prt);
	port_init(&u->ask, 1);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		local_init(&u->local[s], cfg->queue + 1);
		port_init(&u->link[s].results, prt);
	}
	if (m->ldst.l1d.cache) {
		u->n_bank = m->cfg->l1_banks;
		u->bank = mem_alloc(u->n_bank * sizeof *u->bank);
		u->lookups = mem_alloc(u->n_bank);
		for (unsigned b = 0; b < u->n_bank; b++)
			port_init(&u->bank[b], (cfg->l1d_latency + MMEM_L1D_DISPATCH + 1) * cfg->l1d_lookups);
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
	mem_free(u->refused);
	mem_free(u->fence);
	mem_free(u->tex);
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

static void release_later(struct modern_memory_unit *u, struct modern_winst *x, uint64_t at)
{
	unsigned i = at % MMEM_WAR_RING;
	x->when = at;
	x->next = u->war[i];
	u->war[i] = x;
	u->war_due[i / 64] |= (uint64_t)1 << i % 64;
}

static void release_sources(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	unsigned i = now % MMEM_WAR_RING;
	if (!(u->war_due[i / 64] >> i % 64 & 1))
		return;
	struct modern_winst *x = u->war[i];
	u->war[i] = NULL;
	u->war_due[i / 64] &= ~((uint64_t)1 << i % 64);
	while (x) {
		struct modern_winst *rest = x->next;
		if (x->when == now)
			u->core->sources_read(m, &x->w);
		else
			release_later(u, x, x->when); // a turn of the ring or more ahead
		x = rest;
	}
}

static uint64_t next_release(const struct modern_memory_unit *u, uint64_t now)
{
	for (unsigned k = 1, i; k <= MMEM_WAR_RING; k += 64 - i % 64) {
		i = (unsigned)((now + k) % MMEM_WAR_RING);
		uint64_t due = u->war_due[i / 64] >> i % 64;
		if (due)
			return now + k + (unsigned)__builtin_ctzll(due);
	}
	return UINT64_MAX;
}

static void fences(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < u->n_fence; i++) {
		struct winst *w = u->fence[i];
		if (m->warp[w->warp].stores)
			u->fence[n++] = w;
		else
			mmem_answered(m, u, w, now);
	}
	u->n_fence = n;
}

static bool is_fence(const struct winst *w) { return w->st->cls == ISA_FENCE || modern_inst_of(w)->fence; }

// The last access has been generated.
static void generated(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (w->store)
		mmem_end_store(m, u, w, now);
	else if (mmem_shared(w) || mmem_remote(w))
		return; // comes out of its pipe
	else if (is_fence(w) && m->warp[w->warp].stores)
		u->fence[u->n_fence++] = w;
	else if (!w->refs)
		mmem_answered(m, u, w, now + MMEM_DISPATCH);
}

static void start(struct modern_memory_unit *u)
{
	while (u->n_active < u->cfg->coalescers && !port_empty(&u->waiting))
		u->active[u->n_active++] = port_pop(&u->waiting);
}

// Those of `active` from `from` on; those before keep their places.
static void coalescers(struct sm *m, struct modern_memory_unit *u, uint32_t from, uint64_t now)
{
	uint32_t n = from;
	if (u->n_bank)
		memset(u->lookups, 0, u->n_bank);
	while (u->n_refused && u->refused[u->n_refused - 1].active >= from)
		u->n_refused--;
	for (uint32_t i = from; i < u->n_active; i++) {
		struct winst *w = u->active[i];
		struct mmem_entry *e = mmem_entry(u, w);
		e->refused = false;
		if (mmem_generate(m, u, w, now)) {
			generated(m, u, w, now);
			continue;
		}
		if (e->refused)
			u->refused[u->n_refused - 1].active = (uint16_t)n;
		u->active[n++] = w;
	}
	u->n_active = n;
	start(u);
}

// --- from the sub-cores

static void accept_one(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	modern_of(w)->entry = u->free_entry[--u->n_free];
	*mmem_entry(u, w) = (struct mmem_entry){.w = w};
	if (w->store)
		for (const struct mem_req *r = w->access; r; r = r->next)
			sm_store_begins(m, w->warp, ldst_acks_of(m, r));
	else
		w->refs = w->space == SPACE_SHARED ? 0 : w->n_access; // none of SPACE_CLUSTER
	if (modern_inst_of(w)->memory == MODERN_MEM_TEX && !w->store)
		u->tex[u->n_tex++] = w;
	ldst_count(m, w);
	if (m->observed & SM_SEES_PIPELINE)
		modern_view(m, w, MODERN_VIEW_ACCEPT);
	port_push(&u->waiting, w);
	start(u);
}

static void accept(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	if (u->accept_at > now || !u->n_free)
		return;
	for (unsigned k = 0; k < MODERN_SUBCORES; k++) {
		unsigned s = (u->turn + k) % MODERN_SUBCORES;
		struct winst *w;
		if (local_offer(&u->local[s], &w) > now)
			continue;
		local_accepted(&u->local[s]);
		modern_look(m->modern, s);
		u->turn = (uint8_t)((s + 1) % MODERN_SUBCORES);
		u->accept_at = now + u->cfg->mem_spacing;
		accept_one(m, u, w);
		return;
	}
}

static void sub_cores(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		if (u->local[s].next > now)
			continue;
		struct winst *w = local_tick(&u->local[s], now);
		if (!w)
			continue;
		if (!modern_inst_of(w)->war_at_end)
			release_later(u, modern_of(w), now + modern_inst_of(w)->war - LOCAL_READ);
		if (m->observed & SM_SEES_PIPELINE)
			modern_view(m, w, MODERN_VIEW_ADDRESS);
	}
}

// For pipeline views: the last cycle of an instruction in its first stage, in which it reads the address register.
static void view_reads(struct sm *m, const struct modern_memory_unit *u, uint64_t now)
{
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		const struct winst *w = local_reads(&u->local[s], now);
		if (w)
			modern_view(m, w, MODERN_VIEW_READ);
	}
}

// --- a cycle

static void sooner(uint64_t *next, uint64_t t)
{
	if (t < *next)
		*next = t;
}

// When an instruction with a coalescer can go on: passes through shared memory are known ahead. What the network refuses is
// left to mmem_retry.
static uint64_t next_generation(struct modern_memory_unit *u, struct winst *w)
{
	uint64_t until = mmem_entry(u, w)->until;
	if (mmem_entry(u, w)->refused)
		return UINT64_MAX;
	return !mmem_shared(w) ? 0 : until ? until : u->shared_free;
}

static uint64_t next_acceptance(const struct modern_memory_unit *u)
{
	uint64_t next = UINT64_MAX;
	struct winst *w;
	for (unsigned s = 0; s < MODERN_SUBCORES; s++)
		sooner(&next, local_offer(&u->local[s], &w));
	return next == UINT64_MAX || next > u->accept_at ? next : u->accept_at;
}

// First what is mostly the answer while much is going on.
static uint64_t next_event(const struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	if (m->ldst.l1d.busy || m->ldst.l1c.busy || m->ldst.l1t.busy || u->ask.n || u->n_back)
		return now + 1;
	if (!u->live && !u->in_banks)
		return remote_next(&m->ldst.remote);
	if (m->observed & SM_SEES_PIPELINE)
		return now + 1; // views look at every cycle
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < u->n_active; i++)
		sooner(&next, next_generation(u, u->active[i]));
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		sooner(&next, u->local[s].next);
		sooner(&next, mmem_link_next(&u->link[s]));
	}
	if (next <= now + 1)
		return now + 1;
	for (unsigned b = 0; b < u->n_bank && u->in_banks; b++)
		sooner(&next, port_next(&u->bank[b]));
	if (u->n_free)
		sooner(&next, next_acceptance(u));
	if (next <= now + 1)
		return now + 1;
	sooner(&next, remote_next(&m->ldst.remote));
	const struct port *const p[] = {&u->shared, &u->constant, &u->texture, &u->release, &u->copied};
	for (unsigned i = 0; i < sizeof p / sizeof *p; i++)
		sooner(&next, port_next(p[i]));
	if (u->hop.n)
		sooner(&next, port_next(&u->hop) > u->shared_free ? port_next(&u->hop) : u->shared_free);
	sooner(&next, next_release(u, now));
	return next > now ? next : now + 1;
}

bool mmem_retry(struct sm *m, uint64_t now)
{
	struct modern_memory_unit *u = unit_of(m);
	uint32_t i = 0;
	ldst_skip(&m->ldst, 1);
	while (i < u->n_refused && mmem_still_refused(m, &u->refused[i]))
		i++;
	if (i == u->n_refused)
		return false;
	coalescers(m, u, u->refused[i].active, now);
	accept(m, u, now);
	u->next = next_event(m, u, now);
	return true;
}

void mmem_tick(struct sm *m, uint64_t now)
{
	struct modern_memory_unit *u = unit_of(m);
	struct ldst *l = &m->ldst;
	bool constant = u->n_asked && mmem_take_constants(m, u);
	if (now < u->next && !constant && port_empty(&l->responses) && !u->step) {
		if (u->n_refused)
			mmem_retry(m, now);
		else
			ldst_skip(l, 1);
		return;
	}
	release_sources(m, u, now);
	if (u->release.n | u->hop.n | u->copied.n)
		mmem_copies(m, u, now);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++)
		if (mmem_link_next(&u->link[s]) <= now)
			mmem_move_results(m, u, s, now);
	mmem_take_misses(m, u, now);
	for (uint32_t n = m->cfg->answers; n && !port_empty(&l->responses) && mmem_take_response(m, u, now); n--)
		;
	if (u->ask.n | u->n_back)
		mmem_constants(m, u, now);
	lazy_tick(&l->l1t);
	lazy_tick(&l->l1c);
	lazy_tick(&l->l1d);
	mmem_pipes(m, u, now);
	if (u->n_fence)
		fences(m, u, now);
	if (u->n_active)
		coalescers(m, u, 0, now);
	sub_cores(m, u, now);
	if (m->observed & SM_SEES_PIPELINE)
		view_reads(m, u, now);
	accept(m, u, now);
	u->next = next_event(m, u, now);
}

bool mmem_refused(const struct sm *m) { return unit_of(m)->n_refused; }

uint64_t mmem_next(const struct sm *m, uint64_t now) { return mmem_refused(m) ? now + 1 : mmem_next_besides(m, now); }

uint64_t mmem_next_besides(const struct sm *m, uint64_t now)
{
	const struct modern_memory_unit *u = unit_of(m);
	if (!port_empty(&m->ldst.responses) || u->next <= now)
		return now + 1;
	return u->next;
}

void mmem_drain(struct sm *m, uint64_t now) { mmem_tick(m, now); }

void mmem_skip(struct sm *m, uint64_t cycles)
{
	const struct modern_memory_unit *u = unit_of(m);
	for (uint32_t i = 0; i < u->n_refused; i++)
		mmem_count_refused(m, &u->refused[i], cycles);
	ldst_skip(&m->ldst, cycles);
}

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

static void say_port(const struct sm *m, const char *name, const struct port *p, struct lines *to)
{
	char what[96];
	if (port_empty(p))
		return;
	port_describe(p, name, what, sizeof what);
	lines_say(to, "gpu.sm[%u] %s%s\n", m->id, what, port_full(p) ? " (full)" : "");
}

void mmem_describe(const struct sm *m, struct lines *to)
{
	const struct modern_memory_unit *u = unit_of(m);
	const struct {
		const char *name;
		const struct port *port;
	} p[] = {{"pending request table, without a coalescer", &u->waiting}, {"shared memory", &u->shared}, {"constants", &u->constant},
	         {"texture", &u->texture}, {"LDGSTS counters", &u->release}, {"LDGSTS data", &u->hop}, {"LDGSTS stores", &u->copied},
	         {"constant misses", &u->ask}};
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		const struct local_unit *l = &u->local[s];
		if (l->held)
			lines_say(to, "gpu.sm[%u] sub-core %u, memory unit: %u of %u places, %u in the queue\n", m->id, s, l->held, l->places,
			          l->queue.n);
		if (u->link[s].moving)
			lines_say(to, "gpu.sm[%u] sub-core %u, link from the SM: a result of warp %u since cycle %llu\n", m->id, s,
			          u->link[s].moving->warp, (unsigned long long)u->link[s].arrives);
		say_port(m, "results", &u->link[s].results, to);
	}
	if (u->n_free != (u->cfg->prt ? u->cfg->prt : 1))
		lines_say(to, "gpu.sm[%u] pending request table: %u of %u free, %u with a coalescer, %u fences\n", m->id, u->n_free,
		          u->cfg->prt, u->n_active, u->n_fence);
	for (unsigned i = 0; i < sizeof p / sizeof *p; i++)
		say_port(m, p[i].name, p[i].port, to);
	for (unsigned b = 0; b < u->n_bank; b++)
		say_port(m, "L1D pipe", &u->bank[b], to);
	if (u->n_asked)
		lines_say(to, "gpu.sm[%u] constants asked of L1: %u of %u\n", m->id, u->n_asked, u->max_asked);
}
