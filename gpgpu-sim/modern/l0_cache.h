// An L0 cache of a sub-core: tags, the lines that are being fetched with who waits for each, and the queue of fetches that
// are still to be sent. Read-only, lines are allocated by the fill. A look-up makes no request and allocates nothing.
//
// A line is named by its number, the address over the line's bytes.
#ifndef GPGPU_SIM_MODERN_L0_CACHE_H
#define GPGPU_SIM_MODERN_L0_CACHE_H

#include "base/option_forms.h"
#include "gpgpu-sim/modern/line_ring.h"
#include "gpgpu-sim/cache/set_index.h"

// An instruction of a warp that waits for a line: number `seq` since the warp was sent elsewhere for the `epoch`th time.
struct l0_waiter {
	uint32_t epoch, seq;
	uint32_t next; // index plus one
	uint8_t warp;
};

struct l0_miss {
	uint64_t line;
	uint32_t n, first, last; // waiters, in the order in which they came: index plus one
};

struct l0_cache {
	uint64_t *tag;           // [set][way]: line number plus one, 0 none
	uint64_t *used;          // when that line was last used (or filled, with FIFO)
	uint64_t clock;          // of uses
	struct set_index index;
	uint32_t sets, ways;
	uint8_t shift;           // log2 of the bytes of a line
	bool fifo;
	struct l0_miss *miss;    // the first n_miss are in use, in no order
	uint32_t n_miss, limit, merges;
	struct l0_waiter *waiter;
	uint32_t n_waiter, free_waiter; // of the pool; index plus one
	struct line_ring queue;  // misses to be sent
};

enum { L0_MAX_WAITERS = 4096 };

// Without `waits`, misses have no waiters: whoever asked asks again.
void l0_init(struct l0_cache *c, const struct cache_form *f, bool waits);
void l0_free(struct l0_cache *c);
void l0_invalidate(struct l0_cache *c); // all lines; what is being fetched comes all the same

int l0_find_slow(const struct l0_cache *c, uint64_t line);
void l0_fill(struct l0_cache *c, uint64_t line); // in the place of the one that was not used for longest

// Place of the line or -1. `hint` is where it may be: any place.
static inline int l0_find(const struct l0_cache *c, uint64_t line, uint32_t hint)
{
	return c->tag[hint] == line + 1 ? (int)hint : l0_find_slow(c, line);
}

static inline void l0_use(struct l0_cache *c, int place)
{
	if (!c->fifo)
		c->used[place] = ++c->clock;
}

struct l0_miss *l0_missing(const struct l0_cache *c, uint64_t line); // NULL: it is not being fetched
static inline bool l0_full(const struct l0_cache *c) { return c->n_miss >= c->limit; }
struct l0_miss *l0_add(struct l0_cache *c, uint64_t line);           // not full; valid until the next l0_end
// One more may wait for the line; miss NULL: for a new one.
static inline bool l0_can_wait(const struct l0_cache *c, const struct l0_miss *miss)
{
	return c->free_waiter && (!miss || miss->n < c->merges);
}
void l0_wait(struct l0_cache *c, struct l0_miss *miss, struct l0_waiter w);
// The line is there: takes the oldest waiter, or returns false and forgets the miss.
bool l0_take_waiter(struct l0_cache *c, struct l0_miss *miss, struct l0_waiter *out);
void l0_end(struct l0_cache *c, struct l0_miss *miss); // no waiters are left

#endif
