#include "base/arena.h"

#include "base/assert.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_SIZE = HEDDLE_LIMIT(16, 64 * 1024), ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(ALIGN) char data[];
};

void *arena_alloc(struct arena *a, size_t size)
{
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!a->head || a->head->size - a->used < size) {
		size_t want = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		struct arena_block *b = mem_alloc(sizeof *b + want);
		b->size = want;
		b->next = a->head;
		a->head = b;
		a->used = 0;
	}
	void *p = a->head->data + a->used;
	a->used += size;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);
	memcpy(p, s, len);
	return p;
}

char *arena_strdup(struct arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return p;
}

void arena_free(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;
		mem_free(a->head);
		a->head = next;
	}
	a->used = 0;
}
