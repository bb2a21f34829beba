// What the library shows of a running GPU besides statistics: reports of deadlocks, debug streams, the progress line,
// the debugger (docs/debugging.md), checks (docs/check.md). All but watch_start may be called at any time with the lock held.
#ifndef LIBCUDA_CONTEXT_OBSERVERS_H
#define LIBCUDA_CONTEXT_OBSERVERS_H

#include "base/diag.h"
#include "base/vec.h"
#include "gpgpu-sim/look/debugger_terminal.h"
#include "gpgpu-sim/look/debug_streams.h"
#include "gpgpu-sim/look/look.h"
#include "libcuda/context/checks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

struct frontend_ops;
struct kernel_launch;

struct watch {
	struct gpu_watch gpu;
	struct dbg_streams dbg;
	FILE *trace_out;        // NULL: no stream is on
	bool in_order; // trace_out is standard output: what kernels print goes the same way, so that it stays in order
	atomic_bool on_stdout;  // the same, for threads without the lock
	VEC(const void *) graphs; // kernels whose control flow has been shown

	struct {
		bool on, shown;
		struct timespec last, since; // last look; when `kernel` was first seen
		const char *kernel;
		uint64_t ctas_done, cycles;  // then
	} progress;

	struct trace_writer *writer; // NULL: what kernels execute is not written

	struct debugger_terminal terminal;

	struct checks checks;
};

// After the GPU was made: false, with a message, if the options or the environment ask for something that is not there.
bool watch_start(struct diag *d);

// At the end of the program, when no kernel runs. False, with a message, if something could not be written.
bool watch_end(void);

// The front end for launches of code that `fe` executes.
const struct frontend_ops *watch_frontend(const struct frontend_ops *fe);
// A copy between host and device memory is carried out.
void watch_copy(uint64_t addr, uint64_t bytes);

// The oldest kernel and how far it is; some times a second.
void watch_progress(const struct gpu_progress *p);

// Debug streams: STREAM, whose lines are op_watch's, and CFG.
static inline bool watch_streams(const struct watch *w) { return w->trace_out && dbg_on(&w->dbg, DBG_STREAM); }
void watch_kernel(const struct kernel_launch *l);

#endif
