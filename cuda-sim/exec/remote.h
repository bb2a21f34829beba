// Stores and reductions that tell an mbarrier in the same shared memory of their bytes: st.async, red.async.
#ifndef CUDA_SIM_EXEC_REMOTE_H
#define CUDA_SIM_EXEC_REMOTE_H

#include "cuda-sim/exec/bulk.h"

enum { EXEC_REMOTE_VALUES = 4 };

// What uop.imm points to.
struct exec_remote {
	uint8_t op, type;  // enum exec_bulk_op; enum uop_type of a reduction
	uint8_t n, each;   // values, and bytes of each: 4 or 8
	bool pairs;        // 8 bytes stand in two rows of 4
	int32_t value[EXEC_REMOTE_VALUES];
	struct exec_bulk_operand dst, mbarrier;
};

void exec_remote_start(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_remote *r);

#endif
