// Who looks at a GPU from outside: where reports go, debug streams, the debugger, the progress line. Nothing here may
// change what is simulated.
#ifndef GPGPU_SIM_LOOK_LOOK_H
#define GPGPU_SIM_LOOK_LOOK_H

#include <stdint.h>

struct dbg_streams;
struct debugger;
struct timing;

enum gpu_report {
	GPU_REPORT_PEOPLE,  // the whole report of a deadlock
	GPU_REPORT_SCRIPTS, // the lines that GPGPU-Sim prints
};

struct gpu_progress {
	const char *kernel;       // the oldest that runs; NULL: none
	unsigned kernels;         // that run
	uint64_t ctas_done, ctas; // of that kernel
	uint64_t cycles;          // since the GPU was made
};

// Any member may be NULL. Called from the thread that runs the GPU.
struct gpu_watch {
	void *ctx;
	void (*report)(void *ctx, enum gpu_report kind, const char *text);
	void (*progress)(void *ctx, const struct gpu_progress *p); // from time to time, some times a second
	const struct dbg_streams *dbg;
	struct debugger *debugger;
};

// Connects a GPU with who looks on: it fills the observers of the timing model, of its SMs and of its memory.
struct look;

struct look *look_new(struct timing *t);
void look_free(struct look *l); // before its GPU; NULL: nothing
// w must outlive the GPU or be replaced; NULL: nobody looks.
void look_attach(struct look *l, const struct gpu_watch *w);

void look_progress(const struct timing *t, struct gpu_progress *out);

#endif
