// A bounded queue of requests for lines, by value: the ways between the L0s and L1 carry a lot of them.
#ifndef GPGPU_SIM_MODERN_LINE_RING_H
#define GPGPU_SIM_MODERN_LINE_RING_H

#include "base/assert.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct line_req {
	uint64_t addr;   // timing address
	uint64_t ready;  // first cycle in which it has come to the end of its way
	uint16_t stream; // dense number, for statistics
	uint8_t client;  // who asked
};

struct line_ring {
	struct line_req *at;
	uint32_t head, n, size;
};

static inline void line_ring_init(struct line_ring *r, uint32_t size)
{
	*r = (struct line_ring){.size = size ? size : 1};
	r->at = mem_alloc(r->size * sizeof *r->at);
}

static inline void line_ring_free(struct line_ring *r) { mem_free(r->at); }
static inline bool line_ring_full(const struct line_ring *r) { return r->n >= r->size; }
static inline const struct line_req *line_ring_front(const struct line_ring *r) { return &r->at[r->head]; } // n > 0

static inline void line_ring_push(struct line_ring *r, struct line_req q)
{
	HEDDLE_ASSERT(r->n < r->size);
	uint32_t i = r->head + r->n++;
	r->at[i >= r->size ? i - r->size : i] = q;
}

static inline struct line_req line_ring_pop(struct line_ring *r)
{
	HEDDLE_ASSERT(r->n > 0);
	struct line_req q = r->at[r->head];
	r->head = r->head + 1 == r->size ? 0 : r->head + 1;
	r->n--;
	return q;
}

#endif
