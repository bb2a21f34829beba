// Which of two ways to do the same work is faster here and now: it is done both ways in turn for a while, now and then.
//
//   struct trial t = {0};
//   uint64_t since = trial_begin(&t);
//   uint64_t units = t.way ? by_two() : by_one();
//   trial_end(&t, units, since);
//
// For work of microseconds that comes again and again. What is chosen depends on the clock, so it must not show in
// results.
#ifndef BASE_TRIAL_H
#define BASE_TRIAL_H

#include "base/assert.h"
#include "base/host_clock.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	TRIAL_WINDOWS = 6, // of a trial; every second one is done the other way
	// Nanoseconds of a window: of the first ones, in which what the work touches moves from cache to cache, nothing is
	// kept; those that are measured. (In the first 3 ms after a change of the way two threads seemed a quarter slower than
	// one where they are a fifth faster: matmul 256.)
	TRIAL_WARM = HEDDLE_LIMIT(1, 3000000), TRIAL_WINDOW = HEDDLE_LIMIT(1, 2000000),
	TRIAL_FIRST_SPELL = HEDDLE_LIMIT(2, 64), TRIAL_LONGEST_SPELL = HEDDLE_LIMIT(4, 1024), // windows between trials
};

// All zero: a trial begins, in way 0.
struct trial {
	bool way;                // to do it now
	bool better;             // way that the last trial found
	bool warm;               // this window is measured
	uint8_t window;          // of the trial
	uint16_t spell;          // windows between the last trial and the next one
	uint32_t times;          // that the work has been done in this window
	uint64_t left;           // times until the next trial; 0: one is under way
	uint64_t ns, units;      // of this window
	double least[2];         // nanoseconds for a unit, in the best window of each way
};

// When the work begins; 0: nobody wants to know.
static inline uint64_t trial_begin(const struct trial *t) { return t->left ? 0 : host_clock_ns(CLOCK_MONOTONIC); }

// What trial_end does in a trial, with the time that has passed.
void trial_count(struct trial *t, uint64_t units, uint64_t ns);

// The work has been done: so many units of it, so that more of it in one window than in another makes no difference.
static inline void trial_end(struct trial *t, uint64_t units, uint64_t since)
{
	if (t->left)
		t->left--; // at 0 a trial begins, first the way it is
	else
		trial_count(t, units, host_clock_ns(CLOCK_MONOTONIC) - since);
}

#endif
