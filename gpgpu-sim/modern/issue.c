// Issue: compiler-guided greedy, then youngest (CGGTY). The warp that issued last goes on as long as its control bits let it;
// else the youngest warp that may.
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/sm/observer.h"

// Warps that nothing holds but their own control bits, operands and units.
static uint64_t candidates(const struct sm *m, const struct modern_sub *s)
{
	return s->warps & m->resident & m->modern->buffers->ready & ~sm_waiting(m);
}

// Of a set of warps, those that no dependence holds back.
static uint64_t independent(struct sm *m, uint64_t set)
{
	struct modern *u = m->modern;
	for (uint64_t k = set & ~u->dependences_known; k; k &= k - 1) {
		unsigned i = (unsigned)__builtin_ctzll(k);
		uint64_t bit = (uint64_t)1 << i;
		u->held_back = depend_ready(m, i, u->warp[i].head) ? u->held_back & ~bit : u->held_back | bit;
	}
	u->dependences_known |= set;
	return set & ~u->held_back;
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

// Structures that are looked at before issue, but for the memory unit's.
static bool units_ready(const struct sm *m, unsigned subcore, const struct modern_inst *i)
{
	const struct modern *u = m->modern;
	const struct modern_sub *s = &u->sub[subcore];
	if (!i->fixed)
		return true; // back-pressure comes through Control
	if (s->unit_free[unit_for(u->cfg, s, i, m->now)] > m->now)
		return false;
	// A place in the result queue is needed when the result comes; until then results of those before leave it.
	unsigned ahead = 3u + i->window + i->interval + i->latency;
	return !has_result(i) || s->places[!i->n_write] < u->cfg->result_queue + ahead * u->cfg->result_pops;
}

// Cycle from which units_ready lets it pass, UINT64_MAX: when a result has left.
static uint64_t units_ready_at(const struct sm *m, const struct modern_sub *s, const struct modern_inst *i)
{
	const struct modern_config *c = m->modern->cfg;
	if (!i->fixed)
		return 0;
	unsigned ahead = 3u + i->window + i->interval + i->latency;
	if (has_result(i) && s->places[!i->n_write] >= c->result_queue + ahead * c->result_pops)
		return UINT64_MAX;
	uint64_t at = s->unit_free[unit_for(c, s, i, m->now)];
	return i->fp32 && c->fp32_in_int && s->unit_free[ISA_UNIT_INT] < at ? s->unit_free[ISA_UNIT_INT] : at;
}

static bool ready(const struct sm *m, unsigned subcore, unsigned warp)
{
	const struct modern_warp *w = &m->modern->warp[warp];
	return w->may_issue <= m->now && units_ready(m, subcore, w->head);
}

static void put_bit(uint64_t *set, uint64_t bit, bool on) { *set = on ? *set | bit : *set & ~bit; }

// What is next for the warp, and where its buffer has to go on.
static void look_ahead(struct sm *m, unsigned slot)
{
	struct sm_warp *w = &m->warp[slot];
	struct modern_warp *mw = &m->modern->warp[slot];
	uint64_t bit = (uint64_t)1 << slot;
	mw->head = w->next ? modern_code_of(w->k->modern, w->next) : NULL;
	m->modern->dependences_known &= ~bit;
	m->modern->sub[slot % MODERN_SUBCORES].no_const &= ~bit;
	put_bit(&m->modern->memory_head, bit, mw->head && mw->head->memory);
	put_bit(&m->modern->outside_head, bit, mw->head && mw->head->outside);
	if (w->next && w->next->pc != mw->expect) {
		mw->expect = w->next->pc;
		front_redirect(m, slot, w->next->pc);
	}
}

void modern_refresh(struct sm *m, unsigned slot)
{
	struct modern_warp *w = &m->modern->warp[slot];
	m->modern->next = 0;
	modern_look(m->modern, slot % MODERN_SUBCORES);
	// What another sub-core did in this cycle is seen from the next one on, whichever of them comes first.
	if (w->may_issue <= m->now)
		w->may_issue = m->now + 1;
	if (!(m->done >> slot & 1)) {
		look_ahead(m, slot);
		return;
	}
	// Its kernel was stopped.
	struct modern_sub *s = &m->modern->sub[slot % MODERN_SUBCORES];
	if (s->greedy == slot)
		s->const_since = UINT64_MAX;
	front_stop(m, slot);
}

// What the instruction makes its warp, and the SM, wait for.
static void hold(struct sm *m, const struct winst *i)
{
	struct modern *u = m->modern;
	if (i->atomic && i->mask)
		for (const struct mem_req *q = i->access; q; q = q->next)
			m->warp[i->warp].atomics += (unsigned)__builtin_popcount(q->lanes);
	if (!modern_inst_of(i)->fence)
		return;
	m->at_fence |= (uint64_t)1 << i->warp;
	if (u->fence_until < m->now + u->cfg->fence_hold[modern_inst_of(i)->fence])
		u->fence_until = m->now + u->cfg->fence_hold[modern_inst_of(i)->fence];
	modern_look_all(u);
}

// Ports, units and queues that it takes as it issues.
static void take_units(struct sm *m, struct modern_sub *s, struct winst *i)
{
	const struct modern_inst *mi = modern_inst_of(i);
	const struct modern_config *c = m->modern->cfg;
	if (mi->fixed) {
		enum isa_unit unit = unit_for(c, s, mi, m->now);
		s->unit_free[unit] = m->now + mi->interval;
		i->pipe = (uint8_t)unit;
		if (has_result(mi))
			s->places[!mi->n_write]++;
	}
	if (mi->imad)
		s->port_free = m->now + 1 + c->imad_hold;
	s->control = i;
	if (mi->memory)
		mmem_issue(m, i->sched, i);
}

static void issue(struct sm *m, unsigned subcore, unsigned slot)
{
	struct modern *u = m->modern;
	struct modern_sub *s = &u->sub[subcore];
	struct modern_warp *w = &u->warp[slot];
	const struct modern_inst *mi = w->head;
	w->expect = mi->st->pc + m->warp[slot].k->launch->fe->inst_bytes;
	front_consume(m, slot);
	struct winst *i = sm_execute(m, subcore, slot);
	modern_begin(i, mi);
	m->stats.single_issue[subcore]++;
	if (u->hazards)
		hazards_issue(m, i);
	depend_issue(m, i);
	s->greedy = slot;
	s->const_since = UINT64_MAX;
	if (m->observed & SM_SEES_PIPELINE)
		modern_view(m, i, MODERN_VIEW_ISSUE);
	take_units(m, s, i);
	hold(m, i);
	w->may_issue = m->now + modern_stall(&mi->control, u->cfg);
	if (m->done >> slot & 1) {
		w->head = NULL;
		front_stop(m, slot);
	} else {
		look_ahead(m, slot);
	}
	sm_check_fence(m, slot);
}

// Why a sub-core issues nothing in cycle `at`. Changes only in cycles that modern_issue_next gives, or by an event.
static enum sm_slot_reason why_idle(struct sm *m, unsigned subcore, uint64_t at)
{
	const struct modern *u = m->modern;
	const struct modern_sub *s = &u->sub[subcore];
	uint64_t here = s->warps & m->resident, can = candidates(m, s);
	bool free = false, now = false, operands = false, wait_for_queue = false;
	if (!here)
		return SM_SLOT_NO_WARP;
	if (s->control)
		return SM_SLOT_PORTS;
	uint64_t queued = u->memory_head & can;
	if (queued && mmem_has_place(m, subcore))
		queued = 0;
	for (uint64_t k = independent(m, can); k; k &= k - 1) {
		unsigned i = (unsigned)__builtin_ctzll(k);
		if (queued >> i & 1) {
			wait_for_queue = true;
			continue;
		}
		free = true;
		if (u->warp[i].may_issue > at)
			continue;
		now = true;
		operands |= !(s->no_const >> i & 1);
	}
	if (free && at < u->fence_until)
		return SM_SLOT_FENCE;
	if (free && at < s->port_free)
		return SM_SLOT_PIPE_FULL;
	if (free && now)
		return operands && s->const_since == UINT64_MAX ? SM_SLOT_PIPE_FULL : SM_SLOT_CONSTANT;
	if (wait_for_queue)
		return SM_SLOT_MEMORY_QUEUE;
	if (free)
		return SM_SLOT_STALL;
	if (can)
		return u->warp[__builtin_ctzll(can)].scoreboard ? SM_SLOT_SCOREBOARD : SM_SLOT_COUNTER;
	if (here & m->at_async)
		return SM_SLOT_ASYNC;
	if (here & m->at_service)
		return SM_SLOT_SCOREBOARD;
	if (here & m->at_fence)
		return SM_SLOT_FENCE;
	if (here & ~m->done & ~m->at_barrier)
		return SM_SLOT_EMPTY_BUFFER;
	return here & m->at_barrier ? SM_SLOT_BARRIER : SM_SLOT_EMPTY_BUFFER;
}

unsigned modern_distro(enum sm_slot_reason why)
{
	switch (why) {
	case SM_SLOT_PIPE_FULL: case SM_SLOT_CONSTANT: case SM_SLOT_MEMORY_QUEUE: case SM_SLOT_PORTS:
		return SM_DISTRO_STALL;
	case SM_SLOT_SCOREBOARD: case SM_SLOT_COUNTER: case SM_SLOT_STALL: case SM_SLOT_ASYNC:
		return SM_DISTRO_SCOREBOARD;
	default:
		return SM_DISTRO_IDLE;
	}
}

void modern_note_idle(struct sm *m)
{
	for (unsigned i = 0; i < MODERN_SUBCORES; i++)
		if (m->modern->sub[i].look <= m->now)
			m->modern->sub[i].last_slot = (uint8_t)why_idle(m, i, m->now + 1);
}

// True if the constant operand is there.
static bool constant_ready(struct sm *m, unsigned subcore, unsigned slot)
{
	const struct modern_inst *i = m->modern->warp[slot].head;
	struct modern_sub *s = &m->modern->sub[subcore];
	if (!i->reads_const)
		return true;
	if (s->no_const >> slot & 1)
		return false;
	enum front_look look = front_constant(m, subcore, i->const_addr, m->warp[slot].k->stream);
	if (look == FRONT_COMES)
		s->no_const |= (uint64_t)1 << slot;
	return look == FRONT_HIT;
}

// The warp to issue, or -1.
static int choose(struct sm *m, unsigned subcore)
{
	struct modern *u = m->modern;
	struct modern_sub *s = &u->sub[subcore];
	uint64_t set = independent(m, candidates(m, s)), greedy = (uint64_t)1 << s->greedy;
	if (set & u->memory_head && !mmem_has_place(m, subcore))
		set &= ~u->memory_head;
	if (set & greedy && ready(m, subcore, s->greedy)) {
		if (constant_ready(m, subcore, s->greedy))
			return (int)s->greedy;
		if (s->const_since == UINT64_MAX)
			s->const_since = m->now;
		if (m->now - s->const_since < u->cfg->const_hold) {
			s->hold_until = s->const_since + u->cfg->const_hold;
			return -1;
		}
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

static void count_slot(struct sm *m, unsigned subcore, enum sm_slot_reason why)
{
	m->stats.slot[subcore][why]++;
	if (why != SM_SLOT_ISSUED)
		m->stats.distro[modern_distro(why)]++;
	m->modern->sub[subcore].last_slot = (uint8_t)why;
}

void modern_issue(struct sm *m, unsigned subcore)
{
	struct modern_sub *s = &m->modern->sub[subcore];
	int slot = -1;
	if (m->now < s->look) {
		count_slot(m, subcore, (enum sm_slot_reason)s->last_slot);
		return;
	}
	s->hold_until = 0;
	if (!s->control && m->now >= s->port_free && m->now >= m->modern->fence_until)
		slot = choose(m, subcore);
	if (slot >= 0 && m->warp[slot].next->service && sm_begin_service(m, (unsigned)slot))
		slot = -1;
	if (slot >= 0) {
		issue(m, subcore, (unsigned)slot);
		count_slot(m, subcore, SM_SLOT_ISSUED);
		s->look = 0;
		return;
	}
	count_slot(m, subcore, why_idle(m, subcore, m->now));
	s->look = m->modern->cfg->tick_all ? 0 : modern_issue_next(m, subcore, m->now);
}

uint64_t modern_issue_next(struct sm *m, unsigned subcore, uint64_t from)
{
	const struct modern *u = m->modern;
	const struct modern_sub *s = &u->sub[subcore];
	uint64_t soon = UINT64_MAX;
	if (s->control) {
		// One that has entered Control and waits for a unit of variable latency blocks Issue until then.
		bool waits = modern_of(s->control)->controlled && !modern_inst_of(s->control)->fixed;
		uint64_t until = waits ? back_control_until(m, s) : from;
		return until > from ? until : from;
	}
	uint64_t set = independent(m, candidates(m, s)); // others wait for an event
	if (set & u->memory_head && !mmem_has_place(m, subcore))
		set &= ~u->memory_head;
	if (!set)
		return UINT64_MAX;
	for (set &= ~s->no_const; set; set &= set - 1) {
		unsigned i = (unsigned)__builtin_ctzll(set);
		const struct modern_warp *w = &u->warp[i];
		uint64_t at = units_ready_at(m, s, w->head);
		if (i != s->greedy && at < s->hold_until)
			at = s->hold_until;
		if (at < w->may_issue || w->may_issue > from) // the reason changes with its turn, though units may not be free
			at = w->may_issue;
		if (at < soon)
			soon = at;
	}
	if (soon < from)
		soon = from;
	// Blocked ports: the cycles in which the reason changes.
	if (u->fence_until > from || s->port_free > from) {
		soon = u->fence_until > from ? u->fence_until : s->port_free;
		if (s->port_free > from && s->port_free < soon)
			soon = s->port_free;
	}
	return soon;
}
