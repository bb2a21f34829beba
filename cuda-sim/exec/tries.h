// Waiting for a phase of an mbarrier: mbarrier.test_wait, which never waits, and mbarrier.try_wait, which may.
//
// Lanes that try together and all in vain wait, until the phase of one of them is complete or they are let go with the answer no. Whether
// and when a try_wait gives up is up to the hardware (PTX ISA). Here lanes are let go when nothing else of their CTA can move, and when
// they have waited for long: with the timing model for as many core cycles as the instruction says nanoseconds, or TRY_CYCLES; without
// it while their warp had TRY_TURNS turns.
//
// A loop that tries again and again and does nothing that others see will go on for ever if all do so. A warp that has tried in vain for
// long and done nothing else is said to try for nothing; a cluster of which all warps wait for each other or try for nothing is dead.
#ifndef CUDA_SIM_EXEC_TRIES_H
#define CUDA_SIM_EXEC_TRIES_H

#include "cuda-sim/exec/warp.h"

enum {
	TRY_CYCLES = 1 << 16,
	TRY_TURNS = 64,
	TRY_LET_GO = 1 << 10,       // a let go counts as so many tests
	TRY_FOR_JOINS = 16,         // so often lanes are let go before others that wait to meet them are
	TRY_VAIN = 1 << 16,         // tests in vain that are for nothing
	TRY_VAIN_BY_CLOCK = 1 << 22, // the same of a loop that reads a clock, and so may end by itself
	TRY_CLOCK_TURNS = 2 * WARP, // that only read clocks: each group of lanes has had one by then
};

// uop: a, imm: address, to which row x[0] is added unless that is 0
//      b: the state, 8 bytes a lane; with TRY_PARITY 4 bytes a lane, of which bit 0 is the parity, or with TRY_HIGH bit 31
//      c: row of the limit in nanoseconds, 0: none
//      d: mask that gets the answer
//      x[3]: enum try_form
enum try_form { TRY_PARITY = 1, TRY_HIGH = 2, TRY_WAITS = 4 };

// Asks for the lanes of mask, whose rows are at fp: *passed gets those whose phase is complete. False after a fault.
bool exec_try(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t *passed);
// Writes the answer.
void exec_try_answer(uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t passed);
// Lanes of mask begin to wait.
void exec_try_wait(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask);
// The answer is no. times: 1, or TRY_LET_GO
void exec_try_in_vain(struct warp *w, uint32_t times);
// True if the waiting lanes of the warp have waited long enough; `turn`: it has had one more.
bool exec_try_expired(struct warp *w, bool turn);

// The warp has done something that others see, or come to know of something that they did.
static inline void exec_try_anew(struct warp *w)
{
	w->tries.vain = w->tries.clock_turns = 0;
	w->tries.by_clock = false;
}
// A block begins. Where a lane tried counts only if it is one of `lanes`.
static inline void exec_try_reset(struct warp *w)
{
	struct exec_tries *t = &w->tries;
	t->lanes = t->vain = t->turns = t->clock_turns = 0;
	t->by_clock = false;
	t->until = 0;
}
// A turn without timing has ended, at a poll if `status` is FE_YIELD; by_clock: all it polled was a clock. Returns FE_CLOCK instead
// if the warp waits for time alone: that is all that its lanes have done for long, and nothing that others see.
static inline enum fe_status exec_try_turn_over(struct warp *w, enum fe_status status, bool by_clock)
{
	if (status != FE_YIELD || !by_clock) {
		w->tries.clock_turns = 0;
		return status;
	}
	w->tries.clock_turns += w->tries.clock_turns < TRY_CLOCK_TURNS;
	return w->tries.clock_turns < TRY_CLOCK_TURNS ? FE_YIELD : FE_CLOCK;
}
// What the warp does now is watched for what others see.
static inline bool exec_try_watched(const struct warp *w) { return w->tries.vain || w->tries.clock_turns; }
// As exec_try_anew, if the micro-op, which writes or reads memory that others see, does not go to local memory alone.
void exec_try_touches(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask);

static inline bool exec_try_for_nothing(const struct warp *w)
{
	return w->tries.vain >= (w->tries.by_clock ? (uint32_t)TRY_VAIN_BY_CLOCK : (uint32_t)TRY_VAIN);
}

// A warp of `by` has completed a phase of some mbarrier in c's memory: lanes that wait for it go on.
void exec_phase_complete(const struct exec_cta *by, struct exec_cta *c);

// No warp of the cluster that the CTA is in will ever do anything any more but wait or try.
bool exec_cluster_dead(const struct exec_cta *c);

// What the lanes of `mask` last tried in vain: "waits at the mbarrier at shared offset 0x8: phase parity 0 waits for 1 of 2 arrivals";
// false if they did not.
bool exec_try_describe(const struct warp *w, uint32_t mask, char *buf, size_t len);

#endif
