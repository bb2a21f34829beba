#include "gpgpu-sim/request/mem_req.h"

#include "base/mem.h"

#include <string.h>

const char *const mem_access_name[MEM_N_ACCESS_TYPES] = {
#define X(name) #name,
	MEM_ACCESS_TYPES(X)
#undef X
};

enum { MAX_CHUNKS = 24 };

// Chunks double, so a run allocates a handful of times whatever it does; the figure of requests in flight is bounded by
// the queues of the configuration.
struct mem_pool {
	struct mem_req *free;
	struct mem_req *chunk[MAX_CHUNKS];
	uint32_t n_chunk, chunk_size;
	uint32_t serial;
	uint64_t live;
};

static void grow(struct mem_pool *p)
{
	HEDDLE_ASSERT(p->n_chunk < MAX_CHUNKS);
	struct mem_req *r = mem_alloc(p->chunk_size * sizeof *r);
	p->chunk[p->n_chunk++] = r;
	for (uint32_t i = p->chunk_size; i-- > 0;) {
		r[i].next = p->free;
		p->free = &r[i];
	}
	p->chunk_size *= 2;
}

struct mem_pool *mem_pool_new(uint32_t first)
{
	struct mem_pool *p = MEM_NEW(struct mem_pool);
	p->chunk_size = first ? first : 64;
	grow(p);
	return p;
}

void mem_pool_free(struct mem_pool *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n_chunk; i++)
		mem_free(p->chunk[i]);
	mem_free(p);
}

struct mem_req *mem_req_new(struct mem_pool *p)
{
	if (!p->free)
		grow(p);
	struct mem_req *r = p->free;
	p->free = r->next;
	memset(r, 0, sizeof *r);
	r->inst = MEM_NO_INST;
	r->warp = MEM_NO_WARP;
	r->serial = ++p->serial;
	p->live++;
	return r;
}

void mem_req_free(struct mem_pool *p, struct mem_req *r)
{
	HEDDLE_ASSERT(p->live > 0);
	p->live--;
	r->serial = 0;
	r->next = p->free;
	p->free = r;
}

void mem_pool_each(const struct mem_pool *p, void (*f)(void *ctx, const struct mem_req *r), void *ctx)
{
	uint32_t size = p->chunk_size >> p->n_chunk;
	for (uint32_t c = 0; c < p->n_chunk; c++, size *= 2)
		for (uint32_t i = 0; i < size; i++)
			if (p->chunk[c][i].serial)
				f(ctx, &p->chunk[c][i]);
}

uint32_t mem_pool_serial(const struct mem_pool *p) { return p->serial; }
uint64_t mem_pool_live(const struct mem_pool *p) { return p->live; }
