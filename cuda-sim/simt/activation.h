// Activations of functions: their rows and local memory, entering and leaving them with arguments and results.
#ifndef CUDA_SIM_SIMT_ACTIVATION_H
#define CUDA_SIM_SIMT_ACTIVATION_H

#include "cuda-sim/simt/simt.h"

// An activation with `bytes` of rows, which start at *fp; the caller fills it in.
int32_t activation_new(struct simt_warp *w, uint32_t bytes, uint32_t *fp);
// One reference less; the last one frees it and drops its caller.
void activation_drop(struct simt_warp *w, int32_t i);

// The leaf enters `code`, called at `site` by `u`, with its arguments, and will return to ret_pc. False on a fault.
bool activation_enter(struct simt_warp *w, int32_t leaf, const struct uop *u, const struct call_site *site,
                      const struct code *code, uint32_t ret_pc);
// The leaf returns to its caller with the results.
void activation_leave(struct simt_warp *w, int32_t leaf);
// A call that the simulator answers. False if it is not over for any lane.
bool activation_builtin(struct simt_warp *w, int32_t leaf, const struct uop *u, const struct call_site *site,
                        uint32_t mask);

#endif
