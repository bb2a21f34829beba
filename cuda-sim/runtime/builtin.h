// Functions that the simulator answers itself: what their rows look like, and memory as one lane sees it.
#ifndef CUDA_SIM_RUNTIME_BUILTIN_H
#define CUDA_SIM_RUNTIME_BUILTIN_H

#include "cuda-sim/simt/simt.h"

struct builtin {
	const char *name;
	void (*run)(struct builtin_call *c);
	unsigned n_arg;
	enum isa_service service; // what a core charges for it
	bool limited;             // device runtime of CUDA 12 and later: launches are refused when too many are pending
};

// device_runtime.c: what kernels call to launch kernels. NULL if there is none of that name.
const struct builtin *device_runtime_find(const char *name);

// A value in memory of any space, by generic address; false if it cannot be read or written.
bool lane_read(struct simt_warp *w, unsigned lane, uint64_t addr, void *to, size_t n);
bool lane_write(struct simt_warp *w, unsigned lane, uint64_t addr, const void *from, size_t n);
// The fault of a builtin that was given a bad address.
void builtin_bad_pointer(struct builtin_call *c, unsigned lane, uint64_t addr, const char *what);

#endif
