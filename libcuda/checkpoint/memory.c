// Device memory in a checkpoint: its allocations, and what they hold. Of zeros only the number is kept. Registered
// memory is the program's own, and lies elsewhere in every run.
//
// For each range: base, size, kind; then, unless the program sees it by itself, pieces: bytes of zeros, bytes that are
// not, those bytes; until the pieces make the whole. A base of 0 ends the list.
#include "libcuda/checkpoint/parts.h"

#include "libcuda/context/context.h"

#include <string.h>

typedef unsigned long long ull;

enum { PIECE = 4096, KINDS = DEVMEM_HEAP + 1 };

static const char *const kinds[KINDS] = {
	[DEVMEM_DEVICE] = "device memory", [DEVMEM_MANAGED] = "managed memory",
	[DEVMEM_HOST] = "pinned memory",   [DEVMEM_REGISTERED] = "registered memory",
	[DEVMEM_GLOBAL] = "a variable",    [DEVMEM_CONST] = "a constant",
	[DEVMEM_ARRAY] = "an array",       [DEVMEM_HEAP] = "memory of the kernels' heap",
};

// The program has it as it was: it ran, and the replay gave it what kernels wrote.
static bool kept(enum devmem_kind kind)
{
	return kind != DEVMEM_MANAGED && kind != DEVMEM_HOST && kind != DEVMEM_REGISTERED;
}

static bool zeros(const char *p, size_t n) { return !*p && !memcmp(p, p + 1, n - 1); }

static size_t run(const char *p, size_t at, size_t n, bool zero)
{
	size_t from = at;
	while (at < n) {
		size_t k = n - at < PIECE ? n - at : PIECE;
		if (zeros(p + at, k) != zero)
			break;
		at += k;
	}
	return at - from;
}

static void put_bytes(struct ckpt_out *o, const char *p, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t zero = run(p, at, n, true), other = run(p, at + zero, n, false);
		ckpt_put_number(o, zero);
		ckpt_put_number(o, other);
		ckpt_put(o, p + at + zero, other);
		at += zero + other;
	}
}

void memory_put(struct ckpt_out *o)
{
	for (size_t i = 0; i < cu.mem->n_range; i++) {
		const struct devmem_range *r = &cu.mem->range[i];
		if (r->kind == DEVMEM_REGISTERED)
			continue;
		ckpt_put_number(o, r->base);
		ckpt_put_number(o, r->size);
		ckpt_put_number(o, r->kind);
		if (kept(r->kind))
			put_bytes(o, (const char *)(uintptr_t)r->base, r->size);
	}
	ckpt_put_number(o, 0);
}

static void get_bytes(struct ckpt_in *in, uint64_t base, uint64_t size)
{
	for (uint64_t at = 0; at < size && !ckpt_ended_early(in);) {
		uint64_t zero = ckpt_get_number(in), other = ckpt_get_number(in);
		if (zero > size - at || other > size - at - zero || (!zero && !other))
			checkpoint_fail("-resume_option 1: %s is not what Heddle writes", checkpoint_state()->file);
		if (zero)
			devmem_clear(cu.mem, base + at, zero);
		ckpt_get(in, (void *)(uintptr_t)(base + at + zero), other);
		at += zero + other;
	}
}

static const char *name(uint64_t kind) { return kind < KINDS ? kinds[kind] : "something"; }

// The next range that is not registered memory, NULL behind the last.
static const struct devmem_range *next(size_t *i)
{
	while (*i < cu.mem->n_range && cu.mem->range[*i].kind == DEVMEM_REGISTERED)
		++*i;
	return *i < cu.mem->n_range ? &cu.mem->range[(*i)++] : NULL;
}

// Ranges stand by address on both sides.
void memory_get(struct ckpt_in *in)
{
	size_t i = 0;
	const struct devmem_range *r;
	for (uint64_t base; (base = ckpt_get_number(in)) != 0;) {
		uint64_t size = ckpt_get_number(in), kind = ckpt_get_number(in);
		r = next(&i);
		if (!r || r->base > base)
			checkpoint_differs("%llu bytes of %s at 0x%llx are not allocated now", (ull)size, name(kind),
					   (ull)base);
		if (r->base != base || r->size != size || r->kind != kind)
			checkpoint_differs("at 0x%llx there are now %llu bytes of %s that it did not have",
					   (ull)r->base, (ull)r->size, name(r->kind));
		if (kept(r->kind))
			get_bytes(in, base, size);
	}
	r = next(&i);
	if (r)
		checkpoint_differs("at 0x%llx there are now %llu bytes of %s that it did not have", (ull)r->base,
				   (ull)r->size, name(r->kind));
}
