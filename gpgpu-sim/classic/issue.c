// Issue: each scheduler looks for a warp whose next instruction is in the buffer, whose registers are free and whose pipe
// has room; the instruction is executed at once by the front end and enters the pipe to take its time.
#include "gpgpu-sim/look/sm_streams.h"

#include <string.h>

enum { DISTRO_IDLE, DISTRO_SCOREBOARD, DISTRO_STALL }; // shader_cycle_distro of GPGPU-Sim, warps of n lanes follow

static void mark_registers(struct sm_warp *w, const struct isa_inst *st, bool longop)
{
	for (unsigned i = 0; i < st->n_dst; i++) {
		unsigned r = st->dst[i];
		uint64_t bit = (uint64_t)1 << r % 64;
		w->pending += !(w->reg[r / 64] & bit);
		w->reg[r / 64] |= bit;
		if (longop && w->longop)
			w->longop[r / 64] |= bit;
	}
}

// What the instruction makes its warp, or the warps of its CTA, wait for.
static void after_execute(struct sm *m, unsigned slot, struct winst *i, const struct fe_result *r)
{
	struct sm_warp *w = &m->warp[slot];
	const struct frontend_ops *fe = w->k->launch->fe;
	uint64_t bit = (uint64_t)1 << slot;
	enum isa_class cls = (enum isa_class)i->st->cls;
	if (i->atomic && i->mask) {
		uint32_t lanes = 0;
		for (const struct mem_req *q = i->access; q; q = q->next)
			lanes += (unsigned)__builtin_popcount(q->lanes);
		w->atomics += i->space == SPACE_SHARED ? (unsigned)__builtin_popcount(i->mask) : lanes;
		if (w->atomics)
			m->at_atomic |= bit;
	}
	if (cls == ISA_FENCE)
		m->at_fence |= bit;
	if (i->st->async)
		sm_copy_issued(m, i);
	w->next = fe->peek(w->fe, w->fe_warp);
	if (r->status == FE_DONE) {
		m->done |= bit;
		w->next = NULL;
		w->ib_n = 0;
	} else if (!w->next) {
		m->at_barrier |= bit;
		if (i->st->service == ISA_SERVICE_WAIT)
			m->to_park |= (uint64_t)1 << w->cta;
	}
	if (cls == ISA_BARRIER || cls == ISA_EXIT || cls == ISA_RET || r->status == FE_DONE || r->status == FE_BARRIER)
		sm_cta_warps_moved(m, w->cta);
}

static void count_line(struct sm_line *l, const struct winst *i, const struct fe_result *r)
{
	l->n[SM_LINE_COUNT] += (unsigned)__builtin_popcount(r->active);
	if (i->space == SPACE_SHARED) {
		l->n[SM_LINE_SMEM_CONFLICTS] += i->cycles;
		l->n[SM_LINE_SMEM_WARPS]++;
	} else if (i->space == SPACE_GLOBAL) {
		l->n[SM_LINE_GMEM_ACCESSES] += i->n_access;
		l->n[SM_LINE_GMEM_WARPS]++;
	}
}

// A branch that some lanes take and others do not.
static void count_divergence(struct sm *m, const struct winst *i)
{
	m->stats.diverged++;
	if (m->world->lines)
		m->world->lines[i->line].n[SM_LINE_DIVERGENCE]++;
}

static void issue(struct sm *m, unsigned scheduler, unsigned slot)
{
	struct sm_warp *w = &m->warp[slot];
	const struct isa_inst *st = w->next;
	const struct op_cost *cost = core_cost(m->cfg, st);
	struct winst *i = sm_inst_new(m);
	struct fe_result *r = &m->result;
	if (m->dbg & DBG_BREAK)
		sm_dbg_before(m, slot);
	i->st = st;
	i->issued = m->now;
	i->warp = (uint8_t)slot;
	i->sched = (uint8_t)scheduler;
	i->pipe = cost->pipe;
	i->latency = cost->latency;
	i->interval = cost->interval;
	i->store = st->cls == ISA_STORE;
	i->atomic = st->cls == ISA_ATOMIC;
	i->load = st->cls == ISA_LOAD || st->cls == ISA_TEXTURE || i->atomic;
	i->dst_left = (uint8_t)((1u << st->n_dst) - 1);
	i->in_pipe = true;
	i->cycles = 1;
	i->line = kernel_run_line(w->k, st);
	w->in_pipe++;
	w->ib_n--;
	w->ib_pc += w->k->launch->fe->inst_bytes;
	w->fetch_pc = st->pc + w->k->launch->fe->inst_bytes;

	w->k->launch->fe->execute(w->fe, w->fe_warp, r);
	HEDDLE_ASSERT(r->inst == st || r->status == FE_FAULT);
	i->mask = r->mask;
	m->stats.issued_by_slot[slot]++;
	if (m->dbg & SM_DBG_ISSUED)
		sm_dbg_issued(m, i);
	m->stats.distro[DISTRO_STALL + (unsigned)__builtin_popcount(r->active)]++;
	if (st->has_access && r->mask)
		coalesce(m, i, r);
	mark_registers(w, st, i->load && i->space != SPACE_SHARED && i->space != SPACE_CONST);
	after_execute(m, slot, i, r);
	stage_put(&m->id_oc[i->pipe], m->cfg->sub_core, scheduler, i);
	if (m->world->lines)
		count_line(&m->world->lines[i->line], i, r);
	if (m->flow)
		m->flow[i->line] += (unsigned)__builtin_popcount(r->active);
	if (m->by_age)
		m->by_age[m->age[slot] / 32 < SM_AGE_BUCKETS ? m->age[slot] / 32 : SM_AGE_BUCKETS - 1]++;
	if (st->cls == ISA_BRANCH && r->mask && r->mask != r->active)
		count_divergence(m, i);
	sm_refresh(m, slot);
	sm_check_fence(m, slot);
	if (r->status == FE_FAULT) {
		sm_stop_kernel(m, w->k);
		m->world->fault(m->world->ctx, w->k);
	}
}

static void flush(struct sm *m, unsigned slot)
{
	struct sm_warp *w = &m->warp[slot];
	w->fetch_pc = w->next->pc;
	w->ib_n = 0;
	sm_refresh(m, slot);
}

// Up to -gpgpu_max_insn_issue_per_warp instructions of the warp.
static unsigned issue_warp(struct sm *m, unsigned scheduler, unsigned slot)
{
	const struct core_config *c = m->cfg;
	uint64_t bit = (uint64_t)1 << slot;
	unsigned issued = 0;
	enum pipe last = PIPE_NONE;
	while (issued < c->max_issue && !(sm_waiting(m) & bit)) {
		if (m->mismatch & bit) {
			flush(m, slot);
			break;
		}
		if (!(m->ready & bit))
			break;
		enum pipe pipe = (enum pipe)core_cost(c, m->warp[slot].next)->pipe;
		if (!stage_has_free(&m->id_oc[pipe], c->sub_core, scheduler) || (c->dual_issue_diff_units && pipe == last))
			break;
		if (m->warp[slot].next->service && sm_begin_service(m, slot))
			break;
		issue(m, scheduler, slot);
		last = pipe;
		issued++;
	}
	return issued;
}

static enum sm_slot_reason why_idle(const struct sm *m, uint64_t own, uint64_t allowed)
{
	uint64_t here = own & m->resident;
	if (!here)
		return SM_SLOT_NO_WARP;
	uint64_t buffered = here & ~m->ib_empty & ~sm_waiting(m);
	if (buffered & ~allowed & m->ready)
		return SM_SLOT_NOT_ELIGIBLE;
	if (buffered & m->mismatch)
		return SM_SLOT_CONTROL;
	if (buffered)
		return SM_SLOT_SCOREBOARD;
	if (here & (m->at_async | m->at_service))
		return SM_SLOT_SCOREBOARD;
	if (here & m->at_atomic)
		return SM_SLOT_ATOMIC;
	if (here & m->at_fence)
		return SM_SLOT_FENCE;
	if (here & ~m->done & ~m->at_barrier)
		return SM_SLOT_EMPTY_BUFFER;
	return here & m->at_barrier ? SM_SLOT_BARRIER : SM_SLOT_EMPTY_BUFFER;
}

static void count(struct sm *m, unsigned scheduler, unsigned issued, uint64_t allowed, bool valid, bool ready)
{
	struct sm_stats *s = &m->stats;
	enum sm_slot_reason why = SM_SLOT_ISSUED;
	if (issued) {
		(issued == 1 ? s->single_issue : s->dual_issue)[scheduler]++;
	} else {
		unsigned d = ready ? DISTRO_STALL : valid ? DISTRO_SCOREBOARD : DISTRO_IDLE;
		s->distro[d]++;
		m->last_distro[scheduler] = (uint8_t)d;
		why = ready ? SM_SLOT_PIPE_FULL : why_idle(m, m->sched[scheduler].own, allowed);
	}
	s->slot[scheduler][why]++;
	m->last_slot[scheduler] = (uint8_t)why;
}

// The set of warps whose next instruction reads or writes a register that a long operation will write.
static uint64_t longop_warps(const struct sm *m, uint64_t own)
{
	uint64_t set = 0;
	for (uint64_t s = own & m->resident & ~m->ib_empty; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		const struct sm_warp *w = &m->warp[i];
		for (unsigned k = 0; w->next && k < w->next->n_read; k++)
			if (w->longop[w->next->src[k] / 64] >> w->next->src[k] % 64 & 1)
				set |= (uint64_t)1 << i;
	}
	return set;
}

// Of the ready warps, those whose pipe has no room. While memory is slow most of them are.
static uint64_t blocked(const struct sm *m, unsigned scheduler)
{
	uint64_t set = 0;
	for (uint32_t p = m->issued; p; p &= p - 1) {
		unsigned pipe = (unsigned)__builtin_ctz(p);
		if (!stage_has_free(&m->id_oc[pipe], m->cfg->sub_core, scheduler))
			set |= m->wants[pipe];
	}
	return set;
}

static void schedule(struct sm *m, unsigned scheduler)
{
	struct sched *s = &m->sched[scheduler];
	struct sched_view v = {.resident = m->resident, .waiting = sm_waiting(m), .age = m->age};
	if (m->cfg->longop_tracking)
		v.longop = longop_warps(m, s->own);
	uint64_t allowed = s->ops->begin(s, &v);
	uint64_t set = allowed & s->own & m->resident & ~m->ib_empty & ~v.waiting;
	uint64_t try = set & (m->ready | m->mismatch);
	bool valid = set & ~m->mismatch, ready = set & m->ready;
	unsigned issued = 0;
	try &= ~blocked(m, scheduler);
	while (try && !issued) {
		unsigned slot = s->ops->pick(s, try, &v);
		try &= ~((uint64_t)1 << slot);
		issued = issue_warp(m, scheduler, slot);
		if (issued)
			s->ops->issued(s, slot);
	}
	count(m, scheduler, issued, allowed, valid, ready);
	if (m->dbg & DBG_BIT(WARP_SCHEDULER))
		sm_dbg_schedule(m, scheduler, issued);
}

void sm_note_idle(struct sm *m)
{
	const struct sched_view v = {.resident = m->resident, .waiting = sm_waiting(m), .age = m->age};
	for (unsigned i = 0; i < m->cfg->n_schedulers; i++) {
		struct sched s = m->sched[i];
		uint64_t allowed = s.ops->begin(&s, &v);
		bool valid = allowed & s.own & m->resident & ~m->ib_empty & ~v.waiting & ~m->mismatch;
		m->last_distro[i] = valid ? DISTRO_SCOREBOARD : DISTRO_IDLE;
		m->last_slot[i] = (uint8_t)why_idle(m, s.own, allowed);
	}
}

void sm_issue(struct sm *m)
{
	unsigned n = m->cfg->n_schedulers;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = m->issue_turn + i;
		schedule(m, k >= n ? k - n : k);
	}
	m->issue_turn = m->issue_turn + 1 == n ? 0 : m->issue_turn + 1;
}
