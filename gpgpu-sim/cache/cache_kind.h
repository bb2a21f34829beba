// What is inside a cache, for the files that say what a kind of cache does with an access. cache.h is what others use.
//
//   cache.c            making, statistics, looking; the list of kinds
//   cache_read_only.c  instruction and constant caches
//   cache_data.c       L1 data caches and L2 slices: the write policies
//   cache_mshr.c       what those have in common: reads that wait in MSHRs, the queue of misses, ports, answers
//   cache_texture.c    texture caches: everything in one FIFO
//
// To add a kind: a file with its struct cache_kind, a role in enum cache_role (cache.h) and a line in the array of cache.c;
// what each role may be told in a cache string is said by `wrong`.
#ifndef GPGPU_SIM_CACHE_CACHE_KIND_H
#define GPGPU_SIM_CACHE_CACHE_KIND_H

#include "gpgpu-sim/cache/cache.h"
#include "gpgpu-sim/cache/mshr.h"
#include "gpgpu-sim/cache/tag_array.h"

#include <stddef.h>

// The meaning of each entry is that of the function cache_... of the same name in cache.h. access, tick, fill and
// next_access leave the cache's head right.
struct cache_kind {
	const char *name;
	bool ports;                   // it has a data and a fill port, whose time is counted
	const char *(*wrong)(const struct cache_config *cfg); // what it cannot be told, as the end of a sentence, or NULL
	void (*init)(struct cache *c);
	void (*free)(struct cache *c);
	enum cache_status (*access)(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events);
	bool (*tick)(struct cache *c);
	bool (*idle)(const struct cache *c);
	bool (*waits_for)(const struct cache *c, const struct mem_req *r);
	void (*foresee_answer)(const struct cache *c, const struct mem_req *r); // may be NULL
	void (*expect_answer)(const struct cache *c, const struct mem_req *r);  // may be NULL
	void (*fill)(struct cache *c, struct mem_req *r, uint64_t now);
	struct mem_req *(*next_access)(struct cache *c);
	bool (*quiet)(const struct cache *c);
	int (*describe)(const struct cache *c, char *buf, unsigned len);
};

extern const struct cache_kind cache_read_only, cache_data, cache_texture;

// An access to a cache finds little of it in the host's caches: what it looks at stands in the first cache lines, together
// what is looked at together.
struct cache {
	_Alignas(64) struct cache_head head;
	const struct cache_kind *kind;
	struct cache_counts *counts;  // one per stream
	uint32_t n_streams;
	uint32_t atom;                // bytes of a fetch: a sector or a line, a power of two
	uint8_t answers;              // messages in which a fetch comes back
	uint8_t port_shift;           // log2 of the bytes a port takes in a cycle; it divides the line, a power of two
	uint8_t role;                 // enum cache_role
	uint8_t fetch_type, writeback_type;
	bool on_miss;                 // lines are allocated by the access that misses, else by the fill
	bool split;                   // the level below answers in sectors, whose origin is the request
	bool prefetches;
	uint64_t port_available;      // cycles

	struct tag_array tags;

	struct mshr mshr;             // of kinds with MSHRs,
	struct mem_pool *pool;
	void *own;                    // what the kind keeps besides
	struct port miss;             // and their requests that go down, oldest first
	struct cache_below below;
	struct cache_form form;
	uint64_t data_port_busy, fill_port_busy; // cycles, those of head.data_busy and fill_busy, which are still to come, among them

	struct prefetch prefetch;     // of kinds with MSHRs: what they fetch ahead, if it prefetches
	struct cache_counts past;     // those of streams that were retired
	struct cache_sums seen;       // at the last cache_sums_since
	uint64_t seen_rw[4];
	const char *name;
};
_Static_assert(offsetof(struct cache, tags) == 64 && offsetof(struct cache, miss) == 256 && offsetof(struct cache, prefetch) <= 448, "cache lines");

// ---- Counting

// Of kinds with MSHRs: what its head says.
static inline void cache_mshr_look(struct cache *c)
{
	c->head.sends = c->miss.n || (c->prefetches && c->prefetch.want.n);
	c->head.ready = mshr_has_ready(&c->mshr);
}

static inline struct cache_counts *cache_counts_of(struct cache *c, const struct mem_req *r)
{
	HEDDLE_ASSERT(r->stream < c->n_streams && r->type < MEM_N_ACCESS_TYPES);
	return &c->counts[r->stream];
}

static inline enum cache_status cache_refuse(struct cache *c, const struct mem_req *r, enum cache_fail why)
{
	c->head.last_fail = (uint8_t)why;
	cache_counts_of(c, r)->fail[r->type][why]++;
	return CACHE_RESERVATION_FAIL;
}

// The end of an access, of kinds with MSHRs. An accepted one counts as what its tags said if the line was on its way or
// lacked the sector, else as its outcome.
static inline enum cache_status cache_count(struct cache *c, const struct mem_req *r, enum cache_status probe, enum cache_status access)
{
	enum cache_status as = access;
	if (probe == CACHE_HIT_RESERVED && access != CACHE_RESERVATION_FAIL)
		as = probe;
	else if (probe == CACHE_SECTOR_MISS && access == CACHE_MISS)
		as = probe;
	cache_counts_of(c, r)->n[r->type][as]++;
	c->head.version += access != CACHE_RESERVATION_FAIL;
	cache_mshr_look(c);
	return access;
}

// The ports are taken for n cycles more.
static inline void cache_data_port_take(struct cache *c, uint32_t n)
{
	c->head.data_busy += n;
	c->data_port_busy += n;
}

static inline void cache_fill_port_take(struct cache *c, uint32_t n)
{
	c->head.fill_busy += n;
	c->fill_port_busy += n;
}

// n cycles of the ports pass.
static inline void cache_ports_pass(struct cache *c, uint64_t n)
{
	struct cache_head *h = &c->head;
	c->port_available += n;
	if (h->data_busy | h->fill_busy) {
		h->data_busy -= h->data_busy < n ? h->data_busy : (uint32_t)n;
		h->fill_busy -= h->fill_busy < n ? h->fill_busy : (uint32_t)n;
	}
}

// ---- Kinds with MSHRs (cache_mshr.c)

// One access on its way.
struct access {
	struct mem_req *r;
	struct tag_at at;
	uint64_t where;    // what the set hash takes
	uint64_t now;
	unsigned *events;
};

// What the set hash takes.
static inline uint64_t cache_where(const struct cache *c, const struct mem_req *r)
{
	return c->role == CACHE_L2 ? r->place.offset : r->addr;
}

// A prefetch of this cache; one of the level above is a read like others.
static inline bool cache_is_prefetch(const struct cache *c, const struct mem_req *r) { return r && r->prefetch && r->type == c->fetch_type; }

// The MSHR that a read joins or needs.
static inline uint64_t cache_key_of(const struct cache *c, uint64_t addr) { return addr & -(uint64_t)c->atom; }
static inline uint64_t cache_key(const struct cache *c, const struct mem_req *r) { return cache_key_of(c, r->addr); }
static inline enum cache_fail cache_mshr_fail(const struct mshr_entry *e) { return e ? CACHE_MSHR_MERGE_ENRTY_FAIL : CACHE_MSHR_ENRTY_FAIL; }

// Room for `n` misses besides the one that a place must be left for. A queue so short that GPGPU-Sim would wait forever
// takes them when it is empty.
static inline bool cache_room_for(const struct cache *c, uint32_t n)
{
	uint32_t size = c->form.miss_queue > n ? c->form.miss_queue : n + 1;
	return c->miss.n + n < size;
}

// r waits for its line: behind others that do (e), or by going down for it. The caller has seen that there is room.
void cache_send_read(struct cache *c, struct mem_req *r, struct mshr_entry *e, const struct access *a, struct tag_victim *victim);

// The line that an access displaced goes down, if it must.
void cache_send_write_back(struct cache *c, const struct mem_req *r, const struct tag_victim *v, uint64_t now);
static inline bool cache_must_write_back(const struct cache *c, const struct tag_victim *v) { return v->modified && c->form.write != 'T'; }

// A fetch of the cache's own, of a sector or line still to be named.
struct mem_req *cache_own_fetch(struct cache *c, uint64_t now);

void cache_mshr_init(struct cache *c);
void cache_mshr_free(struct cache *c);
bool cache_mshr_tick(struct cache *c);
bool cache_mshr_idle(const struct cache *c);
bool cache_mshr_waits_for(const struct cache *c, const struct mem_req *r);
void cache_mshr_foresee_answer(const struct cache *c, const struct mem_req *r);
void cache_mshr_expect_answer(const struct cache *c, const struct mem_req *r);
void cache_mshr_fill(struct cache *c, struct mem_req *r, uint64_t now);
struct mem_req *cache_mshr_next_access(struct cache *c);
bool cache_mshr_quiet(const struct cache *c);
int cache_mshr_describe(const struct cache *c, char *buf, unsigned len);

// The entries of struct cache_kind that these kinds share.
#define CACHE_MSHR_KIND                                                                                              \
	.ports = true, .init = cache_mshr_init, .free = cache_mshr_free, .tick = cache_mshr_tick, .idle = cache_mshr_idle, \
	.waits_for = cache_mshr_waits_for, .foresee_answer = cache_mshr_foresee_answer, \
	.expect_answer = cache_mshr_expect_answer, .fill = cache_mshr_fill, .next_access = cache_mshr_next_access, \
	.quiet = cache_mshr_quiet, .describe = cache_mshr_describe

#endif
