// The modern core's cycle, and when the core can sleep.
#include "gpgpu-sim/modern/modern.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/observer.h"

#include <string.h>

// --- construction

static bool modern_init(struct sm *m, struct diag *d)
{
	struct modern *u = mem_alloc_dense(sizeof *u);
	(void)d;
	m->modern = u;
	u->cfg = m->cfg->modern;
	u->front = front_new(m, u->cfg);
	u->buffers = front_sets(u->front);
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
	mem_free_dense(m->modern, sizeof *m->modern);
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

static void modern_start_cta(struct sm *m, struct kernel_run *k) { modern_code_grow(k->modern); }

static void modern_start_warp(struct sm *m, unsigned slot)
{
	struct modern_warp *w = &m->modern->warp[slot];
	uint16_t *readers = w->readers;
	*w = (struct modern_warp){.hold_sb = ISA_NO_SB, .readers = readers, .expect = UINT64_MAX};
	if (m->modern->hazards)
		hazards_start_warp(m->modern->hazards, slot);
	modern_refresh(m, slot);
	struct modern_code *code = m->warp[slot].k->modern;
	if (w->head && code->control != w->head->control.present)
		code->control = w->head->control.present;
	w->scoreboard = m->modern->cfg->scoreboards || !code->control;
}

// --- a cycle

static uint64_t next_of(struct sm *m)
{
	const struct modern *u = m->modern;
	uint64_t now = m->now, next = front_next(m, now), t = mmem_next_besides(m, now);
	if (t < next)
		next = t;
	for (unsigned i = 0; i < MODERN_SUBCORES && next > now + 1; i++) {
		t = back_next(&u->sub[i], now);
		next = t < next ? t : next;
		if (next == now + 1)
			return next;
		t = u->sub[i].look > now ? u->sub[i].look : modern_issue_next(m, i, now + 1);
		next = t < next ? t : next;
	}
	return next;
}

static void count_idle(struct sm *m, uint64_t n)
{
	for (unsigned i = 0; i < MODERN_SUBCORES; i++) {
		enum sm_slot_reason why = (enum sm_slot_reason)m->modern->sub[i].last_slot;
		m->stats.slot[i][why] += n;
		m->stats.distro[modern_distro(why)] += n;
	}
	front_skip(m, n);
}

static void idle(struct sm *m, uint64_t n)
{
	count_idle(m, n);
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
	bool quiet = now < u->next && !u->cfg->tick_all, refused = mmem_refused(m);
	if (quiet && !(refused && mmem_retry(m, now))) {
		count_idle(m, 1);
		if (!refused)
			mmem_skip(m, 1);
		m->at_network = refused;
		return u->next;
	}
	front_tick_l1(m, now);
	if (!quiet)
		mmem_tick(m, now);
	for (unsigned i = 0; i < MODERN_SUBCORES; i++) {
		struct modern_sub *s = &u->sub[i];
		if (back_works(s, now))
			back_tick(m, s);
		modern_issue(m, i);
		if (front_fetches(u->buffers, i, s->warps))
			front_fetch(m, i, now, s->greedy);
	}
	front_tick_l0(m, now);
	uint64_t view = m->observed & SM_SEES_PIPELINE ? modern_view_flush(m) : UINT64_MAX;
	depend_apply(m);
	if (m->leaving | m->to_park)
		modern_look_all(u);
	while (m->leaving)
		sm_warp_leaves(m, (unsigned)__builtin_ctzll(m->leaving));
	if (m->to_park)
		sm_park_ctas(m);
	u->next = next_of(m);
	if (view < u->next)
		u->next = view;
	if (u->next > now + 1)
		modern_note_idle(m);
	m->at_network = mmem_refused(m);
	// Without blocks it drains cycle by cycle.
	return m->n_cta || (u->next == UINT64_MAX && !m->at_network) ? u->next : now + 1;
}

static bool modern_alone(const struct sm *m)
{
	const struct modern *u = m->modern;
	return !(u->outside_head & m->resident & u->buffers->ready);
}

static bool modern_holds_requests(const struct sm *m) { return front_holds_requests(m) || mmem_holds_requests(m); }
static bool modern_response_full(const struct sm *m) { return m->ldst.responses.n >= m->cfg->response_buffer; }

static void modern_accept_fetch(struct sm *m, struct mem_req *r, uint64_t now)
{
	m->modern->next = 0;
	front_accept(m, r, now);
}

static void modern_accept_data(struct sm *m) { m->modern->next = 0; }
static void modern_may_go(struct sm *m, unsigned warp) { modern_look(m->modern, warp % MODERN_SUBCORES); }

static void modern_end_kernel(struct sm *m)
{
	if (!m->modern->cfg->invalidate_at_end)
		return;
	front_invalidate(m);
	if (m->ldst.l1c.cache)
		cache_invalidate(m->ldst.l1c.cache);
}

const struct core_ops core_modern = {
	.slots = ((1u << SM_N_SLOT_REASONS) - 1) & ~(1u << SM_SLOT_NOT_ELIGIBLE) & ~(1u << SM_SLOT_CONTROL) & ~(1u << SM_SLOT_ATOMIC),
	.inst_bytes = sizeof(struct modern_winst),
	.init = modern_init,
	.free = modern_free,
	.reserve_registers = modern_reserve,
	.start_cta = modern_start_cta,
	.start_warp = modern_start_warp,
	.refresh = modern_refresh,
	.may_go = modern_may_go,
	.park_warp = front_stop,
	.end_kernel = modern_end_kernel,
	.tick = modern_tick,
	.alone = modern_alone,
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
