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

// The warps of the CTA that have not come to a barrier: "; warps 2, 5 are missing".
static void missing(const struct simt_warp *w, const struct barrier *b, char *buf, size_t len)
{
	size_t n = 0;
	unsigned count = 0;
	buf[0] = 0;
	for (unsigned k = 0; k < w->cta->x.n_warp && n + 32 < len; k++) {
		uint32_t live = w->cta->warp[k].w.live & ~b->lanes[k];
		if (!live || (b->count && b->lanes[k]))
			continue;
		if (count++ == 8) {
			snprintf(buf + n, len - n, " and more");
			return;
		}
		n += (size_t)snprintf(buf + n, len - n, "%s %u", count == 1 ? ", missing: warp" : ",", k);
		if (live != w->cta->warp[k].w.live)
			n += (size_t)snprintf(buf + n, len - n, " lanes %08x", live);
	}
}

void simt_describe(const struct simt_warp *w, char *buf, size_t len)
{
	size_t n = 0;
	buf[0] = 0;
	for (size_t k = 0; k < w->leaf.n && n < len; k++) {
		const struct split *s = &w->split.at[w->leaf.at[k]];
		const struct uop *next = &w->frame.at[s->frame].code->uop[s->pc], *u = next;
		char at[256], others[200], lanes[32] = "";
		if (s->mask != w->thread_mask)
			snprintf(lanes, sizeof lanes, "lanes %08x: ", s->mask);
		if (s->state == SPLIT_BARRIER)
			u = s->at;
		simt_place(&w->w, u, at, sizeof at);
		int m = 0;
		if (s->state == SPLIT_BARRIER && s->barrier == SIMT_CHILDREN) {
			m = snprintf(buf + n, len - n, "%s%swaits for the kernels that its block launched %s", n ? "; " : "", lanes,
			             at);
		} else if (s->state == SPLIT_BARRIER) {
			const struct barrier *b = &w->cta->barrier[s->barrier];
			uint32_t want = b->count ? b->count : w->cta->live_threads;
			missing(w, b, others, sizeof others);
			m = snprintf(buf + n, len - n, "%s%swaits at barrier %u (%u of %u threads have come%s) %s", n ? "; " : "",
			             lanes, s->barrier, b->arrived, want, others, at);
		} else {
			m = snprintf(buf + n, len - n, "%s%s%s %s", n ? "; " : "", lanes,
			             s->state == SPLIT_GATHER ? "waits for the other lanes of a member mask" : "can run", at);
		}
		n += m > 0 ? (size_t)m : 0;
	}
}
