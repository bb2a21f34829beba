#include "gpgpu-sim/cache/mshr.h"

#include "base/mem.h"

#include <stddef.h>

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merges)
{
	uint32_t slots = 4;
	while (slots < 2 * entries)
		slots *= 2;
	*m = (struct mshr){.mask = slots - 1, .limit = entries, .merges = merges};
	m->entry = mem_alloc_dense(entries * sizeof *m->entry);
	m->table = mem_alloc_dense(slots * sizeof *m->table);
}

void mshr_free(struct mshr *m)
{
	mem_free_dense(m->entry, m->limit * sizeof *m->entry);
	mem_free_dense(m->table, (m->mask + 1) * sizeof *m->table);
}

static uint32_t hash_of(uint64_t key) { return (key >> 5) * UINT64_C(0x9e3779b97f4a7c15) >> 32; }

// From the upper bits, which depend on all of the key.
static uint32_t home(const struct mshr *m, uint32_t hash) { return hash >> 8 & m->mask; }

void mshr_foresee(const struct mshr *m, uint64_t key) { __builtin_prefetch(&m->table[home(m, hash_of(key))], 1); }

struct mshr_entry *mshr_find(const struct mshr *m, uint64_t key)
{
	uint32_t hash = hash_of(key);
	for (uint32_t i = home(m, hash); m->table[i].at; i = (i + 1) & m->mask)
		if (m->table[i].hash == hash && m->entry[m->table[i].at - 1].key == key)
			return &m->entry[m->table[i].at - 1];
	return NULL;
}

struct mshr_entry *mshr_add(struct mshr *m, uint64_t key)
{
	HEDDLE_ASSERT(m->n < m->limit && !mshr_find(m, key));
	uint32_t at = m->free;
	if (at)
		m->free = m->entry[at - 1].next;
	else
		at = ++m->fresh;
	m->n++;
	uint32_t hash = hash_of(key), i = home(m, hash);
	while (m->table[i].at)
		i = (i + 1) & m->mask;
	m->table[i] = (struct mshr_slot){hash, at};
	struct mshr_entry *e = &m->entry[at - 1];
	*e = (struct mshr_entry){.key = key};
	return e;
}

void mshr_wait(struct mshr_entry *e, struct mem_req *r)
{
	if (!e->first) {
		e->first = r;
	} else {
		HEDDLE_ASSERT(!r->next);
		*(e->rest ? &e->last->next : &e->rest) = r;
		e->last = r;
	}
	e->n++;
	e->atomic |= r->atomic;
}

void mshr_ready(struct mshr *m, struct mshr_entry *e)
{
	uint32_t at = e - m->entry + 1;
	e->ready = true;
	e->sent = NULL;
	e->next = 0;
	*(m->ready_last ? &m->entry[m->ready_last - 1].next : &m->ready_first) = at;
	m->ready_last = at;
}

// Takes an entry out of the table and moves up those behind it that the hole would hide.
static void forget(struct mshr *m, const struct mshr_entry *e)
{
	uint32_t hole = home(m, hash_of(e->key)), at = (uint32_t)(e - m->entry) + 1;
	while (m->table[hole].at != at)
		hole = (hole + 1) & m->mask;
	for (uint32_t i = (hole + 1) & m->mask; m->table[i].at; i = (i + 1) & m->mask) {
		uint32_t from = home(m, m->table[i].hash);
		if (((i - from) & m->mask) >= ((i - hole) & m->mask)) {
			m->table[hole] = m->table[i];
			hole = i;
		}
	}
	m->table[hole].at = 0;
}

static struct mem_req *take_first(struct mshr_entry *e)
{
	struct mem_req *r = e->first;
	e->first = e->rest;
	if (e->rest) {
		e->rest = e->rest->next;
		e->first->next = NULL;
	}
	e->n--;
	return r;
}

static void end(struct mshr *m, struct mshr_entry *e)
{
	forget(m, e);
	m->n--;
	e->sent = NULL;
	e->next = m->free;
	m->free = e - m->entry + 1;
}

bool mshr_leave(struct mshr *m, struct mshr_entry *e)
{
	HEDDLE_ASSERT(!e->ready);
	take_first(e);
	if (!e->n)
		end(m, e);
	return e->n;
}

struct mem_req *mshr_next(struct mshr *m)
{
	struct mshr_entry *e = &m->entry[m->ready_first - 1];
	struct mem_req *r = take_first(e);
	if (!e->n) {
		m->ready_first = e->next;
		if (!m->ready_first)
			m->ready_last = 0;
		end(m, e);
	}
	return r;
}
