// Memory accesses of the executor: the parts that do not depend on the CPU level. They run when the quick check of a
// whole warp fails, so they look at one lane after the other and say what is wrong with it.
#ifndef CUDA_SIM_EXEC_CHECK_H
#define CUDA_SIM_EXEC_CHECK_H

#include "cuda-sim/exec/warp.h"

// The address a lane of a memory instruction computes: its row `a`, zero-extended, plus the constant offset.
uint64_t exec_lane_addr(const uint8_t *fp, const struct uop *u, unsigned lane);

// True if every lane of the mask may access `bytes` bytes of global (or constant) memory; the lanes may lie in
// different allocations. Otherwise records the fault of the first lane that may not.
//
// GPUs check pages of 2 MiB, and programs read a row before the first and throw it away. So an access to the padding
// behind an allocation passes and goes there, and a read that misses an allocation by less than 64 KiB passes and finds
// zeroes: `adr`, the 32 addresses of the lanes, is changed for it. Each place in a kernel is told once (exec_stray).
bool exec_check_global(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t bytes,
                       bool write, uint64_t *adr);

// The same for one lane that touches `bytes` bytes side by side, any number of them, at `addr`, which is aligned. A read beside an
// allocation does not pass.
bool exec_check_span(struct warp *w, const struct uop *u, unsigned lane, uint64_t addr, uint32_t bytes, bool write);

// The same for a space that is a window of `size` bytes (shared, local, parameters). `window` is the generic address
// of its first byte, or 0 if addresses are offsets already.
bool exec_check_window(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t bytes,
                       bool write, enum isa_space space, uint64_t window, uint32_t size);

#endif
