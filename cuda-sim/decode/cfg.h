// Control-flow graph of one function: basic blocks, dominators, immediate post-dominators.
//
// The immediate post-dominator of a block that ends in a divergent branch is where its lanes reconverge.
#ifndef CUDA_SIM_DECODE_CFG_H
#define CUDA_SIM_DECODE_CFG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// What one instruction does to the flow of control.
struct cfg_flow {
	bool falls;             // control may go on to the next instruction
	uint32_t n_target;
	const uint32_t *target; // instruction numbers
};

enum { CFG_NONE = -1 };

struct cfg_block {
	uint32_t first, last;    // instructions, both included
	uint32_t n_succ, n_pred;
	uint32_t *succ, *pred;
	int32_t idom;            // CFG_NONE for the entry and unreachable blocks
	int32_t ipdom;           // CFG_NONE: only the function's end post-dominates it
};

struct cfg {
	uint32_t n_inst, n_block;
	struct cfg_block *block;
	uint32_t *block_of;      // instruction -> block
};

// Builds everything into `a`. Works on any flow: unreachable code, endless loops, several exits.
struct cfg *cfg_build(struct arena *a, uint32_t n_inst, const struct cfg_flow *flow);

// First instruction of the immediate post-dominator of the block that holds `inst`; -1 if there is none.
int64_t cfg_reconvergence(const struct cfg *g, uint32_t inst);

// The graph as a cluster of a DOT file: a node a block with its instructions, broken edges to immediate post-dominators
// of blocks that branch. `name` is that of the function, `number` tells its nodes from those of others in the file.
void cfg_print_dot(const struct cfg *g, const char *name, unsigned number, FILE *out,
                   void (*label)(void *ctx, uint32_t inst, FILE *out), void *ctx);

// The graph as text: one line per block. `label` prints an instruction, NULL for numbers only.
void cfg_print(const struct cfg *g, FILE *out, void (*label)(void *ctx, uint32_t inst, FILE *out), void *ctx);

#endif
