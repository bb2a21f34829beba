// How many blocks of a kernel fit on an SM.
#include "libcuda/runtime/api.h"
#include "libcuda/code/launch.h"

#include <string.h>

static cudaError_t max_blocks(int *out, const void *host, int block_size, size_t shared, unsigned flags)
{
	enum { DISABLE_CACHING_OVERRIDE = 1 };
	cudaError_t e;
	if (!out || block_size <= 0 || flags & ~DISABLE_CACHING_OVERRIDE)
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_get(host, &e);
	if (!k)
		return e;
	bool fits = block_size <= (int)cu.desc.max_threads_per_block && (uint32_t)block_size <= k->info.max_threads &&
	            shared + k->info.static_shared <= cu.desc.shared_per_block_optin;
	*out = !fits ? 0
	             : (int)gpu_desc_occupancy(&cu.desc, (uint32_t)block_size, k->info.regs, k->info.static_shared, shared,
	                                       NULL);
	return cudaSuccess;
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, const void *f, int block_size, size_t shared),
    max_blocks(blocks, f, block_size, shared, 0))
API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *blocks, const void *f, int block_size, size_t shared, unsigned flags),
    max_blocks(blocks, f, block_size, shared, flags))

// The most dynamic shared memory with which `blocks` blocks still fit: by halving the interval.
static cudaError_t available_shared(size_t *out, const void *host, int blocks, int block_size)
{
	cudaError_t e;
	if (!out || blocks <= 0 || block_size <= 0)
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_get(host, &e);
	if (!k)
		return e;
	size_t low = 0, high = cu.desc.shared_per_block_optin;
	int fit = 0;
	e = max_blocks(&fit, host, block_size, 0, 0);
	if (e || fit < blocks)
		return e ? e : cudaErrorInvalidValue;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;
		max_blocks(&fit, host, block_size, middle, 0);
		if (fit >= blocks)
			low = middle;
		else
			high = middle - 1;
	}
	*out = low;
	return cudaSuccess;
}

API(cudaOccupancyAvailableDynamicSMemPerBlock, (size_t * shared, const void *f, int blocks, int block_size),
    available_shared(shared, f, blocks, block_size))
