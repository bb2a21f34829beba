// What is inside struct gpu: for gpu.c, and for tests that look into it.
#ifndef GPGPU_SIM_GPU_STATE_H
#define GPGPU_SIM_GPU_STATE_H

#include "base/assert.h"
#include "base/vec.h"
#include "gpgpu-sim/gpu.h"
#include "gpgpu-sim/gpu/functional.h"
#include "gpgpu-sim/gpu/timing.h"
#include "gpgpu-sim/stats/state.h"
#include "isa/grids.h"

enum { GPU_MAX_KERNELS = HEDDLE_LIMIT(1, 128) }; // cudaDevAttr's concurrent kernels on recent GPUs

struct gpu_functional {
	struct kernel_launch *launch;
	struct functional_run *run;
	bool waits; // all of it, for kernels that it launched
};

struct gpu {
	const struct options *opt;
	struct gpu_desc desc;
	struct timing *timing;       // NULL: functional
	struct look *look;           // who looks at it, NULL: functional
	struct kernel_launch *refused; // could not start; handed back by the next gpu_run

	struct grids *grids;         // what kernels launch
	VEC(struct gpu_functional) k; // the kernels that run; one that waits for kernels that it launched leaves room for others
	struct func_team *team;      // of threads, functional
	unsigned current;
	bool stopped;                // the kernels in k end with their next turn
	const atomic_int *interrupt; // gpu_set_interrupt
	const char *limit;           // functional: the limit that ended the run, NULL none
	uint64_t insts;              // warp instructions executed
	const struct kernel_launch *running; // whose turn it is, or NULL
	uint64_t running_from;       // its warp instructions when the turn began

	struct stats stats;
};

#endif
