// Cache prefetching: what a cache asks for before anybody needs it. The policy sees every access that the cache took and
// says what it wants; when it is fetched, and whether, is the cache's (cache_mshr.c): one a tick, as long as there is an MSHR.
//
// To add a policy: a file prefetch_NAME.c with its struct prefetch_ops, a line in the array of prefetch.c, its number in
// enum prefetch_policy (base/option_forms.h) and its name in option_forms.c, a row in docs/memory.md, and a case in
// tests/unit/test_prefetch.c. prefetch_next_line.c is the shortest to look at. State that a policy needs besides the
// degree goes into struct prefetch.
#ifndef GPGPU_SIM_CACHE_PREFETCH_H
#define GPGPU_SIM_CACHE_PREFETCH_H

#include "base/option_forms.h"
#include "base/ring.h"
#include "gpgpu-sim/request/mem_req.h"

// An access that was taken.
struct prefetch_seen {
	const struct mem_req *r;
	uint64_t now;
	bool miss;          // its line or sector was not there, nor on its way
	bool first_use;     // it is the first to find what was prefetched
};

struct prefetch_want {
	uint64_t addr;      // in the sector or line
	uint64_t now;       // of the access that made it wanted
	struct mem_place place;
	uint32_t pc_line;
	uint16_t sm, stream;
	uint8_t sectors;
};

struct prefetch_counts {
	uint64_t sent;      // fetched
	uint64_t useful;    // of them: found by an access after they had come,
	uint64_t late;      // joined by one while they were on their way,
	uint64_t unused;    // lost before any access (counted by the tags)
	uint64_t needless;  // not fetched, for the cache had it or was fetching it already,
	uint64_t dropped;   // because there was no room: queue of wants, MSHRs, lines
	uint64_t elsewhere; // because the address is another slice's
};

struct prefetch {
	const struct prefetch_ops *ops; // NULL: none
	uint32_t degree, line;
	RING(struct prefetch_want) want; // to be fetched, oldest first
	struct prefetch_counts count;
	// Whether an address is this cache's to fetch, and where it lies; NULL: all are, and it does not matter.
	bool (*locate)(void *ctx, uint64_t addr, struct mem_place *out);
	void *ctx;
};

struct prefetch_ops {
	const char *name;
	void (*seen)(struct prefetch *p, const struct prefetch_seen *s);
};

enum { PREFETCH_WANTS = 32 }; // entries of the queue of wants

void prefetch_init(struct prefetch *p, const struct prefetch_form *f, uint32_t line);
void prefetch_free(struct prefetch *p);
// For policies: the sector or line at `addr` is wanted because of an access.
void prefetch_want(struct prefetch *p, const struct prefetch_seen *s, uint64_t addr);

extern const struct prefetch_ops prefetch_next_line, prefetch_tagged;

#endif
