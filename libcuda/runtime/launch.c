// How programs launch kernels: <<<>>>, its older form, and the functions that take a kernel and its arguments.
#include "libcuda/code/launch.h"
#include "libcuda/code/launch_attributes.h"

#include "base/mem.h"
#include "libcuda/runtime/api.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <string.h>

struct configuration {
	struct dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
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

static cudaError_t launch(const void *host, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream,
                          bool cooperative)
{
	struct launch_request r = {.grid = grid, .block = block, .shared = shared, .stream = stream, .cooperative = cooperative, .args = args};
	return launch_submit(host, &r);
}

#define LAUNCH_PARAMS \
	(const void *f, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream)

API_STREAM(cudaLaunchKernel, LAUNCH_PARAMS, launch(f, grid, block, args, shared, stream, false))
API_STREAM_AS(cudaLaunchKernel, __cudaLaunchKernel, LAUNCH_PARAMS, launch(f, grid, block, args, shared, stream, false))
API_STREAM(cudaLaunchCooperativeKernel, LAUNCH_PARAMS, launch(f, grid, block, args, shared, stream, true))

static cudaError_t launch_ex(const struct cudaLaunchConfig *config, const void *f, void **args, bool per_thread)
{
	struct cudaLaunchConfig c;
	struct launch_attributes a;
	if (!config || !guard_read(&c, config, sizeof c))
		return cudaErrorInvalidValue;
	cudaStream_t stream = c.stream || !per_thread ? c.stream : STREAM_PER_THREAD;
	cudaError_t e = launch_attributes_read(&a, c.attrs, c.numAttrs);
	struct launch_request r = {.grid = c.gridDim, .block = c.blockDim, .shared = c.dynamicSmemBytes, .stream = stream,
	                           .cooperative = a.cooperative, .args = args, .cluster = a.cluster, .programmatic = a.programmatic};
	e = e ? e : launch_submit(f, &r);
	return e ? e : launch_attributes_record(&a, stream);
}

#define LAUNCH_EX_PARAMS (const struct cudaLaunchConfig *c, const void *f, void **args)
API(cudaLaunchKernelExC, LAUNCH_EX_PARAMS, launch_ex(c, f, args, false))
API_AS(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz, LAUNCH_EX_PARAMS, launch_ex(c, f, args, true))

struct params {
	const void *f;
	struct dim3 grid, block;
	void **args;
	size_t shared;
	cudaStream_t stream;
};

static cudaError_t launch_multi(const struct params *list, unsigned n, unsigned flags)
{
	struct params p;
	if (!list || !launch_multi_ok(n, flags) || !guard_read(&p, list, sizeof p))
		return cudaErrorInvalidValue;
	return stream_is_default(p.stream) ? cudaErrorInvalidValue : launch(p.f, p.grid, p.block, p.args, p.shared, p.stream, true);
}

API(cudaLaunchCooperativeKernelMultiDevice, (const struct params *list, unsigned n, unsigned flags), launch_multi(list, n, flags))

// <<<>>> pushes, the kernel's stub pops. Both must work whatever the state of the device.

CUDA_EXPORT unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                                 cudaStream_t stream);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, cudaStream_t stream)
{
	struct call_state *c = call_state();
	struct configuration conf = {grid, block, shared, stream};
	VEC_PUSH(&c->stack, conf);
	return 0;
}

CUDA_EXPORT cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
                                                   cudaStream_t *stream);
cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, cudaStream_t *stream)
{
	struct call_state *c = call_state();
	if (!c->stack.n)
		return cu_remember(cudaErrorMissingConfiguration, CU_CALLER);
	if (!GUARD_OUT(grid) || !GUARD_OUT(block) || !GUARD_OUT(shared) || !GUARD_OUT(stream))
		return cu_remember(cudaErrorInvalidValue, CU_CALLER);
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
	struct launch_request r = {.grid = conf.grid, .block = conf.block, .shared = conf.shared, .stream = conf.stream, .block_of_args = c->args,
	                           .block_size = sizeof c->args};
	return launch_submit(f, &r);
}

API(cudaConfigureCall, (struct dim3 grid, struct dim3 block, size_t shared, cudaStream_t stream),
    configure_call((struct configuration){grid, block, shared, stream}))
API(cudaSetupArgument, (const void *arg, size_t size, size_t offset), setup_argument(arg, size, offset))
API(cudaLaunch, (const void *f), launch_configured(f, false))
API_AS(cudaLaunch, cudaLaunch_ptsz, (const void *f), launch_configured(f, true))

// Handles. A kernel's handle is the address of its host function, so that every launch call takes either.

static cudaError_t get_kernel(const void **out, const void *host)
{
	cudaError_t e;
	if (!GUARD_OUT(out))
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
	return guard_write(kernel, &host, sizeof host) ? cudaSuccess : cudaErrorInvalidValue;
}
