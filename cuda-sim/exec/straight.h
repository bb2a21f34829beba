// Straight runs of micro-ops: whole instructions one after the other that neither change the flow of control nor poll
// nor gather lanes. Lanes do not meet within one, and only its first instruction may write memory that other warps see.
// Where nobody looks on, the keeper of a warp has nothing to do between them.
#ifndef CUDA_SIM_EXEC_STRAIGHT_H
#define CUDA_SIM_EXEC_STRAIGHT_H

#include "cuda-sim/exec/warp.h"

// Fills uop.straight, uop.hit and UOP_GUARDED of a function's micro-ops.
void exec_straight_mark(struct uop *code, uint32_t n);

// The lanes for which the guard holds.
static inline uint32_t exec_guard(const uint8_t *fp, const struct uop *u)
{
	if (!u->guard)
		return FULL_MASK;
	uint32_t g = *(const uint32_t *)(fp + u->guard);
	return u->flags & UOP_NEG_GUARD ? ~g : g;
}

// Executes the run that begins with `u`, but no more than *left instructions, for the lanes `active`; stops behind a
// micro-op that faults. Counts instructions down in *left and those of threads up in *threads. Returns the micro-op
// behind.
const struct uop *exec_straight(uint8_t *fp, const struct uop *u, uint32_t active, struct warp *w, uint64_t *left,
                                uint64_t *threads);

// An instruction that begins with `u` has been executed for the lanes `mask`, as the only one.
static inline void exec_count_one(struct kernel_counts *counts, const struct uop *u, uint32_t mask)
{
	const unsigned lanes = fe_lanes(mask);
	counts->cls[u->cls]++;
	counts->cls_thread[u->cls] += lanes;
	counts->warp_insts++;
	counts->thread_insts += lanes;
}

// Executes the instruction that begins with `u`, the first of a straight run, and counts it. Returns the micro-op
// behind.
static inline const struct uop *exec_one(uint8_t *fp, const struct uop *u, uint32_t active, struct warp *w)
{
	const uint32_t mask = active & exec_guard(fp, u);
	exec_count_one(w->cta->counts, u, mask);
	do {
		if (mask)
			u->fn(fp, u, mask, w);
		u++;
	} while (u->flags & UOP_EXTRA && !w->fault);
	return u;
}

#endif
