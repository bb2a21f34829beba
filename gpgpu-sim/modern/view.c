#include "gpgpu-sim/modern/view.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 400 };

// Text gathered for each warp slot in this cycle.
struct modern_lines {
	char text[CORE_MAX_WARPS][LINE];
};

static void say(struct sm *m, unsigned warp, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void say(struct sm *m, unsigned warp, const char *fmt, ...)
{
	struct modern *u = m->modern;
	va_list ap;
	if (!u->lines)
		u->lines = MEM_NEW(struct modern_lines);
	char *at = u->lines->text[warp];
	size_t n = strlen(at);
	va_start(ap, fmt);
	vsnprintf(at + n, LINE - n, fmt, ap);
	va_end(ap);
}

void modern_view(struct sm *m, const struct winst *w, enum modern_view what)
{
	static const char *const name[] = {
#define X(name, text) text,
		MODERN_VIEWS(X)
#undef X
	};
	struct modern *u = m->modern;
	unsigned long long pc = (unsigned long long)w->st->pc;
	say(m, w->warp, " %s=%llx", name[what], pc);
	if (what == MODERN_VIEW_ISSUE) {
		const struct kernel_launch *l = m->warp[w->warp].k->launch;
		struct fe_place p;
		l->fe->place(l->code, w->st, &p);
		say(m, w->warp, " (%s)", p.text);
	}
	(void)u;
}

void modern_view_flush(struct sm *m)
{
	struct modern *u = m->modern;
	for (unsigned i = 0; u->lines && i < m->cfg->max_warps; i++) {
		char *text = u->lines->text[i];
		if (!text[0])
			continue;
		const uint16_t *sb = u->warp[i].sb;
		trace_line(m->tracer, TRACE_CORE, m->now, "Core %u.%u warp %u:%s | SB %u %u %u %u %u %u", m->id, i % MODERN_SUBCORES, i, text, sb[0], sb[1],
		           sb[2], sb[3], sb[4], sb[5]);
		text[0] = 0;
	}
}
