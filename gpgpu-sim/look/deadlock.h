// What a GPU that does not move waits for. Lines end with their newline.
#ifndef GPGPU_SIM_LOOK_DEADLOCK_H
#define GPGPU_SIM_LOOK_DEADLOCK_H

#include "gpgpu-sim/gpu/timing.h"

// Everything: kernels with their warps, requests that are not answered, queues.
void timing_describe(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);
void timing_describe_kernels(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);
void timing_describe_queues(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);
// GPGPU-Sim's own lines.
void timing_describe_for_scripts(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);

#endif
