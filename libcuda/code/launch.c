#include "libcuda/code/launch.h"

#include "base/mem.h"
#include "base/options.h"
#include "libcuda/code/refuse.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/context/observers.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <string.h>

enum { GRID_WORKSPACES = 256 }; // more than kernels that can run at once

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
	checks_launch(l);
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

static bool exceeds(const struct dim3 *d, const uint32_t max[3])
{
	return d->x > max[0] || d->y > max[1] || d->z > max[2];
}

// A cluster must fit into one group of SMs.
static uint64_t clusters_at_once(const struct kernel *k, const struct launch_shape *s, size_t shared)
{
	const struct dim3 *b = &s->block;
	return gpu_desc_clusters(&cu.desc, gpu_desc_occupancy(&cu.desc, b->x * b->y * b->z, k->info.regs, k->info.static_shared, shared, NULL),
	                         cluster_blocks(s->cluster));
}

cudaError_t launch_check(const struct kernel *k, const struct launch_shape *s, size_t shared, bool tell)
{
	const struct dim3 grid = s->grid, block = s->block;
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
	// The code is that of NVIDIA's driver on a GPU, as numba-cuda's tests of launch bounds have it.
	if (i->max_threads && threads > i->max_threads)
		return launch_refuse(tell, k, cudaErrorInvalidValue,
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
	if (cluster_blocks(s->cluster) > 1 && !clusters_at_once(k, s, shared))
		return launch_refuse(tell, k, cudaErrorInvalidClusterSize, "a cluster of (%u,%u,%u) of its blocks has no room in a group of %u SMs",
		                     s->cluster[0], s->cluster[1], s->cluster[2], g->sms_per_gpc);
	return cudaSuccess;
}

struct arguments {
	const struct kernel_info *info;
	void **args;
	uint8_t *to;
	volatile uint32_t n;        // how many are read
	void *volatile at;          // of the next one
};

// Up to one that is missing.
static void read_arguments(void *arg)
{
	struct arguments *a = arg;
	for (; a->n < a->info->n_params; a->n++) {
		const struct kernel_param *q = &a->info->param[a->n];
		a->at = NULL;
		a->at = a->args[a->n];
		if (!a->at)
			return;
		memcpy(a->to + q->offset, a->at, q->size);
	}
}

static cudaError_t fill_params(const struct kernel *k, struct kernel_launch *l, const struct launch_request *r)
{
	uint8_t *p = (uint8_t *)(l + 1);
	const struct kernel_info *i = &k->info;
	void **args = r->args;
	if (r->block_of_args) {
		size_t n = i->param_bytes < r->block_size ? i->param_bytes : r->block_size;
		return guard_read(p, r->block_of_args, n) ? cudaSuccess
		                                          : launch_refuse(true, k, cudaErrorInvalidValue, "the block of arguments at %p cannot be read",
		                                                          r->block_of_args);
	}
	if (i->n_params && !args)
		return launch_refuse(true, k, cudaErrorInvalidValue, "it has %u parameters but no arguments are given", i->n_params);
	struct arguments a = {i, args, p, 0, NULL};
	if (!guard_run(read_arguments, &a, NULL))
		return a.at ? launch_refuse(true, k, cudaErrorInvalidValue, "argument %u at %p cannot be read", a.n + 1, a.at) :
		              launch_refuse(true, k, cudaErrorInvalidValue, "the array of arguments at %p cannot be read", (void *)args);
	if (a.n < i->n_params)
		return launch_refuse(true, k, cudaErrorInvalidValue, "the pointer to argument %u is null", a.n + 1);
	return cudaSuccess;
}

// All blocks of a cooperative launch must be resident at once.
static cudaError_t check_cooperative(const struct kernel *k, const struct launch_shape *s, size_t shared)
{
	const struct dim3 *g = &s->grid;
	uint64_t room = clusters_at_once(k, s, shared) * cluster_blocks(s->cluster);
	uint64_t blocks = (uint64_t)g->x * g->y * g->z;
	if (blocks > room)
		return launch_refuse(true, k, cudaErrorCooperativeLaunchTooLarge,
		                     "a cooperative launch of %llu blocks, but only %llu fit on the GPU at once", (unsigned long long)blocks,
		                     (unsigned long long)room);
	if (!cu.grid_workspaces)
		cu.grid_workspaces = devmem_alloc(cu.mem, GRID_WORKSPACES * GRID_WORKSPACE, 0, DEVMEM_GLOBAL, 0);
	return cu.grid_workspaces ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t launch_make(struct kernel_launch **out, const struct kernel *k, const struct launch_request *r)
{
	struct launch_shape s;
	cudaError_t e = cluster_shape(&s, k, r->grid, r->block, r->cluster, true);
	e = e ? e : launch_check(k, &s, r->shared, true);
	if (!e && r->cooperative)
		e = check_cooperative(k, &s, r->shared);
	if (e)
		return e;
	struct kernel_launch *l = launch_new(k, s.grid, s.block, (uint32_t)r->shared);
	memcpy(l->cluster, s.cluster, sizeof l->cluster);
	e = fill_params(k, l, r);
	if (e) {
		op_free_launch(l);
		return e;
	}
	if (r->cooperative)
		l->grid_workspace = cu.grid_workspaces + cu.next_seq % GRID_WORKSPACES * GRID_WORKSPACE;
	*out = l;
	return cudaSuccess;
}

bool launch_multi_ok(unsigned n, unsigned flags)
{
	enum { NO_PRE_LAUNCH_SYNC = 1, NO_POST_LAUNCH_SYNC = 2 };
	if (n > 1)
		cu_complain("a launch on %u devices, and there is one", n);
	return n == 1 && !(flags & ~(unsigned)(NO_PRE_LAUNCH_SYNC | NO_POST_LAUNCH_SYNC));
}

bool stream_is_default(cudaStream_t stream) { return !stream || stream == STREAM_LEGACY || stream == STREAM_PER_THREAD; }

// Markers in the array `extra`, each followed by its value.
#define PARAM_END ((void *)0)
#define PARAM_POINTER ((void *)1)
#define PARAM_SIZE ((void *)2)
enum { MOST_EXTRA = 16 };

cudaError_t launch_read_extra(struct launch_request *r, void **extra)
{
	if (!extra)
		return cudaSuccess;
	if (r->args)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < MOST_EXTRA; i += 2) {
		void *item[2] = {0};
		if (!guard_read(&item[0], &extra[i], sizeof item[0]))
			return cudaErrorInvalidValue;
		if (item[0] == PARAM_END)
			return r->block_of_args ? cudaSuccess : cudaErrorInvalidValue;
		if (!guard_read(&item[1], &extra[i + 1], sizeof item[1]))
			return cudaErrorInvalidValue;
		if (item[0] == PARAM_POINTER)
			r->block_of_args = item[1];
		else if (item[0] != PARAM_SIZE || !guard_read(&r->block_size, item[1], sizeof r->block_size))
			return cudaErrorInvalidValue;
	}
	return cudaErrorInvalidValue;
}

cudaError_t launch_submit(const void *handle, const struct launch_request *r)
{
	cudaError_t e;
	struct stream *s = stream_find(r->stream);
	if (!s) {
		cu_complain("the stream was not created, or is destroyed already");
		return cudaErrorInvalidResourceHandle;
	}
	struct kernel *k = kernel_get(handle, &e);
	if (!k)
		return e;
	struct kernel_launch *l;
	e = launch_make(&l, k, r);
	if (e)
		return e;
	struct op *op = op_new(OP_KERNEL);
	op->u.kernel = l;
	op->programmatic = r->programmatic;
	e = sim_push(s, op);
	return !e && cu.launch_blocking && !s->capture ? wait_stream(s) : e;
}
