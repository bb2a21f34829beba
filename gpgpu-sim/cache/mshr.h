// Miss status holding registers: which lines or sectors are being fetched and who waits for each. Waiters are given back
// in the order in which they came, lines in the order in which the data came. The first waiter may be the request that went
// down, which stands in queues of the levels below; those behind it stand nowhere else, so they are chained by mem_req.next.
#ifndef GPGPU_SIM_CACHE_MSHR_H
#define GPGPU_SIM_CACHE_MSHR_H

#include "gpgpu-sim/request/mem_req.h"

struct tag_line;

// A cache line of the host.
struct mshr_entry {
	_Alignas(64) uint64_t key;  // address of the line or sector
	struct mem_req *first;      // waiters: the first,
	struct mem_req *rest, *last; // the others: a chain from rest to last
	struct mem_req *sent;       // the one that went down; NULL once its answer has come
	struct tag_line *line;      // reserved for it; NULL if it will find one itself
	uint32_t n;                 // waiters
	uint32_t next;              // free or ready list: index plus one
	uint16_t offset, bytes;     // of `sent` in the line or sector, as it was before it became its fetch
	uint16_t pending;           // answers to come
	bool atomic, ready;
};
_Static_assert(sizeof(struct mshr_entry) == 64, "a cache line");

// Of the table by key, which is open-addressed: a search looks only at entries whose key has the same hash.
struct mshr_slot {
	uint32_t hash;
	uint32_t at;                // index of an entry plus one, 0 empty
};

struct mshr {
	struct mshr_entry *entry;
	struct mshr_slot *table;
	uint32_t mask;              // of the table
	uint32_t limit, merges;     // entries, waiters of an entry
	uint32_t n, fresh;          // in use; never used lie above `fresh`
	uint32_t free, ready_first, ready_last; // index plus one
};

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merges);
void mshr_free(struct mshr *m);
void mshr_foresee(const struct mshr *m, uint64_t key);            // asks the host for what tells whether there is one
struct mshr_entry *mshr_find(const struct mshr *m, uint64_t key); // NULL if there is none
struct mshr_entry *mshr_add(struct mshr *m, uint64_t key);        // one without waiters
void mshr_wait(struct mshr_entry *e, struct mem_req *r);
void mshr_ready(struct mshr *m, struct mshr_entry *e);
// Takes the first waiter out of an entry that is not ready yet; false if it was the only one: the entry is gone.
bool mshr_leave(struct mshr *m, struct mshr_entry *e);
struct mem_req *mshr_next(struct mshr *m); // the next waiter of the oldest ready entry, which it frees with the last

// No room for one more that waits for `e`, or for a new entry if e is NULL.
static inline bool mshr_full(const struct mshr *m, const struct mshr_entry *e)
{
	return e ? e->n >= m->merges : m->n >= m->limit;
}

static inline bool mshr_has_ready(const struct mshr *m) { return m->ready_first != 0; }

#endif
