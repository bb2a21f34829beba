// The classic core, GPGPU-Sim's: a cycle from write-back to fetch. Issue is in sm_issue.c, fetch in sm_fetch.c, the operand
// collector in opcoll.c, the load/store unit in ldst.c.
#include "gpgpu-sim/sm/sm.h"

#include "base/mem.h"

// --- construction

static uint32_t longest(const struct core_config *c, unsigned pipe)
{
	uint32_t n = pipe >= PIPE_SPEC ? c->spec[pipe - PIPE_SPEC].latency : 1;
	if (pipe >= PIPE_SPEC && c->unit_cost[pipe - PIPE_SPEC].latency > n)
		n = c->unit_cost[pipe - PIPE_SPEC].latency;
	for (unsigned k = 0; k < ISA_N_CLASSES; k++)
		if (c->cost[k].pipe == pipe && c->cost[k].latency > n)
			n = c->cost[k].latency;
	return n;
}

static void make_units(struct sm *m)
{
	const struct core_config *c = m->cfg;
	static const uint8_t order[] = {PIPE_SP,       PIPE_DP,       PIPE_INT,      PIPE_SFU,      PIPE_TENSOR,   PIPE_SPEC,     PIPE_SPEC + 1,
	                                PIPE_SPEC + 2, PIPE_SPEC + 3, PIPE_SPEC + 4, PIPE_SPEC + 5, PIPE_SPEC + 6, PIPE_SPEC + 7};
	for (unsigned i = 0; i < sizeof order; i++)
		m->n_unit += c->n_units[order[i]];
	HEDDLE_ASSERT(m->n_unit <= 64);
	m->unit = mem_alloc(m->n_unit * sizeof *m->unit);
	unsigned n = 0;
	for (unsigned i = 0; i < sizeof order; i++)
		for (unsigned k = 0; k < c->n_units[order[i]]; k++, n++) {
			exec_unit_init(&m->unit[n], order[i], k, longest(c, order[i]));
			m->units_of[order[i]] |= (uint64_t)1 << n;
		}
}

static bool classic_init(struct sm *m, struct diag *d)
{
	const struct core_config *cfg = m->cfg;
	m->ib_empty = ~(uint64_t)0;
	for (unsigned p = 0; p < PIPE_N; p++) {
		m->id_oc[p] = (struct stage){.width = (uint8_t)cfg->id_oc_width[p], .occupied = &m->issued, .bit = 1u << p};
		m->oc_ex[p] = (struct stage){.width = (uint8_t)cfg->oc_ex_width[p], .occupied = &m->collected, .bit = 1u << p};
	}
	m->ex_wb = (struct stage){.width = (uint8_t)cfg->ex_wb_width, .occupied = &m->written, .bit = 1};
	for (unsigned i = 0; i < cfg->n_schedulers; i++)
		sched_init(&m->sched[i], &cfg->scheduler, i, cfg->n_schedulers, cfg->max_warps);
	if (!opcoll_init(&m->opcoll, cfg, m->id_oc, m->oc_ex, d))
		return false;
	make_units(m);
	return true;
}

static void classic_free(struct sm *m)
{
	for (unsigned i = 0; i < m->n_unit; i++)
		exec_unit_free(&m->unit[i]);
	mem_free(m->unit);
}

// --- a cycle

static void writeback(struct sm *m)
{
	while (m->ex_wb.full) {
		struct winst *w = stage_take(&m->ex_wb, stage_oldest(&m->ex_wb));
		// A second register in the same bank is written without waiting, as in GPGPU-Sim.
		opcoll_writeback(&m->opcoll, w);
		sm_left_pipe(m, w);
		sm_release(m, w);
		sm_complete(m, w);
		sm_inst_free(m, w);
	}
}

static bool result_bus_free(const struct sm *m, uint64_t t)
{
	return m->result_bus[t % CORE_MAX_LATENCY].cycle != t || m->result_bus[t % CORE_MAX_LATENCY].n < m->cfg->ex_wb_width;
}

static void result_bus_take(struct sm *m, uint64_t t)
{
	if (m->result_bus[t % CORE_MAX_LATENCY].cycle != t) {
		m->result_bus[t % CORE_MAX_LATENCY].cycle = t;
		m->result_bus[t % CORE_MAX_LATENCY].n = 0;
	}
	m->result_bus[t % CORE_MAX_LATENCY].n++;
}

static void start_unit(struct sm *m, struct exec_unit *u, unsigned index)
{
	struct stage *in = &m->oc_ex[u->pipe];
	if (m->cfg->sub_core && !(in->full >> u->id & 1))
		return;
	unsigned slot = m->cfg->sub_core ? u->id : stage_oldest(in);
	struct winst *w = in->slot[slot];
	if (!exec_unit_can_issue(u, m->now, w->latency) || !result_bus_free(m, m->now + w->latency))
		return;
	result_bus_take(m, m->now + w->latency);
	exec_unit_issue(u, stage_take(in, slot), m->now);
	m->units_busy |= (uint64_t)1 << index;
	m->stats.unit_issued[u->pipe]++;
}

static void execute(struct sm *m)
{
	uint64_t look = m->units_busy;
	for (uint32_t s = m->collected; s; s &= s - 1)
		look |= m->units_of[__builtin_ctz(s)];
	for (; look; look &= look - 1) {
		unsigned i = (unsigned)__builtin_ctzll(look);
		struct exec_unit *u = &m->unit[i];
		if (m->units_busy >> i & 1) {
			struct winst *done = exec_unit_tick(u, m->now);
			if (done)
				stage_put(&m->ex_wb, false, 0, done);
			if (!exec_unit_busy(u))
				m->units_busy &= ~((uint64_t)1 << i);
		}
		if (m->oc_ex[u->pipe].full)
			start_unit(m, u, i);
	}
	for (unsigned k = 0; k < m->cfg->mem_ports; k++)
		ldst_tick(m, m->now);
	struct stage *mem = &m->oc_ex[PIPE_MEM];
	if (mem->full && !m->ldst.dispatch)
		ldst_issue(m, stage_take(mem, stage_oldest(mem)));
}

static bool can_move(const struct sm *m)
{
	if (m->issued || m->collected || m->written || m->units_busy || !opcoll_idle(&m->opcoll) || !ldst_idle(&m->ldst) || m->fetched || m->leaving)
		return true;
	if (m->resident & ~m->ib_empty & ~sm_waiting(m) & (m->ready | m->mismatch))
		return true;
	if (m->resident & ~m->done & ~m->imiss & m->ib_empty)
		return true;
	if (m->l1i.busy)
		return true;
	return m->sched[0].ops->every_cycle;
}

// Without CTAs: nobody waits for what is still inside, lines fetched for stores or for a next instruction, but it comes to
// its end. These are no cycles of an active SM. True while something can move.
static bool drain(struct sm *m, uint64_t now)
{
	if (m->l1i.busy)
		sm_drain_fetch(m);
	if (!ldst_idle(&m->ldst))
		ldst_tick(m, now);
	return m->l1i.busy || !ldst_idle(&m->ldst);
}

static void classic_catch_up(struct sm *m, uint64_t n)
{
	for (unsigned i = 0; i < m->cfg->n_schedulers; i++) {
		m->stats.distro[m->last_distro[i]] += n;
		m->stats.slot[i][m->last_slot[i]] += n;
	}
	m->issue_turn = (uint32_t)((m->issue_turn + n) % m->cfg->n_schedulers);
	ldst_skip(&m->ldst, n * m->cfg->mem_ports);
	m->l1i.skipped += n * m->cfg->fetch_throughput;
}

static bool classic_holds_requests(const struct sm *m) { return m->ldst.next_global || m->ldst.l1_n; }

static uint64_t classic_tick(struct sm *m, uint64_t now)
{
	if (!m->n_cta)
		return drain(m, now) ? now + 1 : UINT64_MAX;
	if (m->ex_wb.full)
		writeback(m);
	execute(m);
	if (m->issued || !opcoll_idle(&m->opcoll))
		for (unsigned k = 0; k < m->cfg->reg_port_throughput; k++)
			opcoll_step(&m->opcoll);
	sm_issue(m);
	for (unsigned k = 0; k < m->cfg->fetch_throughput; k++)
		sm_fetch(m, now);
	if (m->to_park)
		sm_park_ctas(m);
	if (can_move(m))
		return now + 1;
	sm_note_idle(m);
	return UINT64_MAX;
}

static bool classic_response_full(const struct sm *m) { return m->ldst.responses.n >= m->cfg->response_buffer; }

static void classic_accept_fetch(struct sm *m, struct mem_req *r, uint64_t now)
{
	lazy_touch(&m->l1i);
	cache_fill(m->l1i.cache, r, now);
}

const struct core_ops core_classic = {
	.slots = (1u << SM_SLOT_COUNTER) - 1,
	.init = classic_init,
	.free = classic_free,
	.start_warp = sm_refresh,
	.refresh = sm_refresh,
	.tick = classic_tick,
	.catch_up = classic_catch_up,
	.holds_requests = classic_holds_requests,
	.response_full = classic_response_full,
	.accept_fetch = classic_accept_fetch,
};
