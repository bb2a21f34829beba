// How many blocks of a kernel fit on an SM. The functions of both APIs are names for these.
//
// cudaErrorInvalidValue for figures that are none, besides the errors of kernel_query.
#ifndef LIBCUDA_CODE_OCCUPANCY_H
#define LIBCUDA_CODE_OCCUPANCY_H

#include "libcuda/code/module.h"

// Blocks on one SM; 0 if such a block does not fit at all. `shared`: bytes of dynamic shared memory of each.
cudaError_t occupancy_blocks(int *out, const void *handle, int block_size, size_t shared, unsigned flags);

// The most dynamic shared memory, in bytes, with which `blocks` blocks still fit.
cudaError_t occupancy_shared(size_t *out, const void *handle, int blocks, int block_size);

// What of a kernel decides how many of its blocks fit, so that it can be reckoned without the lock.
struct occupancy_figures {
	uint32_t regs, static_shared, max_threads;
};
cudaError_t occupancy_figures(struct occupancy_figures *out, const void *handle, unsigned flags);

// The block size, up to `limit` (0: none), with which most threads fit on an SM, and how many such blocks fill the GPU. A block has
// shared_of(its size) bytes of dynamic shared memory, or `shared` where that is NULL. It calls the program, so it takes no lock.
void occupancy_best(int *grid, int *block, const struct occupancy_figures *f, size_t (*shared_of)(int block_size), size_t shared, int limit);

// Clusters of a launch: how many fit on the GPU at once, each block in one of its own if neither the kernel nor the launch says their
// size; and how many blocks one may have, whatever the launch says: as many as the kernel must have, or the most that have room.
cudaError_t occupancy_clusters(int *out, const void *handle, const struct cudaLaunchConfig *config);
cudaError_t occupancy_cluster_size(int *out, const void *handle, const struct cudaLaunchConfig *config);

#endif
