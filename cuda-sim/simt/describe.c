// Where lanes are in the program and what they wait for, in words.
#include "cuda-sim/simt/simt.h"

#include <stdio.h>

static const struct code *code_of(const struct simt_warp *w, const struct uop *u)
{
	for (size_t n = 0; n < w->cta->kernel->funcs.n; n++) {
		const struct code *c = w->cta->kernel->funcs.at[n];
		if (u >= c->uop && u < c->uop + c->n_uop)
			return c;
	}
	return NULL;
}

void simt_place(const struct warp *warp, const struct uop *u, char *buf, size_t len)
{
	const struct code *c = code_of((const struct simt_warp *)warp, u);
	const struct ptx_inst *i = c ? code_inst(c, u) : NULL;
	if (!i) {
		snprintf(buf, len, "at the end of %s", c ? c->func->name : "a function");
		return;
	}
	char text[160];
	ptx_inst_print(c->func, i, text, sizeof text);
	int n = snprintf(buf, len, "at %s:%u in %s: %s", c->func->module->text.name, i->line, c->func->name, text);
	if (i->loc && n > 0 && (size_t)n < len)
		snprintf(buf + n, len - (size_t)n, " (source line %u)", i->loc);
}

void simt_describe(const struct warp *warp, char *buf, size_t len)
{
	const struct simt_warp *w = (const struct simt_warp *)warp;
	size_t n = 0;
	buf[0] = 0;
	for (size_t k = 0; k < w->leaf.n && n < len; k++) {
		const struct split *s = &w->split.at[w->leaf.at[k]];
		const struct uop *next = &w->frame.at[s->frame].code->uop[s->pc], *u = next;
		char at[256], waits[300], lanes[32] = "";
		if (s->mask != w->w.exist)
			snprintf(lanes, sizeof lanes, "lanes %08x: ", s->mask);
		if (s->state == SPLIT_BARRIER)
			u = s->at;
		simt_place(&w->w, u, at, sizeof at);
		int m = 0;
		if (s->state == SPLIT_BARRIER && s->barrier == EXEC_CHILDREN) {
			m = snprintf(buf + n, len - n, "%s%swaits for the kernels that its block launched %s", n ? "; " : "", lanes,
			             at);
		} else if (s->state == SPLIT_BARRIER) {
			exec_barrier_describe(&w->cta->x, s->barrier, waits, sizeof waits);
			m = snprintf(buf + n, len - n, "%s%s%s %s", n ? "; " : "", lanes, waits, at);
		} else {
			m = snprintf(buf + n, len - n, "%s%s%s %s", n ? "; " : "", lanes,
			             s->state == SPLIT_GATHER ? "waits for the other lanes of a member mask" : "can run", at);
		}
		n += m > 0 ? (size_t)m : 0;
	}
}
