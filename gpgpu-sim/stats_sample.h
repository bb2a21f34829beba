// Statistics inside a run: at sampling points and in files beside the text.
#ifndef GPGPU_SIM_STATS_SAMPLE_H
#define GPGPU_SIM_STATS_SAMPLE_H

#include "gpgpu-sim/gpu_state.h"

// Reads -gpgpu_runtime_stat and hooks the sampling points into the timing model.
void stats_sample_init(struct gpu *g);
void stats_sample(void *gpu);

#endif
