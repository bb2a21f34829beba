#include "gpgpu-sim/cache/tex_cache.h"

#include "base/mem.h"

static void ring_init(struct tex_ring *q, uint32_t size)
{
	*q = (struct tex_ring){.size = size ? size : 1};
	q->slot = mem_alloc(q->size * sizeof *q->slot);
}

static struct tex_slot *ring_at(const struct tex_ring *q, uint32_t i)
{
	i += q->head;
	return &q->slot[i >= q->size ? i - q->size : i];
}

static void ring_push(struct tex_ring *q, struct tex_slot s)
{
	HEDDLE_ASSERT(q->n < q->size);
	*ring_at(q, q->n++) = s;
}

static void ring_pop(struct tex_ring *q)
{
	q->head = q->head + 1 == q->size ? 0 : q->head + 1;
	q->n--;
}

// The fields of the string have other meanings here: fragments : requests , reorder buffer : results.
void tex_cache_init(struct tex_cache *t, const struct cache_form *form, struct tag_array *tags)
{
	*t = (struct tex_cache){.tags = tags, .line = form->line, .split = form->mshr == 'T'};
	t->answers = t->split && form->line > MEM_SECTOR ? form->line / MEM_SECTOR : 1;
	ring_init(&t->fragments, form->mshr_entries);
	ring_init(&t->rob, form->miss_queue);
	port_init(&t->request, "request fifo", form->mshr_merges);
	port_init(&t->result, "result fifo", form->result_fifo);
}

void tex_cache_free(struct tex_cache *t)
{
	mem_free(t->fragments.slot);
	mem_free(t->rob.slot);
	port_free(&t->request);
	port_free(&t->result);
}

enum cache_status tex_cache_access(struct tex_cache *t, struct mem_req *r, uint64_t now)
{
	if (t->fragments.n == t->fragments.size || port_full(&t->request) || t->rob.n == t->rob.size)
		return CACHE_RESERVATION_FAIL;
	struct tag_victim victim;
	struct tag_at at = tag_probe(t->tags, r->addr, r->addr, r->sectors, false);
	bool miss = at.status != CACHE_HIT;
	tag_use(t->tags, at, r->addr, r->sectors, now, true, &victim);
	ring_push(&t->fragments, (struct tex_slot){.r = r, .miss = miss});
	if (!miss)
		return CACHE_HIT_RESERVED;
	// Later requests may count on the line: their turn comes after this one's.
	tag_fill_line(t->tags, at.line, r->addr, r->sectors, NULL);
	ring_push(&t->rob, (struct tex_slot){.r = r, .pending = t->answers});
	r->bytes = t->line;
	port_push(&t->request, r);
	return CACHE_MISS;
}

// The oldest fragment can go on: a hit, or its data is there.
static bool head_ready(const struct tex_cache *t)
{
	if (!t->fragments.n || port_full(&t->result))
		return false;
	return !ring_at(&t->fragments, 0)->miss || ring_at(&t->rob, 0)->pending == 0;
}

bool tex_cache_tick(struct tex_cache *t, const struct cache_below *below)
{
	bool moved = false;
	struct mem_req *r = port_first(&t->request);
	if (r && !below->full(below->ctx, r)) {
		port_pop(&t->request);
		below->push(below->ctx, r);
		moved = true;
	}
	if (head_ready(t)) {
		struct tex_slot *s = ring_at(&t->fragments, 0);
		if (s->miss)
			ring_pop(&t->rob);
		port_push(&t->result, s->r);
		ring_pop(&t->fragments);
		moved = true;
	}
	return moved;
}

bool tex_cache_idle(const struct tex_cache *t)
{
	return port_empty(&t->request) && !head_ready(t);
}

// Answers come nearly in order, so the search is short.
static struct tex_slot *waiting(const struct tex_cache *t, const struct mem_req *r)
{
	for (uint32_t i = 0; i < t->rob.n; i++) {
		struct tex_slot *s = ring_at(&t->rob, i);
		if (s->pending && (s->r == r || (t->split && s->r == r->origin)))
			return s;
	}
	return NULL;
}

bool tex_cache_waits_for(const struct tex_cache *t, const struct mem_req *r)
{
	return waiting(t, r) != NULL;
}

void tex_cache_fill(struct tex_cache *t, struct mem_req *r, struct mem_pool *pool)
{
	struct tex_slot *s = waiting(t, r);
	HEDDLE_ASSERT(s);
	if (s->r == r) {
		s->pending = 0;
		return;
	}
	s->pending--;
	mem_req_free(pool, r);
}
