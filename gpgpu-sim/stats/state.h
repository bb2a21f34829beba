// What the printers of statistics print from, and what they keep. The facade (gpgpu-sim/gpu.c) owns one and calls them.
#ifndef GPGPU_SIM_STATS_STATE_H
#define GPGPU_SIM_STATS_STATE_H

#include "base/assert.h"
#include "base/diag.h"
#include "base/kernel_select.h"
#include "base/vec.h"
#include "gpgpu-sim/estimate/estimate.h"
#include "gpgpu-sim/gpu/timing.h"
#include "isa/grids.h"

#include <time.h>

// A kernel that has ended, as far as its statistics name it.
struct stat_kernel {
	const char *name;
	uint64_t uid, stream;
	struct kernel_counts counts;
};

// The kernel whose statistics were printed last, if that was in short.
struct stat_last {
	struct stat_kernel kernel; // its name is our own
	double seconds;            // wall clock, at its end
	bool open;                 // its interval is: nothing has run since, so all figures are as they were
	void (*put)(void *ctx, const char *text);
	void *ctx;
};

typedef VEC(char) stat_buffer; // of text; kept from kernel to kernel

// What a kernel would have taken as a whole, with -sample.
struct stat_estimate {
	struct estimate whole;
	uint64_t ctas; // that were timed
	bool made;     // of the kernel that has ended last
};

struct stats {
	const struct options *opt;
	struct timing *timing;       // NULL: functional
	const struct grids *grids;   // what kernels launch
	struct kernel_counts total;  // of the kernels that have ended; on a GPU with time, of those that were timed
	struct kernel_counts untimed; // of the others there
	struct stat_estimate estimate;
	const struct estimates *estimates; // of the run; NULL: everything is timed
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
	struct stat_record *record;  // of -stats_record, NULL: none
	struct stat_visual *visual;  // time-lapse log, NULL: none
	double alive;                // wall-clock second of the last progress line
	uint64_t sample_every;       // first number of -gpgpu_runtime_stat
	unsigned sample_flags;       // second number of -gpgpu_runtime_stat
	struct stat_json *json;      // -stats_json, NULL: none
	bool brief;                  // -stats short, in timing mode
	struct kernel_select in_full; // kernels that are printed in full all the same
	struct stat_last last;
	struct stat_sums *sums;      // of the SMs, NULL: none yet
	stat_buffer text, icnt_text; // of the kernel that is printed; what the network said
};

// The head, which the first kernel prints otherwise; remarks for it; the last line (gpgpu-sim/gpu.h has more on them).
void stats_begin(struct stats *st);
void stats_take_remarks(struct stats *st, struct diag *d);
void stats_end(struct stats *st, const char *how);
void stat_sums_free(struct stats *st);
// What the statistics keep.
void stats_free(struct stats *st);

double stats_seconds(const struct stats *st); // wall clock, since start
// What -stats and -stats_full_kernels ask for.
void stats_form_init(struct stats *st);
// In GPGPU-Sim's form, after each kernel; in timing mode a new interval begins. With -stats short the interval is held open
// until kernels start or run again, which stats_go_on is told before, so that the last kernel's can be printed in full at
// the end of the program.
void stats_print_kernel(struct stats *st, const struct kernel_launch *l, void (*put)(void *ctx, const char *text), void *ctx);
void stats_go_on(struct stats *st);
// The statistics of the kernel that ended last, in full, where they were printed in short and nothing has run since; once.
void stats_print_rest(struct stats *st);

#endif
