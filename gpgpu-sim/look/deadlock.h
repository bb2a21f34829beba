// What a GPU that does not move waits for. Lines end with their newline.
#ifndef GPGPU_SIM_LOOK_DEADLOCK_H
#define GPGPU_SIM_LOOK_DEADLOCK_H

#include "gpgpu-sim/gpu/timing.h"

// Everything: kernels with their warps, requests that are not answered, queues.
void deadlock_report(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);
void deadlock_kernels(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);
void deadlock_queues(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);
// GPGPU-Sim's own lines.
void deadlock_for_scripts(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx);

#endif
