// Memory of any space as one lane sees it, by generic address.
#ifndef CUDA_SIM_RUNTIME_LANE_MEMORY_H
#define CUDA_SIM_RUNTIME_LANE_MEMORY_H

#include "cuda-sim/exec/warp.h"

// False if some byte cannot be read or written.
bool lane_read(struct warp *w, unsigned lane, uint64_t addr, void *to, size_t n);
bool lane_write(struct warp *w, unsigned lane, uint64_t addr, const void *from, size_t n);
// A NUL-terminated string, cut at len - 1 bytes; false if it can't be read.
bool lane_string(struct warp *w, unsigned lane, uint64_t addr, char *to, size_t len);

#endif
