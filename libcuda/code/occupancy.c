#include "libcuda/code/occupancy.h"

#include "libcuda/code/cluster.h"
#include "libcuda/code/launch_attributes.h"
#include "libcuda/code/refuse.h"
#include "libcuda/context/guard.h"

enum { DISABLE_CACHING_OVERRIDE = 1 };

static int blocks_of(const struct occupancy_figures *f, int block_size, size_t shared)
{
	bool fits = block_size <= (int)cu.desc.max_threads_per_block && (uint32_t)block_size <= f->max_threads &&
	            shared <= cu.desc.shared_per_block_optin && shared + f->static_shared <= cu.desc.shared_per_block_optin;
	return fits ? (int)gpu_desc_occupancy(&cu.desc, (uint32_t)block_size, f->regs, f->static_shared, shared, NULL) : 0;
}

cudaError_t occupancy_figures(struct occupancy_figures *out, const void *handle, unsigned flags)
{
	cudaError_t e;
	if (flags & ~(unsigned)DISABLE_CACHING_OVERRIDE)
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_query(handle, &e);
	if (k)
		*out = (struct occupancy_figures){k->info.regs, k->info.static_shared, k->info.max_threads};
	return e;
}

cudaError_t occupancy_blocks(int *out, const void *handle, int block_size, size_t shared, unsigned flags)
{
	struct occupancy_figures f = {0};
	if (!GUARD_OUT(out) || block_size <= 0)
		return cudaErrorInvalidValue;
	cudaError_t e = occupancy_figures(&f, handle, flags);
	if (!e)
		*out = blocks_of(&f, block_size, shared);
	return e;
}

// By halving the interval.
cudaError_t occupancy_shared(size_t *out, const void *handle, int blocks, int block_size)
{
	struct occupancy_figures f = {0};
	size_t low = 0, high = cu.desc.shared_per_block_optin;
	if (!GUARD_OUT(out) || blocks <= 0 || block_size <= 0)
		return cudaErrorInvalidValue;
	cudaError_t e = occupancy_figures(&f, handle, 0);
	if (e || blocks_of(&f, block_size, 0) < blocks)
		return e ? e : cudaErrorInvalidValue;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;
		if (blocks_of(&f, block_size, middle) >= blocks)
			low = middle;
		else
			high = middle - 1;
	}
	*out = low;
	return cudaSuccess;
}

void occupancy_best(int *grid, int *block, const struct occupancy_figures *f, size_t (*shared_of)(int block_size), size_t shared, int limit)
{
	int warp = (int)cu.desc.warp_size, best_threads = 0, best_blocks = 0, best = 0, top = (int)cu.desc.max_threads_per_block;
	if (top > (int)f->max_threads)
		top = (int)f->max_threads;
	if (limit > 0 && limit < top)
		top = limit;
	// Of whole warps from above, the first also if the limit is none; of equal ones the largest.
	for (int size = top; size > 0 && best_threads < (int)cu.desc.max_threads_per_sm; size = (size - 1) / warp * warp) {
		int blocks = blocks_of(f, size, shared_of ? shared_of(size) : shared);
		if (blocks * size > best_threads)
			best_threads = blocks * size, best_blocks = blocks, best = size;
	}
	*block = best;
	*grid = best_blocks * (int)cu.desc.sm_count;
}

// The kernel, the launch and blocks of it that fit on an SM.
static cudaError_t read_launch(struct cudaLaunchConfig *c, struct launch_attributes *a, struct kernel **k, int *blocks, const void *handle,
                               const struct cudaLaunchConfig *config)
{
	cudaError_t e;
	if (!guard_read(c, config, sizeof *c))
		return cudaErrorInvalidValue;
	e = launch_attributes_read(a, c->attrs, c->numAttrs);
	if (e)
		return e;
	*k = kernel_query(handle, &e);
	if (!*k)
		return e;
	if ((*k)->info.blocks_are_clusters && c->blockDim.x == 1 && c->blockDim.y == 1 && c->blockDim.z == 1)
		c->blockDim = (struct dim3){(*k)->info.reqntid[0], (*k)->info.reqntid[1], (*k)->info.reqntid[2]};
	uint64_t threads = (uint64_t)c->blockDim.x * c->blockDim.y * c->blockDim.z;
	return threads > cu.desc.max_threads_per_block ? cudaErrorInvalidValue
	                                               : occupancy_blocks(blocks, handle, (int)threads, c->dynamicSmemBytes, 0);
}

cudaError_t occupancy_clusters(int *out, const void *handle, const struct cudaLaunchConfig *config)
{
	struct cudaLaunchConfig c;
	struct launch_attributes a;
	struct launch_shape s;
	struct kernel *k;
	int blocks = 0;
	if (!GUARD_OUT(out) || !config)
		return cudaErrorInvalidValue;
	cudaError_t e = read_launch(&c, &a, &k, &blocks, handle, config);
	e = e ? e : cluster_shape(&s, k, c.gridDim, c.blockDim, a.cluster, true);
	if (e)
		return e;
	*out = (int)gpu_desc_clusters(&cu.desc, (uint32_t)blocks, cluster_blocks(s.cluster));
	return cudaSuccess;
}

cudaError_t occupancy_cluster_size(int *out, const void *handle, const struct cudaLaunchConfig *config)
{
	struct cudaLaunchConfig c;
	struct launch_attributes a;
	struct kernel *k;
	int blocks = 0;
	if (!GUARD_OUT(out) || !config)
		return cudaErrorInvalidValue;
	cudaError_t e = read_launch(&c, &a, &k, &blocks, handle, config);
	if (e)
		return e;
	uint32_t most = cluster_most(k), required = cluster_blocks(cluster_required(k));
	while (most && !gpu_desc_clusters(&cu.desc, (uint32_t)blocks, most))
		most--;
	*out = (int)(required > 1 ? required : most);
	return cudaSuccess;
}
