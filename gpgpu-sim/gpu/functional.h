// Functional execution of one kernel: no timing, many CTAs resident, rotating so that blocks that wait for other blocks
// make progress.
//
// A kernel whose CTAs do nothing that others see but to load and store global memory (frontend_ops.apart) runs in batches, one
// after another: all CTAs of a batch end before the next one begins. Several threads of the host may run a batch as if its CTAs ran
// one by one in order; where they cannot, since that order shows, one thread does (isa/claims.h). Where batches end depends on what
// CTAs execute and not on the number of threads, so that is the order of CTAs with one thread, too. A batch whose CTAs wait for
// CTAs behind it has no end any more.
#ifndef GPGPU_SIM_GPU_FUNCTIONAL_H
#define GPGPU_SIM_GPU_FUNCTIONAL_H

#include "isa/claims.h"
#include "isa/frontend.h"

struct functional_run;

// Threads that run batches together, of one kernel at a time.
struct func_team;
struct func_team *func_team_new(unsigned threads); // 1 to TEAM_MAX_THREADS; they begin with the first batch that is worth it
void func_team_free(struct func_team *t);          // NULL: nothing

// For tests. CTAs that were run by several threads, batches that were tried, each time anew, and those that one thread had to run
// then.
struct func_team_counts {
	uint64_t ctas, tries, failed;
};
const struct func_team_counts *func_team_counts(const struct func_team *t);
void func_team_dawdle(struct func_team *t, unsigned seed); // see team_dawdle

// `resident` CTAs at most are resident at once: as many as the modelled GPU holds. team: that of the GPU, NULL: one thread.
struct functional_run *functional_new(struct kernel_launch *launch, uint32_t resident, struct func_team *team);
// Before the first step: the CTAs before this one have ended elsewhere. A cluster begins with it.
void func_begin_at(struct functional_run *r, uint64_t cta);
void functional_free(struct functional_run *r);
// Before the first step, too: CTAs from that one on tell of each access of their instructions, in the order in which they execute
// them. The run is none of batches, so that what is told between two steps does not depend on threads.
typedef void func_access(void *ctx, const struct fe_access *a);
void func_tell(struct functional_run *r, uint64_t cta, func_access *access, void *ctx);
// CTAs that are resident now.
uint32_t functional_resident(const struct functional_run *r);

// Runs about `budget` warp instructions; *used tells how many. True when the kernel has ended, by completion or by a
// fault (launch->fault). A batch that several threads run is run whole instead. A kernel in which nothing can ever move again ends
// with FAULT_TIMEOUT naming the warps.
bool functional_step(struct functional_run *r, uint64_t budget, uint64_t *used);

// For limits of a run. Exact: a step executes no more than its budget. By CTA: it ends when a CTA has begun or ended, too.
void func_be_exact(struct functional_run *r, bool exact);
void func_stop_at_ctas(struct functional_run *r);
// From now on the run is not one of batches: it shares the GPU, or has limits.
void func_no_batches(struct functional_run *r);

#endif
