// Faults in words: what happened, in which kernel, block and thread, at which place of the program.
#include "cuda-sim/exec/checker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	[FAULT_INTERRUPTED] = "interrupted",
};

static void thread_of(const struct warp *w, unsigned lane, uint32_t thread[3])
{
	uint32_t linear = w->id * WARP + lane;
	const uint32_t *block = w->cta->block;
	thread[0] = linear % block[0];
	thread[1] = linear / block[0] % block[1];
	thread[2] = linear / block[0] / block[1];
}

void exec_stray(struct warp *w, const struct uop *u, unsigned lane, enum stray kind, const char *fmt, ...)
{
	const struct kernel_launch *l = w->cta->launch;
	struct strays *s = l->services ? l->services->strays : NULL;
	char what[512], at[512] = "at an unknown place", text[1400] = "";
	if (!s)
		return;
	if (w->cta->place)
		w->cta->place(w, u, at, sizeof at);
	if (!strays_known(s, l->info->name, at, kind)) {
		uint32_t thread[3];
		const uint32_t *cta = w->cta->id;
		va_list ap;
		va_start(ap, fmt);
		vsnprintf(what, sizeof what, fmt, ap);
		va_end(ap);
		thread_of(w, lane, thread);
		snprintf(text, sizeof text, "kernel '%s': %s\n  block (%u,%u,%u), thread (%u,%u,%u), %s", l->info->name, what, cta[0],
		         cta[1], cta[2], thread[0], thread[1], thread[2], at);
	}
	struct effects *e = exec_effects(w);
	if (e)
		effects_stray(e, l, at, kind, text);
	else
		strays_tell(s, l->info->name, at, kind, text);
}

void exec_fault(struct warp *w, const struct uop *u, enum fault_kind kind, unsigned lane, uint64_t addr,
                const char *fmt, ...)
{
	struct kernel_launch *l = w->cta->launch;
	w->fault = kind;
	w->cta->faulted = true;
	if (w->cta->check && kind != FAULT_INTERRUPTED) {
		char why[600];
		va_list words;
		va_start(words, fmt);
		vsnprintf(why, sizeof why, fmt, words);
		va_end(words);
		w->cta->check->by->fault(w, kind, lane, addr, why);
	}
	struct effects *s = exec_effects(w);
	struct fault *f = s ? effects_fault(s, l) : l->fault.kind ? NULL : &l->fault;
	if (!f)
		return;
	f->kind = kind;
	f->addr = addr;
	memcpy(f->cta, w->cta->id, sizeof f->cta);
	thread_of(w, lane, f->thread);
	int n = snprintf(f->text, sizeof f->text, "kernel '%s': %s: ", l->info->name, kind_text[kind]);
	va_list ap;
	va_start(ap, fmt);
	n += vsnprintf(f->text + n, sizeof f->text - (size_t)n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof f->text)
		return;
	n += snprintf(f->text + n, sizeof f->text - (size_t)n, "\n  block (%u,%u,%u), thread (%u,%u,%u)", f->cta[0],
	              f->cta[1], f->cta[2], f->thread[0], f->thread[1], f->thread[2]);
	if (n < 0 || (size_t)n + 2 >= sizeof f->text || !w->cta->place)
		return;
	memcpy(f->text + n, ", ", 3);
	w->cta->place(w, u, f->text + n + 2, sizeof f->text - (size_t)n - 2);
}
