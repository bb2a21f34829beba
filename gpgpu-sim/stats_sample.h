// Statistics inside a run: at sampling points and in files beside the text.
#ifndef GPGPU_SIM_STATS_SAMPLE_H
#define GPGPU_SIM_STATS_SAMPLE_H

#include "gpgpu-sim/gpu_state.h"

// Reads -gpgpu_runtime_stat and hooks the sampling points into the timing model.
void stats_sample_init(struct gpu *g);
void stats_sample(void *gpu);

struct stat_out;
void stats_json_open(struct gpu *g);
void stats_json_close(struct gpu *g);
// Appends a kernel, whose rows `rows` writes.
void stats_json_kernel(struct gpu *g, const struct kernel_launch *l, void (*rows)(struct stat_out *o, void *ctx), void *ctx);

// The lines that GPGPU-Sim prints at the first launch and at each.
void stats_say_launch(struct gpu *g, const struct kernel_launch *l);

#endif
