// Straight runs of micro-ops: whole instructions one after the other that neither change the flow of control nor poll nor
// gather lanes. Lanes do not meet within one, and only its first instruction may write memory that other warps see. Where
// nobody looks on, the keeper of a warp has nothing to do between them.
#ifndef CUDA_SIM_EXEC_STRAIGHT_H
#define CUDA_SIM_EXEC_STRAIGHT_H

#include "cuda-sim/exec/warp.h"

// Fills uop.straight of a function's micro-ops.
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
// micro-op that faults. Counts instructions down in *left and those of threads up in *threads. Returns the micro-op behind.
static inline const struct uop *exec_straight(uint8_t *fp, const struct uop *u, uint32_t active, struct warp *w,
                                              uint64_t *left, uint64_t *threads)
{
	struct kernel_counts *const counts = w->cta->counts;
	const unsigned all = fe_lanes(active);
	const struct uop *end = u + (u->straight < *left ? u->straight : *left);
	uint32_t mask = active;
	while (end->flags & UOP_EXTRA)
		end++;
	do {
		if (!(u->flags & UOP_EXTRA)) {
			unsigned lanes = all;
			mask = active;
			if (u->guard) {
				mask &= exec_guard(fp, u);
				lanes = fe_lanes(mask);
			}
			counts->cls[u->cls]++;
			counts->cls_thread[u->cls] += lanes;
			*threads += lanes;
			--*left;
		}
		if (__builtin_expect(mask != 0, 1))
			u->fn(fp, u, mask, w);
		u++;
	} while (u != end && !w->fault);
	return u;
}

#endif
