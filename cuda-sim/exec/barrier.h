// CTA barriers: who has come, and whether these are enough. Who waits, and lets whom go on, is up to the engine.
//
// Threads are counted, not warps (sm_70 and later), and a lane that has exited counts as arrived, as it does on
// hardware. A counted barrier (`bar.sync a, b`) takes whole warps: a warp's missing lanes count with its first arrival.
#ifndef CUDA_SIM_EXEC_BARRIER_H
#define CUDA_SIM_EXEC_BARRIER_H

#include "cuda-sim/exec/uop.h"

#include <stddef.h>

struct exec_cta;

enum { EXEC_BARRIERS = 16 };

struct exec_barrier {
	uint32_t count;       // threads expected; 0: all of the CTA
	uint32_t lanes[WARP]; // per warp: lanes that have arrived
	uint32_t arrived;     // their number
	uint32_t popc;        // bar.red: lanes whose predicate held
};

// Lanes of `mask` arrive at barrier `id` of `count` threads; `holds`: lanes whose predicate holds, for bar.red. False after a
// fault: the CTA has no such barrier, or no barrier can have that count.
bool exec_barrier_arrive(struct warp *w, const struct uop *u, uint32_t mask, uint32_t id, uint32_t count, uint32_t holds);

// Some have arrived, and they are all: those that wait go on, and the engine clears c->barrier[id]. True also when lanes that
// were missing exit.
bool exec_barrier_complete(const struct exec_cta *c, uint32_t id);

// What bar.red tells each lane of a complete barrier: a number, or for `and` and `or` a mask of all lanes or none.
uint32_t exec_barrier_result(const struct exec_barrier *b, enum uop_bar what);

// "waits at barrier 0 (32 of 64 threads have come, missing: warp 1)".
void exec_barrier_describe(const struct exec_cta *c, uint32_t id, char *buf, size_t len);

#endif
