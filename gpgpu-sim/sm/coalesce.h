// From the accesses of a warp instruction to memory requests and shared memory passes.
#ifndef GPGPU_SIM_SM_COALESCE_H
#define GPGPU_SIM_SM_COALESCE_H

#include "gpgpu-sim/sm/winst.h"
#include "isa/frontend.h"

struct sm;

// Fills w->access, n_access, space and cycles from what execute listed.
void coalesce(struct sm *m, struct winst *w, const struct fe_result *r);

// Passes that the lanes' accesses to shared memory take, by banks: at least 1.
uint32_t coalesce_bank_passes(const struct core_config *c, const struct fe_access *a);

#endif
