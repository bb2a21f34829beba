// What people see of a replay while it runs: debug streams, the debugger, reports of deadlocks.
// libcuda/context/observers.c does the same for programs.
#ifndef TOOLS_TRACE_WATCH_H
#define TOOLS_TRACE_WATCH_H

#include "base/options.h"
#include "gpgpu-sim/look/debugger_terminal.h"
#include "gpgpu-sim/gpu.h"
#include "gpgpu-sim/look/debug_streams.h"
#include "gpgpu-sim/look/look.h"

#include <stdio.h>

struct trace_watch {
	struct gpu_watch gpu;
	struct dbg_streams dbg;
	FILE *stats;            // where statistics go
	const char *file;       // -trace_file
	FILE *streams;          // NULL: no debug stream is on, or they go to `stats`
	struct debugger_terminal terminal;
};

// Connects the GPU. breaks: places of --break, one a line, or NULL. False with a message.
bool trace_watch_start(struct trace_watch *w, struct gpu *gpu, const struct options *o, const char *breaks, FILE *stats,
                       struct diag *d);
// False, with a message, if debug streams are lost.
bool trace_watch_written(const struct trace_watch *w);
void trace_watch_end(struct trace_watch *w);

#endif
