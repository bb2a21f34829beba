// Bounded queues, by value: RING(int) q; RING_INIT(&q, 8); RING_PUSH(&q, 3); *RING_FRONT(&q); i = RING_TAKE(&q); RING_FREE(&q).
// Whoever pushes has asked for room: pushing into a full ring is a fault of the model.
//
// It is the one bounded queue of the simulator. gpgpu-sim/request/port.h is the form of it through which units of the GPU
// pass pointers, each with the cycle from which it may be taken. Pipelines that are looked up by cycle and chains
// that nothing bounds are other things, and have their own form where they stand.
#ifndef BASE_RING_H
#define BASE_RING_H

#include "base/assert.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define RING(type)                      \
	struct {                        \
		type *at;               \
		uint32_t head, n, size; \
	}

static inline uint32_t ring_places(uint32_t size) { return size ? size : 1; }

// `size` elements at most, 1 if it is 0.
#define RING_INIT(r, size_)                                             \
	do {                                                            \
		(r)->head = (r)->n = 0;                                 \
		(r)->size = ring_places(size_);                         \
		(r)->at = mem_alloc_dense((r)->size * sizeof *(r)->at); \
	} while (0)

// The same in memory of someone else, which RING_FREE must not see.
#define RING_USE(r, storage, size_)     \
	do {                            \
		(r)->head = (r)->n = 0; \
		(r)->size = (size_);    \
		(r)->at = (storage);    \
	} while (0)

#define RING_FREE(r)                                                  \
	do {                                                          \
		mem_free_dense((r)->at, (r)->size * sizeof *(r)->at); \
		(r)->at = NULL;                                       \
		(r)->n = (r)->size = 0;                               \
	} while (0)

#define RING_FULL(r) ((r)->n >= (r)->size)

// Where the i-th oldest lies; i may be n, the place behind the last.
static inline uint32_t ring_place(uint32_t head, uint32_t i, uint32_t size) { return head + i >= size ? head + i - size : head + i; }

#define RING_AT(r, i) (&(r)->at[ring_place((r)->head, (i), (r)->size)])
#define RING_FRONT(r) (&(r)->at[(r)->head])
#define RING_BACK(r) RING_AT(r, (r)->n - 1)

#define RING_PUSH(r, ...)                                                           \
	do {                                                                        \
		HEDDLE_ASSERT((r)->n < (r)->size);                                  \
		(r)->at[ring_place((r)->head, (r)->n, (r)->size)] = __VA_ARGS__;    \
		(r)->n++;                                                           \
	} while (0)

// The oldest leaves. An empty ring starts again at 0: short queues in large rings then stay in few cache lines.
#define RING_DROP(r)                                                                          \
	do {                                                                                  \
		HEDDLE_ASSERT((r)->n > 0);                                                    \
		(r)->head = --(r)->n == 0 || (r)->head + 1 == (r)->size ? 0 : (r)->head + 1;  \
	} while (0)

// The same, and what it was: the place stays as it is until the next push.
#define RING_TAKE(r) ((r)->at[ring_leave(&(r)->head, &(r)->n, (r)->size)])

static inline uint32_t ring_leave(uint32_t *head, uint32_t *n, uint32_t size)
{
	uint32_t place = *head;
	HEDDLE_ASSERT(*n > 0);
	*head = --*n == 0 || place + 1 == size ? 0 : place + 1;
	return place;
}

// Only the `k` oldest stay.
#define RING_KEEP(r, k)                         \
	do {                                    \
		HEDDLE_ASSERT((k) <= (r)->n);   \
		(r)->n = (k);                   \
		if (!(r)->n)                    \
			(r)->head = 0;          \
	} while (0)

#endif
