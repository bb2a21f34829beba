// Places in shared memory as the lanes of asynchronous instructions name them: one by one, in the own CTA or in another one of the cluster.
#ifndef CUDA_SIM_EXEC_SHARED_H
#define CUDA_SIM_EXEC_SHARED_H

#include "cuda-sim/exec/warp.h"

enum exec_reach {
	EXEC_OWN,     // shared memory of the own CTA
	EXEC_CLUSTER, // and of those of its cluster
};

// A place in shared memory.
struct exec_place {
	struct exec_cta *cta;
	uint32_t offset;
	uint8_t *at;
};

// Where a lane's address of shared memory, with its window or without, lies: `bytes` from there on, aligned to `align`. False after
// a fault.
bool exec_shared_place(struct warp *w, const struct uop *u, unsigned lane, uint64_t address, uint32_t bytes, uint32_t align, bool write,
                       enum exec_reach reach, struct exec_place *p);
// True if what `what` names ("source") is a multiple of `align`; else the fault has been recorded.
bool exec_aligned(struct warp *w, const struct uop *u, unsigned lane, uint64_t number, uint32_t align, const char *what);

#endif
