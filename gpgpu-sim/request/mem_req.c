#include "gpgpu-sim/request/mem_req.h"

#include "base/mem.h"
#include "base/vec.h"

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
	uint32_t n_chunk, first;
	uint32_t serial;
	uint64_t live;
	uint16_t number;          // in the family
	struct mem_family *family;
};

struct mem_family {
	VEC(struct mem_pool *) pool;
};

static void grow(struct mem_pool *p)
{
	HEDDLE_ASSERT(p->n_chunk < MAX_CHUNKS);
	uint32_t size = p->first << p->n_chunk;
	struct mem_req *r = mem_alloc(size * sizeof *r);
	p->chunk[p->n_chunk++] = r;
	for (uint32_t i = size; i-- > 0;) {
		r[i].next = p->free;
		p->free = &r[i];
	}
}

static struct mem_pool *pool_new(struct mem_family *f, uint32_t first)
{
	struct mem_pool *p = MEM_NEW(struct mem_pool);
	p->first = first ? first : 64;
	p->number = (uint16_t)f->pool.n;
	p->family = f;
	VEC_PUSH(&f->pool, p);
	grow(p);
	return p;
}

struct mem_pool *mem_pool_new(uint32_t first) { return pool_new(MEM_NEW(struct mem_family), first); }

struct mem_pool *mem_pool_beside(struct mem_pool *eldest, uint32_t first) { return pool_new(eldest->family, first); }

void mem_pool_free(struct mem_pool *eldest)
{
	if (!eldest)
		return;
	struct mem_family *f = eldest->family;
	for (size_t k = 0; k < f->pool.n; k++) {
		for (uint32_t i = 0; i < f->pool.at[k]->n_chunk; i++)
			mem_free(f->pool.at[k]->chunk[i]);
		mem_free(f->pool.at[k]);
	}
	VEC_FREE(&f->pool);
	mem_free(f);
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
	r->pool = p->number;
	r->serial = ++p->serial;
	p->live++;
	return r;
}

struct mem_req *mem_req_copy(struct mem_pool *p, const struct mem_req *of)
{
	struct mem_req *r = mem_req_new(p);
	uint32_t serial = r->serial;
	*r = *of;
	r->serial = serial;
	r->pool = p->number;
	r->next = NULL;
	return r;
}

void mem_req_free(struct mem_pool *p, struct mem_req *r)
{
	struct mem_pool *own = r->pool == p->number ? p : p->family->pool.at[r->pool];
	HEDDLE_ASSERT(own->live > 0);
	own->live--;
	r->serial = 0;
	r->next = own->free;
	own->free = r;
}

void mem_pool_each(const struct mem_pool *p, void (*f)(void *ctx, const struct mem_req *r), void *ctx)
{
	for (size_t k = 0; k < p->family->pool.n; k++) {
		const struct mem_pool *one = p->family->pool.at[k];
		for (uint32_t c = 0; c < one->n_chunk; c++)
			for (uint32_t i = 0; i < one->first << c; i++)
				if (one->chunk[c][i].serial)
					f(ctx, &one->chunk[c][i]);
	}
}

uint64_t mem_pool_made(const struct mem_pool *p)
{
	uint64_t n = 0;
	for (size_t k = 0; k < p->family->pool.n; k++)
		n += p->family->pool.at[k]->serial;
	return n;
}

uint64_t mem_pool_live(const struct mem_pool *p)
{
	uint64_t n = 0;
	for (size_t k = 0; k < p->family->pool.n; k++)
		n += p->family->pool.at[k]->live;
	return n;
}
