// Launches.
#include "libcuda/code/launch.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

#include <string.h>

// Markers in the array `extra`, each followed by its value.
#define PARAM_END ((void *)0)
#define PARAM_POINTER ((void *)1)
#define PARAM_SIZE ((void *)2)
enum { MOST_EXTRA = 16 };

// The arguments as one block, behind the markers. cudaErrorInvalidValue if both forms are given, or the array is no good.
static cudaError_t read_extra(struct launch_request *r, void **extra)
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

static cudaError_t launch(const void *f, struct dim3 grid, struct dim3 block, unsigned shared, cudaStream_t stream, void **args,
                          void **extra, bool cooperative)
{
	struct launch_request r = {grid, block, shared, stream, cooperative, args, NULL, 0};
	if (!f)
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = read_extra(&r, extra);
	return e ? e : launch_submit(f, &r);
}

#define SHAPE unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared
#define GRID ((struct dim3){gx, gy, gz})
#define BLOCK ((struct dim3){bx, by, bz})

DRIVER_STREAM(cuLaunchKernel, (const void *f, SHAPE, cudaStream_t stream, void **args, void **extra),
              launch(f, GRID, BLOCK, shared, stream, args, extra, false))
DRIVER_STREAM(cuLaunchCooperativeKernel, (const void *f, SHAPE, cudaStream_t stream, void **args),
              launch(f, GRID, BLOCK, shared, stream, args, NULL, true))
