// The queue that units talk through: a bounded ring (base/ring.h) of pointers, each with the cycle from which it may be taken.
// A sender asks port_full first; pushing into a full port is a fault of the model.
#ifndef GPGPU_SIM_REQUEST_PORT_H
#define GPGPU_SIM_REQUEST_PORT_H

#include "base/ring.h"

struct port_slot {
	void *item;
	uint64_t ready; // first cycle, in the receiver's clock, at which port_front sees the item
};

struct port {
	RING(struct port_slot);
};

void port_init(struct port *p, uint32_t size); // so many items at most
void port_free(struct port *p);
// What it holds, for deadlock reports: "name 3/8".
int port_describe(const struct port *p, const char *name, char *buf, unsigned len);

static inline bool port_empty(const struct port *p) { return p->n == 0; }
static inline uint32_t port_room(const struct port *p) { return p->size - p->n; }
static inline bool port_full(const struct port *p) { return RING_FULL(p); }

static inline void port_push_at(struct port *p, void *item, uint64_t ready)
{
	RING_PUSH(p, (struct port_slot){item, ready});
}

static inline void port_push(struct port *p, void *item) { port_push_at(p, item, 0); }

// The oldest item if its time has come, else NULL. Items leave in the order in which they entered.
static inline void *port_front(const struct port *p, uint64_t now)
{
	return p->n && RING_FRONT(p)->ready <= now ? RING_FRONT(p)->item : 0;
}

// The oldest item whatever its time; NULL if the port is empty.
static inline void *port_first(const struct port *p) { return p->n ? RING_FRONT(p)->item : 0; }

// When port_front will see something: UINT64_MAX if the port is empty.
static inline uint64_t port_next(const struct port *p) { return p->n ? RING_FRONT(p)->ready : UINT64_MAX; }

static inline void *port_pop(struct port *p)
{
	HEDDLE_ASSERT(p->n > 0);
	return RING_TAKE(p).item;
}

#endif
