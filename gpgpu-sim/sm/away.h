// Answers that an SM waits for, by when what they answer left: none is sooner than a number of cycles that the memory side
// takes at least, so an SM whose requests are all younger than that knows how long nothing comes.
#ifndef GPGPU_SIM_SM_AWAY_H
#define GPGPU_SIM_SM_AWAY_H

#include "base/assert.h"

#include <stdbool.h>
#include <stdint.h>

enum { AWAY_PARTS = 16 };

struct sm_away {
	uint32_t n;     // answers to come
	uint8_t shift;  // log2 of the cycles of a part of the time
	uint64_t least; // cycles from a request to its answer, at least
	uint64_t from;  // no answer comes before that cycle, if there are any to come
	uint64_t part;  // the newest part: number since cycle 0
	uint32_t sent[AWAY_PARTS]; // of the last parts, by number modulo: answers to what left then, and has to wait for `least`
};

// All parts that may still have to wait are told apart.
static inline void away_init(struct sm_away *a, uint64_t least)
{
	*a = (struct sm_away){.least = least};
	while ((least >> a->shift) + 2 > AWAY_PARTS)
		a->shift++;
}

// A request leaves in cycle `now`, to which `answers` will come. Not before any other that has left.
static inline void away_sent(struct sm_away *a, uint64_t now, uint32_t answers, bool at_once)
{
	const uint64_t part = now >> a->shift;
	const uint64_t first = now + (at_once ? 0 : a->least);
	if (!a->n || first < a->from)
		a->from = first;
	a->n += answers;
	if (part - a->part >= AWAY_PARTS)
		a->part = part - AWAY_PARTS;
	while (a->part != part)
		a->sent[++a->part % AWAY_PARTS] = 0;
	if (!at_once)
		a->sent[part % AWAY_PARTS] += answers;
}

static inline void away_answered(struct sm_away *a)
{
	HEDDLE_ASSERT(a->n);
	a->n--;
}

// The first cycle from `now` on in which an answer may come, those that have come aside. UINT64_MAX: there is none to come.
static inline uint64_t away_next(struct sm_away *a, uint64_t now)
{
	if (!a->n)
		return UINT64_MAX;
	if (now < a->from)
		return a->from;
	uint32_t waiting = 0;
	uint64_t first = now;
	for (uint64_t p = a->part, n = AWAY_PARTS; n && (p << a->shift) + a->least > now; p--, n--) {
		waiting += a->sent[p % AWAY_PARTS];
		if (a->sent[p % AWAY_PARTS])
			first = (p << a->shift) + a->least;
		if (!p)
			break;
	}
	if (waiting < a->n)
		return now; // not kept in `from`: an answer may come before, and an earlier cycle be asked about
	return a->from = first;
}

#endif
