// The execution units of an SM: each has a dispatch register and a pipeline. Work follows instructions: a unit is looked at when
// one enters it and when a result leaves it, in a cycle that is known from the beginning.
//
// Timing, as in GPGPU-Sim's pipelined_simd_unit: an instruction that enters the dispatch register in cycle c stays there
// for its initiation interval and its result leaves in cycle c + latency + 1. A result leaves a unit in each cycle at most,
// and no more leave all units than the results bus takes.
#ifndef GPGPU_SIM_CLASSIC_EXEC_UNIT_H
#define GPGPU_SIM_CLASSIC_EXEC_UNIT_H

#include "gpgpu-sim/sm/winst.h"

// Cycles that a product of a warp group takes of its unit: it goes on beside its warp (sm/products.h).
enum { EXEC_BESIDE = 4 };

struct exec_unit {
	uint64_t free;           // first cycle in which the dispatch register is free
	struct winst **ring;     // by cycle in which the result leaves, modulo: what is inside
	uint32_t ring_mask;      // as long as the longest latency asks for
	uint8_t pipe, id;        // id: its number among the units of this pipe; with sub-cores, its scheduler
	const struct winst *dispatch; // the last that entered it: it holds it until it is free
};

struct exec_units {
	uint64_t *leave;         // by cycle modulo: units that a result leaves in it, a bit each
	struct exec_unit *unit;
	uint32_t leave_mask;
	uint32_t n_inside;       // instructions in all of them
	uint32_t n;
	uint8_t width;           // of the result bus
	uint8_t first[PIPE_N];   // number of the first unit of a pipe
};

void exec_units_init(struct exec_units *u, const struct core_config *cfg);
void exec_units_free(struct exec_units *u);

static inline bool exec_unit_dispatches(const struct exec_unit *u, uint64_t now) { return now < u->free; }

// An instruction of this latency may enter unit `n` in cycle `now`.
static inline bool exec_units_can_issue(const struct exec_units *u, unsigned n, uint64_t now, unsigned latency)
{
	uint64_t with = u->leave[(now + latency + 1) & u->leave_mask];
	if (exec_unit_dispatches(&u->unit[n], now) || with >> n & 1)
		return false;
	uint32_t results = 0;
	for (; with; with &= with - 1)
		results++;
	return results < u->width;
}

static inline void exec_units_issue(struct exec_units *u, unsigned n, struct winst *w, uint64_t now)
{
	struct exec_unit *x = &u->unit[n];
	uint64_t leaves = now + w->latency + 1;
	x->dispatch = w;
	x->free = now + w->interval;
	HEDDLE_ASSERT(w->latency + 1u <= x->ring_mask && !x->ring[leaves & x->ring_mask]);
	x->ring[leaves & x->ring_mask] = w;
	u->leave[leaves & u->leave_mask] |= (uint64_t)1 << n;
	u->n_inside++;
}

// The units that results leave in this cycle, once, and the result of each.
static inline uint64_t exec_units_leaving(struct exec_units *u, uint64_t now)
{
	uint64_t *at = &u->leave[now & u->leave_mask], set = *at;
	*at = 0;
	return set;
}

static inline struct winst *exec_units_take(struct exec_units *u, unsigned n, uint64_t now)
{
	struct exec_unit *x = &u->unit[n];
	struct winst *w = x->ring[now & x->ring_mask];
	x->ring[now & x->ring_mask] = NULL;
	u->n_inside--;
	return w;
}

#endif
