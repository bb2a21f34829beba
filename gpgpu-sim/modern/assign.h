#ifndef GPGPU_SIM_MODERN_ASSIGN_H
#define GPGPU_SIM_MODERN_ASSIGN_H

#include "gpgpu-sim/modern/inst.h"

// Gives code that has none (PTX) the control bits that a compiler would: stall counts for fixed latencies, dependence counters
// for the rest, wait masks where results are used and sources overwritten, reuse bits. inst: all `n` instructions in the order
// of their pcs; starts: as frontend_ops.block_starts; n_reg: as register_count.
void modern_assign_control(struct modern_inst *const *inst, uint32_t n, const uint8_t *starts, uint32_t n_reg, const struct modern_config *cfg);

#endif
