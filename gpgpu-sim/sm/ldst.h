// What the load/store units of all core models share: the data, constant and texture L1 caches, the way to the network and
// what comes back from it.
#ifndef GPGPU_SIM_SM_LDST_H
#define GPGPU_SIM_SM_LDST_H

#include "gpgpu-sim/cache/cache.h"
#include "gpgpu-sim/cache/set_index.h"
#include "gpgpu-sim/sm/remote.h"
#include "gpgpu-sim/sm/winst.h"

struct sm;

// What keeps a memory instruction in the unit. X(name): text of gpgpu_stall_shd_mem
#define LDST_STALLS(X) X(NO_RC_FAIL) X(BK_CONF) X(MSHR_RC_FAIL) X(ICNT_RC_FAIL) X(COAL_STALL) X(DATA_PORT_STALL)
enum ldst_stall {
#define X(name) LDST_##name,
	LDST_STALLS(X)
#undef X
	LDST_N_STALLS
};
enum ldst_kind { LDST_C_MEM, LDST_T_MEM, LDST_S_MEM, LDST_G_MEM_LD, LDST_L_MEM_LD, LDST_G_MEM_ST, LDST_L_MEM_ST, LDST_N_KINDS };

// A cache that sends nothing most of the time: such cycles are counted up and told to it at once.
struct lazy_cache {
	struct cache *cache; // NULL: none
	uint64_t skipped;
	bool busy;           // it sends something or has an answer for somebody, or may have since the last tick
};

static inline void lazy_settle(struct lazy_cache *c)
{
	if (c->skipped && c->cache)
		cache_skip(c->cache, c->skipped);
	c->skipped = 0;
}

// Before an access or a fill.
static inline void lazy_touch(struct lazy_cache *c)
{
	lazy_settle(c);
	c->busy = true;
}

static inline void lazy_tick(struct lazy_cache *c)
{
	if (!c->busy) {
		c->skipped++;
		return;
	}
	if (cache_sends(c->cache)) {
		lazy_settle(c);
		cache_tick(c->cache);
	} else {
		c->skipped++;
	}
	c->busy = cache_sends(c->cache) || cache_access_ready(c->cache);
}

struct ldst {
	struct port responses;     // from the network
	struct lazy_cache l1d, l1c, l1t;
	struct sm_remote remote;
	struct set_index l1_bank;
	char cache_name[4][48];    // of the caches and the instruction cache
	uint8_t n_named;
};

void ldst_init(struct ldst *l, struct sm *m);
void ldst_reshape_l1d(struct sm *m); // to the form that the configuration has by now; L1D must be quiet
void ldst_free(struct ldst *l);
void ldst_skip(struct ldst *l, uint64_t cycles); // cycles in which no cache was looked at

// The network takes no packet of so many bytes now; no packet for that request. That it is full is counted.
bool ldst_network_full(struct sm *m, unsigned bytes);
bool ldst_below_full(void *sm, const struct mem_req *r);
void ldst_send(struct sm *m, struct mem_req *r);         // into the network, counted
void ldst_count(struct sm *m, const struct winst *w);    // an instruction enters the unit
bool ldst_bypasses(const struct sm *m, const struct winst *w);     // global and local memory: its requests pass L1D by
bool ldst_passes_l1d(const struct sm *m, const struct mem_req *r); // and such an answer
unsigned ldst_l1_bank(const struct sm *m, uint64_t addr);
// One request at L1D's tags. False: refused, try again. A load that hit: its request is freed and *hit is the instruction
// that waited for it; else NULL.
bool ldst_access_l1d(struct sm *m, struct mem_req *r, uint64_t now, struct winst **hit);
bool ldst_fill(struct lazy_cache *c, struct mem_req *r, uint64_t now); // false: the fill port is busy
// A sectored L2 answers sector by sector; the request itself comes back with the last one, else NULL.
struct mem_req *ldst_whole_answer(struct sm *m, struct mem_req *r);
unsigned ldst_acks_of(const struct sm *m, const struct mem_req *r); // acknowledgements that a store will get
void ldst_own_store_ack(struct sm *m, struct mem_req *r); // all of them, of a store that L1D kept
void ldst_end_write_fetch(struct sm *m, struct mem_req *fetch); // the line that a store waited for is there (fetch on write)

// A request that the instruction waited for is there. True if it was the last.
static inline bool ldst_arrived(struct winst *w)
{
	HEDDLE_ASSERT(w->refs > 0);
	return --w->refs == 0;
}

static inline struct mem_req *ldst_pop_access(struct winst *w)
{
	struct mem_req *r = w->access;
	w->access = r->next;
	w->n_access--;
	r->next = NULL;
	return r;
}

#endif
