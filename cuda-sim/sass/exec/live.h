// How many registers are in use at each instruction: those that hold what it or a later instruction reads, and those that it
// writes.
#ifndef CUDA_SIM_SASS_EXEC_LIVE_H
#define CUDA_SIM_SASS_EXEC_LIVE_H

#include "cuda-sim/sass/exec/code.h"

struct sx_live {
	uint16_t r, ur, p, up; // regular and uniform registers, regular and uniform predicates
};

// By instruction; to be freed with mem_free.
struct sx_live *sx_live_of(const struct sass_kernel *k);

#endif
