// Bump allocator: everything allocated from an arena dies with it.
//
// Lifetimes in Heddle are few: a PTX module, a decoded kernel, the process. Each owns one arena,
// so nothing below needs a matching free.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *head;
	size_t used; // bytes used in the head block
};

// Returns `size` zeroed bytes aligned to 16. Never NULL: running out of host memory ends in mem_fail().
void *arena_alloc(struct arena *a, size_t size);

// Copies `len` bytes of `s` and adds a NUL.
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);

// printf into the arena.
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Frees everything; the arena is empty and usable again.
void arena_free(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
