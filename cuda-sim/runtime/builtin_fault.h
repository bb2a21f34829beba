// How a call that the simulator answers itself ends its kernel.
#ifndef CUDA_SIM_RUNTIME_BUILTIN_FAULT_H
#define CUDA_SIM_RUNTIME_BUILTIN_FAULT_H

#include "cuda-sim/exec/builtin.h"

// It was given a bad address.
void builtin_bad_pointer(struct builtin_call *c, unsigned lane, uint64_t addr, const char *what);
// The simulation is to end at once, though a call for many lanes takes long (a heap of many blocks does). True, and the kernel
// ends here.
bool builtin_interrupted(struct builtin_call *c);

#endif
