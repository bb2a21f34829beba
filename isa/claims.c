#include "isa/claims.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

// Who has a sector, in a word: number of the batch, whether it was written, number of the CTA. Of another batch: nobody.
enum {
	CTA_BITS = 11, SEVERAL = (1 << CTA_BITS) - 1, // several CTAs have read it
	WRITTEN = 1 << CTA_BITS,
	BATCH_SHIFT = CTA_BITS + 1,
	LAST_BATCH = HEDDLE_LIMIT(5, (1 << (32 - BATCH_SHIFT)) - 1),
};
_Static_assert((int)CLAIMS_MOST_CTAS < (int)SEVERAL, "numbers of CTAs are told from SEVERAL");

enum {
	MOST_LOG = HEDDLE_LIMIT(300, 1 << 21), // sectors that a thread notes in a batch: 80 MB
	MOST_BYTES = 64, LANES = 32,           // of a lane's access; lanes
};

// What has happened to an allocation in a batch. Once tracked it stays so.
enum { UNTOUCHED, READ, TRACKED };

struct claims_sector {
	uint64_t at;
	uint64_t was[CLAIMS_SECTOR / 8];
};

struct claims_board {
	const struct devmem *mem;
	_Atomic uint32_t *sector;  // of all device memory; pages that were never touched take no room
	size_t bytes;
	uint32_t batch, open;
	atomic_uchar *range;       // of each allocation of the batch, in the order of devmem.range
	size_t n_range, cap_range;
	VEC(uint64_t) tracked;     // uids of allocations that are tracked from the beginning of a batch on
	atomic_uint failed;        // enum claims_end
	_Atomic uint64_t learned;  // uid of an allocation to be tracked, 0 none
};

struct claims_board *claims_board_new(const struct devmem *mem)
{
	const size_t bytes = (mem->size / CLAIMS_SECTOR + 1) * sizeof(uint32_t);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	struct claims_board *b = MEM_NEW(struct claims_board);
	b->mem = mem;
	b->sector = p;
	b->bytes = bytes;
	return b;
}

void claims_board_free(struct claims_board *b)
{
	if (!b)
		return;
	munmap((void *)b->sector, b->bytes);
	VEC_FREE(&b->tracked);
	mem_free(b->range);
	mem_free(b);
}

void claims_init(struct claims *c, struct claims_board *b)
{
	*c = (struct claims){.board = b, .refuge = mem_alloc_lines(LANES * MOST_BYTES)};
}

void claims_free(struct claims *c)
{
	mem_free(c->log);
	mem_free(c->refuge);
	*c = (struct claims){0};
}

void claims_forget(struct claims_board *b) { b->tracked.n = 0; }

void claims_begin(struct claims_board *b, struct claims *const c[], unsigned n)
{
	const struct devmem *m = b->mem;
	b->open += b->open + 1 ? 1 : 2; // never 0
	if (b->batch++ == LAST_BATCH) { // the numbers begin again
		madvise((void *)b->sector, b->bytes, MADV_DONTNEED);
		b->batch = 1;
	}
	if (m->n_range > b->cap_range) {
		b->cap_range = m->n_range * 2;
		b->range = mem_realloc(b->range, b->cap_range * sizeof *b->range);
	}
	b->n_range = m->n_range;
	for (size_t i = 0; i < b->n_range; i++)
		atomic_init(&b->range[i], UNTOUCHED);
	for (size_t i = 0; b->tracked.n && i < b->n_range; i++)
		for (size_t k = 0; k < b->tracked.n; k++)
			if (m->range[i].uid == b->tracked.at[k])
				atomic_init(&b->range[i], TRACKED);
	atomic_store_explicit(&b->failed, CLAIMS_FINE, memory_order_relaxed);
	atomic_store_explicit(&b->learned, 0, memory_order_relaxed);
	for (unsigned i = 0; i < n; i++) {
		c[i]->batch = b->batch;
		c[i]->open = b->open;
		c[i]->n_log = 0;
		c[i]->read = c[i]->write = (struct claims_range){0};
	}
}

// A sector has one writer, so the order in which they are put back does not matter.
static void undo(const struct claims *c)
{
	for (size_t i = 0; i < c->n_log; i++)
		memcpy((void *)(uintptr_t)c->log[i].at, c->log[i].was, CLAIMS_SECTOR);
}

enum claims_end claims_finish(struct claims_board *b, struct claims *const c[], unsigned n)
{
	const enum claims_end end = atomic_load(&b->failed);
	if (end == CLAIMS_FINE)
		return end;
	for (unsigned i = 0; i < n; i++)
		undo(c[i]);
	const uint64_t uid = atomic_load(&b->learned);
	if (end == CLAIMS_CONFLICT || !uid)
		return CLAIMS_CONFLICT;
	VEC_PUSH(&b->tracked, uid);
	return CLAIMS_LEARNED;
}

// What comes after the first failure may be its consequence.
static void fail(struct claims_board *b, enum claims_end how)
{
	unsigned was = CLAIMS_FINE;
	atomic_compare_exchange_strong(&b->failed, &was, how);
}

void claims_give_up(struct claims *c) { fail(c->board, CLAIMS_CONFLICT); }

bool claims_failed(const struct claims_board *b) { return atomic_load_explicit(&b->failed, memory_order_relaxed) != CLAIMS_FINE; }

// --- sectors

static bool note(struct claims *c, uint64_t at)
{
	if (c->n_log == c->cap_log) {
		if (c->n_log >= MOST_LOG)
			return false;
		c->cap_log = c->cap_log ? c->cap_log * 2 : HEDDLE_LIMIT(2, 1024);
		c->log = mem_realloc(c->log, c->cap_log * sizeof *c->log);
	}
	struct claims_sector *s = &c->log[c->n_log++];
	s->at = at;
	memcpy(s->was, (const void *)(uintptr_t)at, CLAIMS_SECTOR);
	return true;
}

// The CTA has the sector, number n of the memory, for what it is about to do, from now on.
static inline bool claim(struct claims *c, uint64_t n, bool write)
{
	_Atomic uint32_t *word = &c->board->sector[n];
	const uint32_t batch = c->batch << BATCH_SHIFT, mine = batch | c->cta | (write ? WRITTEN : 0);
	uint32_t seen = atomic_load_explicit(word, memory_order_relaxed), next;
	do {
		if (seen == mine)
			return true;
		const uint32_t cta = seen & SEVERAL;
		if (seen >> BATCH_SHIFT != c->batch)
			next = mine;
		else if (cta == c->cta && seen & WRITTEN)
			return true;
		else if (cta == c->cta)
			next = mine;
		else if (write || seen & WRITTEN)
			return false;
		else if (cta == SEVERAL)
			return true;
		else
			next = batch | SEVERAL;
	} while (!atomic_compare_exchange_weak_explicit(word, &seen, next, memory_order_acq_rel, memory_order_relaxed));
	return !write || note(c, c->board->mem->base + n * CLAIMS_SECTOR);
}

// --- allocations

// Host threads may look at these while a kernel runs, and must not see what is undone later.
static bool shown(enum devmem_kind kind) { return kind == DEVMEM_HOST || kind == DEVMEM_REGISTERED; }

// Notes what the CTA is about to do with the allocation. False if the batch fails.
static bool touch(struct claims_board *b, const struct devmem_range *r, bool write, struct claims_range *out)
{
	atomic_uchar *state = &b->range[r - b->mem->range];
	unsigned char was = atomic_load(state);
	if (write && shown(r->kind)) {
		fail(b, CLAIMS_CONFLICT);
		return false;
	}
	while (was == UNTOUCHED && !atomic_compare_exchange_weak(state, &was, write ? TRACKED : READ))
		;
	if (write && was == READ) {
		atomic_store_explicit(&b->learned, r->uid, memory_order_relaxed);
		fail(b, CLAIMS_LEARNED);
		return false;
	}
	*out = (struct claims_range){r->base, r->end, write || was == TRACKED};
	return true;
}

static bool inside(const struct claims_range *r, uint64_t at, uint32_t bytes)
{
	return at >= r->lo && at < r->hi && r->hi - at >= bytes;
}

static bool find(struct claims *c, uint64_t at, uint32_t bytes, bool write, struct claims_range *r)
{
	struct claims_board *b = c->board;
	const struct devmem_range *d = devmem_find(b->mem, at);
	struct claims_range found;
	// Threads of the program may allocate and free meanwhile: another table than that of the batch.
	if (!d || b->mem->n_range != b->n_range || at - b->mem->base >= b->mem->size || d->end - at < bytes) {
		fail(b, CLAIMS_CONFLICT);
		return false;
	}
	if (!touch(b, d, write, &found))
		return false;
	*r = found;
	return true;
}

static inline bool granted(struct claims *c, uint64_t at, uint32_t bytes, bool write)
{
	struct claims_range *r = write ? &c->write : &c->read;
	if (!inside(r, at, bytes) && !find(c, at, bytes, write, r))
		return false;
	if (!r->tracked)
		return true;
	const uint64_t base = c->board->mem->base, last = (at + bytes - 1 - base) / CLAIMS_SECTOR;
	for (uint64_t n = (at - base) / CLAIMS_SECTOR; n <= last; n++)
		if (!claim(c, n, write)) {
			fail(c->board, CLAIMS_CONFLICT);
			return false;
		}
	return true;
}

void claims_loaded(const struct claims *c, struct devmem_hit *hit)
{
	const struct claims_range *r = &c->read;
	hit->open = r->hi && !r->tracked && hit->base >= r->lo && hit->end <= r->hi ? c->open : 0;
}

uint64_t claims_place(struct claims *c, uint64_t at, uint32_t bytes, bool write)
{
	HEDDLE_ASSERT(bytes && bytes <= LANES * MOST_BYTES);
	return granted(c, at, bytes, write) ? at : (uintptr_t)c->refuge;
}

void claims_lanes(struct claims *c, uint64_t *adr, uint32_t mask, uint32_t bytes, bool write)
{
	HEDDLE_ASSERT(bytes <= MOST_BYTES);
	for (uint32_t m = mask; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);
		if (!granted(c, adr[i], bytes, write))
			adr[i] = (uintptr_t)c->refuge + i * MOST_BYTES;
	}
}
