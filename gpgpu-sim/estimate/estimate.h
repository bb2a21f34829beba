// What a whole run would take, from the kernels and the waves of CTAs that are timed (-sample).
//
// Launches are alike when kernel, grid, block, cluster and dynamic shared memory are. Some of them are timed until the
// cycles of a warp instruction are known well enough; the others are executed without time. Those with other numbers of
// instructions than any that was timed are taken from their neighbours, and the next launch is timed. Now and then one
// is timed all the same.
#ifndef GPGPU_SIM_ESTIMATE_ESTIMATE_H
#define GPGPU_SIM_ESTIMATE_ESTIMATE_H

#include "isa/kernel.h"

struct estimates;

// Cycles, and how far they may be off in 95 of 100 cases. 0: they were simulated.
struct estimate {
	double cycles, error;
};

struct estimate_sum {
	struct estimate whole;           // of the run
	uint64_t launches, timed, cut;   // kernels that have ended; that were timed; of these, in part
	uint64_t simulated;              // cycles
};

struct estimates *estimates_new(double error); // the part of a kernel's cycles that is aimed at: 0.05
void estimates_free(struct estimates *e);

// Whether the launch, which is about to start, is to be timed.
bool estimates_want(struct estimates *e, const struct kernel_launch *l);
// A launch has ended. Timed: what it took as a whole, and the cycles of it that were simulated; `alone`: these are its
// own. Not timed: what it would have taken.
void estimates_timed(struct estimates *e, const struct kernel_launch *l, uint64_t warp_insts, struct estimate whole,
                     uint64_t simulated, bool alone);
struct estimate estimates_untimed(struct estimates *e, const struct kernel_launch *l);
// All that have ended.
struct estimate_sum estimates_sum(const struct estimates *e);

#endif
