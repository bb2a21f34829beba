// Clusters of blocks: how a launch groups its grid, whether it may, and how many clusters there can be at once.
#ifndef LIBCUDA_CODE_CLUSTER_H
#define LIBCUDA_CODE_CLUSTER_H

#include "libcuda/code/module.h"

enum { CLUSTERS_SINCE = 9 }; // compute capability, the first number

// A launch in the kernel's own terms.
struct launch_shape {
	struct dim3 grid, block; // the grid counts blocks
	uint32_t cluster[3];     // as in kernel_launch
};

// What a launch of k amounts to whose grid and block are those that the program gives; `asked`: the cluster that an attribute asks for,
// all 0 if none does. cudaErrorInvalidClusterSize for a cluster that the kernel or the GPU can't have, or that does not divide the
// grid; cudaErrorNotSupported on a GPU without clusters; cudaErrorInvalidConfiguration for more clusters than a grid can have. With a
// message if `tell`.
cudaError_t cluster_shape(struct launch_shape *out, const struct kernel *k, struct dim3 grid, struct dim3 block, struct dim3 asked, bool tell);

// Blocks that a cluster of k may have at most on this GPU: 1 where it has no clusters.
uint32_t cluster_most(const struct kernel *k);

// Sizes that every launch of k must have: those it was compiled with, or else those the program set. All 0: none.
const uint32_t *cluster_required(const struct kernel *k);

// Blocks of a cluster, 1 without clusters.
uint32_t cluster_blocks(const uint32_t cluster[3]);

// Whether it is a cudaClusterSchedulingPolicy: where blocks of a cluster had better be. Nothing comes of it here.
static inline bool cluster_policy_ok(int policy) { return policy >= 0 && policy <= 2; }

#endif
