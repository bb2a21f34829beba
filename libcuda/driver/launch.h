// CUlaunchConfig, which launches and questions about them take.
#ifndef LIBCUDA_DRIVER_LAUNCH_H
#define LIBCUDA_DRIVER_LAUNCH_H

#include "libcuda/context/cuda_abi.h"

// Own names; the order is that of CUlaunchConfig.
struct launch_config {
	unsigned grid[3], block[3], shared;
	cudaStream_t stream;
	struct cudaLaunchAttribute *attrs;
	unsigned n_attrs;
};

_Static_assert(sizeof(struct launch_config) == 56, "13.0");

// The same as the runtime has it.
struct cudaLaunchConfig launch_config_runtime(const struct launch_config *c);

#endif
