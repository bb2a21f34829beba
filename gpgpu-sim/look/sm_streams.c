#include "gpgpu-sim/look/sm_streams.h"

#include "gpgpu-sim/look/debugger.h"
#include "gpgpu-sim/sm/inspect.h"

#include <stdio.h>
#include <string.h>

void sm_watch(struct sm *m, const struct dbg_streams *t, struct debugger *g)
{
	m->dbg = dbg_core_mask(t, m->id) | (dbg_other_mask(t) & DBG_BIT(LIVENESS)) |
	           (g && debugger_wants_instructions(g) ? DBG_BREAK : 0);
	m->dbg_to = t;
	m->debugger = g;
	memset(m->last_wait, 0, sizeof m->last_wait);
}

void sm_dbg_before(struct sm *m, unsigned slot) { debugger_before(m->debugger, m, slot); }

static void list_registers(const struct sm *m, const struct winst *i, char *buf, size_t len)
{
	const struct kernel_launch *l = m->warp[i->warp].k->launch;
	size_t n = 0;
	buf[0] = 0;
	for (unsigned k = 0; k < i->st->n_dst && n + 2 < len; k++) {
		if (k)
			buf[n++] = ' ';
		l->fe->register_name(l->code, i->st, i->st->dst[k], buf + n, len - n);
		n += strlen(buf + n);
	}
}

void sm_dbg_issued(struct sm *m, const struct winst *i)
{
	const struct sm_warp *w = &m->warp[i->warp];
	char text[400];
	if (m->dbg & DBG_BIT(ISSUE)) {
		uint32_t cta[3];
		w->k->launch->fe->cta_position(w->fe, cta);
		sm_print_inst(w, i->st, text, sizeof text);
		dbg_line(m->dbg_to, DBG_ISSUE, m->now, "Core %u - Scheduler %u - warp %u (block (%u,%u,%u), warp %u) lanes %08x pc 0x%llx %s",
		           m->id, i->sched, i->warp, cta[0], cta[1], cta[2], w->fe_warp, i->mask, (unsigned long long)i->st->pc, text);
	}
	if (m->dbg & DBG_BIT(SCOREBOARD) && i->st->n_dst) {
		list_registers(m, i, text, sizeof text);
		dbg_line(m->dbg_to, DBG_SCOREBOARD, m->now, "Core %u - warp %u reserves %s", m->id, i->warp, text);
	}
	if (m->dbg & DBG_BREAK)
		debugger_issued(m->debugger, m, i->warp, i->st, &m->result);
}

void sm_dbg_release(struct sm *m, const struct winst *i)
{
	char text[400];
	if (!i->st->n_dst)
		return;
	list_registers(m, i, text, sizeof text);
	dbg_line(m->dbg_to, DBG_SCOREBOARD, m->now, "Core %u - warp %u releases %s", m->id, i->warp, text);
}

void sm_dbg_schedule(struct sm *m, unsigned scheduler, unsigned issued)
{
	char text[800], next[400];
	for (uint64_t s = m->resident; s; s &= s - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(s);
		if (sm_scheduler_of(m, slot) != scheduler)
			continue;
		enum sm_wait why = sm_wait_of(m, slot);
		if (m->last_wait[slot] == (uint8_t)why)
			continue;
		m->last_wait[slot] = (uint8_t)why;
		sm_print_wait(m, slot, text, sizeof text);
		sm_print_inst(&m->warp[slot], m->warp[slot].next, next, sizeof next);
		dbg_line(m->dbg_to, DBG_WARP_SCHEDULER, m->now, "Core %u - Scheduler %u - warp %u %s; next: %s", m->id, scheduler, slot, text,
		           next);
	}
}

void sm_dbg_fetch(struct sm *m, unsigned warp, uint64_t pc, const char *what)
{
	dbg_line(m->dbg_to, DBG_FETCH, m->now, "Core %u - warp %u pc 0x%llx %s", m->id, warp, (unsigned long long)pc, what);
}

void sm_dbg_cta(struct sm *m, const struct sm_cta *c, const char *what)
{
	uint32_t cta[3];
	c->k->launch->fe->cta_position(c->fe, cta);
	dbg_line(m->dbg_to, DBG_LIVENESS, m->now + 1, "Core %u - block (%u,%u,%u) of kernel '%s' (launch %u) %s, %u blocks on this core", m->id,
	           cta[0], cta[1], cta[2], c->k->launch->info->name, c->k->launch->uid, what, m->n_cta);
}
