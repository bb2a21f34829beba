// Statistics inside a run: at sampling points and in files beside the text.
#ifndef GPGPU_SIM_STATS_SAMPLE_H
#define GPGPU_SIM_STATS_SAMPLE_H

#include "gpgpu-sim/gpu/gpu_state.h"

#include <stdio.h>

// Reads -gpgpu_runtime_stat and hooks the sampling points into the timing model.
void stats_sample_init(struct gpu *g);
void stats_sample(void *gpu);

// Counters of PTX lines (stats_lines.c).
void stats_lines_init(struct gpu *g);
void stats_lines_free(struct gpu *g);
uint32_t stats_lines_of(struct gpu *g, const struct kernel_launch *l); // number of the kernel's first instruction
void stats_lines_write(struct gpu *g);

// Control flow: prints head with the SM's number, then pairs of PTX line and thread instructions since the last time.
void stats_flow_print(struct gpu *g, unsigned sm, const char *head, FILE *to);

// Of all SMs, as text of -gpgpu_cflog_interval.
void stats_flow_snapshot(struct gpu *g, FILE *to);

// The time-lapse log (stats_visual.c).
void stats_visual_init(struct gpu *g);
void stats_visual_free(struct gpu *g);
void stats_visual_sample(struct gpu *g);
void stats_visual_flush(struct gpu *g);

struct stat_out;
void stats_json_open(struct gpu *g);
void stats_json_close(struct gpu *g);
// Appends a kernel, whose rows `rows` writes.
void stats_json_kernel(struct gpu *g, const struct kernel_launch *l, void (*rows)(struct stat_out *o, void *ctx), void *ctx);

// The lines that GPGPU-Sim prints at the first launch and at each.
void stats_say_launch(struct gpu *g, const struct kernel_launch *l);

#endif
