// Requests that wait a fixed time from when they came (mem_req.since), in order. No option bounds how many there are: the ring
// grows. It keeps the times beside each other, so that a request is not touched while it waits.
#ifndef GPGPU_SIM_MEMORY_DELAY_H
#define GPGPU_SIM_MEMORY_DELAY_H

#include "base/ring.h"
#include "gpgpu-sim/request/mem_req.h"

#define NEVER UINT64_MAX

struct delay { // all zero: empty
	struct delay_slot {
		struct mem_req *r;
		uint64_t since;
	} *at;
	uint32_t head, n, size;
};

void delay_grow(struct delay *q);
void delay_free(struct delay *q);

static inline void delay_push(struct delay *q, struct mem_req *r)
{
	if (RING_FULL(q))
		delay_grow(q);
	RING_PUSH(q, (struct delay_slot){r, r->since});
}

static inline struct mem_req *delay_pop(struct delay *q) { return RING_TAKE(q).r; }

// The i-th oldest; NULL: there are fewer.
static inline struct mem_req *delay_at(const struct delay *q, uint32_t i) { return i < q->n ? RING_AT(q, i)->r : NULL; }
static inline struct mem_req *delay_first(const struct delay *q) { return delay_at(q, 0); }

// When the first has waited so long; NEVER: there is none.
static inline uint64_t delay_over(const struct delay *q, uint64_t latency) { return q->n ? RING_FRONT(q)->since + latency : NEVER; }

#endif
