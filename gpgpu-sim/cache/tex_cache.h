// The texture cache that hides latency (H. Igehy et al., "Prefetching in a texture cache architecture", 1998): tags are
// looked up when a request enters, then all requests, hits and misses, wait in one FIFO for their turn, by which time
// the data of a miss should have arrived in the reorder buffer. Order in is order out.
#ifndef GPGPU_SIM_CACHE_TEX_CACHE_H
#define GPGPU_SIM_CACHE_TEX_CACHE_H

#include "gpgpu-sim/cache/cache.h"
#include "gpgpu-sim/cache/tag_array.h"

struct tex_slot {
	struct mem_req *r;
	bool miss;        // its data goes through the reorder buffer
	uint32_t pending; // answers to come: a sector each, if the level below works in sectors
};

struct tex_ring {
	struct tex_slot *slot;
	uint32_t head, n, size;
};

struct tex_cache {
	struct tag_array *tags;
	struct tex_ring fragments;  // everything accepted, in order
	struct tex_ring rob;        // its misses, in order
	struct port request, result;
	uint32_t line, answers;     // bytes of a fetch; messages in which it comes
	bool split;                 // answers are sectors, each with the request as its origin
};

void tex_cache_init(struct tex_cache *t, const struct cache_form *form, struct tag_array *tags);
void tex_cache_free(struct tex_cache *t);
// MISS, HIT_RESERVED (the data will be there when its turn comes) or RESERVATION_FAIL (a FIFO is full).
enum cache_status tex_cache_access(struct tex_cache *t, struct mem_req *r, uint64_t now);
bool tex_cache_tick(struct tex_cache *t, const struct cache_below *below);
bool tex_cache_idle(const struct tex_cache *t);
bool tex_cache_waits_for(const struct tex_cache *t, const struct mem_req *r);
void tex_cache_fill(struct tex_cache *t, struct mem_req *r, struct mem_pool *pool);

#endif
