// Who is ordered after whom in a block, by barriers and __syncwarp: clocks of warps (racecheck).
//
// Each warp has a time that goes on at every synchronisation it takes part in. An access of warp j at its time t is ordered
// before what warp k does now if t < seen[k][j]; within a warp, before what lane l does now if t < all, or if t < lane[l][its lane].
#ifndef CUDA_SIM_CHECK_CLOCKS_H
#define CUDA_SIM_CHECK_CLOCKS_H

#include "cuda-sim/exec/warp.h"

struct clock_warp {
	uint32_t now;              // its time
	uint32_t all;              // accesses of its own lanes before this are ordered for all of them
	uint32_t safe;             // accesses of whoever before this are ordered
	uint32_t waiting;          // lanes that have come to a __syncwarp and wait for others
	uint32_t seen[WARP];       // by warp
	uint32_t (*lane)[WARP];    // [l][m]: what lane l has seen of lane m; NULL: nothing beyond `all`
	uint32_t published[WARP];  // what its last fence puts before its later stores to flags; 0 where nothing
	uint32_t pending[WARP];    // what flags that it has read put before its next fence
	bool has_published, has_pending;
};

// What a flag in shared memory, written behind a fence, puts before whoever reads it.
struct clock_flag {
	uint64_t addr;
	uint32_t seen[WARP];
};

struct clocks {
	unsigned n_warp;
	uint32_t base;             // the block's first time
	struct clock_warp *warp;
	struct {
		uint32_t lanes[WARP], waits; // who has come; warps of which some wait
		uint32_t seen[WARP];
	} barrier[EXEC_BARRIERS + 1]; // the last one: of the cluster
	struct clock_flag *flag;   // open addressing; a full table forgets nothing new
	unsigned n_flag;
};

void clocks_new(struct clocks *c, unsigned n_warp);
void clocks_free(struct clocks *c);
void clocks_start(struct clocks *c); // another block

void clocks_warpsync(struct clocks *c, const struct warp *w, uint32_t mask, const uint32_t *members);
// Lanes of a warp are ordered after each other.
void clocks_meet(struct clocks *c, const struct warp *w, uint32_t lanes);
void clocks_arrive(struct clocks *c, const struct warp *w, uint32_t mask, uint32_t id, bool waits);
void clocks_open(struct clocks *c, const struct exec_cta *x, uint32_t id);

// Flags: a fence of the warp, and its volatile or atomic accesses at an address of shared memory.
void clocks_fence(struct clocks *c, unsigned warp);
void clocks_flag_written(struct clocks *c, unsigned warp, uint64_t addr);
void clocks_flag_read(struct clocks *c, unsigned warp, uint64_t addr);

// Whether what lanes `lanes` of warp `of` did at `time` is ordered before what lane `lane` of `warp` does now. A lane is always
// behind itself.
static inline bool clocks_ordered(const struct clocks *c, unsigned warp, unsigned lane, unsigned of, uint32_t lanes, uint32_t time)
{
	const struct clock_warp *k = &c->warp[warp];
	if (time < k->safe)
		return true;
	if (of != warp)
		return time < k->seen[of];
	lanes &= ~(1u << lane);
	if (!lanes || time < k->all)
		return true;
	if (!k->lane)
		return false;
	for (; lanes; lanes &= lanes - 1)
		if (time >= k->lane[lane][__builtin_ctz(lanes)])
			return false;
	return true;
}

#endif
