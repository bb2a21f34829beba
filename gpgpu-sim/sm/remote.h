// The network between SMs, as each of them sees it: what it asks of, or writes to, shared memory of other CTAs of a cluster.
//
// An SM sends and gets -cluster_bytes bytes a cycle, one access after the other; an access is over -cluster_latency cycles after its last
// byte. What goes on at the other end, where banks and other SMs' accesses meet, is in these figures only as far as it was measured.
#ifndef GPGPU_SIM_SM_REMOTE_H
#define GPGPU_SIM_SM_REMOTE_H

#include "base/ring.h"
#include "gpgpu-sim/sm/winst.h"

struct fe_access;
struct sm;

enum { SM_REMOTE_PLACES = 256 }; // accesses of an SM on their way; each warp has a few

struct sm_remote_access {
	uint64_t due;
	struct winst *w; // a load or an atomic; NULL: a store
	uint8_t warp;
};

struct sm_remote {
	RING(struct sm_remote_access);
	uint64_t sent; // bytes, the cycles in which there was nothing to send included
};

// Bytes that an access moves: lanes that read the same place read it once.
uint32_t remote_bytes(const struct fe_access *a);

static inline bool remote_full(const struct sm_remote *r) { return RING_FULL(r); }
// The cycle in which so many bytes that are sent now have arrived.
uint64_t remote_pass(struct sm *m, uint32_t bytes, uint64_t now);
// Sends an instruction of w->cycles bytes (winst.h); it must not be full. A store is acknowledged when it is over.
void remote_send(struct sm *m, struct winst *w, uint64_t now);
// A load or an atomic that is over, the oldest, which leaves; NULL if there is none. Acknowledges stores that are.
struct winst *remote_take(struct sm *m, uint64_t now);
// When the next one is over; UINT64_MAX: none is on its way.
static inline uint64_t remote_next(const struct sm_remote *r) { return r->n ? RING_FRONT(r)->due : UINT64_MAX; }

#endif
