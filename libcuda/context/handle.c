#include "libcuda/context/handle.h"

#include "base/mem.h"

#include <stdint.h>
#include <string.h>

enum { CHUNK = 256 };

struct handle_slot {
	struct handle_slot *next; // free list
	bool live;
};

struct handle_chunk {
	struct handle_chunk *next;
	char *slots;
};

static size_t stride(const struct handle_pool *p) { return (sizeof(struct handle_slot) + p->size + 15) / 16 * 16; }

static void *object_of(struct handle_slot *s) { return s + 1; }

void *handle_new(struct handle_pool *p)
{
	if (!p->free) {
		struct handle_chunk *c = MEM_NEW(struct handle_chunk);
		c->slots = mem_alloc(stride(p) * CHUNK);
		struct handle_chunk **last = &p->chunks;
		while (*last)
			last = &(*last)->next;
		*last = c;
		for (size_t i = CHUNK; i-- > 0;) {
			struct handle_slot *s = (struct handle_slot *)(c->slots + i * stride(p));
			s->next = p->free;
			p->free = s;
		}
	}
	struct handle_slot *s = p->free;
	p->free = s->next;
	s->live = true;
	p->live++;
	return memset(object_of(s), 0, p->size);
}

void handle_free(struct handle_pool *p, void *object)
{
	struct handle_slot *s = (struct handle_slot *)object - 1;
	s->live = false;
	s->next = p->free;
	p->free = s;
	p->live--;
}

bool handle_valid(const struct handle_pool *p, const void *object)
{
	for (const struct handle_chunk *c = p->chunks; c; c = c->next) {
		uintptr_t offset = (uintptr_t)object - sizeof(struct handle_slot) - (uintptr_t)c->slots;
		if (offset < stride(p) * CHUNK)
			return offset % stride(p) == 0 && ((const struct handle_slot *)(c->slots + offset))->live;
	}
	return false;
}

void handle_each(struct handle_pool *p, void (*f)(void *object, void *arg), void *arg)
{
	for (struct handle_chunk *c = p->chunks; c; c = c->next)
		for (size_t i = 0; i < CHUNK; i++) {
			struct handle_slot *s = (struct handle_slot *)(c->slots + i * stride(p));
			if (s->live)
				f(object_of(s), arg);
		}
}
