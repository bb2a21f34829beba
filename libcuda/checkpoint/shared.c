// Memory that the program looks at without a call: pinned, managed and registered. A replay gives it what kernels
// wrote, and nothing else, since the program itself writes there, too.
#include "libcuda/checkpoint/parts.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"

#include <string.h>

static bool seen(const struct devmem_range *r)
{
	return r->kind == DEVMEM_MANAGED || r->kind == DEVMEM_HOST || r->kind == DEVMEM_REGISTERED;
}

// Registered memory by how many ranges were registered before it, and the offset.
#define PLACE ((uint64_t)1 << 63)
enum { OFFSET_BITS = 40 };

static uint64_t order(const struct devmem_range *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < cu.mem->n_range; i++) {
		const struct devmem_range *o = &cu.mem->range[i];
		n += o->kind == DEVMEM_REGISTERED && o->stand_in < r->stand_in; // stand-ins grow with each registration
	}
	return n;
}

uint64_t shared_place(uint64_t addr)
{
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	return r && r->kind == DEVMEM_REGISTERED ? PLACE | order(r) << OFFSET_BITS | (addr - r->base) : addr;
}

uint64_t shared_address(uint64_t place)
{
	const uint64_t offset = place & (((uint64_t)1 << OFFSET_BITS) - 1), nth = (place & ~PLACE) >> OFFSET_BITS;
	for (size_t i = 0; place & PLACE && i < cu.mem->n_range; i++) {
		const struct devmem_range *r = &cu.mem->range[i];
		if (r->kind == DEVMEM_REGISTERED && order(r) == nth)
			return r->base + offset;
	}
	return place;
}

void shared_free(struct checkpoint *c)
{
	for (size_t i = 0; i < c->shadows.n; i++)
		mem_free(c->shadows.at[i].bytes);
	VEC_FREE(&c->shadows);
}

// Registered pages may be gone: then there is nothing to see.
static void add_shadow(struct checkpoint *c, const struct devmem_range *r)
{
	struct shadow s = {r->base, r->size, mem_alloc(r->size)};
	if (guard_read(s.bytes, (const void *)(uintptr_t)r->base, r->size))
		VEC_PUSH(&c->shadows, s);
	else
		mem_free(s.bytes);
}

void shared_begin(struct checkpoint *c)
{
	shared_free(c);
	for (size_t i = 0; i < cu.mem->n_range; i++)
		if (seen(&cu.mem->range[i]))
			add_shadow(c, &cu.mem->range[i]);
}

// Bytes from `at` on that are the same in both.
static size_t same(const char *a, const char *b, size_t at, size_t n)
{
	enum { PIECE = 256 };
	size_t from = at;
	while (n - at >= PIECE && !memcmp(a + at, b + at, PIECE))
		at += PIECE;
	while (at < n && a[at] == b[at])
		at++;
	return at - from;
}

static void put_run(struct checkpoint *c, struct shadow *s, const char *now, size_t from, size_t to)
{
	ckpt_put_tag(c->out, ENTRY_SHARED);
	ckpt_put_number(c->out, shared_place(s->addr + from));
	ckpt_put_number(c->out, to - from);
	ckpt_put(c->out, now + from, to - from);
}

// Only bytes that differ, so that nothing of what the program writes beside them comes back in a replay.
static void put_changes(struct checkpoint *c, struct shadow *s, const char *now)
{
	for (size_t at = same(s->bytes, now, 0, s->size), end; at < s->size;
	     at = end + same(s->bytes, now, end, s->size)) {
		for (end = at; end < s->size && s->bytes[end] != now[end]; end++)
			;
		put_run(c, s, now, at, end);
	}
	memcpy(s->bytes, now, s->size);
}

static bool has_shadow(const struct checkpoint *c, const struct devmem_range *r)
{
	for (size_t i = 0; i < c->shadows.n; i++)
		if (c->shadows.at[i].addr == r->base && c->shadows.at[i].size == r->size)
			return true;
	return false;
}

// What was allocated while kernels ran was zero.
static void add_new(struct checkpoint *c)
{
	for (size_t i = 0; i < cu.mem->n_range; i++) {
		const struct devmem_range *r = &cu.mem->range[i];
		if (seen(r) && !has_shadow(c, r) && r->kind != DEVMEM_REGISTERED)
			VEC_PUSH(&c->shadows, ((struct shadow){r->base, r->size, mem_alloc(r->size)}));
		else if (seen(r) && !has_shadow(c, r))
			add_shadow(c, r);
	}
}

void shared_put_changes(struct checkpoint *c)
{
	add_new(c);
	for (size_t i = 0; i < c->shadows.n; i++) {
		struct shadow *s = &c->shadows.at[i];
		const struct devmem_range *r = devmem_find(cu.mem, s->addr);
		if (!r || !seen(r) || r->base != s->addr || r->size != s->size)
			continue;
		char *now = mem_alloc(s->size);
		if (guard_read(now, (const void *)(uintptr_t)s->addr, s->size))
			put_changes(c, s, now);
		mem_free(now);
	}
}
