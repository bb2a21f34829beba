// What is inside of a functional run: functional.c, functional_cta.c and functional_batch.c.
#ifndef GPGPU_SIM_GPU_FUNCTIONAL_INTERNAL_H
#define GPGPU_SIM_GPU_FUNCTIONAL_INTERNAL_H

#include "base/assert.h"
#include "gpgpu-sim/gpu/functional.h"

enum {
	// Instructions of a warp before the next warp of its CTA. Twice as many make nothing faster; half as many make a loop
	// of fma two per cent slower.
	WARP_TURN = HEDDLE_LIMIT(3, 512),
	CTA_TURN = HEDDLE_LIMIT(7, 1 << 20),    // instructions of a CTA before the next CTA; one that polls gives way at once
	CTA_LIMIT = HEDDLE_LIMIT(200, 1 << 24), // of a CTA in a batch: one that takes more may wait for others
};

struct cta_slot {
	struct fe_cta *cta; // NULL: free
	unsigned n_warp, next_warp;
	uint32_t id[3];
	uint64_t used;      // instructions
	uint64_t done;      // warps that have ended, a bit each
	// Its turn, or the last one: instructions; warps in a row that waited, polled or were done.
	uint64_t turn;
	unsigned idle;
	bool moved, polled;
	bool asked;         // of those that polled one polled something else than a clock
	bool goes_on;       // the caller's budget was used up in it
	bool tells;         // see func_tell
};

struct functional_run {
	struct kernel_launch *launch;
	void *slots;
	struct cta_slot *slot;
	uint32_t n_slot, n_resident; // slots 0 .. n_slot-1 exist, n_resident of them hold a CTA; n_slot 0: between batches
	uint32_t max_resident, current;
	uint32_t cluster;            // CTAs of a cluster, which start together in slots side by side; 1 without clusters
	uint64_t next, total;        // CTAs started, CTAs of the grid
	uint64_t border;             // CTAs that may start: where the batch ends, or total
	uint32_t batch;              // CTAs of the last batch
	bool batches;                // CTAs run in batches: see functional.h
	bool clean;                  // they have from the beginning
	uint32_t idle_turns;         // CTAs in a row that ended their turn without finishing
	uint32_t stuck_turns;        // CTAs in a row that could not move at all
	uint32_t clock_turns;        // CTAs in a row that could not move, or waited for time alone
	uint64_t waited;             // cycles that were passed by since all of them did
	bool worked;                 // one of them used up its turn
	bool exact, stop_at_ctas;
	uint64_t tells_from;         // see func_tell; UINT64_MAX: none does
	func_access *access;
	void *access_ctx;
	struct fe_result *result;    // of an instruction of those that tell
	struct func_team *team;      // NULL: one thread
};

enum turn { TURN_DONE, TURN_MOVED, TURN_CLOCK, TURN_STUCK, TURN_FAULT, TURN_GOES_ON };

// functional_cta.c. One CTA runs until it is done, polls, has had its turn, or cannot move. TURN_CLOCK: all its warps that can move wait
// for time. When the budget is used up the turn ends too, but in
// batches: there it goes on with the next call, so that what CTAs do does not depend on budgets.
enum turn func_cta_turn(const struct functional_run *r, struct cta_slot *c, uint64_t budget, uint64_t *used);
// CTA number n begins in slot s of the front end.
void func_cta_start(const struct functional_run *r, struct cta_slot *c, uint32_t s, uint64_t n, struct effects *effects,
                    struct kernel_counts *counts);
bool func_interrupted(const struct functional_run *r);

// functional_batch.c. Of the slots that the front end is asked for: those of the team's threads, behind max_resident.
uint32_t func_team_slots(const struct func_team *t);
// Runs the CTAs from r->next to r->border by the team, with the outcome that one thread gives. False, and nothing has happened, if
// one thread has to: their order may show, or they are too few.
bool func_batch_run(struct functional_run *r, uint64_t *used);
// A kernel begins.
void func_team_begin(struct func_team *t, const struct kernel_launch *l);

#endif
