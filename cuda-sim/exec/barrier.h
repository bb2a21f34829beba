// CTA barriers: who has come, and whether these are enough. Which lanes wait is up to the engine (engine.h).
//
// Threads are counted, not warps (sm_70 and later), and a lane that has exited counts as arrived, as it does on
// hardware. A counted barrier (`bar.sync a, b`) takes whole warps: a warp's missing lanes count with its first arrival.
#ifndef CUDA_SIM_EXEC_BARRIER_H
#define CUDA_SIM_EXEC_BARRIER_H

#include "cuda-sim/exec/uop.h"

#include <stddef.h>

struct exec_cta;

enum {
	EXEC_BARRIERS = 16,
	EXEC_CHILDREN = EXEC_BARRIERS, // in place of a barrier: lanes wait for the grids that their block launched, or for the one in front
	EXEC_GROUP,                    // or for the other warps of their group, or registers: group.h
	EXEC_AT_CLUSTER,               // or for the other threads of their cluster: cluster.h
};

struct exec_barrier {
	uint32_t count;       // threads expected; 0: all of the CTA
	uint32_t lanes[WARP]; // per warp: lanes that have arrived
	uint32_t arrived;     // their number
	uint32_t again;       // further arrivals of the same lanes: barriers with a count take bar.arrive and then bar.sync of a warp as two
	uint32_t popc;        // bar.red: lanes whose predicate held
};

// Lanes of `mask` arrive at barrier `id` of `count` threads; `holds`: lanes whose predicate holds, for bar.red. False after a
// fault: the CTA has no such barrier, or no barrier can have that count.
bool exec_barrier_arrive(struct warp *w, const struct uop *u, uint32_t mask, uint32_t id, uint32_t count, uint32_t holds);

// Some have arrived, and they are all. True also when lanes that were missing exit.
bool exec_barrier_complete(const struct exec_cta *c, uint32_t id);

// The barrier opens if it is complete: the lanes that wait there go on, and it is as new.
void exec_barrier_open(struct exec_cta *c, uint32_t id);
void exec_barriers_open(struct exec_cta *c); // all that lanes which have exited were missing at, that of the cluster too

// The grids that lanes of the CTA wait for may be complete: then these go on. False if nobody does.
bool exec_children_open(struct exec_cta *c);

// What bar.red tells each lane of a complete barrier: a number, or for `and` and `or` a mask of all lanes or none.
uint32_t exec_barrier_result(const struct exec_barrier *b, enum uop_bar what);

// "waits at barrier 0 (32 of 64 threads have come, missing: warp 1)".
void exec_barrier_describe(const struct exec_cta *c, uint32_t id, char *buf, size_t len);

#endif
