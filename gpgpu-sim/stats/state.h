// What the printers of statistics print from, and what they keep. The facade (gpgpu-sim/gpu.c) owns one and calls them.
#ifndef GPGPU_SIM_STATS_STATE_H
#define GPGPU_SIM_STATS_STATE_H

#include "base/assert.h"
#include "base/diag.h"
#include "base/vec.h"
#include "gpgpu-sim/gpu/timing.h"
#include "isa/grids.h"

#include <time.h>

struct stats {
	const struct options *opt;
	struct timing *timing;       // NULL: functional
	const struct grids *grids;   // what kernels launch
	struct kernel_counts total;  // of the kernels that have ended
	struct timespec start;       // of the GPU, wall clock
	double busy;                 // processor seconds of simulation

	void (*say)(void *ctx, const char *text); // where lines go that are printed while kernels run, NULL: nowhere
	void *say_ctx;
	const char *gpu_name;
	bool headed;                 // the head was printed
	VEC(char *) remarks;         // of the head
	bool ended;                  // the last line was printed
	bool output_failed;          // a file could not be written
	struct stat_lines *lines;    // counters of PTX lines, NULL: none
	struct stat_visual *visual;  // time-lapse log, NULL: none
	double alive;                // wall-clock second of the last progress line
	uint64_t sample_every;       // first number of -gpgpu_runtime_stat
	unsigned sample_flags;       // second number of -gpgpu_runtime_stat
	struct stat_json *json;      // -stats_json, NULL: none
};

// The head, which the first kernel prints otherwise; remarks for it; the last line (gpgpu-sim/gpu.h has more on them).
void stats_begin(struct stats *st);
void stats_take_remarks(struct stats *st, struct diag *d);
void stats_end(struct stats *st, const char *how);
// What the statistics keep.
void stats_free(struct stats *st);

double stats_seconds(const struct stats *st); // wall clock, since start
// In GPGPU-Sim's form, after each kernel; in timing mode a new interval begins.
void stats_print_kernel(struct stats *st, const struct kernel_launch *l, void (*put)(void *ctx, const char *text), void *ctx);

#endif
