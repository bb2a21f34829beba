// Functional execution of one kernel: no timing, many CTAs resident, rotating so that blocks that wait for other blocks
// make progress.
#ifndef GPGPU_SIM_GPU_FUNCTIONAL_H
#define GPGPU_SIM_GPU_FUNCTIONAL_H

#include "isa/frontend.h"

struct functional_run;

// `resident` CTAs at most are resident at once: as many as the modelled GPU holds.
struct functional_run *functional_new(struct kernel_launch *launch, uint32_t resident);
void functional_free(struct functional_run *r);
// CTAs that are resident now.
uint32_t functional_resident(const struct functional_run *r);

// Runs about `budget` warp instructions; *used tells how many. True when the kernel has ended, by completion or by a
// fault (launch->fault). A kernel in which nothing can ever move again ends with FAULT_TIMEOUT naming the warps.
bool functional_step(struct functional_run *r, uint64_t budget, uint64_t *used);

// For limits of a run. Exact: a step executes no more than its budget. By CTA: it ends when a CTA has begun or ended, too.
void func_be_exact(struct functional_run *r, bool exact);
void func_stop_at_ctas(struct functional_run *r);

#endif
