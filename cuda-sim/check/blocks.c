// Where allocations were made, and the last ones that were freed. Those that there are, are devmem's.
#include "cuda-sim/check/parts.h"

#include <string.h>

enum { DEAD = 1 << 16 }; // are remembered

// The number of a stack. Programs allocate at few places, so the last ones are looked at first.
static uint32_t intern(struct check_blocks *b, const struct check_stack *s)
{
	if (!s || (!s->n && !s->api))
		return 0;
	for (size_t k = b->stack.n; k-- > 0;) {
		const struct check_stack *o = &b->stack.at[k];
		if (o->n == s->n && o->api == s->api && !memcmp(o->at, s->at, s->n * sizeof *s->at))
			return (uint32_t)k + 1;
	}
	VEC_PUSH(&b->stack, *s);
	return (uint32_t)b->stack.n;
}

const struct check_stack *blocks_stack(const struct check_blocks *b, uint32_t number) { return number ? &b->stack.at[number - 1] : NULL; }

static size_t home(const struct check_blocks *b, uint64_t base) { return (base >> 9) * 0x9e3779b97f4a7c15u >> 20 & (b->cap_live - 1); }

// Where base stands, or the free place for it.
static size_t find(const struct check_blocks *b, uint64_t base)
{
	size_t i = home(b, base);
	while (b->live[i].base && b->live[i].base != base)
		i = (i + 1) & (b->cap_live - 1);
	return i;
}

static void grow(struct check_blocks *b)
{
	struct check_blocks old = *b;
	b->cap_live = old.cap_live ? old.cap_live * 2 : 256;
	b->live = mem_alloc(b->cap_live * sizeof *b->live);
	for (size_t i = 0; i < old.cap_live; i++)
		if (old.live[i].base)
			b->live[find(b, old.live[i].base)] = old.live[i];
	mem_free(old.live);
}

void blocks_add(struct check_blocks *b, const struct devmem_range *r, const struct check_stack *where)
{
	if (2 * (b->n_live + 1) > b->cap_live)
		grow(b);
	size_t i = find(b, r->base);
	b->n_live += !b->live[i].base;
	b->live[i].base = r->base;
	b->live[i].made = intern(b, where);
}

// Takes a place out; what stood behind it because it was taken moves up.
static void take_out(struct check_blocks *b, size_t i)
{
	const size_t mask = b->cap_live - 1;
	for (size_t k = (i + 1) & mask; b->live[k].base; k = (k + 1) & mask) {
		if (((k - home(b, b->live[k].base)) & mask) < ((k - i) & mask))
			continue;
		b->live[i] = b->live[k];
		i = k;
	}
	b->live[i].base = 0;
	b->n_live--;
}

void blocks_end(struct check_blocks *b, const struct devmem_range *r, const struct check_stack *where)
{
	struct check_block gone = {.base = r->base, .size = r->size, .kind = (uint8_t)r->kind, .freed = intern(b, where)};
	size_t i = b->cap_live ? find(b, r->base) : 0;
	if (b->cap_live && b->live[i].base) {
		gone.made = b->live[i].made;
		take_out(b, i);
	}
	if (b->dead.n < DEAD) {
		VEC_PUSH(&b->dead, gone);
		return;
	}
	b->dead.at[b->oldest] = gone;
	b->oldest = (b->oldest + 1) % DEAD;
}

const struct check_stack *blocks_made(const struct check_blocks *b, uint64_t base)
{
	size_t i = b->cap_live ? find(b, base) : 0;
	return b->cap_live && b->live[i].base ? blocks_stack(b, b->live[i].made) : NULL;
}

const struct check_block *blocks_dead_at(const struct check_blocks *b, uint64_t addr)
{
	for (size_t k = b->dead.n; k-- > 0;) {
		const struct check_block *d = &b->dead.at[(b->oldest + k) % b->dead.n];
		if (addr - d->base < (d->size ? d->size : 1))
			return d;
	}
	return NULL;
}

void blocks_free(struct check_blocks *b)
{
	VEC_FREE(&b->stack);
	VEC_FREE(&b->dead);
	mem_free(b->live);
}
