#include "cuda-sim/check/shadow.h"

#include "base/mem.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE_SHIFT = 14, PAGE = 1 << PAGE_SHIFT, WORDS = PAGE / 64 };

// Of a page: NULL nothing is written, ALL everything, else WORDS words.
struct shadow {
	uint64_t base, size;
	uint64_t **page; // mapped where it is touched
	size_t n;
};
#define ALL ((uint64_t *)1)

struct shadow *shadow_new(uint64_t base, uint64_t size)
{
	struct shadow *s = MEM_NEW(struct shadow);
	s->base = base;
	s->size = size;
	s->n = (size >> PAGE_SHIFT) + 1;
	s->page = mmap(NULL, s->n * sizeof *s->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->page != MAP_FAILED)
		return s;
	mem_free(s);
	return NULL;
}

void shadow_free(struct shadow *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->page[i] != ALL)
			mem_free(s->page[i]);
	munmap(s->page, s->n * sizeof *s->page);
	mem_free(s);
}

// Bits [lo, hi) of a word, hi <= 64.
static uint64_t bits(unsigned lo, unsigned hi)
{
	uint64_t m = hi - lo >= 64 ? UINT64_MAX : ((uint64_t)1 << (hi - lo)) - 1;
	return m << lo;
}

static void set_page(struct shadow *s, size_t p, unsigned lo, unsigned hi, bool written)
{
	uint64_t *w = s->page[p];
	if (w == (written ? ALL : NULL))
		return;
	if (hi - lo == PAGE) {
		if (w != ALL)
			mem_free(w);
		s->page[p] = written ? ALL : NULL;
		return;
	}
	if (!w || w == ALL) {
		uint64_t *made = mem_alloc(WORDS * sizeof *made);
		if (w == ALL)
			memset(made, 0xff, WORDS * sizeof *made);
		s->page[p] = w = made;
	}
	for (unsigned at = lo; at < hi;) {
		unsigned end = (at / 64 + 1) * 64 < hi ? (at / 64 + 1) * 64 : hi;
		uint64_t m = bits(at % 64, end - at / 64 * 64);
		if (written)
			w[at / 64] |= m;
		else
			w[at / 64] &= ~m;
		at = end;
	}
}

// Cuts [addr, addr + bytes) down to the range. False if nothing is left.
static bool cut(const struct shadow *s, uint64_t *addr, uint64_t *bytes)
{
	uint64_t end = *addr + *bytes, limit = s->base + s->size;
	if (end < *addr || *addr >= limit || end <= s->base)
		return false;
	*addr = *addr < s->base ? s->base : *addr;
	end = end > limit ? limit : end;
	*bytes = end - *addr;
	return *bytes;
}

void shadow_set(struct shadow *s, uint64_t addr, uint64_t bytes, bool written)
{
	if (!cut(s, &addr, &bytes))
		return;
	uint64_t at = addr - s->base, end = at + bytes;
	while (at < end) {
		uint64_t page_end = ((at >> PAGE_SHIFT) + 1) << PAGE_SHIFT, to = page_end < end ? page_end : end;
		set_page(s, at >> PAGE_SHIFT, (unsigned)(at % PAGE), (unsigned)(to - (at >> PAGE_SHIFT << PAGE_SHIFT)), written);
		at = to;
	}
}

static bool page_is_set(const uint64_t *w, unsigned lo, unsigned hi)
{
	if (!w || w == ALL)
		return w;
	for (unsigned at = lo; at < hi;) {
		unsigned end = (at / 64 + 1) * 64 < hi ? (at / 64 + 1) * 64 : hi;
		if (~w[at / 64] & bits(at % 64, end - at / 64 * 64))
			return false;
		at = end;
	}
	return true;
}

bool shadow_is_set(const struct shadow *s, uint64_t addr, uint64_t bytes)
{
	if (!cut(s, &addr, &bytes))
		return true;
	uint64_t at = addr - s->base, end = at + bytes;
	while (at < end) {
		uint64_t page_end = ((at >> PAGE_SHIFT) + 1) << PAGE_SHIFT, to = page_end < end ? page_end : end;
		if (!page_is_set(s->page[at >> PAGE_SHIFT], (unsigned)(at % PAGE), (unsigned)(to - (at >> PAGE_SHIFT << PAGE_SHIFT))))
			return false;
		at = to;
	}
	return true;
}

void shadow_copy(struct shadow *s, uint64_t to, uint64_t from, uint64_t bytes)
{
	// Piece by piece of what is alike; a piece ends with a page of the source.
	for (uint64_t done = 0; done < bytes;) {
		uint64_t at = from + done, left = bytes - done, in_page = PAGE - (at - s->base) % PAGE, n = in_page < left ? in_page : left;
		const bool inside = at >= s->base && at - s->base < s->size;
		const uint64_t *w = inside ? s->page[(at - s->base) >> PAGE_SHIFT] : ALL;
		if (!inside || !w || w == ALL) {
			shadow_set(s, to + done, n, w != NULL);
			done += n;
			continue;
		}
		const bool written = shadow_is_set(s, at, 1);
		uint64_t k = 1;
		while (k < n && shadow_is_set(s, at + k, 1) == written)
			k++;
		shadow_set(s, to + done, k, written);
		done += k;
	}
}
