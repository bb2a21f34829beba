#include "gpgpu-sim/request/mem_req.h"

#include "base/mem.h"
#include "base/vec.h"


const char *const mem_access_name[MEM_N_ACCESS_TYPES] = {
#define X(name) #name,
	MEM_ACCESS_TYPES(X)
#undef X
};

struct chunk {
	void *memory;
	struct mem_req *at; // in it, each request in a pair of cache lines that the host fetches together
	uint32_t n;
};

// It grows by a quarter, so a run allocates some dozen times whatever it does and little is left unused; the figure of
// requests in flight is bounded by the queues of the configuration.
struct mem_pool {
	struct mem_req **free;    // the first n_free are: room for all
	uint32_t n_free;
	VEC(struct chunk) chunk;
	uint32_t first, n;        // of the first chunk; of all
	uint32_t serial;
	uint64_t live;
	uint16_t number;          // in the family
	struct mem_req *away;     // requests of other pools of the family that were freed here, to be brought home
	uint64_t n_away;
	struct mem_family *family;
};

struct mem_family {
	VEC(struct mem_pool *) pool;
	bool apart;               // each pool is used by a thread of its own: it touches no other
};

static size_t bytes_of(uint32_t requests) { return ((size_t)requests + 1) * sizeof(struct mem_req); }

static void grow(struct mem_pool *p)
{
	uint32_t size = p->n / 4 > p->first ? p->n / 4 : p->first;
	void *memory = mem_alloc_dense(bytes_of(size));
	struct mem_req *r = (struct mem_req *)(((uintptr_t)memory + sizeof *r - 1) & ~(uintptr_t)(sizeof *r - 1));
	VEC_PUSH(&p->chunk, ((struct chunk){memory, r, size}));
	p->n += size;
	p->free = mem_realloc(p->free, p->n * sizeof *p->free);
	for (uint32_t i = size; i-- > 0;)
		p->free[p->n_free++] = &r[i];
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
		struct mem_pool *p = f->pool.at[k];
		for (size_t i = 0; i < p->chunk.n; i++)
			mem_free_dense(p->chunk.at[i].memory, bytes_of(p->chunk.at[i].n));
		VEC_FREE(&p->chunk);
		mem_free(p->free);
		mem_free(p);
	}
	VEC_FREE(&f->pool);
	mem_free(f);
}

// A free one, the last that came back. Those behind it will be asked for soon.
static inline struct mem_req *take(struct mem_pool *p)
{
	enum { AHEAD = 4 };
	if (!p->n_free)
		grow(p);
	struct mem_req *r = p->free[--p->n_free];
	if (p->n_free >= AHEAD) {
		__builtin_prefetch(p->free[p->n_free - AHEAD], 1);
		__builtin_prefetch((const char *)p->free[p->n_free - AHEAD] + 64, 1);
	}
	p->live++;
	return r;
}

struct mem_req *mem_req_copy(struct mem_pool *p, const struct mem_req *of)
{
	struct mem_req *r = take(p);
	*r = *of;
	r->serial = ++p->serial;
	r->pool = p->number;
	r->next = NULL;
	return r;
}

struct mem_req *mem_req_new(struct mem_pool *p)
{
	static const struct mem_req none = {.inst = MEM_NO_INST, .warp = MEM_NO_WARP}; // copied in a few vectors
	return mem_req_copy(p, &none);
}

static void put_back(struct mem_pool *own, struct mem_req *r)
{
	HEDDLE_ASSERT(own->live > 0);
	own->live--;
	own->free[own->n_free++] = r;
}

void mem_req_free(struct mem_pool *p, struct mem_req *r)
{
	r->serial = 0;
	if (r->pool == p->number) {
		put_back(p, r);
	} else if (!p->family->apart) {
		put_back(p->family->pool.at[r->pool], r);
	} else {
		r->next = p->away;
		p->away = r;
		p->n_away++;
	}
}

void mem_pool_apart(struct mem_pool *p, bool on)
{
	mem_pool_home(p);
	p->family->apart = on;
}

void mem_pool_home(struct mem_pool *p)
{
	struct mem_family *f = p->family;
	for (size_t k = 0; f->apart && k < f->pool.n; k++) {
		for (struct mem_req *r = f->pool.at[k]->away, *next; r; r = next) {
			next = r->next;
			put_back(f->pool.at[r->pool], r);
		}
		f->pool.at[k]->away = NULL;
		f->pool.at[k]->n_away = 0;
	}
}

void mem_pool_each(const struct mem_pool *p, void (*f)(void *ctx, const struct mem_req *r), void *ctx)
{
	for (size_t k = 0; k < p->family->pool.n; k++) {
		const struct mem_pool *one = p->family->pool.at[k];
		for (size_t c = 0; c < one->chunk.n; c++)
			for (uint32_t i = 0; i < one->chunk.at[c].n; i++)
				if (one->chunk.at[c].at[i].serial)
					f(ctx, &one->chunk.at[c].at[i]);
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
		n += p->family->pool.at[k]->live - p->family->pool.at[k]->n_away;
	return n;
}
