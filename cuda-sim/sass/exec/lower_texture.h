// What texture and surface instructions have in common.
#ifndef CUDA_SIM_SASS_EXEC_LOWER_TEXTURE_H
#define CUDA_SIM_SASS_EXEC_LOWER_TEXTURE_H

#include "cuda-sim/sass/exec/lower.h"

// The row of the handle, 4 bytes a lane. `in_register`: that row, if the instruction has it in a register; 0: it is in a constant or
// in a uniform register.
int32_t lower_handle(struct lower *x, int32_t in_register);

#endif
