#include "isa/devmem.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

// Where the range may begin. The addresses are free in an ordinary process, whose own mappings grow down from the
// stack at the top of the address space; the first also lies where ThreadSanitizer and AddressSanitizer let a program map.
static const uint64_t bases[] = {0x7e9000000000, 0x7d0000000000, 0x600000000000, 0x200000000000};

// Free space as a sorted list of holes. Placement is first fit, so it depends on the sequence of calls alone.
struct hole {
	uint64_t base, end;
};

struct space {
	struct hole *hole;
	size_t n, cap;
};

static uint64_t round_up(uint64_t v, uint64_t to) { return (v + to - 1) & ~(to - 1); }

// --- the reserved range

static void *reserve_at(uint64_t base, uint64_t size)
{
	void *want = (void *)(uintptr_t)base;
	void *p = mmap(want, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (p != MAP_FAILED && p != want) { // a kernel that does not know MAP_FIXED_NOREPLACE
		munmap(p, size);
		return MAP_FAILED;
	}
	return p;
}

struct devmem *devmem_create(uint64_t size, struct diag *d)
{
	size = round_up(size ? size : PAGE, PAGE);
	for (uint64_t n = size; n >= (uint64_t)1 << 24; n /= 2) {
		for (size_t k = 0; k < sizeof bases / sizeof *bases; k++) {
			if (reserve_at(bases[k], n) == MAP_FAILED)
				continue;
			if (k)
				diag_add(d, DIAG_NOTE,
				         "device memory begins at 0x%llx, not at its usual 0x%llx, which this process has taken",
				         (unsigned long long)bases[k], (unsigned long long)bases[0]);
			if (n < size)
				diag_add(d, DIAG_NOTE, "the process may only reserve %llu MB of device memory (ulimit -v)",
				         (unsigned long long)(n >> 20));
			struct devmem *dm = MEM_NEW(struct devmem);
			struct space *s = MEM_NEW(struct space);
			dm->base = bases[k];
			dm->size = n;
			dm->impl = s;
			s->cap = 64;
			s->hole = mem_alloc(s->cap * sizeof *s->hole);
			// Nothing is ever at the very start: an address 0 bytes past it would look like a base.
			s->hole[s->n++] = (struct hole){dm->base + DEVMEM_ALIGN, dm->base + n};
			return dm;
		}
	}
	diag_add(d, DIAG_ERROR, "no address space for device memory; raise the limit (ulimit -v)");
	return NULL;
}

void devmem_destroy(struct devmem *dm)
{
	if (!dm)
		return;
	munmap((void *)(uintptr_t)dm->base, dm->size);
	struct space *s = dm->impl;
	mem_free(s->hole);
	mem_free(s);
	mem_free(dm->range);
	mem_free(dm);
}

// --- holes

static void hole_remove(struct space *s, size_t k)
{
	s->n--;
	memmove(&s->hole[k], &s->hole[k + 1], (s->n - k) * sizeof *s->hole);
}

static void hole_insert(struct space *s, size_t k, struct hole h)
{
	if (s->n == s->cap) {
		s->cap *= 2;
		s->hole = mem_realloc(s->hole, s->cap * sizeof *s->hole);
	}
	memmove(&s->hole[k + 1], &s->hole[k], (s->n - k) * sizeof *s->hole);
	s->hole[k] = h;
	s->n++;
}

static uint64_t take(struct space *s, uint64_t size, uint64_t align)
{
	for (size_t k = 0; k < s->n; k++) {
		struct hole *h = &s->hole[k];
		uint64_t base = round_up(h->base, align);
		if (base < h->base || base > h->end || h->end - base < size)
			continue;
		struct hole rest = {base + size, h->end};
		if (base > h->base) {
			h->end = base;
			if (rest.base < rest.end)
				hole_insert(s, k + 1, rest);
		} else if (rest.base < rest.end) {
			*h = rest;
		} else {
			hole_remove(s, k);
		}
		return base;
	}
	return 0;
}

static void give(struct space *s, uint64_t base, uint64_t end)
{
	size_t lo = 0, hi = s->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (s->hole[mid].base < base)
			lo = mid + 1;
		else
			hi = mid;
	}
	bool left = lo > 0 && s->hole[lo - 1].end == base, right = lo < s->n && s->hole[lo].base == end;
	if (left && right) {
		s->hole[lo - 1].end = s->hole[lo].end;
		hole_remove(s, lo);
	} else if (left) {
		s->hole[lo - 1].end = end;
	} else if (right) {
		s->hole[lo].base = base;
	} else {
		hole_insert(s, lo, (struct hole){base, end});
	}
}

// --- the table of ranges

// Index of the first range whose base is above addr.
static size_t above(const struct devmem *dm, uint64_t addr)
{
	size_t lo = 0, hi = dm->n_range;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (dm->range[mid].base <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool range_insert(struct devmem *dm, struct devmem_range r)
{
	size_t k = above(dm, r.base);
	if ((k && dm->range[k - 1].end > r.base) || (k < dm->n_range && dm->range[k].base < r.end))
		return false;
	if (dm->n_range == dm->cap_range) {
		dm->cap_range = dm->cap_range ? dm->cap_range * 2 : 64;
		dm->range = mem_realloc(dm->range, dm->cap_range * sizeof *dm->range);
	}
	memmove(&dm->range[k + 1], &dm->range[k], (dm->n_range - k) * sizeof *dm->range);
	dm->range[k] = r;
	dm->n_range++;
	return true;
}

static struct devmem_range *range_at(const struct devmem *dm, uint64_t base)
{
	size_t k = above(dm, base);
	return k && dm->range[k - 1].base == base ? &dm->range[k - 1] : NULL;
}

static void range_remove(struct devmem *dm, struct devmem_range *r)
{
	size_t k = (size_t)(r - dm->range);
	dm->n_range--;
	memmove(r, r + 1, (dm->n_range - k) * sizeof *r);
}

const struct devmem_range *devmem_find(const struct devmem *dm, uint64_t addr)
{
	size_t k = above(dm, addr);
	return k && addr < dm->range[k - 1].end ? &dm->range[k - 1] : NULL;
}

bool devmem_holds_slow(const struct devmem *dm, struct devmem_hit *hit, uint64_t lo, uint64_t hi)
{
	const struct devmem_range *r = lo <= hi ? devmem_find(dm, lo) : NULL;
	if (!r || hi > r->end)
		return false;
	*hit = (struct devmem_hit){r->base, r->end, r->kind};
	return true;
}

// --- allocation

static uint64_t program_bytes(const struct devmem_range *r)
{
	return r->kind == DEVMEM_DEVICE || r->kind == DEVMEM_MANAGED || r->kind == DEVMEM_ARRAY ? r->size : 0;
}

// The pages that touch range `r`, which takes `room` bytes, and no other range.
static void own_pages(const struct devmem *dm, const struct devmem_range *r, uint64_t room, uint64_t *from, uint64_t *to)
{
	*from = r->base & ~(uint64_t)(PAGE - 1);
	*to = round_up(r->base + room, PAGE);
	if (r > dm->range && r[-1].end > *from)
		*from += PAGE;
	if (r + 1 < dm->range + dm->n_range && r[1].base < *to)
		*to -= PAGE;
}

uint64_t devmem_alloc(struct devmem *dm, uint64_t size, uint64_t align, enum devmem_kind kind, uint32_t flags)
{
	if (align < DEVMEM_ALIGN)
		align = DEVMEM_ALIGN;
	if (!size || size > dm->size || align > dm->size)
		return 0;
	uint64_t end = round_up(size, DEVMEM_SLACK);
	// The gap behind it keeps an overrun from landing in the next allocation.
	uint64_t room = round_up(end + DEVMEM_SLACK, DEVMEM_ALIGN);
	uint64_t base = take(dm->impl, room, align);
	if (!base)
		return 0;
	uint64_t from = base & ~(uint64_t)(PAGE - 1), to = round_up(base + room, PAGE);
	if (to > dm->base + dm->size)
		to = dm->base + dm->size;
	if (mprotect((void *)(uintptr_t)from, to - from, PROT_READ | PROT_WRITE)) {
		give(dm->impl, base, base + room);
		return 0;
	}
	struct devmem_range r = {base, size, base + end, kind, flags, ++dm->next_uid};
	range_insert(dm, r);
	dm->in_use += program_bytes(&r);
	return base;
}

bool devmem_free(struct devmem *dm, uint64_t addr)
{
	struct devmem_range *r = range_at(dm, addr);
	if (!r || r->kind == DEVMEM_REGISTERED)
		return false;
	uint64_t room = round_up(r->end - r->base + DEVMEM_SLACK, DEVMEM_ALIGN), from, to;
	dm->in_use -= program_bytes(r);
	own_pages(dm, r, room, &from, &to);
	// What is used again must be zero again: whole pages go back to the system, the rest is cleared.
	if (from < to) {
		madvise((void *)(uintptr_t)from, to - from, MADV_DONTNEED);
		if (r->base < from)
			memset((void *)(uintptr_t)r->base, 0, (r->end < from ? r->end : from) - r->base);
		if (r->end > to)
			memset((void *)(uintptr_t)to, 0, r->end - to);
	} else {
		memset((void *)(uintptr_t)r->base, 0, r->end - r->base);
	}
	give(dm->impl, r->base, r->base + room);
	range_remove(dm, r);
	return true;
}

bool devmem_register(struct devmem *dm, uint64_t addr, uint64_t size, uint32_t flags)
{
	if (!size || addr + size < addr || (addr < dm->base + dm->size && addr + size > dm->base))
		return false;
	return range_insert(dm, (struct devmem_range){addr, size, addr + size, DEVMEM_REGISTERED, flags, ++dm->next_uid});
}

bool devmem_unregister(struct devmem *dm, uint64_t addr)
{
	struct devmem_range *r = range_at(dm, addr);
	if (!r || r->kind != DEVMEM_REGISTERED)
		return false;
	range_remove(dm, r);
	return true;
}
