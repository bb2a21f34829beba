// Kernels that are executed without time: all of them in functional mode, and in timing mode those that -kernels leaves
// out. Resident ones take turns. A warp instruction counts as a cycle of theirs, so that clocks go on while they run.
#ifndef GPGPU_SIM_GPU_UNTIMED_H
#define GPGPU_SIM_GPU_UNTIMED_H

#include "base/assert.h"
#include "base/vec.h"
#include "gpgpu-sim/gpu/functional.h"
#include "isa/gpu_desc.h"
#include "isa/grids.h"

#include <stdatomic.h>

struct options;

enum { UNTIMED_MAX_KERNELS = HEDDLE_LIMIT(1, 128) }; // cudaDevAttr's concurrent kernels on recent GPUs

struct untimed_kernel {
	struct kernel_launch *launch;
	struct functional_run *run;
	bool waits; // all of it, for kernels that it launched
};

struct untimed {
	const struct options *opt;
	const struct gpu_desc *desc;
	const struct kernel_counts *ended; // sums over the kernels that have ended, for the limits of a run; NULL: there are no limits
	struct grids *grids;               // what kernels launch
	void (*serve)(void *ctx);          // kernels that kernels launched are started, and those that waited for them told
	void *serve_ctx;

	VEC(struct untimed_kernel) k; // the kernels that run; one that waits for kernels that it launched leaves room for others
	struct func_team *team;       // of threads; NULL: none of them has begun yet
	unsigned current;
	bool stopped;                 // the kernels in k end with their next turn
	const atomic_int *interrupt;  // see gpu_set_interrupt
	const char *limit;            // the option whose limit ended the run, NULL none
	uint64_t insts;               // warp instructions executed
	const struct kernel_launch *running; // whose turn it is, or NULL
	uint64_t running_from;        // its warp instructions when the turn began
};

void untimed_free(struct untimed *u);
void untimed_start(struct untimed *u, struct kernel_launch *launch);
void untimed_go_on(struct untimed *u, struct kernel_launch *launch, uint64_t cta); // from that CTA on
// CTAs from that one on, of the kernel that was started last, tell of their accesses: func_tell.
void untimed_tell(struct untimed *u, uint64_t cta, func_access *access, void *ctx);
unsigned untimed_room(const struct untimed *u); // so many more may be started
// Goes on with about `budget` warp instructions. A kernel that has ended, or NULL. A launch that runs behind another
// one (kernel_launch.behind) waits for that one's end.
struct kernel_launch *untimed_run(struct untimed *u, uint64_t budget);
void untimed_stop(struct untimed *u); // all kernels end where they are
// Warp instructions so far. Goes forward during a turn too, so that a thread never sees its clock run backwards.
uint64_t untimed_cycles(const struct untimed *u);

#endif
