// What the four warps of a warp group do together: products (wgmma) and the registers they hand on (setmaxnreg).
//
// A product is the group's: its operands are read when all four warps have come to it, and it is complete for all of them at once. So
// a warp that comes to wgmma.fence waits there for the others, whose writes before it the product reads, and one that waits for
// products waits until the others have issued them. Programs count on both: CUTLASS's pipelines let one thread of a group tell that
// its operands are no longer needed. PTX asks that all of the group execute the same instructions; a warp that has exited without them is
// waited for in vain.
//
// All registers of a CTA belong to warps when it starts. Registers are counted per thread, and for each warp: one that goes from 168
// to 40 gives 128 to the CTA's pool, of which one that goes from 168 to 232 can take 64.
#ifndef CUDA_SIM_EXEC_GROUP_H
#define CUDA_SIM_EXEC_GROUP_H

#include "cuda-sim/exec/warp.h"

enum { EXEC_GROUP_WARPS = 4, EXEC_POOL_UNIT = 8 }; // registers of a thread come and go by as many

// uop.x[0] of what the keeper of a warp gives to exec_group_step; imm is registers, or groups of products.
enum exec_group_op {
	EXEC_GROUP_LESS, EXEC_GROUP_MORE,   // setmaxnreg
	EXEC_GROUP_FENCE, EXEC_GROUP_COMMIT, EXEC_GROUP_WAIT, // wgmma
};

// A CTA starts.
void exec_group_start(struct exec_cta *c);

// Lanes of `mask` execute such an instruction. False if the warp has to wait, in place of a barrier at EXEC_GROUP, or after a fault.
bool exec_group_step(struct warp *w, const struct uop *u, uint32_t mask);

// The warp has issued a product; `closes`: it ends a group of products.
void exec_group_product(struct warp *w, bool closes);

// The group is complete: four warps with all their lanes.
bool exec_group_whole(const struct warp *w);

// "waits for 232 registers a thread; it has 168, and of the block's pool 0 are free", "waits for warps 2 and 3 of its group".
void exec_group_describe(const struct warp *w, char *buf, size_t len);

#endif
