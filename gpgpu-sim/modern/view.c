#include "gpgpu-sim/modern/view.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/sm/observer.h"

#include <stdio.h>
#include <string.h>

// A warp's instructions in a cycle: one in each stage and a few more where results come together.
enum { MAX_SEEN = 24, MAX_LATER = 64, PLACE = 200, LINE = PLACE + MAX_SEEN * 28 };

// What will be said in a cycle to come.
struct later {
	uint64_t cycle, pc;
	uint8_t warp, what;
};

// What was seen of a warp slot in this cycle, in no order; `issued`: the text of what issues.
struct seen {
	uint64_t pc[MAX_SEEN];
	uint8_t what[MAX_SEEN], n;
	char issued[PLACE];
};

// And the counters that were said last.
struct modern_lines {
	struct seen seen[CORE_MAX_WARPS];
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

static void note(struct modern_lines *l, unsigned warp, enum modern_view what, uint64_t pc)
{
	struct seen *x = &l->seen[warp];
	if (x->n == MAX_SEEN)
		return;
	x->pc[x->n] = pc;
	x->what[x->n++] = (uint8_t)what;
}

void modern_view(struct sm *m, const struct winst *w, enum modern_view what)
{
	struct modern_lines *l = lines(m->modern);
	note(l, w->warp, what, w->st->pc);
	if (what == MODERN_VIEW_ISSUE) {
		const struct kernel_launch *k = m->warp[w->warp].k->launch;
		struct fe_place p;
		k->fe->place(k->code, w->st, &p);
		snprintf(l->seen[w->warp].issued, PLACE, " (%s)", p.text);
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

static void due(const struct sm *m, struct modern_lines *l)
{
	unsigned n = 0;
	for (unsigned i = 0; i < l->n_later; i++) {
		struct later *e = &l->later[i];
		if (e->cycle <= m->now)
			note(l, e->warp, (enum modern_view)e->what, e->pc);
		else
			l->later[n++] = *e;
	}
	l->n_later = n;
}

// Stages in the order of the pipeline, whichever was seen first.
static void print_seen(const struct seen *x, char *out)
{
	size_t n = 0;
	out[0] = 0;
	for (unsigned k = 0; k < MODERN_N_VIEWS; k++)
		for (unsigned i = 0; i < x->n && n < LINE; i++)
			if (x->what[i] == k)
				n += (size_t)snprintf(out + n, LINE - n, " %s=%llx%s", name[k],
				                      (unsigned long long)x->pc[i], k == MODERN_VIEW_ISSUE ? x->issued : "");
}

uint64_t modern_view_flush(struct sm *m)
{
	char text[LINE], line[LINE + 80];
	struct modern *u = m->modern;
	struct modern_lines *l = lines(u);
	uint64_t next = u->n_change ? m->now + 1 : UINT64_MAX;
	due(m, l);
	for (unsigned i = 0; i < m->cfg->max_warps; i++) {
		const uint16_t *sb = u->warp[i].sb;
		if (!l->seen[i].n && !memcmp(l->said[i], sb, sizeof l->said[i]))
			continue;
		print_seen(&l->seen[i], text);
		snprintf(line, sizeof line, "Core %u.%u warp %u:%s | SB %u %u %u %u %u %u", m->id, i % MODERN_SUBCORES, i, text, sb[0], sb[1],
		         sb[2], sb[3], sb[4], sb[5]);
		m->observer->pipeline(m->observer->ctx, m, line);
		l->seen[i].n = 0;
		memcpy(l->said[i], sb, sizeof l->said[i]);
	}
	for (unsigned i = 0; i < l->n_later; i++)
		next = l->later[i].cycle < next ? l->later[i].cycle : next;
	return next;
}

void modern_view_free(struct sm *m) { mem_free(m->modern->lines); }
