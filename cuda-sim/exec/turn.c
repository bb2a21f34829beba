#include "cuda-sim/exec/turn.h"

uint32_t exec_turn_end(struct exec_turn *t, uint32_t spinning)
{
	uint32_t left = spinning ? t->spin.seen & ~spinning : 0;
	t->lonely += spinning ? t->polls : EXEC_TURN_POLLS;
	if (spinning)
		t->spin.fruitless = 0;
	t->polls = t->clocks = 0;
	t->insts = 0;
	if (t->lonely < EXEC_TURN_LONELY)
		return left;
	t->lonely = 0;
	return FULL_MASK;
}
