// The classic core's cycle, from write-back to fetch.
#include "gpgpu-sim/classic/classic.h"

#include "base/mem.h"

#include <string.h>

// --- construction

static bool classic_init(struct sm *m, struct diag *d)
{
	struct classic *c = m->classic = mem_alloc_dense(sizeof *c);
	const struct core_config *cfg = m->cfg;
	ldst_unit_init(&c->ldst, m);
	c->ib_empty = ~(uint64_t)0;
	for (unsigned p = 0; p < PIPE_N; p++) {
		c->id_oc[p] = (struct register_set){.width = (uint8_t)cfg->id_oc_width[p], .occupied = &c->issued, .bit = 1u << p};
		c->oc_ex[p] = (struct register_set){.width = (uint8_t)cfg->oc_ex_width[p], .occupied = &c->collected, .bit = 1u << p};
	}
	c->ex_wb = (struct register_set){.width = (uint8_t)cfg->ex_wb_width, .occupied = &c->written, .bit = 1};
	for (unsigned i = 0; i < cfg->n_schedulers; i++)
		sched_init(&c->sched[i], &cfg->scheduler, i, cfg->n_schedulers, cfg->max_warps);
	for (unsigned w = 0; w < cfg->max_warps; w++)
		c->warp[w].sched = (uint8_t)sm_scheduler_of(m, w);
	c->schedulers = (1u << cfg->n_schedulers) - 1;
	classic_look_all(c);
	if (cfg->tick_all || c->sched[0].ops->every_cycle)
		c->look_always = c->schedulers;
	if (!opcoll_init(&c->opcoll, cfg, c->id_oc, c->oc_ex, d))
		return false;
	exec_units_init(&c->units, cfg);
	return true;
}

static void classic_free(struct sm *m)
{
	struct classic *c = m->classic;
	exec_units_free(&c->units);
	mem_free(c->longop_store);
	ldst_unit_free(&c->ldst);
	mem_free_dense(c, sizeof *c);
}

static void classic_reserve_registers(struct sm *m)
{
	struct classic *c = m->classic;
	uint32_t words = m->reg_words;
	if (!m->cfg->longop_tracking)
		return;
	uint64_t *store = mem_alloc((size_t)words * m->cfg->max_warps * sizeof *store);
	for (unsigned w = 0; w < m->cfg->max_warps; w++) {
		if (c->longop_words)
			memcpy(store + (size_t)w * words, c->warp[w].longop, c->longop_words * sizeof *store);
		c->warp[w].longop = store + (size_t)w * words;
	}
	mem_free(c->longop_store);
	c->longop_store = store;
	c->longop_words = words;
}

// --- warps

static void classic_start_warp(struct sm *m, unsigned slot)
{
	struct classic *c = m->classic;
	const struct sm_warp *w = &m->warp[slot];
	c->imiss &= ~((uint64_t)1 << slot);
	c->warp[slot].fetch_pc = w->next ? w->next->pc : 0;
	c->warp[slot].ib_n = 0;
	c->warp[slot].inst_bytes = (uint8_t)w->k->launch->fe->inst_bytes;
	c->warp[slot].follows_path = w->k->launch->fe->path;
	classic_refresh(m, slot);
}

static void classic_changed(struct sm *m, unsigned slot)
{
	struct classic *c = m->classic;
	if (m->done >> slot & 1) {
		c->warp[slot].ib_n = 0;
		if (c->fetched_warp == slot)
			c->fetched = false; // its place may be another kernel's when that would be decoded
	}
	classic_refresh(m, slot);
}

static void classic_may_go(struct sm *m, unsigned slot) { classic_look(m->classic, slot); }

static bool classic_fetching(const struct sm *m, unsigned slot)
{
	const struct classic *c = m->classic;
	return c->imiss >> slot & 1 || (c->fetched && c->fetched_warp == slot);
}

// --- a cycle

static void writeback(struct sm *m)
{
	struct classic *c = m->classic;
	while (c->ex_wb.full) {
		struct winst *w = regs_take(&c->ex_wb, regs_oldest(&c->ex_wb));
		// A second register in the same bank is written without waiting, as in GPGPU-Sim.
		opcoll_writeback(&c->opcoll, w);
		sm_left_pipe(m, w);
		classic_release(m, w);
		sm_complete(m, w);
		sm_inst_free(m, w);
	}
}

// The instruction in a slot of a stage enters a unit, if that can take it.
static void start_unit(struct sm *m, struct register_set *in, unsigned slot, unsigned unit)
{
	struct classic *c = m->classic;
	struct winst *w = in->slot[slot];
	if (!exec_units_can_issue(&c->units, unit, m->now, w->latency))
		return;
	exec_units_issue(&c->units, unit, regs_take(in, slot), m->now);
	opcoll_stir(&c->opcoll);
	m->stats.unit_issued[w->pipe]++;
}

static void start_units(struct sm *m, unsigned pipe)
{
	struct classic *c = m->classic;
	struct register_set *in = &c->oc_ex[pipe];
	const unsigned first = c->units.first[pipe];
	if (m->cfg->sub_core)
		for (uint32_t s = in->full; s; s &= s - 1)
			start_unit(m, in, (unsigned)__builtin_ctz(s), first + (unsigned)__builtin_ctz(s));
	else
		for (unsigned i = 0; i < m->cfg->n_units[pipe] && in->full; i++)
			start_unit(m, in, regs_oldest(in), first + i);
}

static void execute(struct sm *m)
{
	struct classic *c = m->classic;
	if (c->units.n_inside)
		for (uint64_t s = exec_units_leaving(&c->units, m->now); s; s &= s - 1)
			regs_put(&c->ex_wb, false, 0, exec_units_take(&c->units, (unsigned)__builtin_ctzll(s), m->now));
	for (uint32_t s = c->collected & ~(1u << PIPE_MEM); s; s &= s - 1)
		start_units(m, (unsigned)__builtin_ctz(s));
	for (unsigned k = 0; k < m->cfg->mem_ports; k++)
		ldst_unit_tick(m, m->now);
	if (c->collected >> PIPE_MEM & 1 && !c->ldst.dispatch) {
		struct register_set *mem = &c->oc_ex[PIPE_MEM];
		ldst_unit_issue(m, regs_take(mem, regs_oldest(mem)));
		opcoll_stir(&c->opcoll);
	}
}

// Nothing is under way in front of the units and behind issue, and no warp can issue.
static bool nothing_under_way(const struct sm *m)
{
	const struct classic *c = m->classic;
	return !c->issued && !c->collected && opcoll_idle(&c->opcoll) && ldst_unit_idle(m) &&
	       !(m->resident & ~c->ib_empty & ~sm_waiting(m) & (c->ready | c->mismatch));
}

// All that is under way there waits for the load/store unit, which waits for room in the network.
static bool all_refused(const struct sm *m)
{
	const struct classic *c = m->classic;
	return !c->moved && !(c->collected & ~(1u << PIPE_MEM)) && ldst_unit_refused(m);
}

static bool can_move(const struct sm *m)
{
	const struct classic *c = m->classic;
	if (c->written || c->units.n_inside || c->fetched || m->leaving)
		return true;
	if (!nothing_under_way(m) && !all_refused(m))
		return true;
	if (m->resident & ~m->done & ~c->imiss & c->ib_empty)
		return true;
	if (m->l1i.busy)
		return true;
	return c->sched[0].ops->every_cycle;
}

// Without CTAs: nobody waits for what is still inside, lines fetched for stores or for a next instruction, but it comes to
// its end. These are no cycles of an active SM. True while something can move.
static bool drain(struct sm *m, uint64_t now)
{
	if (m->l1i.busy)
		classic_drain_fetch(m);
	if (!ldst_unit_idle(m))
		ldst_unit_tick(m, now);
	return m->l1i.busy || !ldst_unit_idle(m);
}

static void classic_catch_up(struct sm *m, uint64_t n)
{
	struct classic *c = m->classic;
	c->issue_turn = (uint32_t)((c->issue_turn + n) % m->cfg->n_schedulers);
	ldst_unit_skip(m, n * m->cfg->mem_ports);
	m->l1i.skipped += n * m->cfg->fetch_throughput;
}

static bool classic_holds_requests(const struct sm *m) { return m->classic->ldst.next_global || m->classic->ldst.filled; }

static uint64_t classic_tick(struct sm *m, uint64_t now)
{
	struct classic *c = m->classic;
	if (!m->n_cta)
		return drain(m, now) ? now + 1 : UINT64_MAX;
	bool stands = !c->moved && !c->written; // the warps that wait are those of the cycle before
	if (c->written)
		writeback(m);
	if (!stands)
		classic_expect_issue(m);
	execute(m);
	c->moved = opcoll_tick(&c->opcoll, m->cfg->reg_port_throughput);
	c->look |= opcoll_freed(&c->opcoll) & c->pipe_full;
	classic_issue(m);
	classic_fetch(m, now);
	if (m->to_park) {
		sm_park_ctas(m);
		classic_look_all(c);
	}
	if (can_move(m) || !classic_note_idle(m))
		return now + 1;
	m->at_network = c->ldst.dispatch;
	return UINT64_MAX;
}

// Warps to which a register may be written in the next cycle, before issue.
static uint64_t written_next(const struct sm *m)
{
	const struct register_set *from = &m->classic->ex_wb;
	uint64_t set = ldst_unit_writes(m);
	for (uint32_t s = m->classic->written ? from->full : 0; s; s &= s - 1)
		set |= (uint64_t)1 << from->slot[__builtin_ctz(s)]->warp;
	return set;
}

static bool classic_alone(const struct sm *m)
{
	const struct classic *c = m->classic;
	const uint64_t out = c->outside & m->resident & ~m->done;
	return m->cfg->max_issue == 1 && (!out || (!(out & (c->ready | m->at_barrier)) && !(out & written_next(m))));
}

static bool classic_response_full(const struct sm *m) { return m->ldst.responses.n >= m->cfg->response_buffer; }

static void classic_accept_fetch(struct sm *m, struct mem_req *r, uint64_t now)
{
	lazy_touch(&m->l1i);
	cache_fill(m->l1i.cache, r, now);
}

static unsigned classic_buffered(const struct sm *m, unsigned slot) { return m->classic->warp[slot].ib_n; }

const struct core_ops core_classic = {
	.slots = (1u << SM_SLOT_COUNTER) - 1,
	.waits_for_atomics = true,
	.inst_bytes = sizeof(struct winst),
	.init = classic_init,
	.free = classic_free,
	.reserve_registers = classic_reserve_registers,
	.start_warp = classic_start_warp,
	.refresh = classic_changed,
	.may_go = classic_may_go,
	.fetching = classic_fetching,
	.tick = classic_tick,
	.alone = classic_alone,
	.catch_up = classic_catch_up,
	.settle = classic_count_idle,
	.holds_requests = classic_holds_requests,
	.response_full = classic_response_full,
	.accept_fetch = classic_accept_fetch,
	.wait_of = classic_wait_of,
	.buffered = classic_buffered,
	.print_wait = classic_print_wait,
	.print_queues = classic_print_queues,
	.print_pipeline = classic_print_pipeline,
};
