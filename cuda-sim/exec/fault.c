// Faults in words: what happened, in which kernel, block and thread, at which place of the program.
#include "cuda-sim/exec/warp.h"

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

void exec_fault(struct warp *w, const struct uop *u, enum fault_kind kind, unsigned lane, uint64_t addr,
                const char *fmt, ...)
{
	struct kernel_launch *l = w->cta->launch;
	w->fault = kind;
	if (l->fault.kind)
		return;
	struct fault *f = &l->fault;
	uint32_t linear = w->id * WARP + lane;
	const uint32_t *block = w->cta->block;
	f->kind = kind;
	f->addr = addr;
	memcpy(f->cta, w->cta->id, sizeof f->cta);
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
	n += snprintf(f->text + n, sizeof f->text - (size_t)n, "\n  block (%u,%u,%u), thread (%u,%u,%u)", f->cta[0],
	              f->cta[1], f->cta[2], f->thread[0], f->thread[1], f->thread[2]);
	if (n < 0 || (size_t)n + 2 >= sizeof f->text || !w->cta->place)
		return;
	memcpy(f->text + n, ", ", 3);
	w->cta->place(w, u, f->text + n + 2, sizeof f->text - (size_t)n - 2);
}
