// Recognises lanes that spin with the timing model, so that they soon give way to lanes of their own warp.
//
// A poll tells the lanes nothing new if it is the instruction that polled last, touches the addresses that it touched
// then and reads what it read then. A loop over an array and an atomic that counts are therefore no spinning.
#ifndef CUDA_SIM_EXEC_SPIN_H
#define CUDA_SIM_EXEC_SPIN_H

#include "cuda-sim/exec/uop.h"

// Most warps never poll, so that this has memory of its own.
struct exec_polled {
	uint64_t addr[WARP], value[WARP];
};

// What the last polling instruction of a warp saw. All zero: there was none.
struct exec_spin {
	const struct uop *at;
	uint32_t seen;       // lanes that executed it since another one polled
	uint32_t fruitless;  // times in a row that it told its lanes nothing new
	struct exec_polled *polled; // NULL: the warp has not polled since it has been there
};

// `u` has polled for the lanes of `mask`: at these addresses, which may lie in the register that it writes and so are
// taken before, it read these values. True if the lanes spin: others should have a turn.
bool exec_spin_poll(struct exec_spin *s, const struct uop *u, uint32_t mask, const uint64_t addr[WARP],
                    const uint64_t value[WARP]);
// Its memory; there is no last poll then.
void exec_spin_free(struct exec_spin *s);

#endif
