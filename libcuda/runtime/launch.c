// How programs launch kernels: <<<>>>, its older form, and the functions that take a kernel and its arguments.
#include "libcuda/code/launch.h"

#include "base/mem.h"
#include "libcuda/runtime/api.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <string.h>

enum { MAX_PARAM_BYTES = 32764 }; // of a kernel, by PTX ISA 8.1 on; older releases had 4096

enum { GRID_WORKSPACES = 256 }; // more than kernels that can run at once

struct configuration {
	struct dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	bool cooperative;
};

// Per thread: configurations between <<<>>> and the stub, and the arguments cudaSetupArgument has collected.
struct call_state {
	VEC(struct configuration) stack;
	uint8_t args[MAX_PARAM_BYTES];
};

static pthread_key_t call_state_key;
static pthread_once_t call_state_once = PTHREAD_ONCE_INIT;

static void call_state_free(void *p)
{
	struct call_state *c = p;
	VEC_FREE(&c->stack);
	mem_free(c);
}

static void make_key(void) { pthread_key_create(&call_state_key, call_state_free); }

static struct call_state *call_state(void)
{
	if (!cu_thread.call) {
		pthread_once(&call_state_once, make_key);
		cu_thread.call = MEM_NEW(struct call_state);
		pthread_setspecific(call_state_key, cu_thread.call);
	}
	return cu_thread.call;
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

// `args` point to the parameters one by one, or `block` holds them as the kernel sees them.
static cudaError_t fill_params(const struct kernel *k, struct kernel_launch *l, void **args, const uint8_t *block)
{
	uint8_t *p = (uint8_t *)(l + 1);
	const struct kernel_info *i = &k->info;
	if (block) {
		memcpy(p, block, i->param_bytes < MAX_PARAM_BYTES ? i->param_bytes : MAX_PARAM_BYTES);
		return cudaSuccess;
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

static cudaError_t launch(const void *host, const struct configuration *c, void **args, const uint8_t *block)
{
	cudaError_t e;
	struct stream *s = stream_find(c->stream);
	if (!s) {
		cu_complain("the stream was not created, or is destroyed already");
		return cudaErrorInvalidResourceHandle;
	}
	struct kernel *k = kernel_get(host, &e);
	if (!k)
		return e;
	e = launch_check(k, c->grid, c->block, c->shared, true);
	if (e)
		return e;
	struct kernel_launch *l = launch_new(k, c->grid, c->block, (uint32_t)c->shared);
	e = fill_params(k, l, args, block);
	if (e) {
		op_free_launch(l);
		return e;
	}
	if (c->cooperative)
		l->grid_workspace = cu.grid_workspaces + cu.next_seq % GRID_WORKSPACES * GRID_WORKSPACE;
	struct op *op = op_new(OP_KERNEL);
	op->u.kernel = l;
	sim_push(s, op);
	return cu.launch_blocking ? wait_stream(s) : cudaSuccess;
}

static cudaError_t launch_kernel(const void *host, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                                 cudaStream_t stream)
{
	struct configuration c = {grid, block, shared, stream, false};
	return launch(host, &c, args, NULL);
}

// All blocks of a cooperative launch must be resident at once.
static cudaError_t launch_cooperative(const void *host, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                                      cudaStream_t stream)
{
	cudaError_t e;
	struct kernel *k = kernel_get(host, &e);
	if (!k)
		return e;
	e = launch_check(k, grid, block, shared, true);
	if (e)
		return e;
	uint64_t room = (uint64_t)cu.desc.sm_count * gpu_desc_occupancy(&cu.desc, block.x * block.y * block.z, k->info.regs,
	                                                                k->info.static_shared, shared, NULL);
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
	if (blocks > room)
		return launch_refuse(true, k, cudaErrorCooperativeLaunchTooLarge,
		                     "a cooperative launch of %llu blocks, but only %llu fit on the GPU at once",
		                     (unsigned long long)blocks, (unsigned long long)room);
	if (!cu.grid_workspaces)
		cu.grid_workspaces = devmem_alloc(cu.mem, GRID_WORKSPACES * GRID_WORKSPACE, 0, DEVMEM_GLOBAL, 0);
	if (!cu.grid_workspaces)
		return cudaErrorMemoryAllocation;
	struct configuration c = {grid, block, shared, stream, true};
	return launch(host, &c, args, NULL);
}

#define LAUNCH_PARAMS \
	(const void *f, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream)

API_STREAM(cudaLaunchKernel, LAUNCH_PARAMS, launch_kernel(f, grid, block, args, shared, stream))
API_STREAM_AS(cudaLaunchKernel, __cudaLaunchKernel, LAUNCH_PARAMS, launch_kernel(f, grid, block, args, shared, stream))
API_STREAM(cudaLaunchCooperativeKernel, LAUNCH_PARAMS, launch_cooperative(f, grid, block, args, shared, stream))

// cudaLaunchAttributeID. Those that a launch can have and that are not below are hints, or ask for what is always so here.
enum { COOPERATIVE = 2, SYNC_POLICY = 3, CLUSTER = 4, NO_ATTRIBUTE = 15, LAST_ATTRIBUTE = 16 };

static bool launch_attribute(int id)
{
	return id >= 0 && id <= LAST_ATTRIBUTE && id != SYNC_POLICY && id != NO_ATTRIBUTE;
}

static cudaError_t check_cluster(const struct dim3 *d, const struct dim3 *grid)
{
	if (!d->x || !d->y || !d->z || grid->x % d->x || grid->y % d->y || grid->z % d->z) {
		cu_complain("a cluster of (%u,%u,%u) blocks does not divide the grid (%u,%u,%u)", d->x, d->y, d->z, grid->x, grid->y,
		            grid->z);
		return cudaErrorInvalidClusterSize;
	}
	if (d->x == 1 && d->y == 1 && d->z == 1)
		return cudaSuccess;
	cu_complain("thread block clusters of more than one block are not supported by this version");
	return cudaErrorNotSupported;
}

static cudaError_t launch_ex(const struct cudaLaunchConfig *config, const void *f, void **args, bool per_thread)
{
	struct cudaLaunchConfig c;
	if (!config || !guard_read(&c, config, sizeof c) || (c.numAttrs && !c.attrs))
		return cudaErrorInvalidValue;
	cudaStream_t stream = c.stream || !per_thread ? c.stream : STREAM_PER_THREAD;
	bool cooperative = false;
	for (unsigned i = 0; i < c.numAttrs; i++) {
		struct cudaLaunchAttribute a;
		if (!guard_read(&a, &c.attrs[i], sizeof a) || !launch_attribute(a.id)) {
			cu_complain("attribute %u of %u at %p is none that a launch can have", i + 1, c.numAttrs, (void *)&c.attrs[i]);
			return cudaErrorInvalidValue;
		}
		if (a.id == COOPERATIVE)
			cooperative = a.val.cooperative;
		cudaError_t e = a.id == CLUSTER ? check_cluster(&a.val.cluster, &c.gridDim) : cudaSuccess;
		if (e)
			return e;
	}
	return cooperative ? launch_cooperative(f, c.gridDim, c.blockDim, args, c.dynamicSmemBytes, stream)
	                   : launch_kernel(f, c.gridDim, c.blockDim, args, c.dynamicSmemBytes, stream);
}

#define LAUNCH_EX_PARAMS (const struct cudaLaunchConfig *c, const void *f, void **args)
API(cudaLaunchKernelExC, LAUNCH_EX_PARAMS, launch_ex(c, f, args, false))
API_AS(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz, LAUNCH_EX_PARAMS, launch_ex(c, f, args, true))

// <<<>>> pushes, the kernel's stub pops. Both must work whatever the state of the device.

CUDA_EXPORT unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                                 cudaStream_t stream);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, cudaStream_t stream)
{
	struct call_state *c = call_state();
	struct configuration conf = {grid, block, shared, stream, false};
	VEC_PUSH(&c->stack, conf);
	return 0;
}

CUDA_EXPORT cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
                                                   cudaStream_t *stream);
cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, cudaStream_t *stream)
{
	struct call_state *c = call_state();
	if (!c->stack.n)
		return cu_thread.last = cudaErrorMissingConfiguration;
	struct configuration conf = c->stack.at[--c->stack.n];
	*grid = conf.grid;
	*block = conf.block;
	*shared = conf.shared;
	*stream = conf.stream;
	return cudaSuccess;
}

// CUDA 9.1 and older: cudaConfigureCall, cudaSetupArgument for each argument, cudaLaunch.

static cudaError_t configure_call(struct configuration conf)
{
	struct call_state *c = call_state();
	VEC_PUSH(&c->stack, conf);
	memset(c->args, 0, sizeof c->args);
	return cudaSuccess;
}

static cudaError_t setup_argument(const void *arg, size_t size, size_t offset)
{
	struct call_state *c = call_state();
	if (!arg || size > MAX_PARAM_BYTES || offset > MAX_PARAM_BYTES - size)
		return cudaErrorInvalidValue;
	if (!c->stack.n)
		return cudaErrorMissingConfiguration;
	return guard_read(c->args + offset, arg, size) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t launch_configured(const void *f, bool per_thread)
{
	struct call_state *c = call_state();
	if (!c->stack.n)
		return cudaErrorMissingConfiguration;
	struct configuration conf = c->stack.at[--c->stack.n];
	if (per_thread && !conf.stream)
		conf.stream = STREAM_PER_THREAD;
	return launch(f, &conf, NULL, c->args);
}

API(cudaConfigureCall, (struct dim3 grid, struct dim3 block, size_t shared, cudaStream_t stream),
    configure_call((struct configuration){grid, block, shared, stream, false}))
API(cudaSetupArgument, (const void *arg, size_t size, size_t offset), setup_argument(arg, size, offset))
API(cudaLaunch, (const void *f), launch_configured(f, false))
API_AS(cudaLaunch, cudaLaunch_ptsz, (const void *f), launch_configured(f, true))

// Handles. A kernel's handle is the address of its host function, so that every launch call takes either.

static cudaError_t get_kernel(const void **out, const void *host)
{
	cudaError_t e;
	if (!out)
		return cudaErrorInvalidValue;
	if (kernel_find(host, &e))
		*out = host;
	return e;
}

API(cudaGetKernel, (const void **kernel, const void *host), get_kernel(kernel, host))
API(cudaGetFuncBySymbol, (const void **function, const void *host), get_kernel(function, host))

// Comes between push and pop, also for kernels that turn out to be no good; the launch reports that.
CUDA_EXPORT cudaError_t __cudaGetKernel(const void **kernel, const void *host);
cudaError_t __cudaGetKernel(const void **kernel, const void *host)
{
	*kernel = host;
	return cudaSuccess;
}
