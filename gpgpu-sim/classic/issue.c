// Issue: each scheduler looks for a warp whose next instruction is in the buffer, whose registers are free and whose pipe
// has room; the instruction is executed at once by the front end and enters the pipe to take its time.
#include "gpgpu-sim/classic/classic.h"
#include "gpgpu-sim/sm/observer.h"

// What the instruction makes its warp wait for besides its registers.
static void hold(struct sm *m, const struct winst *i)
{
	struct sm_warp *w = &m->warp[i->warp];
	uint64_t bit = (uint64_t)1 << i->warp;
	if (i->atomic && i->mask) {
		uint32_t lanes = 0;
		for (const struct mem_req *q = i->access; q; q = q->next)
			lanes += (unsigned)__builtin_popcount(q->lanes);
		w->atomics += i->space == SPACE_SHARED || i->space == SPACE_CLUSTER ? (unsigned)__builtin_popcount(i->mask) : lanes;
		if (w->atomics)
			m->at_atomic |= bit;
	}
	if (i->st->cls == ISA_FENCE)
		m->at_fence |= bit;
}

// A product takes as long as its share of a 16x16x16 product of halves, which the options speak of. One of a warp group goes on beside
// its warp (sm/products.h).
static void product_cost(struct winst *i, const struct isa_inst *st)
{
	enum { WHOLE = 16 * 16 * 16 * 16 };
	const struct isa_matrix *x = &st->matrix;
	const uint64_t part = (uint64_t)x->m * x->n * x->k * x->bits / (x->sparse ? 2 : 1);
	if (st->async >= ISA_ASYNC_MMA) {
		i->latency = i->interval = EXEC_BESIDE;
		return;
	}
	const uint64_t interval = (i->interval * part + WHOLE - 1) / WHOLE;
	i->interval = (uint16_t)(interval < i->latency ? interval : i->latency);
}

static void issue(struct sm *m, unsigned scheduler, unsigned slot)
{
	struct classic *c = m->classic;
	struct classic_warp *b = &c->warp[slot];
	const struct isa_inst *st = m->warp[slot].next;
	const struct op_cost *cost = core_cost(m->cfg, st);
	struct winst *i = sm_execute(m, scheduler, slot);
	b->ib_n = m->done >> slot & 1 ? 0 : b->ib_n - 1;
	b->ib_pc += b->inst_bytes;
	b->fetch_pc = st->pc + b->inst_bytes;
	i->pipe = cost->pipe;
	i->latency = cost->latency;
	i->interval = cost->interval;
	if ((st->matrix.n && !st->sass) || st->async >= ISA_ASYNC_MMA)
		product_cost(i, st);
	i->dst_left = (uint8_t)((1u << st->n_dst) - 1);
	classic_reserve(m, i, i->load && i->space != SPACE_SHARED && i->space != SPACE_CONST);
	hold(m, i);
	regs_append(&c->id_oc[i->pipe], m->cfg->sub_core, scheduler, i);
	opcoll_stir(&c->opcoll);
	classic_refresh(m, slot);
	sm_check_fence(m, slot);
}

static void flush(struct sm *m, unsigned slot)
{
	struct classic_warp *b = &m->classic->warp[slot];
	b->fetch_pc = m->warp[slot].next->pc;
	b->ib_n = 0;
	classic_refresh(m, slot);
}

// Up to -gpgpu_max_insn_issue_per_warp instructions of the warp.
static unsigned issue_warp(struct sm *m, unsigned scheduler, unsigned slot)
{
	struct classic *c = m->classic;
	const struct core_config *cfg = m->cfg;
	uint64_t bit = (uint64_t)1 << slot;
	unsigned issued = 0;
	enum pipe last = PIPE_NONE;
	while (issued < cfg->max_issue && !(sm_waiting(m) & bit)) {
		if (c->mismatch & bit) {
			flush(m, slot);
			break;
		}
		if (!(c->ready & bit))
			break;
		enum pipe pipe = (enum pipe)c->warp[slot].wants;
		if (!regs_has_free(&c->id_oc[pipe], cfg->sub_core, scheduler) || (cfg->dual_issue_diff_units && pipe == last))
			break;
		if (m->warp[slot].next->service && sm_begin_service(m, slot))
			break;
		issue(m, scheduler, slot);
		last = pipe;
		issued++;
	}
	return issued;
}

static enum sm_slot_reason why_idle(const struct sm *m, uint64_t own, uint64_t allowed, uint64_t waiting)
{
	const struct classic *c = m->classic;
	uint64_t here = own & m->resident;
	if (!here)
		return SM_SLOT_NO_WARP;
	uint64_t buffered = here & ~c->ib_empty & ~waiting;
	if (buffered & ~allowed & c->ready)
		return SM_SLOT_NOT_ELIGIBLE;
	if (buffered & c->mismatch)
		return SM_SLOT_CONTROL;
	if (buffered)
		return SM_SLOT_SCOREBOARD;
	if (here & m->at_async)
		return SM_SLOT_ASYNC;
	if (here & m->at_service)
		return SM_SLOT_SCOREBOARD;
	if (here & m->at_atomic)
		return SM_SLOT_ATOMIC;
	if (here & m->at_fence)
		return SM_SLOT_FENCE;
	if (here & ~m->done & ~m->at_barrier)
		return SM_SLOT_EMPTY_BUFFER;
	return here & m->at_barrier ? SM_SLOT_BARRIER : SM_SLOT_EMPTY_BUFFER;
}

// What a scheduler finds in a cycle.
struct turn {
	uint64_t allowed; // by the policy
	uint64_t try;     // warps that may issue, if they get what else they need
	bool valid, ready; // a warp knows its next instruction; and its registers are free
};

static void count_issued(struct sm *m, unsigned scheduler, unsigned issued)
{
	struct sm_stats *s = &m->stats;
	(issued == 1 ? s->single_issue : s->dual_issue)[scheduler]++;
	s->slot[scheduler][SM_SLOT_ISSUED]++;
	m->classic->counted[scheduler] = s->cycles;
}

// The cycles up to one, in which the scheduler found what it had found in its last turn.
static void count_idle(struct sm *m, unsigned scheduler, uint64_t until)
{
	struct classic *c = m->classic;
	uint64_t n = until - c->counted[scheduler];
	c->counted[scheduler] = until;
	m->stats.distro[c->last_distro[scheduler]] += n;
	m->stats.slot[scheduler][c->last_slot[scheduler]] += n;
}

void classic_count_idle(struct sm *m)
{
	for (unsigned i = 0; i < m->cfg->n_schedulers; i++)
		count_idle(m, i, m->stats.cycles);
}

// Why it issues nothing. What has been found before is counted.
static void note(struct sm *m, unsigned scheduler, const struct turn *t, uint64_t waiting)
{
	struct classic *c = m->classic;
	c->last_distro[scheduler] = t->ready ? SM_DISTRO_STALL : t->valid ? SM_DISTRO_SCOREBOARD : SM_DISTRO_IDLE;
	c->last_slot[scheduler] = t->ready ? SM_SLOT_PIPE_FULL : (uint8_t)why_idle(m, c->sched[scheduler].own, t->allowed, waiting);
	c->pipe_full = (c->pipe_full & ~(1u << scheduler)) | (uint32_t)t->ready << scheduler;
}

// The set of warps whose next instruction reads or writes a register that a long operation will write.
static uint64_t longop_warps(const struct sm *m, uint64_t own)
{
	const struct classic *c = m->classic;
	uint64_t set = 0;
	for (uint64_t s = own & m->resident & ~c->ib_empty; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		const struct sm_warp *w = &m->warp[i];
		for (unsigned k = 0; w->next && k < w->next->n_read; k++)
			if (c->warp[i].longop[w->next->src[k] / 64] >> w->next->src[k] % 64 & 1)
				set |= (uint64_t)1 << i;
	}
	return set;
}

// Of the ready warps, those whose pipe has no room. While memory is slow most of them are.
static uint64_t blocked(const struct sm *m, unsigned scheduler)
{
	const struct classic *c = m->classic;
	uint64_t set = 0;
	for (uint32_t p = c->issued; p; p &= p - 1) {
		unsigned pipe = (unsigned)__builtin_ctz(p);
		set |= c->wants[pipe] & (regs_has_free(&c->id_oc[pipe], m->cfg->sub_core, scheduler) - (uint64_t)1); // no branch on what is full
	}
	return set;
}

void classic_expect_issue(const struct sm *m)
{
	const struct classic *c = m->classic;
	uint64_t can = c->ready & m->resident & ~sm_waiting(m);
	for (unsigned i = 0; can && i < m->cfg->n_schedulers; i++) {
		uint64_t set = can & c->sched[i].own;
		if (!set)
			continue;
		const struct sm_warp *w = &m->warp[sched_likely(&c->sched[i], set)];
		if (w->k->launch->fe->expect)
			w->k->launch->fe->expect(w->fe, w->fe_warp);
	}
}

// Inline: every scheduler that may find something new runs it.
static inline __attribute__((always_inline)) struct turn look(const struct sm *m, unsigned scheduler, struct sched *s, const struct sched_view *v)
{
	const struct classic *c = m->classic;
	struct turn t = {.allowed = sched_begin(s, v)};
	uint64_t set = t.allowed & s->own & m->resident & ~c->ib_empty & ~v->waiting;
	t.try = set & (c->ready | c->mismatch);
	if (t.try)
		t.try &= ~blocked(m, scheduler);
	t.valid = set & ~c->mismatch;
	t.ready = set & c->ready;
	return t;
}

static void look_again(const struct sm *m, struct sched_view *v)
{
	v->resident = m->resident;
	v->waiting = sm_waiting(m);
}

static void schedule(struct sm *m, unsigned scheduler, struct sched_view *v)
{
	struct classic *c = m->classic;
	struct sched *s = &c->sched[scheduler];
	c->look &= ~(1u << scheduler) | c->look_always;
	if (m->cfg->longop_tracking)
		v->longop = longop_warps(m, s->own);
	const struct turn t = look(m, scheduler, s, v);
	unsigned issued = 0;
	for (uint64_t try = t.try; try && !issued;) {
		unsigned slot = sched_pick(s, try, v);
		try &= ~((uint64_t)1 << slot);
		issued = issue_warp(m, scheduler, slot);
		if (issued)
			s->ops->issued(s, slot);
	}
	if (t.try) { // a try may have found what its warp waits for
		look_again(m, v);
		c->look |= 1u << scheduler;
	}
	count_idle(m, scheduler, m->stats.cycles - 1);
	if (issued) {
		count_issued(m, scheduler, issued);
		c->moved = true;
	} else {
		note(m, scheduler, &t, v->waiting);
	}
}

bool classic_note_idle(struct sm *m)
{
	struct classic *c = m->classic;
	const struct sched_view v = {.resident = m->resident, .waiting = sm_waiting(m), .age = m->age};
	for (unsigned i = 0; i < m->cfg->n_schedulers; i++) {
		struct sched *s = &c->sched[i], same;
		if (!(c->look >> i & 1))
			continue;
		if (s->ops->begin) // it begins no cycle: what that changes is thrown away
			same = *s, s = &same;
		const struct turn t = look(m, i, s, &v);
		if (t.try)
			return false;
		count_idle(m, i, m->stats.cycles);
		note(m, i, &t, v.waiting);
	}
	return true;
}

// A set of n schedulers in the order in which they go, from `turn` on.
static uint32_t from_turn(uint32_t set, uint32_t turn, unsigned n) { return (set | set << n) >> turn; }

void classic_issue(struct sm *m)
{
	struct classic *c = m->classic;
	unsigned n = m->cfg->n_schedulers;
	const uint32_t see = m->observed & SM_SEES_SCHEDULER ? c->schedulers : 0;
	struct sched_view v = {.age = m->age};
	if (c->look)
		look_again(m, &v);
	// Going round from the one that goes first; what a turn does may give one to those behind it.
	for (uint32_t set, left = c->schedulers; (set = from_turn(c->look | see, c->issue_turn, n) & left);) {
		unsigned i = (unsigned)__builtin_ctz(set), k = c->issue_turn + i;
		left = c->schedulers & ~((2u << i) - 1);
		if (k >= n)
			k -= n;
		if (c->look >> k & 1)
			schedule(m, k, &v);
		sm_see_schedule(m, k);
	}
	c->issue_turn = c->issue_turn + 1 == n ? 0 : c->issue_turn + 1;
}
