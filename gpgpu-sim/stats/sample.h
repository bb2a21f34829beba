// Statistics inside a run: at sampling points and in files beside the text.
#ifndef GPGPU_SIM_STATS_SAMPLE_H
#define GPGPU_SIM_STATS_SAMPLE_H

#include "gpgpu-sim/stats/state.h"

#include <stdio.h>

// Reads -gpgpu_runtime_stat and hooks the sampling points into the timing model.
void stats_sample_init(struct stats *st);
void stats_sample(void *stats);

// Counters of PTX lines (lines.c).
void stats_lines_init(struct stats *st);
void stats_lines_free(struct stats *st);
uint32_t stats_lines_of(struct stats *st, const struct kernel_launch *l); // number of the kernel's first instruction
void stats_lines_write(struct stats *st);

// Control flow: prints head with the SM's number, then pairs of PTX line and thread instructions since the last time.
void stats_flow_print(struct stats *st, unsigned sm, const char *head, FILE *to);

// Of all SMs, as text of -gpgpu_cflog_interval.
void stats_flow_say(struct stats *st, void (*put)(void *ctx, const char *text), void *ctx);

// The time-lapse log (visual.c).
void stats_visual_init(struct stats *st);
void stats_visual_free(struct stats *st);
void stats_visual_sample(struct stats *st);
void stats_visual_flush(struct stats *st);

struct stat_out;
void stats_json_init(struct stats *st);
void stats_json_free(struct stats *st);
// The document is complete but for how the run ended.
void stats_json_end(struct stats *st, const char *how);
// Appends a kernel, whose rows `rows` writes.
void stats_json_kernel(struct stats *st, const struct kernel_launch *l, void (*rows)(struct stat_out *o, void *ctx), void *ctx);

// The head of the statistics, once, and the line that GPGPU-Sim prints at each launch (head.c).
void stats_say_launch(struct stats *st, const struct kernel_launch *l);

#endif
