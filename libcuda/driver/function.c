// What programs ask about functions and set for them, and how many of their blocks fit on an SM.
#include "libcuda/code/kernel_calls.h"
#include "libcuda/code/occupancy.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/driver/launch.h"

DRIVER(cuFuncGetAttribute, (int *value, int attribute, const void *f), kernel_attribute(value, attribute, f))
DRIVER(cuFuncSetAttribute, (const void *f, int attribute, int value), kernel_set_attribute(f, attribute, value))
DRIVER(cuFuncSetCacheConfig, (const void *f, int config), kernel_set_cache_config(f, config))
DRIVER(cuFuncSetSharedMemConfig, (const void *f, int config), kernel_set_shared_config(f, config))
DRIVER(cuFuncGetModule, (struct module * *module, const void *f), kernel_get_module(module, f, false))
DRIVER(cuFuncGetName, (const char **name, const void *f), kernel_get_name(name, f))
DRIVER(cuFuncGetParamInfo, (const void *f, size_t index, size_t *offset, size_t *size), kernel_param_info(f, index, offset, size))
DRIVER(cuFuncIsLoaded, (int *state, const void *f), kernel_is_loaded(state, f))
DRIVER(cuFuncLoad, (const void *f), kernel_load_now(f))

DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, const void *f, int block_size, size_t shared),
       occupancy_blocks(blocks, f, block_size, shared, 0))
DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int *blocks, const void *f, int block_size, size_t shared, unsigned flags),
       occupancy_blocks(blocks, f, block_size, shared, flags))
DRIVER(cuOccupancyAvailableDynamicSMemPerBlock, (size_t * shared, const void *f, int blocks, int block_size),
       occupancy_shared(shared, f, blocks, block_size))

static cudaError_t clusters(int *out, const void *f, const struct launch_config *config, bool size)
{
	struct launch_config c;
	if (!out || !config || !guard_read(&c, config, sizeof c))
		return cudaErrorInvalidValue;
	struct cudaLaunchConfig r = launch_config_runtime(&c);
	return size ? occupancy_cluster_size(out, f, &r) : occupancy_clusters(out, f, &r);
}

DRIVER(cuOccupancyMaxActiveClusters, (int *n, const void *f, const struct launch_config *config), clusters(n, f, config, false))
DRIVER(cuOccupancyMaxPotentialClusterSize, (int *size, const void *f, const struct launch_config *config), clusters(size, f, config, true))

// The program's function is called without the lock.
static CUresult best_block(int *grid, int *block, const void *f, size_t (*shared_of)(int), size_t shared, int limit, unsigned flags,
                           const char *api)
{
	struct occupancy_figures figures;
	CUresult e = driver_enter(DRIVER_CURRENT, api);
	if (e)
		return e;
	e = driver_leave(GUARD_OUT(grid) && GUARD_OUT(block) && limit >= 0 ? occupancy_figures(&figures, f, flags) : cudaErrorInvalidValue);
	if (!e)
		occupancy_best(grid, block, &figures, shared_of, shared, limit);
	return e;
}

CUDA_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *f, size_t (*shared_of)(int), size_t shared,
                                                      int limit);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *f, size_t (*shared_of)(int), size_t shared, int limit)
{
	return best_block(grid, block, f, shared_of, shared, limit, 0, "cuOccupancyMaxPotentialBlockSize");
}

CUDA_EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, const void *f, size_t (*shared_of)(int),
                                                               size_t shared, int limit, unsigned flags);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, const void *f, size_t (*shared_of)(int), size_t shared,
                                                   int limit, unsigned flags)
{
	return best_block(grid, block, f, shared_of, shared, limit, flags, "cuOccupancyMaxPotentialBlockSizeWithFlags");
}
