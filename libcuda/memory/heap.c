#include "libcuda/memory/heap.h"

#include "base/mem.h"
#include "libcuda/context/context.h"

#include <string.h>

// Sizes of blocks: multiples of 16 up to 128, then four steps from each power of two to the next.
enum {
	LARGEST = 32768,      // larger blocks are allocations of their own
	SLAB = 65536,         // bytes of a slab of small blocks; of larger ones it holds LEAST of them
	LEAST = 8,
	N_FINE = 8, N_CLASSES = N_FINE + 4 * 8, // 128 * 2^8 is LARGEST
};

struct slab {
	uint64_t base;
	uint32_t class, block, n, used; // bytes of a block, blocks, those in use
	uint32_t fresh;                 // blocks from here on were never given away
	uint32_t free;                  // the first of the free ones + 1; each says in `next` which comes then
	uint32_t *next;                 // by block; IN_USE of those in use
	struct slab *open_next, *open_prev; // slabs of the class with room
	bool open;
};

#define IN_USE UINT32_MAX

// By devmem_range.flags - 1: a range of kind DEVMEM_HEAP with flags of 0 is one large block.
static struct {
	VEC(struct slab *) slabs;
	VEC(uint32_t) unused;          // numbers of slabs that are gone
	struct slab *open[N_CLASSES];
} heap;

static uint32_t class_of(uint64_t size, uint32_t *block)
{
	if (size <= 128) {
		uint32_t c = size ? (uint32_t)(size - 1) / HEAP_ALIGN : 0;
		*block = (c + 1) * HEAP_ALIGN;
		return c;
	}
	uint32_t c = N_FINE;
	for (uint32_t from = 128; from < LARGEST; from *= 2)
		for (uint32_t quarter = 1; quarter <= 4; quarter++, c++)
			if (size <= (*block = from + from / 4 * quarter))
				return c;
	return N_CLASSES;
}

static void open_slab(struct slab *s)
{
	struct slab **first = &heap.open[s->class];
	s->open = true;
	s->open_prev = NULL;
	s->open_next = *first;
	if (*first)
		(*first)->open_prev = s;
	*first = s;
}

static void close_slab(struct slab *s)
{
	*(s->open_prev ? &s->open_prev->open_next : &heap.open[s->class]) = s->open_next;
	if (s->open_next)
		s->open_next->open_prev = s->open_prev;
	s->open = false;
}

static struct slab *new_slab(uint32_t class, uint32_t block)
{
	uint32_t n = SLAB / block > LEAST ? SLAB / block : LEAST;
	uint32_t number = heap.unused.n ? heap.unused.at[heap.unused.n - 1] : (uint32_t)heap.slabs.n;
	uint64_t base = devmem_alloc(cu.mem, (uint64_t)n * block, DEVMEM_ALIGN, DEVMEM_HEAP, number + 1);
	if (!base)
		return NULL;
	struct slab *s = MEM_NEW(struct slab);
	*s = (struct slab){.base = base, .class = class, .block = block, .n = n};
	s->next = mem_alloc(n * sizeof *s->next);
	if (heap.unused.n) {
		heap.unused.n--;
		heap.slabs.at[number] = s;
	} else {
		VEC_PUSH(&heap.slabs, s);
	}
	open_slab(s);
	return s;
}

static void end_slab(struct slab *s, uint32_t number)
{
	if (s->open)
		close_slab(s);
	heap.slabs.at[number] = NULL;
	VEC_PUSH(&heap.unused, number);
	devmem_free(cu.mem, s->base);
	mem_free(s->next);
	mem_free(s);
}

static bool allowed(uint64_t size)
{
	return size <= cu.limit[CU_LIMIT_HEAP] && cu.heap_used <= cu.limit[CU_LIMIT_HEAP] - size;
}

static uint64_t alloc_large(uint64_t size)
{
	uint64_t p = allowed(size) ? devmem_alloc(cu.mem, size, DEVMEM_ALIGN, DEVMEM_HEAP, 0) : 0;
	cu.heap_used += p ? size : 0;
	return p;
}

uint64_t heap_alloc(uint64_t size)
{
	uint32_t block, class = class_of(size, &block);
	if (class == N_CLASSES || cu.watch.checks.check) // checks look at the bounds of allocations
		return alloc_large(size ? size : 1);
	struct slab *s = allowed(block) ? heap.open[class] : NULL;
	if (!s && allowed(block))
		s = new_slab(class, block);
	if (!s)
		return 0;
	uint32_t i = s->free ? s->free - 1 : s->fresh++;
	if (s->free)
		s->free = s->next[i];
	s->next[i] = IN_USE;
	if (++s->used == s->n)
		close_slab(s);
	cu.heap_used += block;
	return s->base + (uint64_t)i * block;
}

static bool free_small(uint32_t number, uint64_t offset)
{
	struct slab *s = heap.slabs.at[number];
	uint32_t i = (uint32_t)(offset / s->block);
	if (offset % s->block || i >= s->fresh || s->next[i] != IN_USE)
		return false;
	cu.heap_used -= s->block;
	s->next[i] = s->free;
	s->free = i + 1;
	if (!s->open)
		open_slab(s);
	// One slab without blocks stays with each class, so that a kernel that takes and gives back one block costs no page.
	if (!--s->used && (s->open_next || s->open_prev))
		end_slab(s, number);
	return true;
}

bool heap_free(uint64_t addr)
{
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	if (!r || r->kind != DEVMEM_HEAP)
		return false;
	if (r->flags)
		return free_small(r->flags - 1, addr - r->base);
	if (r->base != addr)
		return false;
	cu.heap_used -= r->size;
	return devmem_free(cu.mem, addr);
}

void heap_reset(void)
{
	for (size_t i = 0; i < heap.slabs.n; i++) {
		if (heap.slabs.at[i])
			mem_free(heap.slabs.at[i]->next);
		mem_free(heap.slabs.at[i]);
	}
	VEC_FREE(&heap.slabs);
	VEC_FREE(&heap.unused);
	memset(&heap, 0, sizeof heap);
	cu.heap_used = 0;
}
