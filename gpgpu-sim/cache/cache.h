// A cache: tags, MSHRs and a queue of misses, in the four roles of the GPU. What each role does with reads, writes and
// misses is that of GPGPU-Sim 4.2 (gpu-cache), whose option strings configure it: see docs/memory.md.
#ifndef GPGPU_SIM_CACHE_CACHE_H
#define GPGPU_SIM_CACHE_CACHE_H

#include "base/option_forms.h"
#include "gpgpu-sim/cache/prefetch.h"
#include "gpgpu-sim/request/mem_req.h"
#include "gpgpu-sim/request/port.h"

enum cache_role { CACHE_INST_CONST, CACHE_L1D, CACHE_L2, CACHE_TEXTURE };

// X(name): the text is what statistics print.
#define CACHE_STATUSES(X) X(HIT) X(HIT_RESERVED) X(MISS) X(RESERVATION_FAIL) X(SECTOR_MISS) X(MSHR_HIT)
enum cache_status {
#define X(name) CACHE_##name,
	CACHE_STATUSES(X)
#undef X
	CACHE_N_STATUSES
};

// Why a request could not be taken. Misspellings are GPGPU-Sim's and scripts look for them.
#define CACHE_FAILS(X) X(LINE_ALLOC_FAIL) X(MISS_QUEUE_FULL) X(MSHR_ENRTY_FAIL) X(MSHR_MERGE_ENRTY_FAIL) X(MSHR_RW_PENDING)
enum cache_fail {
#define X(name) CACHE_##name,
	CACHE_FAILS(X)
#undef X
	CACHE_N_FAILS
};

// What an access sent down; a set of these.
enum cache_event { CACHE_SENT_READ = 1, CACHE_SENT_WRITE = 2, CACHE_SENT_WRITEBACK = 4, CACHE_SENT_ALLOCATE = 8 };

struct cache_counts {
	uint64_t n[MEM_N_ACCESS_TYPES][CACHE_N_STATUSES];
	uint64_t fail[MEM_N_ACCESS_TYPES][CACHE_N_FAILS];
};

// Sums over all types, as the per-cache lines print them.
struct cache_sums {
	uint64_t accesses, misses, pending_hits, reservation_fails;
	uint64_t port_available, data_port_busy, fill_port_busy; // cache cycles
};

// What a cache sends its misses and write-backs to.
struct cache_below {
	void *ctx;
	bool (*full)(void *ctx, const struct mem_req *r);
	void (*push)(void *ctx, struct mem_req *r); // takes the request over
	// Of caches that prefetch; NULL: every address is theirs, and a request is just freed.
	bool (*locate)(void *ctx, uint64_t addr, struct mem_place *out); // false: the address is not for this cache
	void (*done)(void *ctx, struct mem_req *r); // ends a prefetch that came back
};

struct cache_config {
	struct cache_form form;
	enum cache_role role;
	const char *name;       // "gpu.sm[3].l1d"; must outlive the cache
	uint32_t write_ratio;   // percent of lines that must be dirty before a dirty one may be evicted (-gpgpu_l1_cache_write_ratio)
	struct prefetch_form prefetch; // of data caches
	uint32_t max_ways;      // tags are made for so many ways: cache_set_ways may go up to it (0: form.ways)
	uint64_t (*index_of)(uint64_t addr); // set hash C; NULL: set 0, as GPGPU-Sim has it
};

struct cache;

// What is asked of a cache in every cycle: how each struct cache begins. Read it through the functions below.
struct cache_head {
	uint64_t version;              // grows with every change that an access could see
	uint32_t data_busy, fill_busy; // cycles for which the ports are taken
	uint8_t last_fail;             // enum cache_fail
	bool sends, ready;             // as of the end of the last call
};
static inline const struct cache_head *cache_head(const struct cache *c) { return (const struct cache_head *)c; }

// What makes a configuration unusable in its role, as the end of a sentence, or NULL.
const char *cache_config_wrong(const struct cache_config *cfg);
// The configurations must be right (cache_config_wrong). cache_reshape makes an empty cache of another form and keeps the
// counts; it must be quiet.
void cache_reshape(struct cache *c, const struct cache_config *cfg);
struct cache *cache_new(const struct cache_config *cfg, struct mem_pool *pool, struct cache_below below);
void cache_free(struct cache *c);

// Statistics are kept per stream; make room before a launch of a new stream (never inside a cycle). There is room for
// stream 0 from the start.
void cache_reserve_streams(struct cache *c, unsigned n);
// Adds what stream has counted to *to, and begins its counts anew: another stream may have the number. cache_sums still has them.
void cache_retire_stream(struct cache *c, unsigned stream, struct cache_counts *to);
void cache_add_counts(struct cache_counts *to, const struct cache_counts *more);

// One access. `now` is the core cycle: it orders replacement. *events is set. The roles I, L1D and L2 answer HIT, MISS or
// RESERVATION_FAIL; texture never HIT but HIT_RESERVED, since its answers keep their order. On RESERVATION_FAIL nothing
// has changed but statistics. Who has the request then, cache_took() says.
//
// Requests have the address of the first byte, in a sectored cache exactly one sector, and in L2 place.offset, which the
// set hash takes instead of the address. While a request is below, its addr and bytes are those of the fetch; they are
// put back when it is filled.
enum cache_status cache_access(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events);

// Of a read-only cache: a request for the address would hit now.
bool cache_would_hit(struct cache *c, uint64_t addr);

// Ask the host for memory that an access to this address will touch: cache_foresee some cycles before it, cache_expect
// after that. cache_expect_fill: what a fill that finds no line there will touch. `where` is as for cache_fill_direct.
void cache_foresee(const struct cache *c, uint64_t addr);
void cache_expect(const struct cache *c, uint64_t addr, uint64_t where);
void cache_expect_fill(const struct cache *c, uint64_t addr, uint64_t where);
// The same for what cache_fill will touch when r, which may be its answer, is there.
void cache_foresee_answer(const struct cache *c, const struct mem_req *r);
void cache_expect_answer(const struct cache *c, const struct mem_req *r);

// Whether the cache has taken the request: reads that missed come back through cache_next_access, writes with
// CACHE_SENT_WRITE were sent down, and writes that wait for a fetch (fetch on write) come back as the origin of that fetch.
// If false, the request is still the caller's: to try again after RESERVATION_FAIL, else done and to be answered.
static inline bool cache_took(enum cache_status status, bool write, unsigned events)
{
	if (status == CACHE_RESERVATION_FAIL)
		return false;
	if (write)
		return events & (CACHE_SENT_WRITE | CACHE_SENT_ALLOCATE);
	return status != CACHE_HIT;
}

// A refused access can be counted again without making it: the reason of the last refusal (CACHE_N_FAILS: one that is not
// counted), which stands while cache_version stays the same, and n more refusals of r for that reason.
static inline enum cache_fail cache_last_fail(const struct cache *c) { return (enum cache_fail)cache_head(c)->last_fail; }
static inline uint64_t cache_version(const struct cache *c) { return cache_head(c)->version; }
void cache_count_fails(struct cache *c, const struct mem_req *r, enum cache_fail why, uint64_t n);

// One cycle: sends the oldest miss down if there is room, frees ports. True if anything changed but the port statistics.
// Write-backs that it sends have the place of the request that displaced them: channel and sub-partition are right in
// L2; the rest, and all of it in L1, whoever receives them works out from the address.
bool cache_tick(struct cache *c);
// Something waits to be sent: a tick is needed.
static inline bool cache_sends(const struct cache *c) { return cache_head(c)->sends; }
bool cache_idle(const struct cache *c);         // a tick would change nothing but the port statistics
// n ticks at once, of a cache that sends nothing, or after a tick that changed nothing.
void cache_skip(struct cache *c, uint64_t n);

bool cache_waits_for(const struct cache *c, const struct mem_req *r); // r, or what it is a sector of, answers a miss of this cache
// Takes the answer. Sectors of a request that was split are freed, and the request comes back when the last has come.
void cache_fill(struct cache *c, struct mem_req *r, uint64_t now);
// An access whose data came waits to be taken.
static inline bool cache_access_ready(const struct cache *c) { return cache_head(c)->ready; }
// The next such access. One of type L1_WR_ALLOC_R or L2_WR_ALLOC_R is a fetch of the cache's own: the caller frees it, and
// answers its origin, the write that waited, if it has one.
struct mem_req *cache_next_access(struct cache *c);
void cache_hold_data_port(struct cache *c, uint32_t cycles); // for so many cycles more
static inline bool cache_data_port_free(const struct cache *c) { return !cache_head(c)->data_busy; }
static inline bool cache_fill_port_free(const struct cache *c) { return !cache_head(c)->fill_busy; }

// Fills sectors of a line as if they had been read: host copies that go through L2 (-gpgpu_perf_sim_memcpy). `where` is
// the offset in the channel in L2, else the address.
void cache_fill_direct(struct cache *c, uint64_t addr, uint64_t where, uint32_t sector_mask, uint64_t now);

// Sectors of a line that are there become modified, all of their bytes, as if they had been written (-memcpy_modifies_l2).
void cache_modify_direct(struct cache *c, uint64_t addr, uint64_t where, uint32_t sector_mask, uint64_t now);

// Forgets a sector of a line, or the line if the cache has none, should it be there (`where` as above; a bit for the sector).
void cache_drop(struct cache *c, uint64_t addr, uint64_t where, uint32_t sector);

void cache_flush(struct cache *c);      // forget dirty lines, as GPGPU-Sim does: nothing is written
void cache_invalidate(struct cache *c); // all lines
const char *cache_name(const struct cache *c);
uint32_t cache_line(const struct cache *c); // bytes
bool cache_quiet(const struct cache *c); // nothing is being fetched and nothing waits to go down
void cache_set_ways(struct cache *c, uint32_t ways); // adaptive carve-out; the cache must be empty of misses
// A streaming cache (allocate s) allocates on fill, unless the carve-out gives it all of the memory; empty of misses.
void cache_set_allocate_on_miss(struct cache *c, bool on_miss);

const struct cache_counts *cache_counts(const struct cache *c, unsigned stream); // NULL if there is none
void cache_sums(const struct cache *c, struct cache_sums *out);
void cache_sums_since(struct cache *c, struct cache_sums *out, uint64_t rw[4]); // since the last call: time-lapse log; rw: read hits, read misses, write hits, write misses
void cache_prefetches(const struct cache *c, struct prefetch_counts *out);
uint32_t cache_hash_index(const struct cache *c, uint64_t addr); // set number
int cache_describe(const struct cache *c, char *buf, unsigned len); // pending misses and full queues, for deadlock reports

#endif
