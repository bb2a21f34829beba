#include "libcuda/code/launch.h"

#include "base/mem.h"
#include "base/options.h"
#include "libcuda/context/context.h"
#include "libcuda/context/observers.h"

#include <stdarg.h>

uint8_t launch_preference(const struct kernel *k)
{
	int prefers = k->cache_config ? k->cache_config : cu.cache_config;
	return prefers <= 2 ? (uint8_t)prefers : 0; // cudaFuncCachePreferEqual is no preference here
}

struct kernel_launch *launch_new(const struct kernel *k, struct dim3 grid, struct dim3 block, uint32_t shared)
{
	size_t params = k->info.param_bytes;
	struct kernel_launch *l = mem_alloc(sizeof *l + params + 16);
	uint8_t *p = (uint8_t *)(l + 1);
	l->info = &k->info;
	l->fe = watch_frontend(k->fe);
	l->code = k->code;
	l->grid[0] = grid.x, l->grid[1] = grid.y, l->grid[2] = grid.z;
	l->block[0] = block.x, l->block[1] = block.y, l->block[2] = block.z;
	l->dynamic_shared = shared;
	l->prefers = launch_preference(k);
	l->params = p;
	l->mem = cu.mem;
	cu.services.stack_limit = (uint32_t)cu.limit[CU_LIMIT_STACK];
	cu.services.sync_depth_limit = (uint32_t)cu.limit[CU_LIMIT_SYNC_DEPTH];
	cu.services.pending_launch_limit = (uint32_t)cu.limit[CU_LIMIT_PENDING];
	l->services = &cu.services;
	return l;
}

uint32_t launch_max_dynamic_shared(const struct kernel *k)
{
	uint32_t limit = (uint32_t)k->max_dynamic_shared;
	uint32_t usual = cu.desc.shared_per_block > k->info.static_shared
	                         ? cu.desc.shared_per_block - k->info.static_shared
	                         : 0;
	return limit > usual ? limit : usual;
}

cudaError_t launch_refuse(bool tell, const struct kernel *k, cudaError_t e, const char *fmt, ...)
{
	char why[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	if (tell)
		cu_complain("kernel %s cannot be launched: %s", k->name, why);
	return e;
}

static bool exceeds(const struct dim3 *d, const uint32_t max[3])
{
	return d->x > max[0] || d->y > max[1] || d->z > max[2];
}

cudaError_t launch_check(const struct kernel *k, struct dim3 grid, struct dim3 block, size_t shared, bool tell)
{
	const struct gpu_desc *g = &cu.desc;
	const struct kernel_info *i = &k->info;
	uint64_t threads = (uint64_t)block.x * block.y * block.z;
	if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
		return launch_refuse(tell, k, cudaErrorInvalidConfiguration, "grid (%u,%u,%u) and block (%u,%u,%u) may have no 0",
		                     grid.x, grid.y, grid.z, block.x, block.y, block.z);
	if (exceeds(&grid, g->max_grid_dim))
		return launch_refuse(tell, k, cudaErrorInvalidConfiguration,
		                     "grid (%u,%u,%u) is larger than the limit (%u,%u,%u)", grid.x, grid.y, grid.z,
		                     g->max_grid_dim[0], g->max_grid_dim[1], g->max_grid_dim[2]);
	if (exceeds(&block, g->max_block_dim) || threads > g->max_threads_per_block)
		return launch_refuse(tell, k, cudaErrorInvalidConfiguration,
		                     "block (%u,%u,%u) is larger than the limit of (%u,%u,%u) and %u threads", block.x, block.y,
		                     block.z, g->max_block_dim[0], g->max_block_dim[1], g->max_block_dim[2],
		                     g->max_threads_per_block);
	if (i->reqntid[0] && (block.x != i->reqntid[0] || block.y != i->reqntid[1] || block.z != i->reqntid[2]))
		return launch_refuse(tell, k, cudaErrorInvalidValue,
		                     "it was compiled for blocks of exactly (%u,%u,%u), not (%u,%u,%u)", i->reqntid[0], i->reqntid[1],
		                     i->reqntid[2], block.x, block.y, block.z);
	if (i->max_threads && threads > i->max_threads)
		return launch_refuse(tell, k, cudaErrorLaunchOutOfResources,
		                     "%llu threads in a block, but its __launch_bounds__ allow %u", (unsigned long long)threads,
		                     i->max_threads);
	if (shared > launch_max_dynamic_shared(k))
		return launch_refuse(tell, k, cudaErrorInvalidValue,
		                     "%zu bytes of dynamic shared memory are more than %u; up to %u after cudaFuncSetAttribute("
		                     "cudaFuncAttributeMaxDynamicSharedMemorySize)",
		                     shared, launch_max_dynamic_shared(k),
		                     g->shared_per_block_optin > i->static_shared ? g->shared_per_block_optin - i->static_shared : 0);
	if (cu.opt->gpgpu_ignore_resources_limitation)
		return cudaSuccess;
	enum gpu_limit limit;
	if (!gpu_desc_occupancy(g, (uint32_t)threads, i->regs, i->static_shared, shared, &limit))
		return launch_refuse(tell, k, cudaErrorLaunchOutOfResources,
		                     limit == GPU_LIMIT_REGISTERS
		                             ? "%llu threads of %u registers are more than the registers of an SM"
		                             : "%llu threads of %u registers, with their shared memory, do not fit on an SM",
		                     (unsigned long long)threads, i->regs);
	return cudaSuccess;
}
