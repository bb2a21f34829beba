// Where lanes are in the program and what they wait for, in words.
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/group.h"
#include "cuda-sim/exec/tries.h"
#include "cuda-sim/simt/simt.h"
#include "isa/place.h"

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
	char text[160], shown[PLACE_NAME_SHOWN + 4];
	ptx_inst_print(c->func, i, text, sizeof text);
	int n = snprintf(buf, len, "at %s:%u in %s: %s", c->func->module->text.name, i->line, place_name(c->func->name, shown), text);
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
		char at[256], waits[400], lanes[32] = "";
		if (s->mask != w->w.exist)
			snprintf(lanes, sizeof lanes, "lanes %08x: ", s->mask);
		if (s->state == SPLIT_BARRIER || s->state == SPLIT_MBARRIER)
			u = s->at;
		simt_place(&w->w, u, at, sizeof at);
		int m = 0;
		const bool tries = s->state == SPLIT_MBARRIER || (s->state == SPLIT_RUN && exec_try_for_nothing(&w->w));
		if (tries && exec_try_describe(&w->w, s->mask, waits, sizeof waits)) {
			m = snprintf(buf + n, len - n, "%s%s%s %s", n ? "; " : "", lanes, waits, at);
		} else if (s->state == SPLIT_BARRIER && s->barrier == EXEC_CHILDREN) {
			m = snprintf(buf + n, len - n, "%s%s%s %s", n ? "; " : "", lanes,
			             w->cta->x.launch->behind ? "waits for the kernel in front of its own" : "waits for the kernels that its block launched", at);
		} else if (s->state == SPLIT_BARRIER && s->barrier == EXEC_GROUP) {
			exec_group_describe(&w->w, waits, sizeof waits);
			m = snprintf(buf + n, len - n, "%s%s%s %s", n ? "; " : "", lanes, waits, at);
		} else if (s->state == SPLIT_BARRIER && s->barrier == EXEC_AT_CLUSTER) {
			exec_cluster_describe(&w->cta->x, waits, sizeof waits);
			m = snprintf(buf + n, len - n, "%s%s%s %s", n ? "; " : "", lanes, waits, at);
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
