#include "gpgpu-sim/look/sm_streams.h"

#include "base/mem.h"
#include "gpgpu-sim/look/debugger.h"
#include "gpgpu-sim/sm/inspect.h"

#include <string.h>

__attribute__((format(printf, 4, 5))) static void say(const struct sm_stream *s, enum dbg_stream stream, uint64_t cycle, const char *fmt, ...)
{
	char line[DBG_LINE];
	va_list ap;
	va_start(ap, fmt);
	dbg_format(line, stream, cycle, fmt, ap);
	va_end(ap);
	sm_say(s->sm, s->all->dbg->put, s->all->dbg->ctx, line);
}

static void before(void *ctx, const struct sm *m, unsigned slot)
{
	const struct sm_stream *s = ctx;
	if (s->all->debugger)
		debugger_before(s->all->debugger, m, slot);
}

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

static void issued(void *ctx, const struct sm *m, const struct winst *i)
{
	const struct sm_stream *s = ctx;
	uint32_t on = dbg_core_mask(s->all->dbg, m->id);
	const struct sm_warp *w = &m->warp[i->warp];
	char text[400];
	if (on & DBG_BIT(ISSUE)) {
		uint32_t cta[3];
		w->k->launch->fe->cta_position(w->fe, cta);
		sm_print_inst(w, i->st, text, sizeof text);
		say(s, DBG_ISSUE, m->now, "Core %u - Scheduler %u - warp %u (block (%u,%u,%u), warp %u) lanes %08x pc 0x%llx %s",
		    m->id, i->sched, i->warp, cta[0], cta[1], cta[2], w->fe_warp, i->mask, (unsigned long long)i->st->pc, text);
	}
	if (on & DBG_BIT(SCOREBOARD) && i->st->n_dst) {
		list_registers(m, i, text, sizeof text);
		say(s, DBG_SCOREBOARD, m->now, "Core %u - warp %u reserves %s", m->id, i->warp, text);
	}
	if (s->all->debugger)
		debugger_issued(s->all->debugger, m, i->warp, i->st, &m->result);
}

static void released(void *ctx, const struct sm *m, const struct winst *i)
{
	const struct sm_stream *s = ctx;
	char text[400];
	if (!i->st->n_dst)
		return;
	list_registers(m, i, text, sizeof text);
	say(s, DBG_SCOREBOARD, m->now, "Core %u - warp %u releases %s", m->id, i->warp, text);
}

static void scheduled(void *ctx, const struct sm *m, unsigned scheduler)
{
	struct sm_stream *s = ctx;
	uint8_t *last_wait = s->last_wait;
	char text[800], next[400];
	for (uint64_t left = m->resident; left; left &= left - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(left);
		if (sm_scheduler_of(m, slot) != scheduler)
			continue;
		enum sm_wait why = sm_wait_of(m, slot);
		if (last_wait[slot] == (uint8_t)why)
			continue;
		last_wait[slot] = (uint8_t)why;
		sm_print_wait(m, slot, text, sizeof text);
		sm_print_inst(&m->warp[slot], m->warp[slot].next, next, sizeof next);
		say(s, DBG_WARP_SCHEDULER, m->now, "Core %u - Scheduler %u - warp %u %s; next: %s", m->id, scheduler, slot, text,
		    next);
	}
}

static void fetched(void *ctx, const struct sm *m, unsigned warp, uint64_t pc, const char *what)
{
	const struct sm_stream *s = ctx;
	say(s, DBG_FETCH, m->now, "Core %u - warp %u pc 0x%llx %s", m->id, warp, (unsigned long long)pc, what);
}

static void cta(void *ctx, const struct sm *m, const struct sm_cta *c, const char *what)
{
	const struct sm_stream *s = ctx;
	uint32_t id[3];
	c->k->launch->fe->cta_position(c->fe, id);
	say(s, DBG_LIVENESS, m->now + 1, "Core %u - block (%u,%u,%u) of kernel '%s' (launch %u) %s, %u blocks on this core", m->id,
	    id[0], id[1], id[2], c->k->launch->info->name, c->k->launch->uid, what, m->n_cta);
}

static void pipeline(void *ctx, const struct sm *m, const char *line)
{
	say(ctx, DBG_CORE, m->now, "%s", line);
}

void sm_streams_init(struct sm_streams *s, const struct timing *t)
{
	*s = (struct sm_streams){.of = mem_alloc(t->core.n_sm * sizeof *s->of)};
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm_stream *o = &s->of[i];
		*o = (struct sm_stream){.all = s, .sm = &t->sm[i]};
		o->observer = (struct sm_observer){.ctx = o, .before = before, .issued = issued, .released = released, .scheduled = scheduled,
		                                   .fetched = fetched, .cta = cta, .pipeline = pipeline};
	}
}

void sm_streams_free(struct sm_streams *s) { mem_free(s->of); }

static uint32_t wanted(const struct sm_streams *s, unsigned sm)
{
	uint32_t on = dbg_core_mask(s->dbg, sm);
	return (s->debugger || on & (DBG_BIT(ISSUE) | DBG_BIT(SCOREBOARD)) ? SM_SEES_ISSUE : 0) |
	       (on & DBG_BIT(SCOREBOARD) ? SM_SEES_RELEASE : 0) | (on & DBG_BIT(WARP_SCHEDULER) ? SM_SEES_SCHEDULER : 0) |
	       (on & DBG_BIT(FETCH) ? SM_SEES_FETCH : 0) | (on & DBG_BIT(CORE) ? SM_SEES_PIPELINE : 0) |
	       (dbg_other_mask(s->dbg) & DBG_BIT(LIVENESS) ? SM_SEES_CTA : 0);
}

void sm_streams_attach(struct sm_streams *s, struct timing *t, const struct dbg_streams *dbg, struct debugger *g)
{
	s->dbg = dbg;
	s->debugger = g && debugger_wants_instructions(g) ? g : NULL;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		memset(s->of[i].last_wait, 0, sizeof s->of[i].last_wait);
		t->sm[i].observer = &s->of[i].observer;
		t->sm[i].observed = wanted(s, i);
	}
}
