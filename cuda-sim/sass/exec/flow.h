// Where control can go from an instruction of machine code.
#ifndef CUDA_SIM_SASS_EXEC_FLOW_H
#define CUDA_SIM_SASS_EXEC_FLOW_H

#include "cuda-sim/sass/exec/code.h"

struct sx_exits {
	bool next;       // to the next instruction
	uint32_t target; // instruction; UINT32_MAX: none that is in the code
	const char *to;  // what it is instead: a register, the end; NULL
};

struct sx_exits sx_exits_of(const struct sass_kernel *k, uint32_t inst);

#endif
