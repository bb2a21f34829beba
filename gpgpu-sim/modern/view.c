#include "gpgpu-sim/modern/view.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 400, MAX_LATER = 64 };

// What will be said in a cycle to come.
struct later {
	uint64_t cycle, pc;
	uint8_t warp, what;
};

// Text gathered for each warp slot in this cycle, and the counters that were said last.
struct modern_lines {
	char text[CORE_MAX_WARPS][LINE];
	uint16_t said[CORE_MAX_WARPS][ISA_N_SB];
	struct later later[MAX_LATER];
	unsigned n_later;
};

static const char *const name[] = {
#define X(name, text) text,
	MODERN_VIEWS(X)
#undef X
};

static struct modern_lines *lines(struct modern *u)
{
	if (!u->lines)
		u->lines = MEM_NEW(struct modern_lines);
	return u->lines;
}

static void say(struct sm *m, unsigned warp, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void say(struct sm *m, unsigned warp, const char *fmt, ...)
{
	va_list ap;
	char *at = lines(m->modern)->text[warp];
	size_t n = strlen(at);
	va_start(ap, fmt);
	vsnprintf(at + n, LINE - n, fmt, ap);
	va_end(ap);
}

void modern_view(struct sm *m, const struct winst *w, enum modern_view what)
{
	say(m, w->warp, " %s=%llx", name[what], (unsigned long long)w->st->pc);
	if (what == MODERN_VIEW_ISSUE) {
		const struct kernel_launch *l = m->warp[w->warp].k->launch;
		struct fe_place p;
		l->fe->place(l->code, w->st, &p);
		say(m, w->warp, " (%s)", p.text);
	}
}

void modern_view_at(struct sm *m, const struct winst *w, enum modern_view what, uint64_t cycle)
{
	struct modern_lines *l = lines(m->modern);
	if (cycle <= m->now)
		modern_view(m, w, what);
	else if (l->n_later < MAX_LATER)
		l->later[l->n_later++] = (struct later){cycle, w->st->pc, w->warp, (uint8_t)what};
}

static void due(struct sm *m, struct modern_lines *l)
{
	unsigned n = 0;
	for (unsigned i = 0; i < l->n_later; i++) {
		struct later *e = &l->later[i];
		if (e->cycle <= m->now)
			say(m, e->warp, " %s=%llx", name[e->what], (unsigned long long)e->pc);
		else
			l->later[n++] = *e;
	}
	l->n_later = n;
}

uint64_t modern_view_flush(struct sm *m)
{
	struct modern *u = m->modern;
	struct modern_lines *l = lines(u);
	uint64_t next = u->n_change ? m->now + 1 : UINT64_MAX;
	due(m, l);
	for (unsigned i = 0; i < m->cfg->max_warps; i++) {
		const uint16_t *sb = u->warp[i].sb;
		if (!l->text[i][0] && !memcmp(l->said[i], sb, sizeof l->said[i]))
			continue;
		trace_line(m->tracer, TRACE_CORE, m->now, "Core %u.%u warp %u:%s | SB %u %u %u %u %u %u", m->id, i % MODERN_SUBCORES, i, l->text[i],
		           sb[0], sb[1], sb[2], sb[3], sb[4], sb[5]);
		l->text[i][0] = 0;
		memcpy(l->said[i], sb, sizeof l->said[i]);
	}
	for (unsigned i = 0; i < l->n_later; i++)
		next = l->later[i].cycle < next ? l->later[i].cycle : next;
	return next;
}

void modern_view_free(struct sm *m) { mem_free(m->modern->lines); }
