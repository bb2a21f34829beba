// Kernel launches and what decides whether they can go ahead.
#ifndef LIBCUDA_LAUNCH_H
#define LIBCUDA_LAUNCH_H

#include "libcuda/module.h"

void launch_free(struct kernel_launch *launch);

// What a launch of k has in kernel_launch.prefers.
uint8_t launch_preference(const struct kernel *k);

// The most dynamic shared memory a launch of `k` may ask for, in bytes.
uint32_t launch_max_dynamic_shared(const struct kernel *k);

// Checks a configuration; the error a launch gives, with a message if `tell`.
cudaError_t launch_check(const struct kernel *k, struct dim3 grid, struct dim3 block, size_t shared, bool tell);

#endif
