// The tags of a cache: which lines it holds, in what state, and which to replace. Lines (kind N) are one sector; sector
// lines (S) have four with a state each. A sector is invalid, reserved for a fetch, valid, or modified; a modified one
// is readable when all its bytes are there.
#ifndef GPGPU_SIM_CACHE_TAG_ARRAY_H
#define GPGPU_SIM_CACHE_TAG_ARRAY_H

#include "gpgpu-sim/cache/cache.h"
#include "gpgpu-sim/cache/set_index.h"

enum { TAG_MAX_WAYS = 0xfffe };

// Masks have a bit per sector; a sector is in at most one of reserved, valid and modified, a line with none is empty.
struct tag_line {
	_Alignas(64) uint64_t addr; // of the line
	uint64_t stamp;         // when allocated; the rest of what orders replacement is the policy's (replace.h):
	uint64_t order;
	struct mem_bytes dirty; // bytes written
	uint32_t set;
	uint16_t prev, next;    // ways plus one, 0 none
	uint8_t rank;
	uint8_t reserved, valid, modified, readable;
	uint8_t modified_on_fill, readable_on_fill;
	uint8_t prefetched;     // sectors that were prefetched and not yet used
	bool dirty_on_fill;     // the bytes of the request that is filled were written
};

struct replace_ops;

struct tag_set {
	uint16_t first, last;   // of the policy: ways plus one
	uint32_t n_live, n_reserved;
};

// Arrays are made for max_ways, when the first line is needed. Lines of a set are contiguous. A line is found through
// a table over all sets, so that a search costs the same however many ways there are (a GPU's L1 has up to 256).
struct tag_array {
	// What every access looks at: two cache lines of the host, with what follows.
	struct tag_line *line;  // set * ways + way; each in a cache line of the host. NULL, as slot is, until one is needed
	// Open-addressed by line address: the index of a line plus one in the bits of slot_line, in those above bits of
	// the address's hash, so that a search touches no other lines; 0: empty.
	uint32_t *slot;
	struct tag_set *set;
	uint64_t *live;         // bit per way
	uint32_t slot_mask, slot_shift, slot_line;
	uint32_t line_bytes;
	uint32_t ways, live_words;
	uint32_t dirty;         // modified lines, as GPGPU-Sim counts them
	uint32_t dirty_min;     // so many are needed before a modified line may be replaced
	struct set_index index;
	const struct replace_ops *replace;
	bool sectored;
	bool used;              // since the last flush

	uint32_t n_sets, max_ways;
	uint32_t write_ratio;
	uint64_t draws;         // of the policy
	uint64_t unused;        // sectors that were prefetched and went without use
};
_Static_assert(sizeof(struct tag_array) == 128, "two cache lines");

static inline bool tag_line_live(const struct tag_line *l) { return l->reserved | l->valid | l->modified; }

// The lines of a set, by way.
static inline struct tag_line *tag_row(const struct tag_array *t, uint32_t set) { return &t->line[(size_t)set * t->ways]; }

struct tag_at {
	struct tag_line *line;    // on MISS the one to replace; NULL on RESERVATION_FAIL
	enum cache_status status; // HIT, HIT_RESERVED, MISS, SECTOR_MISS or RESERVATION_FAIL
};

struct tag_victim {
	bool modified;          // there was one, and it has to be written back
	uint64_t addr;
	uint32_t bytes;
	uint8_t sectors;
	uint8_t incomplete;     // of those, sectors of which some bytes were neither fetched nor written
	struct mem_bytes mask;
};

void tag_array_init(struct tag_array *t, const struct cache_config *cfg);
void tag_array_free(struct tag_array *t);

// Ask the host for memory that tag_probe will touch: what tells where the line is, some time ahead; then the line, or that
// of a victim.
void tag_foresee(const struct tag_array *t, uint64_t addr);
void tag_expect(const struct tag_array *t, uint64_t addr, uint64_t where);
void tag_expect_victim(const struct tag_array *t, uint64_t where);
// Looks; changes nothing that a later look could see. `addr` is in the line, `where` what the set hash takes (the
// address, or the offset in the channel), `sectors` has one bit.
struct tag_at tag_probe(struct tag_array *t, uint64_t addr, uint64_t where, unsigned sectors, bool write);
// Uses the line that tag_probe found; on MISS and SECTOR_MISS reserves it, if the cache allocates on a miss.
void tag_use(struct tag_array *t, struct tag_at at, uint64_t addr, unsigned sectors, uint64_t now, bool on_miss,
             struct tag_victim *victim);
// The data came for a line that was reserved; false, and nothing done, if the line is no longer that of `addr`.
bool tag_fill_line(struct tag_array *t, struct tag_line *l, uint64_t addr, unsigned sectors, const struct mem_bytes *mask);
// The data came and finds itself a line (allocation on fill, host copies).
void tag_fill(struct tag_array *t, uint64_t addr, uint64_t where, unsigned sectors, const struct mem_bytes *mask,
              bool write, uint64_t now);

// A sector that came was prefetched, if it is still there. An access found one: true if it is the first.
void tag_mark_prefetched(struct tag_array *t, uint64_t addr, unsigned sectors);
static inline bool tag_first_use(struct tag_line *l, unsigned sectors, bool sectored)
{
	unsigned s = sectored ? sectors : 1;
	bool first = l->prefetched & s;
	l->prefetched &= ~s;
	return first;
}

// Writes of a line that is there: the sector is modified; it is lost; it is readable if all its bytes are written.
void tag_modify(struct tag_array *t, struct tag_line *l, unsigned sectors, const struct mem_bytes *mask);
// All that a write does to a line that it hits.
void tag_write(struct tag_array *t, struct tag_line *l, unsigned sectors, const struct mem_bytes *mask, uint64_t now);
void tag_drop(struct tag_array *t, struct tag_line *l, unsigned sectors);
void tag_update_readable(struct tag_array *t, struct tag_line *l, unsigned sectors);

void tag_flush(struct tag_array *t);
void tag_invalidate(struct tag_array *t);
void tag_set_ways(struct tag_array *t, uint32_t ways);

#endif
