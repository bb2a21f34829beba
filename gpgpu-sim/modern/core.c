// The modern core's cycle: what happens to instructions behind Issue, and when the core can sleep.
#include "gpgpu-sim/modern/modern.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/inspect.h"
#include "gpgpu-sim/sm/observer.h"

#include <stdio.h>
#include <string.h>

// --- lists of instructions

static void append(struct modern_queue *q, struct winst *w)
{
	w->next = NULL;
	if (q->last)
		q->last->next = w;
	else
		q->first = w;
	q->last = w;
	q->n++;
}

static struct winst *take(struct modern_queue *q)
{
	struct winst *w = q->first;
	q->first = w->next;
	if (!q->first)
		q->last = NULL;
	q->n--;
	w->next = NULL;
	return w;
}

// Behind those of the same cycle.
static void into_far(struct modern_sub *s, struct winst *w)
{
	struct winst *before = s->far_last;
	while (before && before->when > w->when)
		before = before->prev;
	w->prev = before;
	w->next = before ? before->next : s->far_first;
	*(before ? &before->next : &s->far_first) = w;
	*(w->next ? &w->next->prev : &s->far_last) = w;
}

static void into_ring(struct modern_sub *s, struct winst *w)
{
	unsigned b = w->when % MODERN_RING;
	uint64_t bit = (uint64_t)1 << b;
	if (s->ring_any & bit) {
		w->next = s->ring[b]->next;
		s->ring[b]->next = w;
	} else {
		w->next = w;
	}
	s->ring[b] = w;
	s->ring_any |= bit;
}

void modern_schedule(struct sm *m, struct modern_sub *s, struct winst *w, enum modern_event what, uint64_t when)
{
	HEDDLE_ASSERT(when > s->ring_at);
	w->event = (uint8_t)what;
	w->when = when;
	if (when - s->ring_at < MODERN_RING)
		into_ring(s, w);
	else
		into_far(s, w);
	(void)m;
}

// --- construction

static bool modern_init(struct sm *m, struct diag *d)
{
	struct modern *u = MEM_NEW(struct modern);
	(void)d;
	m->modern = u;
	u->cfg = m->cfg->modern;
	u->front = front_new(m, u->cfg);
	u->mem = mmem_new(m, u->cfg);
	for (unsigned i = 0; i < MODERN_SUBCORES; i++) {
		struct modern_sub *s = &u->sub[i];
		for (unsigned w = i; w < m->cfg->max_warps; w += MODERN_SUBCORES)
			s->warps |= (uint64_t)1 << w;
		s->greedy = m->cfg->max_warps - MODERN_SUBCORES + i;
		s->const_since = UINT64_MAX;
		s->writes_at = UINT64_MAX;
	}
	return true;
}

static void modern_free(struct sm *m)
{
	if (!m->modern)
		return;
	front_free(m->modern->front);
	mmem_free(m->modern->mem);
	hazards_free(m->modern->hazards);
	mem_free(m->modern->readers);
	modern_view_free(m);
	mem_free(m->modern);
}

static void modern_reserve(struct sm *m)
{
	struct modern *u = m->modern;
	size_t per = (size_t)m->reg_words * 64, n = per * m->cfg->max_warps;
	uint16_t *to = mem_alloc(n * sizeof *to);
	for (unsigned w = 0; w < m->cfg->max_warps; w++) {
		if (u->warp[w].readers)
			memcpy(to + w * per, u->warp[w].readers, (u->n_registers < per ? u->n_registers : per) * sizeof *to);
		u->warp[w].readers = to + w * per;
	}
	mem_free(u->readers);
	u->readers = to;
	u->n_registers = (uint32_t)per;
	if (u->cfg->check_hazards)
		hazards_reserve(&u->hazards, m->cfg->max_warps, u->n_registers);
}

static void modern_start_warp(struct sm *m, unsigned slot)
{
	struct modern_warp *w = &m->modern->warp[slot];
	uint16_t *readers = w->readers;
	*w = (struct modern_warp){.hold_sb = ISA_NO_SB, .readers = readers, .expect = UINT64_MAX};
	if (m->modern->hazards)
		hazards_start_warp(m->modern->hazards, slot);
	modern_refresh(m, slot);
	struct modern_code *code = m->warp[slot].k->modern;
	if (w->head)
		code->control = w->head->control.present;
	w->scoreboard = m->modern->cfg->scoreboards || !code->control;
}

// --- instructions on their way

void modern_done(struct sm *m, struct winst *w)
{
	sm_left_pipe(m, w);
	if (w->st->async == ISA_ASYNC_COPY)
		sm_copy_done(m, w);
	sm_complete(m, w);
	sm_inst_free(m, w);
}

static void write_back(struct sm *m, struct winst *w)
{
	depend_written(m, w);
	if (m->observed & SM_SEES_PIPELINE)
		modern_view(m, w, MODERN_VIEW_WRITE);
	modern_done(m, w);
}

// Fixed latencies write before all else, one result a cycle. Two of one cycle and bank do not delay their readers, which get
// them by bypass.
static void pop_results(struct sm *m, struct modern_sub *s)
{
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned n = 0; n < m->modern->cfg->result_pops && s->results[k].first; n++) {
			if (!k && !regfile_take_write(m, s, s->results[k].first, m->now)) {
				m->modern->stats.result_conflicts++;
				break;
			}
			struct winst *w = take(&s->results[k]);
			s->places[k]--;
			write_back(m, w);
		}
	}
	while (s->late.first && regfile_take_write(m, s, s->late.first, m->now)) {
		struct winst *w = take(&s->late);
		depend_released(m, w);
		write_back(m, w);
	}
}

// Scoreboards of fixed latencies: a consumer may issue in the cycle behind this one, a cycle later than control bits let it.
static uint64_t release_at(const struct winst *w) { return w->issued + w->modern->dependent + w->left; }

static void happens(struct sm *m, struct modern_sub *s, struct winst *w)
{
	const struct modern_inst *i = w->modern;
	switch ((enum modern_event)w->event) {
	case MODERN_RELEASE:
		depend_released(m, w);
		if (w->read_at > m->now) {
			modern_schedule(m, s, w, MODERN_READ_DONE, w->read_at);
			break;
		}
		if (w->read_at == m->now)
			modern_sources_read(m, w);
		modern_schedule(m, s, w, MODERN_RESULT, w->result);
		break;
	case MODERN_READ_DONE:
		modern_sources_read(m, w);
		if (m->observed & SM_SEES_PIPELINE)
			modern_view(m, w, MODERN_VIEW_READ);
		if (!i->fixed)
			modern_schedule(m, s, w, MODERN_WRITE, w->result);
		else if (m->modern->warp[w->warp].scoreboard && release_at(w) > m->now)
			modern_schedule(m, s, w, MODERN_RELEASE, release_at(w));
		else
			modern_schedule(m, s, w, MODERN_RESULT, w->result);
		if (i->fixed && m->modern->warp[w->warp].scoreboard && release_at(w) == m->now)
			depend_released(m, w);
		break;
	case MODERN_RESULT:
		if (i->n_write || i->write_uniform)
			append(&s->results[!i->n_write], w);
		else
			write_back(m, w);
		break;
	case MODERN_WRITE:
		append(&s->late, w);
		break;
	}
}

// Far events were scheduled before those in the ring.
static void take_far(struct sm *m, struct modern_sub *s)
{
	while (s->far_first && s->far_first->when == m->now) {
		struct winst *w = s->far_first;
		s->far_first = w->next;
		*(w->next ? &w->next->prev : &s->far_last) = NULL;
		happens(m, s, w);
	}
}

static void take_events(struct sm *m, struct modern_sub *s, unsigned b)
{
	struct winst *w = s->ring[b]->next;
	s->ring[b]->next = NULL;
	s->ring_any &= ~((uint64_t)1 << b);
	for (struct winst *rest; w; w = rest) {
		rest = w->next;
		HEDDLE_ASSERT(w->when == m->now);
		happens(m, s, w);
	}
}

// Events of this cycle, once, in the order in which they were scheduled; then the register file is written.
static void begin(struct sm *m, struct modern_sub *s)
{
	if (s->ring_at == m->now)
		return;
	s->ring_at = m->now;
	unsigned b = m->now % MODERN_RING;
	if (s->far_first && s->far_first->when == m->now)
		take_far(m, s);
	if (s->ring_any >> b & 1)
		take_events(m, s, b);
	if (s->results[0].first || s->results[1].first || s->late.first)
		pop_results(m, s);
}

bool modern_write(struct sm *m, struct winst *w)
{
	struct modern_sub *s = &m->modern->sub[w->sched];
	begin(m, s);
	if (!regfile_take_write(m, s, w, m->now)) {
		m->modern->stats.load_conflicts++;
		return false;
	}
	depend_released(m, w);
	depend_written(m, w);
	if (m->observed & SM_SEES_PIPELINE)
		modern_view(m, w, MODERN_VIEW_WRITE);
	return true;
}

enum { ALLOCATE_AFTER = 2 }; // cycles behind Issue, if nothing waits

static void allocate(struct sm *m, struct modern_sub *s)
{
	struct winst *w = s->allocate;
	const struct modern_inst *i = w->modern;
	if (m->observed & SM_SEES_PIPELINE)
		modern_view(m, w, MODERN_VIEW_ALLOCATE);
	if (!regfile_allocate(m, s, w)) {
		s->unit_free[w->pipe]++;
		return;
	}
	s->allocate = NULL;
	w->left = (uint16_t)(m->now - w->issued - ALLOCATE_AFTER);
	// Three cycles of operand read, then the dispatch register, then the pipe.
	w->read_at = m->now + i->window;
	w->result = w->read_at + i->interval + i->latency + 1;
	if (w->result <= release_at(w))
		w->result = release_at(w) + 1;
	bool scoreboard = m->modern->warp[w->warp].scoreboard;
	if (scoreboard && release_at(w) <= m->now)
		depend_released(m, w);
	if (scoreboard && release_at(w) > m->now && release_at(w) < w->read_at)
		modern_schedule(m, s, w, MODERN_RELEASE, release_at(w));
	else if (scoreboard || i->control.read_sb < ISA_N_SB)
		modern_schedule(m, s, w, MODERN_READ_DONE, w->read_at);
	else
		modern_schedule(m, s, w, MODERN_RESULT, w->result);
}

// The first cycle in which Control can hand on an instruction of variable latency.
uint64_t modern_control_until(const struct sm *m, const struct modern_sub *s)
{
	const struct modern_config *c = m->modern->cfg;
	const struct modern_inst *i = s->control->modern;
	uint64_t unit = s->unit_free[i->unit], ahead = 1; // the unit has it in the next cycle
	if (i->unit == ISA_UNIT_DP)
		unit = s->dp_entered[s->dp_turn];
	else if (i->unit == ISA_UNIT_MISC_QUEUE)
		ahead += (uint64_t)c->misc_queue * i->interval;
	return unit > ahead ? unit - ahead : 0;
}

// Double precision: a queue, and stages of a cycle of which the last takes the sources and holds the instruction until the pipe
// takes it.
static void begin_double(struct sm *m, struct modern_sub *s, struct winst *w)
{
	const struct modern_inst *i = w->modern;
	const struct modern_config *c = m->modern->cfg;
	uint64_t *pipe = c->dp_shared ? &m->modern->dp_free : &s->dp_free, last = m->now + c->dp_stages;
	if (last < s->dp_last)
		last = s->dp_last;
	s->dp_entered[s->dp_turn] = last;
	s->dp_turn = (s->dp_turn + 1) % (c->dp_queue + c->dp_stages - 1);
	uint64_t sent = last + 1u + i->dp_reads, at = *pipe > sent ? *pipe : sent;
	s->dp_last = at;
	*pipe = at + i->interval;
	modern_schedule(m, s, w, MODERN_READ_DONE, sent - 1);
	w->result = at + i->interval + i->latency + (uint64_t)c->sm_write_cycles * i->n_write;
}

// Units whose latency Issue does not know: they begin when they are free.
static void begin_variable(struct sm *m, struct modern_sub *s, struct winst *w)
{
	const struct modern_inst *i = w->modern;
	if (i->unit == ISA_UNIT_DP) {
		begin_double(m, s, w);
		return;
	}
	uint64_t *unit = &s->unit_free[i->unit], from = m->now + 1, start = *unit > from ? *unit : from;
	*unit = start + i->interval;
	modern_schedule(m, s, w, MODERN_READ_DONE, start + i->interval - (i->unit != ISA_UNIT_MISC_QUEUE));
	w->result = start + i->interval + i->latency;
}

static void control(struct sm *m, struct modern_sub *s)
{
	struct winst *w = s->control;
	if (w->issued == m->now)
		return;
	if (!w->stage) {
		w->stage = 1; // counters go up as it enters, whether it can go on or not
		depend_control(m, w);
		if (m->observed & SM_SEES_PIPELINE)
			modern_view(m, w, MODERN_VIEW_CONTROL);
	}
	if (w->modern->memory) {
		s->control = NULL; // the memory unit has had it since it issued
		if (m->observed & SM_SEES_PIPELINE)
			modern_view_at(m, w, MODERN_VIEW_QUEUE, m->now + 1);
		return;
	}
	if (w->modern->fixed) {
		if (s->allocate)
			return;
		s->allocate = w;
	} else {
		if (m->now < modern_control_until(m, s))
			return; // it stays in Control
		begin_variable(m, s, w);
	}
	s->control = NULL;
}

// --- a cycle

static uint64_t next_event(const struct modern_sub *s, uint64_t now)
{
	unsigned b = (now + 1) % MODERN_RING;
	uint64_t ahead = s->ring_any >> b | s->ring_any << (MODERN_RING - b) % MODERN_RING;
	uint64_t next = ahead ? now + 1 + (unsigned)__builtin_ctzll(ahead) : UINT64_MAX;
	return s->far_first && s->far_first->when < next ? s->far_first->when : next;
}

static uint64_t next_of(struct sm *m)
{
	const struct modern *u = m->modern;
	uint64_t now = m->now, next = front_next(m, now), t = mmem_next(m, now);
	if (t < next)
		next = t;
	for (unsigned i = 0; i < MODERN_SUBCORES && next > now + 1; i++) {
		const struct modern_sub *s = &u->sub[i];
		if (s->allocate || s->results[0].first || s->results[1].first || s->late.first)
			return now + 1;
		t = modern_issue_next(m, i);
		next = t < next ? t : next;
		t = next_event(s, now);
		next = t < next ? t : next;
	}
	return next;
}

static void idle(struct sm *m, uint64_t n)
{
	for (unsigned i = 0; i < MODERN_SUBCORES; i++) {
		enum sm_slot_reason why = (enum sm_slot_reason)m->modern->sub[i].last_slot;
		m->stats.slot[i][why] += n;
		m->stats.distro[modern_distro(why)] += n;
	}
	front_skip(m, n);
	mmem_skip(m, n);
}

// Without CTAs nobody waits for what is still inside, but it comes to its end. Cycles in which nothing can move are not
// counted, whether the SM is called in them or not.
static bool drain(struct sm *m, uint64_t now)
{
	if (front_next(m, now - 1) != UINT64_MAX) {
		front_tick_l1(m, now);
		front_tick_l0(m, now);
	}
	if (mmem_next(m, now - 1) != UINT64_MAX)
		mmem_drain(m, now);
	return front_next(m, now) != UINT64_MAX || mmem_next(m, now) != UINT64_MAX;
}

static uint64_t modern_tick(struct sm *m, uint64_t now)
{
	struct modern *u = m->modern;
	if (!m->n_cta)
		return now && drain(m, now) ? now + 1 : UINT64_MAX;
	if (now < u->next && !u->cfg->tick_all) {
		idle(m, 1);
		return u->next;
	}
	front_tick_l1(m, now);
	mmem_tick(m, now);
	for (unsigned i = 0; i < MODERN_SUBCORES; i++) {
		struct modern_sub *s = &u->sub[i];
		begin(m, s);
		if (s->allocate)
			allocate(m, s);
		if (s->control)
			control(m, s);
		modern_issue(m, i);
		front_fetch(m, i, now, s->greedy);
	}
	front_tick_l0(m, now);
	uint64_t view = m->observed & SM_SEES_PIPELINE ? modern_view_flush(m) : UINT64_MAX;
	depend_apply(m);
	while (m->leaving)
		sm_warp_leaves(m, (unsigned)__builtin_ctzll(m->leaving));
	if (m->to_park)
		sm_park_ctas(m);
	u->next = next_of(m);
	if (view < u->next)
		u->next = view;
	if (u->next > now + 1)
		modern_note_idle(m);
	// Without blocks it drains cycle by cycle.
	return m->n_cta || u->next == UINT64_MAX ? u->next : now + 1;
}

static bool modern_holds_requests(const struct sm *m) { return front_holds_requests(m) || mmem_holds_requests(m); }
static bool modern_response_full(const struct sm *m) { return m->ldst.responses.n >= m->cfg->response_buffer; }

static void modern_accept_fetch(struct sm *m, struct mem_req *r, uint64_t now)
{
	m->modern->next = 0;
	front_accept(m, r, now);
}

static void modern_accept_data(struct sm *m) { m->modern->next = 0; }

static void modern_end_kernel(struct sm *m)
{
	if (!m->modern->cfg->invalidate_at_end)
		return;
	front_invalidate(m);
	if (m->ldst.l1c.cache)
		cache_invalidate(m->ldst.l1c.cache);
}

// Which dependence counters keep a warp, of its next instruction's mask and of the DEPBAR before it.
static void describe_counters(const struct modern_warp *w, char *buf, size_t len)
{
	bool held = w->hold_sb < ISA_N_SB;
	unsigned set = w->busy & (w->head->control.wait | (held ? w->hold_zero : 0));
	size_t n = (size_t)snprintf(buf, len, "waits");
	for (unsigned i = 0, k = 0; i < ISA_N_SB && n < len; i++)
		if (set >> i & 1)
			n += (size_t)snprintf(buf + n, len - n, "%s dependence counter %u, which is %u", k++ ? "," : " for", i, w->sb[i]);
	if (held && w->sb[w->hold_sb] > w->hold_max && n < len)
		snprintf(buf + n, len - n, "%s until dependence counter %u, which is %u, is at most %u", set ? ", and" : "", w->hold_sb, w->sb[w->hold_sb],
		         w->hold_max);
}

static void modern_print_wait(const struct sm *m, unsigned slot, char *buf, size_t len)
{
	const struct sm_warp *w = &m->warp[slot];
	const struct modern_warp *mw = &m->modern->warp[slot];
	uint64_t bit = (uint64_t)1 << slot;
	if (m->done & bit)
		snprintf(buf, len, "done, waits for its outstanding stores and loads");
	else if (m->at_service & bit)
		snprintf(buf, len, "waits for the device runtime until cycle %llu", (unsigned long long)w->service_until);
	else if (m->at_async & bit)
		snprintf(buf, len, "waits for its asynchronous copies");
	else if (m->at_fence & bit)
		snprintf(buf, len, "waits at a fence for its outstanding stores and loads");
	else if (m->at_barrier & bit)
		w->k->launch->fe->describe(w->fe, w->fe_warp, buf, len);
	else if (!(front_ready(m) & bit))
		snprintf(buf, len, "waits for its instruction buffer");
	else if (mw->may_issue > m->now)
		snprintf(buf, len, "waits for its stall count until cycle %llu", (unsigned long long)mw->may_issue);
	else if (!mw->head || depend_ready(m, slot, mw->head))
		snprintf(buf, len, "can issue, or waits for a unit or constant");
	else if (mw->scoreboard)
		snprintf(buf, len, "waits for a register (scoreboard)");
	else
		describe_counters(mw, buf, len);
}

// --- for people who look inside

struct out {
	void (*put)(void *ctx, const char *line);
	void *ctx;
	int n;
};

static void say_inst(struct out *o, const struct sm *m, const char *where, const struct winst *w)
{
	char inst[400], line[600];
	if (!w)
		return;
	sm_print_inst(&m->warp[w->warp], w->st, inst, sizeof inst);
	snprintf(line, sizeof line, "    gpu.sm[%u].%u %s: warp %u, %s\n", m->id, w->sched, where, w->warp, inst);
	o->put(o->ctx, line);
	o->n++;
}

static void say_queue(struct out *o, const struct sm *m, const char *where, const struct modern_queue *q)
{
	for (const struct winst *w = q->first; w; w = w->next)
		say_inst(o, m, where, w);
}

static void say_ring(struct out *o, const struct sm *m, const struct winst *last)
{
	const struct winst *w = last;
	do
		say_inst(o, m, "in a unit", w = w->next);
	while (w != last);
}

static int modern_print_queues(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx)
{
	struct out o = {put, ctx, 0};
	for (unsigned i = 0; i < MODERN_SUBCORES; i++) {
		const struct modern_sub *s = &m->modern->sub[i];
		say_inst(&o, m, "Control", s->control);
		say_inst(&o, m, "Allocate", s->allocate);
		for (unsigned b = 0; b < MODERN_RING; b++)
			if (s->ring_any >> b & 1)
				say_ring(&o, m, s->ring[b]);
		for (const struct winst *w = s->far_first; w; w = w->next)
			say_inst(&o, m, "in a unit", w);
		say_queue(&o, m, "result queue", &s->results[0]);
		say_queue(&o, m, "uniform result queue", &s->results[1]);
		say_queue(&o, m, "late results", &s->late);
	}
	front_describe(m, put, ctx);
	mmem_describe(m, put, ctx);
	return o.n;
}

static void modern_print_pipeline(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx) { modern_print_queues(m, put, ctx); }

static enum sm_wait modern_wait_of(const struct sm *m, unsigned slot)
{
	const struct modern_warp *w = &m->modern->warp[slot];
	if (!(front_ready(m) >> slot & 1))
		return SM_WAIT_FETCH;
	return w->head && !depend_ready(m, slot, w->head) ? SM_WAIT_REGISTER : SM_WAIT_TURN;
}

const struct core_ops core_modern = {
	.slots = ((1u << SM_N_SLOT_REASONS) - 1) & ~(1u << SM_SLOT_NOT_ELIGIBLE) & ~(1u << SM_SLOT_CONTROL) & ~(1u << SM_SLOT_ATOMIC),
	.init = modern_init,
	.free = modern_free,
	.reserve_registers = modern_reserve,
	.start_warp = modern_start_warp,
	.refresh = modern_refresh,
	.park_warp = front_stop,
	.end_kernel = modern_end_kernel,
	.tick = modern_tick,
	.catch_up = idle,
	.holds_requests = modern_holds_requests,
	.response_full = modern_response_full,
	.accept_fetch = modern_accept_fetch,
	.accept_data = modern_accept_data,
	.wait_of = modern_wait_of,
	.buffered = front_buffered,
	.print_wait = modern_print_wait,
	.print_queues = modern_print_queues,
	.print_pipeline = modern_print_pipeline,
};
