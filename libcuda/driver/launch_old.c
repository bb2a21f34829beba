// Launches of before CUDA 4: a function's block, shared memory and arguments are set one by one, and stay for the next launch.
#include "libcuda/code/launch.h"

#include "base/mem.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

#include <string.h>

struct old_launch {
	struct dim3 block;
	unsigned shared, arg_bytes;
	uint8_t args[MAX_PARAM_BYTES];
};

static struct old_launch *old_of(const void *f, cudaError_t *e)
{
	struct kernel *k = kernel_find(f, e);
	if (k && !k->old)
		k->old = MEM_NEW(struct old_launch);
	return k ? k->old : NULL;
}

static cudaError_t set_block(const void *f, int x, int y, int z)
{
	cudaError_t e;
	struct old_launch *o = old_of(f, &e);
	if (!o)
		return e;
	if (x <= 0 || y <= 0 || z <= 0)
		return cudaErrorInvalidValue;
	o->block = (struct dim3){(unsigned)x, (unsigned)y, (unsigned)z};
	return cudaSuccess;
}

static cudaError_t set_shared(const void *f, unsigned bytes)
{
	cudaError_t e;
	struct old_launch *o = old_of(f, &e);
	if (o)
		o->shared = bytes;
	return e;
}

static cudaError_t set_size(const void *f, unsigned bytes)
{
	cudaError_t e;
	struct old_launch *o = old_of(f, &e);
	if (!o)
		return e;
	if (bytes > MAX_PARAM_BYTES)
		return cudaErrorInvalidValue;
	o->arg_bytes = bytes;
	return cudaSuccess;
}

static cudaError_t set_argument(const void *f, int offset, const void *from, unsigned bytes)
{
	cudaError_t e;
	struct old_launch *o = old_of(f, &e);
	if (!o)
		return e;
	if (offset < 0 || bytes > MAX_PARAM_BYTES || (unsigned)offset > MAX_PARAM_BYTES - bytes || !from)
		return cudaErrorInvalidValue;
	return guard_read(o->args + offset, from, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t launch(const void *f, int width, int height, cudaStream_t stream)
{
	cudaError_t e;
	struct old_launch *o = old_of(f, &e);
	if (!o)
		return e;
	if (width <= 0 || height <= 0 || !o->block.x)
		return cudaErrorInvalidValue;
	struct launch_request r = {.grid = {(unsigned)width, (unsigned)height, 1}, .block = o->block, .shared = o->shared, .stream = stream,
	                           .block_of_args = o->args, .block_size = o->arg_bytes};
	return launch_submit(f, &r);
}

DRIVER(cuFuncSetBlockShape, (const void *f, int x, int y, int z), set_block(f, x, y, z))
DRIVER(cuFuncSetSharedSize, (const void *f, unsigned bytes), set_shared(f, bytes))
DRIVER(cuParamSetSize, (const void *f, unsigned bytes), set_size(f, bytes))
DRIVER(cuParamSeti, (const void *f, int offset, unsigned value), set_argument(f, offset, &value, sizeof value))
DRIVER(cuParamSetf, (const void *f, int offset, float value), set_argument(f, offset, &value, sizeof value))
DRIVER(cuParamSetv, (const void *f, int offset, void *value, unsigned bytes), set_argument(f, offset, value, bytes))
DRIVER(cuLaunch, (const void *f), launch(f, 1, 1, NULL))
DRIVER(cuLaunchGrid, (const void *f, int width, int height), launch(f, width, height, NULL))
DRIVER(cuLaunchGridAsync, (const void *f, int width, int height, cudaStream_t stream), launch(f, width, height, stream))
