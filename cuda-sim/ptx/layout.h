// The places of a program's variables in their sections, as ptxas and nvlink give them (docs/memory.md).
#ifndef CUDA_SIM_PTX_LAYOUT_H
#define CUDA_SIM_PTX_LAYOUT_H

#include "cuda-sim/ptx/ptx.h"

// True for variables that lie in device memory: .global and .const, but no references to textures.
bool ptx_var_is_data(const struct ptx_var *v);

// Sets `section` and `offset` of every variable in device memory that a module of `p` defines, and p->layout. Where
// p->known has all of them they lie as it says, else by the rule. Call it once externs have found their definitions.
void ptx_layout(struct ptx_program *p);

#endif
