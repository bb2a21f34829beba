// What the parser of SASS text makes and its front end runs.
#ifndef CUDA_SIM_SASS_TEXT_PROGRAM_H
#define CUDA_SIM_SASS_TEXT_PROGRAM_H

#include "base/arena.h"
#include "base/assert.h"
#include "base/map.h"
#include "base/vec.h"
#include "cuda-sim/sass/inst.h"
#include "cuda-sim/sass/text/text.h"

enum {
	SASS_MAX_WARPS = 32, SASS_BARRIERS = 16, SASS_CALL_DEPTH = 16, SASS_MAX_INSTS = 1 << 18, SASS_MAX_LINES = 1 << 22,
	SASS_MOST_INSTS = HEDDLE_LIMIT(1 << 12, SASS_MAX_INSTS) // of a text; smaller in the hostile build, so that tests reach it
};

// Where global accesses without an address go.
#define SASS_DEFAULT_ADDRESS ((uint64_t)1 << 28)

enum sass_flow {
	SASS_FLOW_NEXT, SASS_FLOW_BRANCH, SASS_FLOW_CALL, SASS_FLOW_RETURN, SASS_FLOW_EXIT, SASS_FLOW_BARRIER,
	SASS_FLOW_ARRIVE
};

#define SASS_ALWAYS UINT64_MAX
#define SASS_NOWHERE UINT32_MAX

// base + lane * l + ..., or a list that lanes take from in turn.
struct sass_address {
	uint64_t base, lane, thread, warp, block, turn; // factors modulo 2^64; turn: how often the warp has been here
	uint64_t *list;
	unsigned n_list;
};

struct sass_text_inst {
	struct isa_inst isa;   // isa.sass points to sass once the program is complete
	struct isa_sass sass;
	struct sass_address addr;
	uint64_t taken;        // of branches: that often, then once not; SASS_ALWAYS
	uint32_t target;       // number of an instruction
	uint32_t mask;         // lanes for which the guard holds
	uint32_t warps;        // of the block that execute it
	uint32_t counter;      // of the warp's counters, SASS_NOWHERE: it needs none
	uint32_t at, len;      // in the text
	uint8_t flow;
	uint8_t space;         // of generic accesses
	uint8_t barrier;
	uint16_t barrier_warps; // that it waits for, 0: all of the block
	bool has_control;
};

struct sass_program {
	char *file, *text;
	size_t len;
	struct kernel_info info;
	struct kernel_services services;
	uint32_t grid[3], block[3];
	VEC(struct sass_text_inst) inst;
	uint32_t n_counter;
	struct map label;      // number of the instruction + 1, as a pointer's value
	struct arena strings;
};

#endif
