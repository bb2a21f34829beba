// What is inside struct gpu: for gpu.c, and for tests that look into it.
#ifndef GPGPU_SIM_GPU_STATE_H
#define GPGPU_SIM_GPU_STATE_H

#include "base/kernel_select.h"
#include "gpgpu-sim/gpu.h"
#include "gpgpu-sim/gpu/timing.h"
#include "gpgpu-sim/gpu/untimed.h"
#include "gpgpu-sim/estimate/estimate.h"
#include "gpgpu-sim/stats/state.h"
#include "isa/grids.h"

struct gpu {
	const struct options *opt;
	struct gpu_desc desc;
	struct timing *timing;       // NULL: functional
	struct kernel_select timed;  // the kernels that are, -kernels; none: all
	struct look *look;           // who looks at it, NULL: functional
	struct kernel_launch *refused; // could not start; handed back by the next gpu_run

	struct grids *grids;         // what kernels launch
	struct untimed untimed;      // kernels that are executed without time
	const atomic_int *interrupt; // gpu_set_interrupt
	uint64_t ended;              // kernels that have ended
	uint64_t passed;             // gpu_pass_time
	struct estimates *estimates; // -sample; NULL: everything is timed that -kernels names
	struct cut_kernel {          // a kernel of which a part was timed, while the rest of its CTAs is executed; launch NULL: there is none
		struct kernel_launch *launch;
		struct kernel_counts counts; // of the part that was timed
		struct kernel_waves waves;
		uint64_t cycles;
	} cut;

	struct stats stats;
};

#endif
