#include "isa/devmem.h"

#include "base/assert.h"
#include "base/mem.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Free space: blocks of the reserved range that no allocation covers, sorted by address. Allocations, each rounded up
// to whole pages, leave at least DEVMEM_SLACK bytes to the next, because `end` never passes the block's last byte.
struct hole {
	uint64_t base, size;
};
struct impl {
	struct hole *hole;
	size_t n, cap;
	uint64_t page;
	uint64_t align, gap;  // of every allocation: least alignment, bytes that stay free behind it
	uint64_t next, other; // where to look first: for what the program allocates, for everything else
	bool onward;          // `next` follows the last allocation
	struct hole *held;    // freed and not used again yet, a ring in the order of freeing
	size_t first_held, n_held, cap_held;
	uint64_t held_bytes;
	struct devmem_range *table; // dm->range is somewhere in it, so that either end can move
};

// Where to reserve. A fixed place makes device addresses the same in every run. All candidates are free in an ordinary
// x86-64 process and lie in what the sanitizers leave to the program: ASan's HighMem is all above 0x10007fff8000; TSan
// allows 0x7e8000000000 to 0x800000000000 (0x7a.. in newer ones), where the host's libraries end near the top.
static const uint64_t places[] = {
	0x7e9000000000, 0x7eb000000000,
#ifdef __SANITIZE_THREAD__
	0x7ef000000000, 0x7f1000000000, 0x7f3000000000, 0x7f5000000000, 0x7f7000000000,
#else
	0x7d0000000000, 0x7c0000000000, 0x200000000000, 0x100000000000,
#endif
};

enum {
	MIN_SIZE = 64 << 20,
	STAND_IN_PAGE = 4096,
	STAND_IN_ROOM = 65536, // beside a registration: reads that stray so far pass, see cuda-sim/exec/check.h
};

// GPGPU-Sim's heap: gpu_malloc begins there and goes up in multiples of 256 and never down. Its symbol table counts up from
// 0x100 for variables of both .global and .const as it meets them in the PTX, whatever their .align says (symbol_table,
// pad_address).
enum { PEER_ALIGN = 256, PEER_VARIABLES = 0x100, PEER_VARIABLE_ALIGN = 128 };
static const uint64_t peer_place = 0xC0000000;

static uint64_t up(uint64_t v, uint64_t to) { return (v + to - 1) & ~(to - 1); }

// place 0: anywhere.
static bool reserve_at(struct devmem *dm, uint64_t place, uint64_t size)
{
	void *p = mem_reserve((void *)(uintptr_t)place, size);
	if (!p)
		return false;
	dm->base = (uint64_t)(uintptr_t)p;
	dm->size = size;
	return true;
}

static bool reserve(struct devmem *dm, uint64_t size)
{
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (reserve_at(dm, places[i], size))
			return true;
	return reserve_at(dm, 0, size);
}

struct devmem *devmem_create(uint64_t size, enum devmem_layout layout, struct diag *d)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct devmem *dm = MEM_NEW(struct devmem);
	struct impl *m = MEM_NEW(struct impl);
	if (size > (uint64_t)1 << 46)
		size = (uint64_t)1 << 46;
	size = up(size < MIN_SIZE ? MIN_SIZE : size, page);
	uint64_t asked = size;
	if (layout == DEVMEM_GPGPUSIM && !reserve_at(dm, peer_place, size)) {
		diag_add(d, DIAG_WARNING, "-gpgpusim_addresses 1: this process has something between 0x%llx and 0x%llx; device memory lies "
		         "elsewhere, which may change cycles", (unsigned long long)peer_place, (unsigned long long)(peer_place + size));
	}
	while (size >= MIN_SIZE && !dm->size && !reserve(dm, size))
		size = up(size / 2, page);
	if (!dm->size) {
		diag_add(d, DIAG_ERROR,
		         "cannot reserve %llu MiB of address space for device memory; raise the limit (ulimit -v)",
		         (unsigned long long)(asked >> 20));
		mem_free(m);
		mem_free(dm);
		return NULL;
	}
	dm->layout = layout;
	dm->next_variable = PEER_VARIABLES;
	dm->stand_lo = UINT64_MAX;
	m->page = page;
	m->onward = layout == DEVMEM_GPGPUSIM;
	m->align = m->onward ? PEER_ALIGN : DEVMEM_ALIGN;
	m->gap = m->onward ? 0 : DEVMEM_ALIGN;
	m->other = m->onward ? dm->base + dm->size / 2 : 0;
	m->cap = 64;
	m->hole = mem_alloc(m->cap * sizeof *m->hole);
	m->hole[0] = (struct hole){dm->base, dm->size};
	m->n = 1;
	dm->impl = m;
	dm->next_uid = 1;
	dm->next_stand_in = DEVMEM_STAND_IN;
	return dm;
}

void devmem_destroy(struct devmem *dm)
{
	if (!dm)
		return;
	struct impl *m = dm->impl;
	munmap((void *)(uintptr_t)dm->base, dm->size);
	mem_free(m->hole);
	mem_free(m->held);
	mem_free(m->table);
	mem_free(m);
	mem_free(dm);
}

// The first range that begins above addr.
static size_t above(const struct devmem *dm, uint64_t addr)
{
	size_t lo = 0, hi = dm->n_range;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (dm->range[mid].base <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

// Room for one more behind the last.
static void range_room(struct devmem *dm)
{
	struct impl *m = dm->impl;
	size_t before = (size_t)(dm->range - m->table);
	if (before + dm->n_range < dm->cap_range)
		return;
	if (before > dm->n_range) { // more has gone in front than is to be moved
		memmove(m->table, dm->range, dm->n_range * sizeof *dm->range);
		before = 0;
	} else {
		dm->cap_range = dm->cap_range ? dm->cap_range * 2 : 64;
		m->table = mem_realloc(m->table, dm->cap_range * sizeof *dm->range);
	}
	dm->range = m->table + before;
}

// The smaller part of the table moves: programs free what they allocated in that order, or the other way round.
static void range_add(struct devmem *dm, const struct devmem_range *r)
{
	const struct impl *m = dm->impl;
	size_t at = above(dm, r->base);
	if (at < dm->n_range / 2 && dm->range > m->table) {
		dm->range--;
		memmove(dm->range, dm->range + 1, at * sizeof *dm->range);
	} else {
		range_room(dm);
		memmove(dm->range + at + 1, dm->range + at, (dm->n_range - at) * sizeof *dm->range);
	}
	dm->range[at] = *r;
	dm->n_range++;
}

static void range_remove(struct devmem *dm, size_t at)
{
	if (at < dm->n_range / 2) {
		memmove(dm->range + 1, dm->range, at * sizeof *dm->range);
		dm->range++;
	} else {
		memmove(dm->range + at, dm->range + at + 1, (dm->n_range - at - 1) * sizeof *dm->range);
	}
	dm->n_range--;
}

// Index of the range that begins at addr; SIZE_MAX if none does.
static size_t range_at(const struct devmem *dm, uint64_t addr)
{
	size_t at = above(dm, addr);
	return at && dm->range[at - 1].base == addr ? at - 1 : SIZE_MAX;
}

static void hole_insert(struct impl *m, size_t at, struct hole h)
{
	if (m->n == m->cap) {
		m->cap *= 2;
		m->hole = mem_realloc(m->hole, m->cap * sizeof *m->hole);
	}
	memmove(m->hole + at + 1, m->hole + at, (m->n - at) * sizeof *m->hole);
	m->hole[at] = h;
	m->n++;
}

static void hole_remove(struct impl *m, size_t at)
{
	memmove(m->hole + at, m->hole + at + 1, (m->n - at - 1) * sizeof *m->hole);
	m->n--;
}

// The first hole with room for `need` bytes from address `from` on, and where they lie in it; m->n if there is none.
static size_t hole_find(const struct impl *m, uint64_t from, uint64_t align, uint64_t need, uint64_t *base)
{
	size_t i = 0;
	for (; i < m->n; i++) {
		const struct hole *h = &m->hole[i];
		uint64_t end = h->base + h->size;
		*base = up(h->base < from ? from : h->base, align);
		if (*base < end && end - *base >= need)
			break;
	}
	return i;
}

// Takes [base, base + size) out of hole `at`.
static void hole_take(struct impl *m, size_t at, uint64_t base, uint64_t size)
{
	struct hole *h = &m->hole[at];
	uint64_t before = base - h->base, after = h->base + h->size - (base + size);
	if (before && after) {
		h->size = before;
		hole_insert(m, at + 1, (struct hole){base + size, after});
	} else if (before) {
		h->size = before;
	} else if (after) {
		*h = (struct hole){base + size, after};
	} else {
		hole_remove(m, at);
	}
}

static void hole_give(struct impl *m, uint64_t base, uint64_t size)
{
	size_t lo = 0, hi = m->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->hole[mid].base < base)
			lo = mid + 1;
		else
			hi = mid;
	}
	bool left = lo > 0 && m->hole[lo - 1].base + m->hole[lo - 1].size == base;
	bool right = lo < m->n && base + size == m->hole[lo].base;
	if (left && right) {
		m->hole[lo - 1].size += size + m->hole[lo].size;
		hole_remove(m, lo);
	} else if (left) {
		m->hole[lo - 1].size += size;
	} else if (right) {
		m->hole[lo].base = base;
		m->hole[lo].size += size;
	} else {
		hole_insert(m, lo, (struct hole){base, size});
	}
}

// The block that has been held for longest is free to be used.
static void let_go(struct impl *m)
{
	struct hole h = m->held[m->first_held];
	m->first_held = (m->first_held + 1) % m->cap_held;
	m->n_held--;
	m->held_bytes -= h.size;
	hole_give(m, h.base, h.size);
}

static void hold(struct impl *m, uint64_t base, uint64_t size, uint64_t most)
{
	if (m->n_held == m->cap_held) {
		size_t cap = m->cap_held ? 2 * m->cap_held : 64;
		struct hole *to = mem_alloc(cap * sizeof *to);
		for (size_t i = 0; i < m->n_held; i++)
			to[i] = m->held[(m->first_held + i) % m->cap_held];
		mem_free(m->held);
		m->held = to;
		m->first_held = 0;
		m->cap_held = cap;
	}
	m->held[(m->first_held + m->n_held++) % m->cap_held] = (struct hole){base, size};
	m->held_bytes += size;
	while (m->held_bytes > most)
		let_go(m);
}

static uint64_t footprint(const struct impl *m, uint64_t size) { return up(size ? size : 1, m->align) + m->gap; }

// Pages of [base, base + size) become usable. Neighbours share pages, so this may touch pages that are in use already.
static bool commit(const struct impl *m, uint64_t base, uint64_t size)
{
	uint64_t lo = base & ~(m->page - 1), hi = up(base + size, m->page);
	return mprotect((void *)(uintptr_t)lo, hi - lo, PROT_READ | PROT_WRITE) == 0;
}

// Ranges are sorted and apart; holes too, and neither touching nor inside a range. Long tables are looked at seldom.
static void check(const struct devmem *dm)
{
#ifdef HEDDLE_HOSTILE
	enum { LONG_TABLE = 256, SELDOM = 64 };
	const struct impl *m = dm->impl;
	if (dm->n_range > LONG_TABLE && dm->n_range % SELDOM)
		return;
	for (size_t i = 0; i < dm->n_range; i++) {
		const struct devmem_range *r = &dm->range[i];
		HEDDLE_ASSERT(r->base + r->size <= r->end && r->end <= r->room);
		HEDDLE_ASSERT(!i || dm->range[i - 1].room <= r->base);
	}
	size_t k = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct hole *h = &m->hole[i];
		HEDDLE_ASSERT(h->size && h->base >= dm->base && h->base + h->size <= dm->base + dm->size);
		HEDDLE_ASSERT(!i || m->hole[i - 1].base + m->hole[i - 1].size < h->base);
		while (k < dm->n_range && dm->range[k].end <= h->base)
			k++;
		HEDDLE_ASSERT(k == dm->n_range || dm->range[k].base >= h->base + h->size);
	}
#endif
}

uint64_t devmem_alloc(struct devmem *dm, uint64_t size, uint64_t align, enum devmem_kind kind, uint32_t flags)
{
	struct impl *m = dm->impl;
	if (size > dm->size || align > dm->size || (align & (align - 1)))
		return 0;
	if (align < m->align)
		align = m->align;
	bool asked = kind == DEVMEM_DEVICE || kind == DEVMEM_MANAGED || kind == DEVMEM_ARRAY;
	uint64_t need = footprint(m, size), base = 0;
	size_t at = hole_find(m, asked ? m->next : m->other, align, need, &base);
	if (at == m->n)
		at = hole_find(m, 0, align, need, &base);
	while (at == m->n && m->n_held) {
		let_go(m);
		at = hole_find(m, 0, align, need, &base);
	}
	if (at == m->n || !commit(m, base, need))
		return 0;
	hole_take(m, at, base, need);
	if (asked && m->onward)
		m->next = base + need;
	struct devmem_range r = {
		.base = base, .size = size, .end = up(base + (size ? size : 1), DEVMEM_SLACK), .kind = kind, .flags = flags, .owner = dm->owner,
		.room = base + need - m->gap, .uid = dm->next_uid++,
	};
	range_add(dm, &r);
	dm->in_use += size;
	check(dm);
	if (dm->watch)
		dm->watch->made(dm->watch->ctx, &r);
	return base;
}

// What comes next in freed memory reads zero: whole pages go back to the host, the ends shared with neighbours are
// cleared here.
static void discard(const struct impl *m, uint64_t base, uint64_t size)
{
	uint64_t lo = up(base, m->page), hi = (base + size) & ~(m->page - 1);
	if (lo >= hi) {
		memset((void *)(uintptr_t)base, 0, size);
		return;
	}
	memset((void *)(uintptr_t)base, 0, lo - base);
	memset((void *)(uintptr_t)hi, 0, base + size - hi);
	if (madvise((void *)(uintptr_t)lo, hi - lo, MADV_DONTNEED) != 0)
		memset((void *)(uintptr_t)lo, 0, hi - lo);
}

void devmem_clear(struct devmem *dm, uint64_t addr, uint64_t size) { discard(dm->impl, addr, size); }

bool devmem_free(struct devmem *dm, uint64_t addr)
{
	size_t at = range_at(dm, addr);
	if (at == SIZE_MAX || dm->range[at].kind == DEVMEM_REGISTERED)
		return false;
	uint64_t need = footprint(dm->impl, dm->range[at].size);
	if (dm->watch)
		dm->watch->goes(dm->watch->ctx, &dm->range[at]);
	dm->n_stand_in -= dm->range[at].stand_in != 0;
	dm->in_use -= dm->range[at].size;
	range_remove(dm, at);
	discard(dm->impl, addr, need);
	if (dm->hold)
		hold(dm->impl, addr, need, dm->hold);
	else
		hole_give(dm->impl, addr, need);
	check(dm);
	return true;
}

// Whether [addr, addr + size) is outside the reserved range and all that is visible.
static bool outside(const struct devmem *dm, uint64_t addr, uint64_t size)
{
	if (!size || addr + size < addr || (addr < dm->base + dm->size && addr + size > dm->base))
		return false;
	size_t at = above(dm, addr);
	if (at && dm->range[at - 1].base + dm->range[at - 1].size > addr)
		return false;
	return at == dm->n_range || dm->range[at].base >= addr + size;
}

bool devmem_show(struct devmem *dm, uint64_t addr, uint64_t size, enum devmem_kind kind, uint32_t flags)
{
	if (!outside(dm, addr, size))
		return false;
	struct devmem_range r = {
		.base = addr, .size = size, .end = addr + size, .room = addr + size, .kind = kind, .flags = flags, .owner = dm->owner,
		.uid = dm->next_uid++,
	};
	range_add(dm, &r);
	check(dm);
	return true;
}

void devmem_hide(struct devmem *dm, uint64_t addr)
{
	size_t at = range_at(dm, addr);
	HEDDLE_ASSERT(at != SIZE_MAX);
	range_remove(dm, at);
}

void devmem_change_flags(struct devmem *dm, uint64_t addr, uint32_t clear, uint32_t set)
{
	size_t at = above(dm, addr);
	if (at && addr < dm->range[at - 1].end)
		dm->range[at - 1].flags = (dm->range[at - 1].flags & ~clear) | set;
}

bool devmem_register(struct devmem *dm, uint64_t addr, uint64_t size, uint32_t flags)
{
	if (!outside(dm, addr, size))
		return false;
	struct devmem_range r = {
		.base = addr, .size = size, .end = addr + size, .room = addr + size, .kind = DEVMEM_REGISTERED, .flags = flags,
		.owner = dm->owner, .uid = dm->next_uid++, .stand_in = dm->next_stand_in + addr % STAND_IN_PAGE,
	};
	dm->next_stand_in = up(r.stand_in + size, STAND_IN_PAGE) + 2 * STAND_IN_ROOM;
	dm->n_stand_in++;
	range_add(dm, &r);
	check(dm);
	return true;
}

bool devmem_unregister(struct devmem *dm, uint64_t addr)
{
	size_t at = range_at(dm, addr);
	if (at == SIZE_MAX || dm->range[at].kind != DEVMEM_REGISTERED)
		return false;
	range_remove(dm, at);
	dm->n_stand_in--;
	return true;
}

void devmem_stand_as_variable(struct devmem *dm, uint64_t addr)
{
	size_t at = range_at(dm, addr);
	HEDDLE_ASSERT(dm->layout == DEVMEM_GPGPUSIM && at != SIZE_MAX && !dm->range[at].stand_in);
	struct devmem_range *r = &dm->range[at];
	bool small = r->size && r->size < PEER_VARIABLE_ALIGN && !(r->size & (r->size - 1));
	r->stand_in = up(dm->next_variable, small ? r->size : PEER_VARIABLE_ALIGN);
	dm->next_variable = r->stand_in + r->size;
	dm->stand_lo = r->base < dm->stand_lo ? r->base : dm->stand_lo;
	dm->stand_hi = r->end > dm->stand_hi ? r->end : dm->stand_hi;
	dm->n_stand_in++;
}

// Of an address in the reserved range.
static uint64_t variable_stand_in(const struct devmem *dm, uint64_t addr)
{
	if (addr < dm->stand_lo || addr >= dm->stand_hi)
		return addr;
	const struct devmem_range *r = devmem_find(dm, addr);
	return r && r->stand_in ? r->stand_in + (addr - r->base) : addr;
}

uint64_t devmem_stand_in(const struct devmem *dm, uint64_t addr)
{
	if (!dm->n_stand_in)
		return addr;
	if (addr - dm->base < dm->size)
		return variable_stand_in(dm, addr);
	size_t at = above(dm, addr);
	const struct devmem_range *below = at ? &dm->range[at - 1] : NULL;
	const struct devmem_range *next = at < dm->n_range ? &dm->range[at] : NULL;
	if (below && below->kind == DEVMEM_REGISTERED && (addr < below->end || addr - below->end < STAND_IN_ROOM))
		return below->stand_in + (addr - below->base);
	if (next && next->kind == DEVMEM_REGISTERED && next->base - addr <= STAND_IN_ROOM)
		return next->stand_in - (next->base - addr);
	return addr;
}

const struct devmem_range *devmem_find(const struct devmem *dm, uint64_t addr)
{
	size_t at = above(dm, addr);
	return at && addr < dm->range[at - 1].end ? &dm->range[at - 1] : NULL;
}

bool devmem_holds_slow(const struct devmem *dm, struct devmem_hit *hit, uint64_t lo, uint64_t hi)
{
	const struct devmem_range *r = devmem_find(dm, lo);
	if (!r || lo > hi || hi > r->end)
		return false;
	*hit = (struct devmem_hit){r->base, r->end, r->kind, 0};
	return true;
}
