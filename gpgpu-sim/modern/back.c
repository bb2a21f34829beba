// What happens to instructions behind Issue: Control, Allocate, the units, results.
#include "gpgpu-sim/modern/modern.h"

#include "gpgpu-sim/sm/observer.h"

// --- lists of instructions

static void append(struct modern_sub *s, struct modern_queue *q, struct modern_winst *x)
{
	s->n_results++;
	x->next = NULL;
	if (q->last)
		q->last->next = x;
	else
		q->first = x;
	q->last = x;
	q->n++;
}

static struct modern_winst *take(struct modern_sub *s, struct modern_queue *q)
{
	s->n_results--;
	struct modern_winst *x = q->first;
	q->first = x->next;
	if (!q->first)
		q->last = NULL;
	q->n--;
	x->next = NULL;
	return x;
}

// Behind those of the same cycle.
static void into_far(struct modern_sub *s, struct modern_winst *x)
{
	struct modern_winst *before = s->far_last;
	while (before && before->when > x->when)
		before = before->prev;
	x->prev = before;
	x->next = before ? before->next : s->far_first;
	*(before ? &before->next : &s->far_first) = x;
	*(x->next ? &x->next->prev : &s->far_last) = x;
}

static void into_ring(struct modern_sub *s, struct modern_winst *x)
{
	unsigned b = x->when % MODERN_RING;
	uint64_t bit = (uint64_t)1 << b;
	if (s->ring_any & bit) {
		x->next = s->ring[b]->next;
		s->ring[b]->next = x;
	} else {
		x->next = x;
	}
	s->ring[b] = x;
	s->ring_any |= bit;
}

static void schedule(struct modern_sub *s, struct modern_winst *x, enum modern_event what, uint64_t when)
{
	HEDDLE_ASSERT(when > s->ring_at);
	x->event = (uint8_t)what;
	x->when = when;
	if (when - s->ring_at < MODERN_RING)
		into_ring(s, x);
	else
		into_far(s, x);
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
	s->look = 0; // results that leave make room for others
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned n = 0; n < m->modern->cfg->result_pops && s->results[k].first; n++) {
			if (!k && !regfile_take_write(m, s, &s->results[k].first->w, m->now)) {
				m->modern->stats.result_conflicts++;
				break;
			}
			s->places[k]--;
			write_back(m, &take(s, &s->results[k])->w);
		}
	}
	while (s->late.first && regfile_take_write(m, s, &s->late.first->w, m->now)) {
		struct winst *w = &take(s, &s->late)->w;
		depend_released(m, w);
		write_back(m, w);
	}
}

// Scoreboards of fixed latencies: a consumer may issue in the cycle behind this one, a cycle later than control bits let it.
static uint64_t release_at(const struct modern_winst *x) { return x->w.issued + x->inst->dependent + x->held; }

static void happens(struct sm *m, struct modern_sub *s, struct modern_winst *x)
{
	const struct modern_inst *i = x->inst;
	struct winst *w = &x->w;
	switch ((enum modern_event)x->event) {
	case MODERN_RELEASE:
		depend_released(m, w);
		if (x->read_at > m->now) {
			schedule(s, x, MODERN_READ_DONE, x->read_at);
			break;
		}
		if (x->read_at == m->now)
			modern_sources_read(m, w);
		schedule(s, x, MODERN_RESULT, x->result);
		break;
	case MODERN_READ_DONE:
		modern_sources_read(m, w);
		if (m->observed & SM_SEES_PIPELINE)
			modern_view(m, w, MODERN_VIEW_READ);
		if (!i->fixed)
			schedule(s, x, MODERN_WRITE, x->result);
		else if (m->modern->warp[w->warp].scoreboard && release_at(x) > m->now)
			schedule(s, x, MODERN_RELEASE, release_at(x));
		else
			schedule(s, x, MODERN_RESULT, x->result);
		if (i->fixed && m->modern->warp[w->warp].scoreboard && release_at(x) == m->now)
			depend_released(m, w);
		break;
	case MODERN_RESULT:
		if (i->n_write || i->write_uniform)
			append(s, &s->results[!i->n_write], x);
		else
			write_back(m, w);
		break;
	case MODERN_WRITE:
		append(s, &s->late, x);
		break;
	}
}

// Far events were scheduled before those in the ring.
static void take_far(struct sm *m, struct modern_sub *s)
{
	while (s->far_first && s->far_first->when == m->now) {
		struct modern_winst *x = s->far_first;
		s->far_first = x->next;
		*(x->next ? &x->next->prev : &s->far_last) = NULL;
		happens(m, s, x);
	}
}

static void take_events(struct sm *m, struct modern_sub *s, unsigned b)
{
	struct modern_winst *x = s->ring[b]->next;
	s->ring[b]->next = NULL;
	s->ring_any &= ~((uint64_t)1 << b);
	for (struct modern_winst *rest; x; x = rest) {
		rest = x->next;
		HEDDLE_ASSERT(x->when == m->now);
		happens(m, s, x);
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
	if (s->n_results)
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
	struct modern_winst *x = modern_of(w);
	const struct modern_inst *i = x->inst;
	if (m->observed & SM_SEES_PIPELINE)
		modern_view(m, w, MODERN_VIEW_ALLOCATE);
	if (!regfile_allocate(m, s, w)) {
		s->unit_free[w->pipe]++;
		return;
	}
	s->allocate = NULL;
	x->held = (uint16_t)(m->now - w->issued - ALLOCATE_AFTER);
	// Three cycles of operand read, then the dispatch register, then the pipe.
	x->read_at = m->now + i->window;
	x->result = x->read_at + i->interval + i->latency + 1;
	if (x->result <= release_at(x))
		x->result = release_at(x) + 1;
	bool scoreboard = m->modern->warp[w->warp].scoreboard;
	if (scoreboard && release_at(x) <= m->now)
		depend_released(m, w);
	if (scoreboard && release_at(x) > m->now && release_at(x) < x->read_at)
		schedule(s, x, MODERN_RELEASE, release_at(x));
	else if (scoreboard || i->control.read_sb < ISA_N_SB)
		schedule(s, x, MODERN_READ_DONE, x->read_at);
	else
		schedule(s, x, MODERN_RESULT, x->result);
}

// The first cycle in which Control can hand on an instruction of variable latency.
uint64_t back_control_until(const struct sm *m, const struct modern_sub *s)
{
	const struct modern_config *c = m->modern->cfg;
	const struct modern_inst *i = modern_inst_of(s->control);
	uint64_t unit = s->unit_free[i->unit], ahead = 1; // the unit has it in the next cycle
	if (i->unit == ISA_UNIT_DP && !c->dp_in_subcore)
		unit = s->dp_entered[s->dp_turn];
	else if (i->unit == ISA_UNIT_MISC_QUEUE)
		ahead += (uint64_t)c->misc_queue * i->interval;
	return unit > ahead ? unit - ahead : 0;
}

// Double precision: a queue, and stages of a cycle of which the last takes the sources and holds the instruction until the pipe
// takes it.
static void begin_double(struct sm *m, struct modern_sub *s, struct modern_winst *x)
{
	const struct modern_inst *i = x->inst;
	const struct modern_config *c = m->modern->cfg;
	uint64_t *pipe = c->dp_shared ? &m->modern->dp_free : &s->dp_free, last = m->now + c->dp_stages;
	if (last < s->dp_last)
		last = s->dp_last;
	s->dp_entered[s->dp_turn] = last;
	s->dp_turn = (s->dp_turn + 1) % (c->dp_queue + c->dp_stages - 1);
	uint64_t sent = last + 1u + i->dp_reads, at = *pipe > sent ? *pipe : sent;
	s->dp_last = at;
	*pipe = at + i->interval;
	schedule(s, x, MODERN_READ_DONE, sent - 1);
	x->result = at + i->interval + i->latency + (uint64_t)c->sm_write_cycles * i->n_write;
}

// Units whose latency Issue does not know: they begin when they are free.
static void begin_variable(struct sm *m, struct modern_sub *s, struct modern_winst *x)
{
	const struct modern_inst *i = x->inst;
	if (i->unit == ISA_UNIT_DP && !m->modern->cfg->dp_in_subcore) {
		begin_double(m, s, x);
		return;
	}
	uint64_t *unit = &s->unit_free[i->unit], from = m->now + 1, start = *unit > from ? *unit : from;
	*unit = start + i->interval;
	schedule(s, x, MODERN_READ_DONE, start + i->interval - (i->unit != ISA_UNIT_MISC_QUEUE));
	x->result = start + i->interval + i->latency;
}

static void control(struct sm *m, struct modern_sub *s)
{
	struct winst *w = s->control;
	struct modern_winst *x = modern_of(w);
	if (w->issued == m->now)
		return;
	if (!x->controlled) {
		x->controlled = true; // counters go up as it enters, whether it can go on or not
		depend_control(m, w);
		if (m->observed & SM_SEES_PIPELINE)
			modern_view(m, w, MODERN_VIEW_CONTROL);
	}
	if (x->inst->memory) {
		s->control = NULL; // the memory unit has had it since it issued
		s->look = 0;
		if (m->observed & SM_SEES_PIPELINE)
			modern_view_at(m, w, MODERN_VIEW_QUEUE, m->now + 1);
		return;
	}
	if (x->inst->fixed) {
		if (s->allocate)
			return;
		s->allocate = w;
	} else {
		if (m->now < back_control_until(m, s))
			return; // it stays in Control
		begin_variable(m, s, x);
	}
	s->control = NULL;
	s->look = 0;
}

void back_tick(struct sm *m, struct modern_sub *s)
{
	begin(m, s);
	if (s->allocate)
		allocate(m, s);
	if (s->control)
		control(m, s);
}

uint64_t back_next(const struct modern_sub *s, uint64_t now)
{
	if (s->allocate || s->n_results)
		return now + 1;
	unsigned b = (now + 1) % MODERN_RING;
	uint64_t ahead = s->ring_any >> b | s->ring_any << (MODERN_RING - b) % MODERN_RING;
	uint64_t next = ahead ? now + 1 + (unsigned)__builtin_ctzll(ahead) : UINT64_MAX;
	return s->far_first && s->far_first->when < next ? s->far_first->when : next;
}
