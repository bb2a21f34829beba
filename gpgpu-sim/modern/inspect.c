// For people who look inside the modern core.
#include "gpgpu-sim/modern/modern.h"

#include "gpgpu-sim/sm/inspect.h"

#include <stdio.h>

enum sm_wait modern_wait_of(const struct sm *m, unsigned slot)
{
	const struct modern_warp *w = &m->modern->warp[slot];
	if (!(m->modern->buffers->ready >> slot & 1))
		return SM_WAIT_FETCH;
	return w->head && !depend_ready(m, slot, w->head) ? SM_WAIT_REGISTER : SM_WAIT_TURN;
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
	if (w->behind_barrier && w->sb[MODERN_SB_READING] && n < len)
		n += (size_t)snprintf(buf + n, len - n, "%s behind a barrier for its memory instructions to read their registers", set ? ", and" : "");
	if (held && w->sb[w->hold_sb] > w->hold_max && n < len)
		snprintf(buf + n, len - n, "%s until dependence counter %u, which is %u, is at most %u", set ? ", and" : "", w->hold_sb, w->sb[w->hold_sb],
		         w->hold_max);
}

void modern_print_wait(const struct sm *m, unsigned slot, char *buf, size_t len)
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
	else if (!(m->modern->buffers->ready & bit))
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

// --- the pipeline

static void say_inst(struct lines *to, const struct sm *m, const char *where, const struct winst *w)
{
	char inst[400];
	if (!w)
		return;
	sm_print_inst(&m->warp[w->warp], w->st, inst, sizeof inst);
	lines_say(to, "    gpu.sm[%u].%u %s: warp %u, %s\n", m->id, w->sched, where, w->warp, inst);
}

static void say_queue(struct lines *to, const struct sm *m, const char *where, const struct modern_queue *q)
{
	for (const struct modern_winst *x = q->first; x; x = x->next)
		say_inst(to, m, where, &x->w);
}

static void say_ring(struct lines *to, const struct sm *m, const struct modern_winst *last)
{
	const struct modern_winst *x = last;
	do {
		x = x->next;
		say_inst(to, m, "in a unit", &x->w);
	} while (x != last);
}

void modern_print_queues(const struct sm *m, struct lines *to)
{
	for (unsigned i = 0; i < MODERN_SUBCORES; i++) {
		const struct modern_sub *s = &m->modern->sub[i];
		say_inst(to, m, "Control", s->control);
		say_inst(to, m, "Allocate", s->allocate);
		for (unsigned b = 0; b < MODERN_RING; b++)
			if (s->ring_any >> b & 1)
				say_ring(to, m, s->ring[b]);
		for (const struct modern_winst *x = s->far_first; x; x = x->next)
			say_inst(to, m, "in a unit", &x->w);
		say_queue(to, m, "result queue", &s->results[0]);
		say_queue(to, m, "uniform result queue", &s->results[1]);
		say_queue(to, m, "late results", &s->late);
	}
	front_describe(m, to);
	mmem_describe(m, to);
}

void modern_print_pipeline(const struct sm *m, struct lines *to) { modern_print_queues(m, to); }
