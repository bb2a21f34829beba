// PTX for the log of instructions.
#ifndef CUDA_SIM_SIMT_LOG_H
#define CUDA_SIM_SIMT_LOG_H

#include "cuda-sim/exec/inst_log.h"

struct simt_warp;

extern const struct inst_log_ops simt_log_ops;

// The group of lanes `active` is about to execute the micro-op `pc`, the first of its instruction, in activation `frame`; the guard
// holds for `mask`.
void simt_log_step(struct inst_log_sm *l, struct simt_warp *w, int32_t frame, uint32_t pc, uint32_t active, uint32_t mask);

#endif
