// How long one group of a warp's lanes runs before others have a turn, and how long lanes wait for others of their warp before
// they go on alone. An engine keeps the groups in order: the one whose turn ends is the last to have another.
#ifndef CUDA_SIM_EXEC_TURN_H
#define CUDA_SIM_EXEC_TURN_H

#include "base/assert.h"
#include "cuda-sim/exec/spin.h"

#include <stddef.h>

enum {
	EXEC_TURN_POLLS = HEDDLE_LIMIT(1, 16),      // in a turn
	EXEC_TURN_INSTS = HEDDLE_LIMIT(5, 1 << 20), // in a turn
	EXEC_TURN_LONELY = HEDDLE_LIMIT(2, 4096),   // polls without a meeting before waiting lanes go on
};

struct exec_turn {
	uint32_t polls;          // polling instructions in this turn
	uint32_t lonely;         // polls since some lanes last met others
	uint32_t clocks;         // times in a row, in this turn, that the same instruction read a clock
	const struct uop *clock; // it
	uint64_t insts;          // instructions in this turn
	struct exec_spin spin;   // with the timing model
};

// A block begins.
static inline void exec_turn_reset(struct exec_turn *t)
{
	t->polls = t->lonely = t->clocks = 0;
	t->insts = 0;
	t->spin.at = t->clock = NULL;
}

// The running group has polled or read a clock: true if its turn ends.
static inline bool exec_turn_poll(struct exec_turn *t) { return ++t->polls >= EXEC_TURN_POLLS; }

// The same of `u`, which has read a clock.
static inline bool exec_turn_clock(struct exec_turn *t, const struct uop *u)
{
	t->clocks = t->clock == u ? t->clocks + 1 : 1;
	t->clock = u;
	return exec_turn_poll(t);
}

// The turn is about to end at a poll: true if its polls were those of a loop that reads a clock, and may sleep after it. A
// program that measures time reads a clock in two places.
static inline bool exec_turn_by_clock(const struct exec_turn *t) { return t->clocks >= (EXEC_TURN_POLLS + 1) / 2; }

// It has executed `n` instructions: true if its turn ends.
static inline bool exec_turn_use(struct exec_turn *t, uint64_t n) { return (t->insts += n) >= EXEC_TURN_INSTS; }

// The turn ends; `spinning`: the lanes of the running group if it spins, else 0. Returns lanes: those of them that wait for others
// of their warp are to go on alone. Lanes that left the loop of a group which spins and wait for it to come after them may hold
// what it waits for, as the holder of a lock does, so they go on at once. Lanes that never were in the loop have more patience.
uint32_t exec_turn_end(struct exec_turn *t, uint32_t spinning);

#endif
