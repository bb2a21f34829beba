#include "gpgpu-sim/modern/l0_cache.h"

#include <string.h>

static uint32_t at_least_one(uint32_t n) { return n ? n : 1; }

void l0_init(struct l0_cache *c, const struct cache_form *f, bool waits)
{
	memset(c, 0, sizeof *c);
	c->sets = f->sets;
	c->ways = f->ways;
	c->shift = (uint8_t)__builtin_ctz(f->line);
	c->fifo = f->replacement == REPLACE_FIFO;
	set_index_init(&c->index, f->index, f->sets, f->line, NULL);
	c->tag = mem_alloc((size_t)c->sets * c->ways * sizeof *c->tag);
	c->used = mem_alloc((size_t)c->sets * c->ways * sizeof *c->used);
	c->limit = at_least_one(f->mshr_entries);
	c->merges = at_least_one(f->mshr_merges);
	c->miss = mem_alloc(c->limit * sizeof *c->miss);
	RING_INIT(&c->queue, f->miss_queue);
	if (!waits)
		return;
	uint64_t n = (uint64_t)c->limit * c->merges;
	c->n_waiter = n < L0_MAX_WAITERS ? (uint32_t)n : L0_MAX_WAITERS;
	c->waiter = mem_alloc(c->n_waiter * sizeof *c->waiter);
	for (uint32_t i = 0; i < c->n_waiter; i++)
		c->waiter[i].next = i + 1 < c->n_waiter ? i + 2 : 0;
	c->free_waiter = 1;
}

void l0_free(struct l0_cache *c)
{
	mem_free(c->tag);
	mem_free(c->used);
	mem_free(c->miss);
	mem_free(c->waiter);
	RING_FREE(&c->queue);
}

void l0_invalidate(struct l0_cache *c)
{
	if (c->tag)
		memset(c->tag, 0, (size_t)c->sets * c->ways * sizeof *c->tag);
}

static uint32_t first_of_set(const struct l0_cache *c, uint64_t line) { return set_index_of(&c->index, line << c->shift) * c->ways; }

int l0_find_slow(const struct l0_cache *c, uint64_t line)
{
	uint32_t first = first_of_set(c, line);
	for (uint32_t i = first; i < first + c->ways; i++)
		if (c->tag[i] == line + 1)
			return (int)i;
	return -1;
}

void l0_fill(struct l0_cache *c, uint64_t line)
{
	uint32_t first = first_of_set(c, line), victim = first;
	for (uint32_t i = first; i < first + c->ways; i++) {
		if (c->tag[i] == line + 1) {
			victim = i; // a stream buffer had it first
			break;
		}
		if (c->tag[victim] && (!c->tag[i] || c->used[i] < c->used[victim]))
			victim = i;
	}
	c->tag[victim] = line + 1;
	c->used[victim] = ++c->clock;
}

struct l0_miss *l0_missing(const struct l0_cache *c, uint64_t line)
{
	for (uint32_t i = 0; i < c->n_miss; i++)
		if (c->miss[i].line == line)
			return &c->miss[i];
	return NULL;
}

struct l0_miss *l0_add(struct l0_cache *c, uint64_t line)
{
	HEDDLE_ASSERT(!l0_full(c));
	struct l0_miss *m = &c->miss[c->n_miss++];
	*m = (struct l0_miss){.line = line};
	return m;
}

void l0_wait(struct l0_cache *c, struct l0_miss *miss, struct l0_waiter w)
{
	uint32_t i = c->free_waiter;
	HEDDLE_ASSERT(i && miss->n < c->merges);
	struct l0_waiter *at = &c->waiter[i - 1];
	c->free_waiter = at->next;
	*at = w;
	at->next = 0;
	if (miss->n++)
		c->waiter[miss->last - 1].next = i;
	else
		miss->first = i;
	miss->last = i;
}

bool l0_take_waiter(struct l0_cache *c, struct l0_miss *miss, struct l0_waiter *out)
{
	if (!miss->n) {
		l0_end(c, miss);
		return false;
	}
	uint32_t i = miss->first;
	struct l0_waiter *at = &c->waiter[i - 1];
	*out = *at;
	miss->first = at->next;
	miss->n--;
	at->next = c->free_waiter;
	c->free_waiter = i;
	return true;
}

void l0_end(struct l0_cache *c, struct l0_miss *miss)
{
	HEDDLE_ASSERT(!miss->n && c->n_miss);
	*miss = c->miss[--c->n_miss];
}
