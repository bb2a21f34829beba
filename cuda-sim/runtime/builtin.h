// The functions that the simulator answers itself, by name.
#ifndef CUDA_SIM_RUNTIME_BUILTIN_H
#define CUDA_SIM_RUNTIME_BUILTIN_H

#include "cuda-sim/exec/builtin.h"

// What programs are linked with.
const struct builtin *builtin_find(const char *name);

// print.c
void builtin_vprintf(struct builtin_call *c);
// device_runtime.c: what kernels call to launch kernels.
const struct builtin *device_runtime_find(const char *name);
// grid_sync.c: what the blocks of a cooperative launch call to wait for each other.
const struct builtin *grid_sync_find(const char *name);

#endif
