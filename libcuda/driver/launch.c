// Launches.
#include "libcuda/driver/launch.h"

#include "libcuda/code/launch.h"
#include "libcuda/code/launch_attributes.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

static cudaError_t submit(const void *f, struct launch_request *r, void **extra)
{
	if (!f)
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = launch_read_extra(r, extra);
	return e ? e : launch_submit(f, r);
}

static cudaError_t launch(const void *f, struct dim3 grid, struct dim3 block, unsigned shared, cudaStream_t stream, void **args,
                          void **extra, bool cooperative)
{
	struct launch_request r = {.grid = grid, .block = block, .shared = shared, .stream = stream, .cooperative = cooperative, .args = args};
	return submit(f, &r, extra);
}

#define SHAPE unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared
#define GRID ((struct dim3){gx, gy, gz})
#define BLOCK ((struct dim3){bx, by, bz})

DRIVER_STREAM(cuLaunchKernel, (const void *f, SHAPE, cudaStream_t stream, void **args, void **extra),
              launch(f, GRID, BLOCK, shared, stream, args, extra, false))
DRIVER_STREAM(cuLaunchCooperativeKernel, (const void *f, SHAPE, cudaStream_t stream, void **args),
              launch(f, GRID, BLOCK, shared, stream, args, NULL, true))

struct cudaLaunchConfig launch_config_runtime(const struct launch_config *c)
{
	return (struct cudaLaunchConfig){{c->grid[0], c->grid[1], c->grid[2]}, {c->block[0], c->block[1], c->block[2]}, c->shared, c->stream,
	                                 c->attrs, c->n_attrs};
}

static cudaError_t launch_ex(const struct launch_config *config, const void *f, void **args, void **extra, bool per_thread)
{
	struct launch_config c;
	struct launch_attributes a;
	if (!config || !guard_read(&c, config, sizeof c))
		return cudaErrorInvalidValue;
	struct cudaLaunchConfig given = launch_config_runtime(&c);
	cudaStream_t stream = given.stream || !per_thread ? given.stream : STREAM_PER_THREAD;
	cudaError_t e = launch_attributes_read(&a, given.attrs, given.numAttrs);
	struct launch_request r = {.grid = given.gridDim, .block = given.blockDim, .shared = c.shared, .stream = stream,
	                           .cooperative = a.cooperative, .args = args, .cluster = a.cluster, .programmatic = a.programmatic};
	e = e ? e : submit(f, &r, extra);
	return e ? e : launch_attributes_record(&a, stream);
}

#define LAUNCH_EX (const struct launch_config *config, const void *f, void **args, void **extra)
DRIVER(cuLaunchKernelEx, LAUNCH_EX, launch_ex(config, f, args, extra, false))
DRIVER(cuLaunchKernelEx_ptsz, LAUNCH_EX, launch_ex(config, f, args, extra, true))

// Own names; the order is that of CUDA_LAUNCH_PARAMS.
struct launch_params {
	const void *f;
	unsigned grid[3], block[3], shared;
	cudaStream_t stream;
	void **args;
};

static cudaError_t launch_multi(const struct launch_params *list, unsigned n, unsigned flags)
{
	struct launch_params p;
	if (!list || !launch_multi_ok(n, flags) || !guard_read(&p, list, sizeof p) || stream_is_default(p.stream))
		return cudaErrorInvalidValue;
	return launch(p.f, (struct dim3){p.grid[0], p.grid[1], p.grid[2]}, (struct dim3){p.block[0], p.block[1], p.block[2]}, p.shared,
	              p.stream, p.args, NULL, true);
}

DRIVER(cuLaunchCooperativeKernelMultiDevice, (const struct launch_params *list, unsigned n, unsigned flags), launch_multi(list, n, flags))
