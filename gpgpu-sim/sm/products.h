// Products of warp groups (wgmma): they go on beside their warps, one after the other in the tensor core of each sub-core.
//
// A warp's share of an m64nNkK product, 16 rows, takes 16 N K elements over the rate of a tensor core, or as long as shared memory
// takes to deliver what the four warps read of it, whichever is longer. The result is there a fixed time later.
// Example: m64n128k16 of halves at 8192 bits a cycle takes 64 cycles, and alone is complete 43 cycles after these.
#ifndef GPGPU_SIM_SM_PRODUCTS_H
#define GPGPU_SIM_SM_PRODUCTS_H

#include "gpgpu-sim/request/port.h"
#include "gpgpu-sim/sm/core_config.h"

struct sm;
struct winst;

enum { PRODUCTS_QUEUE = 4096 }; // of a sub-core; what is issued beyond that is not timed. Programs have some tens under way.

struct products {
	uint64_t free[CORE_MAX_SCHEDULERS];    // cycle from which a tensor core has nothing to do
	struct port done[CORE_MAX_SCHEDULERS]; // products by the cycle in which their results are there; without storage until used
	uint32_t live;                         // under way
};

void products_init(struct products *p);
void products_free(struct products *p);
void products_start(struct sm *m, const struct winst *w); // at issue
void products_tick(struct sm *m, uint64_t now);
uint64_t products_next(const struct sm *m);               // when it is to be called again

#endif
