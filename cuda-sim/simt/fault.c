// Faults and waits in words: kernel, CTA, thread, PTX line, address.
#include "cuda-sim/simt/simt.h"

#include <stdarg.h>
#include <stdio.h>

static const struct ptx_func *func_of(const struct simt_warp *w, const struct uop *u)
{
	for (size_t n = 0; n < w->cta->kernel->funcs.n; n++) {
		const struct code *k = w->cta->kernel->funcs.at[n];
		if (u >= k->uop && u < k->uop + k->n_uop)
			return k->func;
	}
	return NULL;
}

static int where(const struct simt_warp *w, const struct uop *u, char *buf, size_t len)
{
	const struct ptx_func *f = func_of(w, u);
	if (!f || !u->inst)
		return snprintf(buf, len, "at the end of %s", f ? f->name : "a function");
	char text[160];
	ptx_inst_print(f, u->inst, text, sizeof text);
	int n = snprintf(buf, len, "at %s:%u in %s: %s", f->module->text.name, u->inst->line, f->name, text);
	if (u->inst->loc && n > 0 && (size_t)n < len)
		n += snprintf(buf + n, len - (size_t)n, " (source line %u)", u->inst->loc);
	return n;
}

static const char *const kind_text[] = {
	[FAULT_ILLEGAL_ADDRESS] = "illegal address",
	[FAULT_MISALIGNED] = "misaligned address",
	[FAULT_INVALID_SPACE] = "operation not possible on this kind of memory",
	[FAULT_ILLEGAL_INSTRUCTION] = "illegal instruction",
	[FAULT_INVALID_PC] = "invalid program counter",
	[FAULT_TRAP] = "trap",
	[FAULT_ASSERT] = "assertion failed",
	[FAULT_STACK] = "stack overflow",
	[FAULT_TIMEOUT] = "timeout",
	[FAULT_LAUNCH] = "launch failure",
};

void exec_fault(struct warp *warp, const struct uop *u, enum fault_kind kind, unsigned lane, uint64_t addr,
                const char *fmt, ...)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	struct kernel_launch *l = warp->cta->launch;
	warp->fault = kind;
	if (l->fault.kind)
		return;
	struct fault *f = &l->fault;
	uint32_t linear = warp->id * WARP + lane;
	const uint32_t *block = warp->cta->block;
	f->kind = kind;
	f->addr = addr;
	memcpy(f->cta, warp->cta->id, sizeof f->cta);
	f->thread[0] = linear % block[0];
	f->thread[1] = linear / block[0] % block[1];
	f->thread[2] = linear / block[0] / block[1];
	int n = snprintf(f->text, sizeof f->text, "kernel '%s': %s: ", l->info->name, kind_text[kind]);
	va_list ap;
	va_start(ap, fmt);
	n += vsnprintf(f->text + n, sizeof f->text - (size_t)n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof f->text)
		return;
	n += snprintf(f->text + n, sizeof f->text - (size_t)n, "\n  block (%u,%u,%u), thread (%u,%u,%u), ", f->cta[0],
	              f->cta[1], f->cta[2], f->thread[0], f->thread[1], f->thread[2]);
	if (n > 0 && (size_t)n < sizeof f->text)
		where(w, u, f->text + n, sizeof f->text - (size_t)n);
}

// The warps of the CTA that have not come to a barrier: "; warps 2, 5 are missing".
static void missing(const struct simt_warp *w, const struct barrier *b, char *buf, size_t len)
{
	size_t n = 0;
	unsigned count = 0;
	buf[0] = 0;
	for (unsigned k = 0; k < w->cta->n_warp && n + 32 < len; k++) {
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
		where(w, u, at, sizeof at);
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
