// Issue: compiler-guided greedy, then youngest (CGGTY). The warp that issued last goes on as long as its control bits let it;
// else the youngest warp that may.
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/sm_trace.h"

// Warps that nothing holds but their own control bits, operands and units.
static uint64_t candidates(const struct sm *m, const struct modern_sub *s)
{
	return s->warps & m->resident & front_ready(m) & ~sm_waiting(m);
}

static unsigned youngest(const struct sm *m, uint64_t set)
{
	unsigned best = (unsigned)__builtin_ctzll(set);
	for (set &= set - 1; set; set &= set - 1) {
		unsigned i = (unsigned)__builtin_ctzll(set);
		if (m->age[i] > m->age[best])
			best = i;
	}
	return best;
}

// FP32 goes to the INT pipe where that is allowed and free.
static enum isa_unit unit_for(const struct modern_config *c, const struct modern_sub *s, const struct modern_inst *i, uint64_t now)
{
	if (i->fp32 && c->fp32_in_int && s->unit_free[ISA_UNIT_INT] <= now)
		return ISA_UNIT_INT;
	switch ((enum isa_unit)i->unit) {
	case ISA_UNIT_HALF: return ISA_UNIT_SP;
	case ISA_UNIT_PREDICATE: return ISA_UNIT_INT;
	default: return (enum isa_unit)i->unit;
	}
}

static bool has_result(const struct modern_inst *i) { return i->n_write || i->write_uniform; }

// Structures that are looked at before issue.
static bool units_ready(const struct sm *m, unsigned subcore, const struct modern_inst *i)
{
	const struct modern *u = m->modern;
	const struct modern_sub *s = &u->sub[subcore];
	if (i->memory)
		return mmem_has_place(m, subcore);
	if (!i->fixed)
		return true; // back-pressure comes through Control
	if (s->unit_free[unit_for(u->cfg, s, i, m->now)] > m->now)
		return false;
	// A result takes a place when another is written before it, not on its way: Figure 4 has no bubbles.
	return !has_result(i) || s->results[!i->n_write].n < u->cfg->result_queue;
}

static bool ready(const struct sm *m, unsigned subcore, unsigned warp)
{
	const struct modern_warp *w = &m->modern->warp[warp];
	return w->may_issue <= m->now && depend_ready(m, warp, w->head) && units_ready(m, subcore, w->head);
}

static void copy_groups(struct sm *m, struct winst *i)
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

// What is next for the warp, and where its buffer has to go on.
static void look_ahead(struct sm *m, unsigned slot)
{
	struct sm_warp *w = &m->warp[slot];
	struct modern_warp *mw = &m->modern->warp[slot];
	mw->head = w->next ? modern_code_of(w->k->modern, w->next) : NULL;
	if (w->next && w->next->pc != mw->expect) {
		mw->expect = w->next->pc;
		front_redirect(m, slot, w->next->pc);
	}
}

void modern_refresh(struct sm *m, unsigned slot)
{
	struct modern_warp *w = &m->modern->warp[slot];
	m->modern->next = 0;
	// What another sub-core did in this cycle is seen from the next one on, whichever of them comes first.
	if (w->may_issue <= m->now)
		w->may_issue = m->now + 1;
	if (m->done >> slot & 1)
		front_stop(m, slot);
	else
		look_ahead(m, slot);
}

static void after_execute(struct sm *m, unsigned slot, struct winst *i, const struct fe_result *r)
{
	struct sm_warp *w = &m->warp[slot];
	uint64_t bit = (uint64_t)1 << slot;
	enum isa_class cls = (enum isa_class)i->st->cls;
	if (i->atomic && i->mask)
		for (const struct mem_req *q = i->access; q; q = q->next)
			w->atomics += (unsigned)__builtin_popcount(q->lanes);
	if (i->st->async)
		copy_groups(m, i);
	if (i->modern->fence) {
		m->at_fence |= bit;
		if (m->modern->fence_until < m->now + m->modern->cfg->fence_hold[i->modern->fence])
			m->modern->fence_until = m->now + m->modern->cfg->fence_hold[i->modern->fence];
	}
	w->next = w->k->launch->fe->peek(w->fe, w->fe_warp);
	if (r->status == FE_DONE) {
		m->done |= bit;
		w->next = NULL;
		m->modern->warp[slot].head = NULL;
		front_stop(m, slot);
	} else {
		if (!w->next)
			m->at_barrier |= bit;
		look_ahead(m, slot);
	}
	if (cls == ISA_BARRIER || cls == ISA_EXIT || cls == ISA_RET || r->status == FE_DONE || r->status == FE_BARRIER)
		sm_cta_warps_moved(m, w->cta);
}

// The warp's next turn, by stall count and yield.
static uint64_t stalled_until(const struct modern_config *c, const struct isa_control *k, uint64_t now)
{
	if (!k->stall && k->yield)
		return now + c->yield_stall;
	if (k->stall > 11 && !k->yield)
		return now + 2; // never set by compilers; hardware waits for a cycle or two
	uint64_t wait = k->stall ? k->stall : 1;
	return now + (k->yield && wait < 2 ? 2 : wait);
}

static void issue(struct sm *m, unsigned subcore, unsigned slot)
{
	struct modern *u = m->modern;
	struct modern_sub *s = &u->sub[subcore];
	struct sm_warp *w = &m->warp[slot];
	const struct modern_inst *mi = u->warp[slot].head;
	const struct isa_inst *st = w->next;
	struct winst *i = sm_inst_new(m);
	struct fe_result *r = &m->result;
	if (m->trace & TRACE_BREAK)
		sm_trace_before(m, slot);
	i->st = st;
	i->modern = mi;
	i->issued = m->now;
	i->warp = (uint8_t)slot;
	i->sched = (uint8_t)subcore;
	i->store = st->cls == ISA_STORE;
	i->atomic = st->cls == ISA_ATOMIC;
	i->load = st->cls == ISA_LOAD || st->cls == ISA_TEXTURE || i->atomic;
	i->in_pipe = true;
	i->cycles = 1;
	i->line = w->k->line_base + (uint32_t)(st->pc / 8);
	w->in_pipe++;
	u->warp[slot].expect = st->pc + w->k->launch->fe->inst_bytes;
	front_consume(m, slot);

	w->k->launch->fe->execute(w->fe, w->fe_warp, r);
	HEDDLE_ASSERT(r->inst == st || r->status == FE_FAULT);
	i->mask = r->mask;
	m->stats.issued_by_slot[slot]++;
	m->stats.distro[2 + (unsigned)__builtin_popcount(r->active)]++;
	m->stats.single_issue[subcore]++;
	if (m->trace & SM_TRACE_ISSUED)
		sm_trace_issued(m, i);
	if (st->has_access && r->mask)
		coalesce(m, i, r);
	if (u->hazards)
		hazards_issue(m, i);
	depend_issue(m, i);
	u->warp[slot].may_issue = stalled_until(u->cfg, &mi->control, m->now);
	if (mi->fixed) {
		enum isa_unit unit = unit_for(u->cfg, s, mi, m->now);
		i->in_int = unit == ISA_UNIT_INT;
		s->unit_free[unit] = m->now + mi->interval;
		i->pipe = (uint8_t)unit;
	}
	if (mi->imad)
		s->port_free = m->now + 1 + u->cfg->imad_hold;
	s->control = i;
	s->greedy = slot;
	s->const_since = UINT64_MAX;
	if (m->trace & TRACE_BIT(CORE))
		modern_view(m, i, MODERN_VIEW_ISSUE);
	if (mi->memory)
		mmem_issue(m, subcore, i);
	after_execute(m, slot, i, r);
	if (m->flow)
		m->flow[i->line] += (unsigned)__builtin_popcount(r->active);
	if (m->by_age)
		m->by_age[m->age[slot] / 32 < SM_AGE_BUCKETS ? m->age[slot] / 32 : SM_AGE_BUCKETS - 1]++;
	if (m->world->lines)
		m->world->lines[i->line].n[SM_LINE_COUNT] += (unsigned)__builtin_popcount(r->active);
	if (st->cls == ISA_BRANCH && r->mask && r->mask != r->active)
		m->stats.diverged++;
	sm_check_fence(m, slot);
	if (r->status == FE_FAULT)
		m->world->fault(m->world->ctx, w->k);
}

static enum sm_slot_reason why_idle(const struct sm *m, const struct modern_sub *s)
{
	uint64_t here = s->warps & m->resident, ready_now = front_ready(m);
	if (!here)
		return SM_SLOT_NO_WARP;
	if (s->control || m->now < s->port_free)
		return SM_SLOT_PIPE_FULL;
	if (m->now < m->modern->fence_until)
		return SM_SLOT_FENCE;
	uint64_t can = here & ready_now & ~sm_waiting(m);
	for (uint64_t k = can; k; k &= k - 1) {
		unsigned i = (unsigned)__builtin_ctzll(k);
		const struct modern_warp *w = &m->modern->warp[i];
		if (w->may_issue <= m->now && depend_ready(m, i, w->head))
			return SM_SLOT_PIPE_FULL; // or a constant is on its way
	}
	if (can)
		return SM_SLOT_SCOREBOARD;
	if (here & m->at_async)
		return SM_SLOT_SCOREBOARD;
	if (here & m->at_fence)
		return SM_SLOT_FENCE;
	if (here & ~m->done & ~m->at_barrier)
		return SM_SLOT_EMPTY_BUFFER;
	return here & m->at_barrier ? SM_SLOT_BARRIER : SM_SLOT_EMPTY_BUFFER;
}

// True if the constant operand is there.
static bool constant_ready(struct sm *m, unsigned subcore, unsigned slot)
{
	const struct modern_inst *i = m->modern->warp[slot].head;
	return !i->reads_const || front_constant(m, subcore, i->const_addr, m->warp[slot].k->stream);
}

// The warp to issue, or -1.
static int choose(struct sm *m, unsigned subcore)
{
	struct modern *u = m->modern;
	struct modern_sub *s = &u->sub[subcore];
	uint64_t set = candidates(m, s), greedy = (uint64_t)1 << s->greedy;
	if (set & greedy && ready(m, subcore, s->greedy)) {
		if (constant_ready(m, subcore, s->greedy))
			return (int)s->greedy;
		if (s->const_since == UINT64_MAX)
			s->const_since = m->now;
		if (m->now - s->const_since < u->cfg->const_hold)
			return -1;
	}
	uint64_t can = 0;
	for (set &= ~greedy; set; set &= set - 1) {
		unsigned i = (unsigned)__builtin_ctzll(set);
		if (ready(m, subcore, i))
			can |= (uint64_t)1 << i;
	}
	while (can) {
		unsigned i = youngest(m, can);
		if (constant_ready(m, subcore, i))
			return (int)i;
		can &= ~((uint64_t)1 << i);
	}
	return -1;
}

void modern_issue(struct sm *m, unsigned subcore)
{
	struct modern_sub *s = &m->modern->sub[subcore];
	int slot = -1;
	if (!s->control && m->now >= s->port_free && m->now >= m->modern->fence_until)
		slot = choose(m, subcore);
	enum sm_slot_reason why = SM_SLOT_ISSUED;
	if (slot >= 0) {
		issue(m, subcore, (unsigned)slot);
	} else {
		why = why_idle(m, s);
		m->stats.distro[why == SM_SLOT_PIPE_FULL ? 2 : why == SM_SLOT_SCOREBOARD]++;
	}
	m->stats.slot[subcore][why]++;
	s->last_slot = (uint8_t)why;
}

uint64_t modern_issue_next(const struct sm *m, unsigned subcore)
{
	const struct modern *u = m->modern;
	const struct modern_sub *s = &u->sub[subcore];
	uint64_t soon = UINT64_MAX, from = m->now + 1;
	if (s->control)
		return from;
	if (s->port_free > from)
		from = s->port_free;
	if (u->fence_until > from)
		from = u->fence_until;
	for (uint64_t set = candidates(m, s); set; set &= set - 1) {
		unsigned i = (unsigned)__builtin_ctzll(set);
		const struct modern_warp *w = &u->warp[i];
		if (!depend_ready(m, i, w->head))
			continue; // an event changes that
		uint64_t t = w->may_issue > from ? w->may_issue : from;
		if (t < soon)
			soon = t;
	}
	return soon;
}
