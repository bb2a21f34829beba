// Pieces of large pages. A model of a GPU is tens of megabytes of which every cycle looks at a little everywhere: in pages of
// 4 KB that is more of them than a processor keeps translations for, and the walk to a page costs more than the cache line.
#include "base/assert.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Builds that look after each object leave it to their allocators, some of which end the process for a size that cannot be.
#if defined HEDDLE_HOSTILE || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__

// The size stands in front, to be compared with the one that a free gives.
enum { BEFORE = 64 };

static void *behind_size(char *p, size_t size)
{
	memcpy(p, &size, sizeof size);
	return p + BEFORE;
}

void *mem_alloc_dense(size_t size) { return behind_size(mem_alloc_lines(size + BEFORE), size); }

void *mem_try_alloc_dense(size_t size)
{
	char *p = NULL;
	if (!mem_forced_failure() && size <= (size_t)1 << 40)
		p = aligned_alloc(64, BEFORE + ((size + 63) & ~(size_t)63));
	return p ? behind_size(memset(p, 0, BEFORE + size), size) : NULL;
}

void mem_free_dense(void *p, size_t size)
{
	size_t had;
	if (!p)
		return;
	memcpy(&had, (char *)p - BEFORE, sizeof had);
	if (had != size) {
		fprintf(stderr, "heddle: broken: %zu bytes are freed of %zu\n", size, had);
		abort();
	}
	mem_free((char *)p - BEFORE);
}

#else

enum { LINE = 64, LARGE_PAGE = 2 << 20, BLOCK = 16 * LARGE_PAGE, LISTS = 256 };

// Address space; the host gives it memory by the large page, if it has large pages, as it is touched.
struct block {
	struct block *next;
	size_t size;
};

struct piece { // one that was freed
	struct piece *next;
	size_t size;
};

// Of the whole process, as malloc's heap is.
static struct {
	pthread_mutex_t lock;
	struct block *block;
	char *at, *end;             // what the newest block has left
	struct piece *freed[LISTS]; // by size, modulo
	size_t live;                // pieces in use; when there are none all blocks are given back
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t rounded(size_t size) { return size ? (size + LINE - 1) & ~(size_t)(LINE - 1) : LINE; }

static struct piece **list_of(size_t size) { return &heap.freed[size / LINE % LISTS]; }

static bool add_block(size_t size)
{
	const size_t whole = (size + LINE + BLOCK - 1) / BLOCK * BLOCK;
	char *p = mmap(NULL, whole + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return false;
	const size_t before = -(uintptr_t)p & (LARGE_PAGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + whole, LARGE_PAGE - before);
	p += before;
	madvise(p, whole, MADV_HUGEPAGE); // a wish
	*(struct block *)p = (struct block){heap.block, whole};
	heap.block = (struct block *)p;
	heap.at = p + LINE;
	heap.end = p + whole;
	return true;
}

static void *take(size_t size)
{
	for (struct piece **at = list_of(size); *at; at = &(*at)->next) {
		struct piece *p = *at;
		if (p->size != size)
			continue;
		*at = p->next;
		return memset(p, 0, size);
	}
	if ((size_t)(heap.end - heap.at) < size && !add_block(size))
		return NULL;
	char *p = heap.at;
	heap.at += size;
	return p;
}

static void give_back(void)
{
	for (struct block *b = heap.block, *next; b; b = next) {
		next = b->next;
		munmap(b, b->size);
	}
	heap.block = NULL;
	heap.at = heap.end = NULL;
	memset(heap.freed, 0, sizeof heap.freed);
}

static void *alloc(size_t size)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	pthread_mutex_lock(&heap.lock);
	void *p = take(rounded(size));
	heap.live += p != NULL;
	pthread_mutex_unlock(&heap.lock);
	return p;
}

void *mem_alloc_dense(size_t size)
{
	void *p = alloc(size);
	if (!p)
		mem_fail(size);
	return p;
}

void *mem_try_alloc_dense(size_t size) { return mem_forced_failure() ? NULL : alloc(size); }

void mem_free_dense(void *at, size_t size)
{
	if (!at)
		return;
	struct piece *p = at;
	size = rounded(size);
	pthread_mutex_lock(&heap.lock);
	*p = (struct piece){*list_of(size), size};
	*list_of(size) = p;
	if (!--heap.live)
		give_back();
	pthread_mutex_unlock(&heap.lock);
}

#endif

// --- tables of which most may never be touched

// Not those of which a large page holds some, and none of the hostile build, whose allocator looks after each.
static bool of_pages(size_t size)
{
	const size_t large = HEDDLE_LIMIT(SIZE_MAX, 1 << 20);
	return size >= large;
}

void *mem_alloc_table(size_t size)
{
	if (!of_pages(size))
		return mem_alloc_dense(size);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		mem_fail(size);
	return p;
}

void mem_free_table(void *p, size_t size)
{
	if (!of_pages(size))
		mem_free_dense(p, size);
	else if (p)
		munmap(p, size);
}
