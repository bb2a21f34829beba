// Objects a program holds by pointer: streams, events, arrays. Storage is never given back to the host's allocator, so
// a stale or made-up handle can be recognised without touching memory that is not ours.
#ifndef LIBCUDA_CONTEXT_HANDLE_H
#define LIBCUDA_CONTEXT_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

struct handle_pool {
	size_t size; // of one object
	struct handle_chunk *chunks;
	struct handle_slot *free;
	size_t live;
};

void *handle_new(struct handle_pool *p);                          // zeroed
void handle_free(struct handle_pool *p, void *object);
bool handle_valid(const struct handle_pool *p, const void *object); // any pointer will do

// Calls `f` for each live object, in order of storage.
void handle_each(struct handle_pool *p, void (*f)(void *object, void *arg), void *arg);

#endif
