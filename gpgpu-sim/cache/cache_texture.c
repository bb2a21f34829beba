// The texture cache that hides latency (H. Igehy et al., "Prefetching in a texture cache architecture", 1998): tags are
// looked up when a request enters, then all requests, hits and misses, wait in one FIFO for their turn, by which time
// the data of a miss should have arrived in the reorder buffer. Order in is order out.
#include "gpgpu-sim/cache/cache_kind.h"

#include "base/mem.h"
#include "base/ring.h"

#include <stdio.h>

struct tex_slot {
	struct mem_req *r;
	bool miss;        // its data goes through the reorder buffer
	uint32_t pending; // answers to come: a sector each, if the level below works in sectors
};

struct tex_cache {
	RING(struct tex_slot) fragments; // everything accepted, in order
	RING(struct tex_slot) rob;       // its misses, in order
	struct port request, result;
};

static const char *wrong(const struct cache_config *cfg)
{
	const struct cache_form *f = &cfg->form;
	if (f->mshr != 'F' && f->mshr != 'T')
		return "a texture cache has a FIFO for its MSHRs (F or T)";
	if (f->write != 'R' || f->allocate != 'm')
		return "a texture cache is read-only (R) and allocates on miss (m)";
	return NULL;
}

// The fields of the string have other meanings here: fragments : requests , reorder buffer : results.
static void init(struct cache *c)
{
	struct tex_cache *t = c->own = MEM_NEW(struct tex_cache);
	RING_INIT(&t->fragments, c->form.mshr_entries);
	RING_INIT(&t->rob, c->form.miss_queue);
	port_init(&t->request, c->form.mshr_merges);
	port_init(&t->result, c->form.result_fifo);
}

static void tex_free(struct cache *c)
{
	struct tex_cache *t = c->own;
	RING_FREE(&t->fragments);
	RING_FREE(&t->rob);
	port_free(&t->request);
	port_free(&t->result);
	mem_free(t);
}

// The oldest fragment can go on: a hit, or its data is there.
static bool head_ready(const struct tex_cache *t)
{
	if (!t->fragments.n || port_full(&t->result))
		return false;
	return !RING_FRONT(&t->fragments)->miss || RING_FRONT(&t->rob)->pending == 0;
}

static bool idle(const struct cache *c)
{
	const struct tex_cache *t = c->own;
	return port_empty(&t->request) && !head_ready(t);
}

static void look(struct cache *c)
{
	c->head.sends = !idle(c);
	c->head.ready = !port_empty(&((const struct tex_cache *)c->own)->result);
}

static enum cache_status look_up(struct cache *c, struct mem_req *r, uint64_t now)
{
	struct tex_cache *t = c->own;
	if (RING_FULL(&t->fragments) || port_full(&t->request) || RING_FULL(&t->rob))
		return CACHE_RESERVATION_FAIL;
	struct tag_victim victim;
	struct tag_at at = tag_probe(&c->tags, r->addr, r->addr, r->sectors, false);
	bool miss = at.status != CACHE_HIT;
	tag_use(&c->tags, at, r->addr, r->sectors, now, true, &victim);
	RING_PUSH(&t->fragments, (struct tex_slot){.r = r, .miss = miss});
	if (!miss)
		return CACHE_HIT_RESERVED;
	// Later requests may count on the line: their turn comes after this one's.
	tag_fill_line(&c->tags, at.line, r->addr, r->sectors, NULL);
	RING_PUSH(&t->rob, (struct tex_slot){.r = r, .pending = c->answers});
	r->bytes = c->form.line;
	port_push(&t->request, r);
	return CACHE_MISS;
}

// MISS, HIT_RESERVED (the data will be there when its turn comes) or RESERVATION_FAIL (a FIFO is full), which is not counted.
static enum cache_status access(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events)
{
	enum cache_status status = look_up(c, r, now);
	c->head.last_fail = CACHE_N_FAILS;
	if (status == CACHE_RESERVATION_FAIL)
		return status;
	if (status == CACHE_MISS)
		*events |= CACHE_SENT_READ;
	cache_counts_of(c, r)->n[r->type][status]++;
	c->head.version++;
	look(c);
	return status;
}

static bool tick(struct cache *c)
{
	struct tex_cache *t = c->own;
	bool moved = false;
	struct mem_req *r = port_first(&t->request);
	if (r && !c->below.full(c->below.ctx, r)) {
		port_pop(&t->request);
		c->below.push(c->below.ctx, r);
		moved = true;
	}
	if (head_ready(t)) {
		struct tex_slot *s = RING_FRONT(&t->fragments);
		if (s->miss)
			RING_DROP(&t->rob);
		port_push(&t->result, s->r);
		RING_DROP(&t->fragments);
		moved = true;
	}
	c->head.version += moved;
	look(c);
	return moved;
}

// Answers come nearly in order, so the search is short.
static struct tex_slot *waiting(const struct cache *c, const struct mem_req *r)
{
	const struct tex_cache *t = c->own;
	for (uint32_t i = 0; i < t->rob.n; i++) {
		struct tex_slot *s = RING_AT(&t->rob, i);
		if (s->pending && (s->r == r || (c->split && s->r == r->origin)))
			return s;
	}
	return NULL;
}

static bool waits_for(const struct cache *c, const struct mem_req *r) { return waiting(c, r) != NULL; }

static void fill(struct cache *c, struct mem_req *r, uint64_t now)
{
	struct tex_slot *s = waiting(c, r);
	HEDDLE_ASSERT(s);
	if (s->r == r) {
		s->pending = 0;
	} else {
		s->pending--;
		mem_req_free(c->pool, r);
	}
	look(c);
}

static struct mem_req *next_access(struct cache *c)
{
	struct mem_req *r = port_pop(&((struct tex_cache *)c->own)->result);
	look(c);
	return r;
}

static bool quiet(const struct cache *c) { return ((const struct tex_cache *)c->own)->rob.n == 0; }

static int describe(const struct cache *c, char *buf, unsigned len)
{
	const struct tex_cache *t = c->own;
	return snprintf(buf, len, "%s: fragments %u/%u, reorder buffer %u/%u, requests %u/%u, results %u/%u", c->name,
	                t->fragments.n, t->fragments.size, t->rob.n, t->rob.size, t->request.n, t->request.size, t->result.n,
	                t->result.size);
}

const struct cache_kind cache_texture = {
	.name = "texture", .wrong = wrong, .init = init, .free = tex_free, .access = access, .tick = tick, .idle = idle,
	.waits_for = waits_for, .fill = fill, .next_access = next_access, .quiet = quiet, .describe = describe,
};
