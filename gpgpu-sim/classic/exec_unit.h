// An execution unit: a dispatch register and a pipeline. Work follows instructions: a unit is looked at only while it
// holds one, and the pipeline is a ring of the cycles in which results leave.
//
// Timing, as in GPGPU-Sim's pipelined_simd_unit: an instruction that enters the dispatch register in cycle c stays there
// for its initiation interval, enters the pipeline unless another would leave it in the same cycle, and its result leaves
// in cycle c + latency + 1.
#ifndef GPGPU_SIM_CLASSIC_EXEC_UNIT_H
#define GPGPU_SIM_CLASSIC_EXEC_UNIT_H

#include "gpgpu-sim/sm/winst.h"

struct exec_unit {
	uint8_t pipe, id;        // id: its number among the units of this pipe; with sub-cores, its scheduler
	struct winst *dispatch;
	uint64_t ready;          // cycle in which dispatch may enter the pipeline
	uint32_t n_inside;       // instructions in the pipeline
	uint32_t ring_mask;      // the rings are as long as the longest latency asks for: they are looked at in every cycle
	struct winst **ring;     // by cycle in which the result leaves
	uint64_t *taken;         // cycle in which a result slot is promised, by that cycle
};

void exec_unit_init(struct exec_unit *u, enum pipe pipe, unsigned id, uint32_t max_latency);
void exec_unit_free(struct exec_unit *u);

static inline bool exec_unit_busy(const struct exec_unit *u) { return u->dispatch || u->n_inside; }

// A result leaves in each cycle at most.
static inline bool exec_unit_can_issue(const struct exec_unit *u, uint64_t now, unsigned latency)
{
	uint64_t t = now + latency;
	return !u->dispatch && u->taken[t & u->ring_mask] != t;
}

static inline void exec_unit_issue(struct exec_unit *u, struct winst *w, uint64_t now)
{
	uint64_t t = now + w->latency;
	u->dispatch = w;
	u->ready = now + w->interval;
	u->taken[t & u->ring_mask] = t;
}

// One cycle; the instruction whose result leaves, or NULL.
static inline struct winst *exec_unit_tick(struct exec_unit *u, uint64_t now)
{
	struct winst **out = &u->ring[now & u->ring_mask], *done = *out;
	if (done) {
		*out = NULL;
		u->n_inside--;
	}
	if (u->dispatch && now >= u->ready) {
		struct winst *w = u->dispatch;
		struct winst **slot = &u->ring[(now + w->latency - w->interval + 1) & u->ring_mask];
		if (!*slot) {
			*slot = w;
			u->n_inside++;
			u->dispatch = NULL;
		}
	}
	return done;
}

#endif
