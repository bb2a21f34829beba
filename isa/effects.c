#include "isa/effects.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

enum { N_LANES = 32, MOST_BYTES = 64, ALIGN = 16 };

enum entry_kind { WHOLE, LANES, PUT_OFF, LINE };

// A store of bytes side by side, one of lanes, an instruction that was put off, or a line for users.
struct entry {
	uint64_t at;      // WHOLE: where the bytes go
	uint32_t bytes;   // WHOLE: of all; LANES: of one lane
	uint32_t mask;    // LANES
	uint32_t data;    // where the bytes begin in effects_impl.data; LINE: where its struct line does; PUT_OFF: the
	                  // token
	uint32_t adr;     // LANES: where the addresses begin in effects_impl.adr
	uint8_t kind;     // enum entry_kind
};

struct line {
	void (*put)(void *ctx, const char *text);
	void *ctx;
	char text[];
};

struct staged_fault {
	struct kernel_launch *launch;
	struct fault fault;
};

struct staged_stray {
	const struct kernel_launch *launch;
	char *place, *text;
	enum stray kind;
};

// A cycle issues a few instructions, so the vectors grow a few times in a run and are then used again.
struct effects_impl {
	VEC(struct entry) entry;
	uint8_t *data;
	uint32_t n_data, cap_data;
	VEC(uint64_t) adr;
	VEC(struct staged_fault *) fault;
	VEC(struct staged_stray) stray;
	_Alignas(16) uint8_t view[N_LANES * MOST_BYTES];
};

enum { FIRST_DATA = HEDDLE_LIMIT(ALIGN, 4096) };

static void clear(struct effects *s)
{
	s->lo = UINT64_MAX;
	s->hi = 0;
	s->n = 0;
	s->any = false;
	s->impl->entry.n = s->impl->adr.n = 0;
	s->impl->n_data = 0;
}

void effects_init(struct effects *s)
{
	*s = (struct effects){.impl = MEM_NEW(struct effects_impl)};
	clear(s);
}

void effects_claim(struct effects *s, struct claims *c) { *s = (struct effects){.lo = 0, .hi = UINT64_MAX, .claims = c}; }

void effects_free(struct effects *s)
{
	if (!s->impl)
		return;
	for (size_t i = 0; i < s->impl->fault.n; i++)
		mem_free(s->impl->fault.at[i]);
	VEC_FREE(&s->impl->entry);
	VEC_FREE(&s->impl->adr);
	VEC_FREE(&s->impl->fault);
	for (size_t i = 0; i < s->impl->stray.n; i++) {
		mem_free(s->impl->stray.at[i].place);
		mem_free(s->impl->stray.at[i].text);
	}
	VEC_FREE(&s->impl->stray);
	mem_free(s->impl->data);
	mem_free(s->impl);
	s->impl = NULL;
}

static struct entry *entry_new(struct effects *s, enum entry_kind kind)
{
	VEC_PUSH(&s->impl->entry, ((struct entry){.kind = (uint8_t)kind}));
	s->n++;
	s->any = true;
	return &s->impl->entry.at[s->impl->entry.n - 1];
}

static uint32_t data_new(struct effects_impl *p, uint32_t bytes)
{
	uint32_t at = p->n_data, end = at + ((bytes + ALIGN - 1) & ~(uint32_t)(ALIGN - 1));
	if (end > p->cap_data) {
		if (!p->cap_data)
			p->cap_data = FIRST_DATA;
		while (p->cap_data < end)
			p->cap_data *= 2;
		p->data = mem_realloc(p->data, p->cap_data);
	}
	p->n_data = end;
	return at;
}

static void cover(struct effects *s, uint64_t at, uint32_t bytes)
{
	if (at < s->lo)
		s->lo = at;
	if (at + bytes > s->hi)
		s->hi = at + bytes;
}

uint8_t *effects_store(struct effects *s, uint64_t at, uint32_t bytes)
{
	HEDDLE_ASSERT(!s->committing);
	if (s->claims)
		return (uint8_t *)(uintptr_t)claims_place(s->claims, at, bytes, true);
	struct entry *e = entry_new(s, WHOLE);
	e->at = at;
	e->bytes = bytes;
	e->data = data_new(s->impl, bytes);
	cover(s, at, bytes);
	return s->impl->data + e->data;
}

uint8_t *effects_lanes(struct effects *s, const uint64_t *adr, uint32_t mask, uint32_t bytes)
{
	HEDDLE_ASSERT(!s->committing && bytes <= MOST_BYTES);
	struct effects_impl *p = s->impl;
	struct entry *e = entry_new(s, LANES);
	e->bytes = bytes;
	e->mask = mask;
	e->data = data_new(p, N_LANES * bytes);
	e->adr = (uint32_t)p->adr.n;
	VEC_RESERVE(&p->adr, p->adr.n + N_LANES);
	memcpy(p->adr.at + p->adr.n, adr, N_LANES * sizeof *adr);
	p->adr.n += N_LANES;
	for (uint32_t m = mask; m; m &= m - 1)
		cover(s, adr[__builtin_ctz(m)], bytes);
	return p->data + e->data;
}

void effects_put_off(struct effects *s, uint32_t token)
{
	HEDDLE_ASSERT(!s->committing);
	entry_new(s, PUT_OFF)->data = token;
}

void effects_say(struct effects *s, void (*put)(void *ctx, const char *text), void *ctx, const char *text)
{
	if (s->committing) {
		put(ctx, text);
		return;
	}
	size_t n = strlen(text) + 1;
	struct entry *e = entry_new(s, LINE);
	e->data = data_new(s->impl, (uint32_t)(sizeof(struct line) + n));
	struct line *l = (struct line *)(void *)(s->impl->data + e->data);
	l->put = put;
	l->ctx = ctx;
	memcpy(l->text, text, n);
}

static void say_line(const struct effects_impl *p, const struct entry *e)
{
	const struct line *l = (const struct line *)(const void *)(p->data + e->data);
	l->put(l->ctx, l->text);
}

// --- what the SM sees

// Copies of [from, from + n_from), whose bytes stand at `src`, what lies in [at, at + bytes), which stands at `to`.
static bool overlay(uint64_t from, uint32_t n_from, const uint8_t *src, uint64_t at, size_t bytes, uint8_t *to)
{
	uint64_t lo = from > at ? from : at;
	uint64_t hi = from + n_from < at + bytes ? from + n_from : at + bytes;
	if (lo >= hi)
		return false;
	memcpy(to + (lo - at), src + (lo - from), hi - lo);
	return true;
}

void effects_read(const struct effects *s, uint64_t at, void *to, size_t bytes)
{
	const struct effects_impl *p = s->impl;
	if (s->claims)
		at = claims_place(s->claims, at, (uint32_t)bytes, false);
	memcpy(to, (const void *)(uintptr_t)at, bytes);
	if (s->claims)
		return;
	if (!effects_hides(s, at, bytes))
		return;
	for (size_t i = 0; i < p->entry.n; i++) {
		const struct entry *e = &p->entry.at[i];
		if (e->kind == WHOLE)
			overlay(e->at, e->bytes, p->data + e->data, at, bytes, to);
		for (uint32_t m = e->kind == LANES ? e->mask : 0; m; m &= m - 1) {
			unsigned k = (unsigned)__builtin_ctz(m);
			overlay(p->adr.at[e->adr + k], e->bytes, p->data + e->data + k * e->bytes, at, bytes, to);
		}
	}
}

const uint8_t *effects_load(struct effects *s, struct devmem_hit *hit, uint64_t at, uint32_t bytes)
{
	if (!s->claims)
		return NULL;
	at = claims_place(s->claims, at, bytes, false);
	claims_loaded(s->claims, hit);
	return (const uint8_t *)(uintptr_t)at;
}

void effects_ask(struct effects *s, struct devmem_hit *hit, uint8_t **base, uint64_t *adr, uint32_t mask, uint32_t bytes,
                 bool write)
{
	if (base)
		*base = (uint8_t *)(uintptr_t)claims_place(s->claims, (uintptr_t)*base, bytes, write);
	else
		claims_lanes(s->claims, adr, mask, bytes, write);
	for (unsigned i = 0, first = (unsigned)__builtin_ctz(mask); !base && i < N_LANES; i++)
		if (!(mask >> i & 1))
			adr[i] = adr[first];
	if (!write)
		claims_loaded(s->claims, hit);
}

bool effects_view(struct effects *s, uint64_t *adr, uint32_t mask, uint32_t bytes)
{
	HEDDLE_ASSERT(mask && bytes <= MOST_BYTES);
	uint8_t *view = s->impl->view;
	bool any = false;
	for (uint32_t m = mask; m && !any; m &= m - 1)
		any = effects_hides(s, adr[__builtin_ctz(m)], bytes);
	if (!any)
		return false;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		effects_read(s, adr[i], view + i * bytes, bytes);
	}
	unsigned first = (unsigned)__builtin_ctz(mask);
	for (unsigned i = 0; i < N_LANES; i++)
		adr[i] = (uintptr_t)(view + (mask >> i & 1 ? i : first) * bytes);
	return true;
}

// --- the end of the cycle

struct fault *effects_fault(struct effects *s, struct kernel_launch *launch)
{
	if (s->claims)
		claims_give_up(s->claims);
	if (s->claims || launch->fault.kind)
		return NULL;
	for (size_t i = 0; i < s->impl->fault.n; i++)
		if (s->impl->fault.at[i]->launch == launch)
			return NULL;
	struct staged_fault *f = MEM_NEW(struct staged_fault);
	f->launch = launch;
	VEC_PUSH(&s->impl->fault, f);
	s->any = true;
	return &f->fault;
}

void effects_stray(struct effects *s, const struct kernel_launch *launch, const char *place, enum stray kind, const char *text)
{
	if (s->claims) {
		claims_give_up(s->claims);
		return;
	}
	struct staged_stray n = {.launch = launch, .place = mem_strdup(place), .text = mem_strdup(text), .kind = kind};
	VEC_PUSH(&s->impl->stray, n);
	s->any = true;
}

static void tell_strays(struct effects_impl *p)
{
	for (size_t i = 0; i < p->stray.n; i++) {
		struct staged_stray *n = &p->stray.at[i];
		strays_tell(n->launch->services->strays, n->launch->info->name, n->place, n->kind, n->text);
		mem_free(n->place);
		mem_free(n->text);
	}
	p->stray.n = 0;
}

// Host threads may look at what is written, and answer to it at once: so what a lane stores is written whole, and once.
// The C library's memcpy writes some bytes twice, and compilers make calls of it where nothing is volatile.
static inline void put(uint64_t at, const uint8_t *from, uint32_t bytes)
{
	typedef uint64_t part __attribute__((vector_size(16), aligned(1), may_alias));
	uint8_t *to = (uint8_t *)(uintptr_t)at;
	switch (bytes) {
	case 1: *to = *from; break;
	case 2: memcpy(to, from, 2); break;
	case 4: memcpy(to, from, 4); break;
	case 8: memcpy(to, from, 8); break;
	default: // a multiple of 16
		for (uint32_t k = 0; k < bytes; k += 16)
			*(volatile part *)(to + k) = *(const part *)(from + k);
	}
}

static void write_lanes(const struct effects_impl *p, const struct entry *e)
{
	const uint64_t *adr = p->adr.at + e->adr;
	const uint8_t *data = p->data + e->data;
	if (e->bytes == 4) { // nearly all
		for (uint32_t m = e->mask; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);
			put(adr[i], data + i * 4, 4);
		}
		return;
	}
	for (uint32_t m = e->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		put(adr[i], data + i * e->bytes, e->bytes);
	}
}

void effects_commit(struct effects *s, void (*carry_out)(void *ctx, uint32_t token), void *ctx)
{
	struct effects_impl *p = s->impl;
	s->committing = true;
	for (size_t i = 0; i < p->fault.n; i++) {
		struct staged_fault *f = p->fault.at[i];
		if (!f->launch->fault.kind)
			f->launch->fault = f->fault;
		mem_free(f);
	}
	p->fault.n = 0;
	tell_strays(p);
	for (size_t i = 0; i < p->entry.n; i++) {
		const struct entry e = p->entry.at[i];
		if (e.kind == WHOLE)
			put(e.at, p->data + e.data, e.bytes);
		else if (e.kind == LANES)
			write_lanes(p, &e);
		else if (e.kind == LINE)
			say_line(p, &e);
		else
			carry_out(ctx, e.data);
	}
	s->committing = false;
	clear(s);
}
