#include "cuda-sim/trace/pack.h"

#include <string.h>

enum { ENTRY_INDEX = 1, ENTRY_MASK = 2, ENTRY_BITS = 2 };

#define PUT_NUMBER(v, number)                               \
	do {                                                \
		uint64_t x_ = (number);                     \
		VEC_RESERVE((v), (v)->n + 10);              \
		for (; x_ > 127; x_ >>= 7)                  \
			(v)->at[(v)->n++] = (uint8_t)(x_ | 128); \
		(v)->at[(v)->n++] = (uint8_t)x_;            \
	} while (0)

static uint64_t get_number(const uint8_t **p)
{
	uint64_t v = **p & 127;
	for (unsigned shift = 7; *(*p)++ & 128; shift += 7)
		v |= (uint64_t)(**p & 127) << shift;
	return v;
}

static uint64_t fold(int64_t v) { return (uint64_t)v << 1 ^ (uint64_t)(v >> 63); }
static int64_t unfold(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

void trace_pack_begin(struct trace_pack *p)
{
	p->ctl.n = p->adr.n = 0;
	p->n = p->mask = p->run = 0;
	p->prev = NULL;
	memset(p->last, 0, sizeof p->last);
}

void trace_pack_free(struct trace_pack *p)
{
	VEC_FREE(&p->ctl);
	VEC_FREE(&p->adr);
}

void trace_pack_inst(struct trace_pack *p, struct trace_inst *t, uint32_t mask)
{
	struct trace_inst *prev = p->prev;
	unsigned flags = mask != p->mask ? ENTRY_MASK : 0;
	if (prev && prev->next != t) {
		prev->next = t;
		if (!prev->succ)
			prev->succ = t;
	}
	if (!prev || prev->succ != t)
		flags |= ENTRY_INDEX;
	p->n++;
	p->prev = t;
	if (!flags) {
		p->run++;
		return;
	}
	PUT_NUMBER(&p->ctl, (uint64_t)p->run << ENTRY_BITS | flags);
	if (flags & ENTRY_INDEX)
		PUT_NUMBER(&p->ctl, t->index);
	if (flags & ENTRY_MASK) {
		VEC_RESERVE(&p->ctl, p->ctl.n + sizeof mask);
		memcpy(p->ctl.at + p->ctl.n, &mask, sizeof mask);
		p->ctl.n += sizeof mask;
	}
	p->run = 0;
	p->mask = mask;
}

void trace_pack_addresses(struct trace_pack *p, uint32_t index, uint64_t base, uint32_t pattern, uint32_t mask,
                          const int64_t offset[32])
{
	uint64_t *last = &p->last[index % PACK_SLOTS];
	PUT_NUMBER(&p->adr, fold((int64_t)(base - *last)));
	*last = base;
	PUT_NUMBER(&p->adr, (uint64_t)(uint32_t)(pattern + 1));
	if (pattern != UINT32_MAX)
		return;
	int64_t before = 0;
	for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
		int64_t o = offset[__builtin_ctz(m)];
		PUT_NUMBER(&p->adr, fold((int64_t)((uint64_t)o - (uint64_t)before)));
		before = o;
	}
}

void trace_pack_number(struct trace_pack *p, uint64_t v) { PUT_NUMBER(&p->adr, v); }
void trace_pack_signed(struct trace_pack *p, int64_t v) { PUT_NUMBER(&p->adr, fold(v)); }

// The head of the next entry. Behind the last one instructions follow each other up to the end.
static void next_entry(struct trace_cursor *c)
{
	if (c->ctl == c->ctl_end) {
		c->run = UINT32_MAX;
		return;
	}
	uint64_t head = get_number(&c->ctl);
	c->run = (uint32_t)(head >> ENTRY_BITS);
	c->flags = head & ((1u << ENTRY_BITS) - 1);
}

void trace_cursor_begin(struct trace_cursor *c, const struct trace_code *code, const uint8_t *ctl, size_t n_ctl,
                        const uint8_t *adr, uint32_t n)
{
	c->code = code;
	c->ctl = ctl;
	c->ctl_end = ctl + n_ctl;
	c->adr = adr;
	c->left = n + 1;
	c->inst = NULL;
	c->run = c->mask = 0;
	memset(c->last, 0, sizeof c->last);
	next_entry(c);
	trace_cursor_next(c);
}

void trace_cursor_entry(struct trace_cursor *c)
{
	c->inst = c->flags & ENTRY_INDEX ? trace_inst_at(c->code, (uint32_t)get_number(&c->ctl)) : c->inst->succ;
	if (c->flags & ENTRY_MASK) {
		memcpy(&c->mask, c->ctl, sizeof c->mask);
		c->ctl += sizeof c->mask;
	}
	next_entry(c);
}

uint64_t trace_cursor_number(struct trace_cursor *c) { return get_number(&c->adr); }
int64_t trace_cursor_signed(struct trace_cursor *c) { return unfold(get_number(&c->adr)); }

// The base of the next addresses; *pattern: of their offsets, NULL if these follow.
static uint64_t next_base(struct trace_cursor *c, const struct trace_pattern **pattern)
{
	uint64_t *last = &c->last[c->inst->index % PACK_SLOTS];
	*last += (uint64_t)unfold(get_number(&c->adr));
	uint32_t number = (uint32_t)get_number(&c->adr);
	*pattern = number ? trace_pattern_at(c->code, number - 1) : NULL;
	return *last;
}

static void add_pattern(const struct trace_pattern *p, uint64_t base, uint64_t addr[restrict 32])
{
	for (unsigned i = 0; i < 32; i++)
		addr[i] = base + (uint64_t)(int64_t)p->offset[i];
}

static void add_listed(struct trace_cursor *c, uint32_t mask, uint64_t base, uint64_t addr[32])
{
	memset(addr, 0, 32 * sizeof *addr);
	addr[__builtin_ctz(mask)] = base;
	for (uint32_t m = mask & (mask - 1); m; m &= m - 1)
		addr[__builtin_ctz(m)] = base += (uint64_t)unfold(get_number(&c->adr));
}

void trace_cursor_addresses(struct trace_cursor *c, uint64_t addr[32]) { trace_cursor_addresses_of(c, c->mask, addr); }

void trace_cursor_addresses_of(struct trace_cursor *c, uint32_t mask, uint64_t addr[32])
{
	const struct trace_pattern *p;
	uint64_t base = next_base(c, &p);
	if (p)
		add_pattern(p, base, addr);
	else
		add_listed(c, mask, base, addr);
}

void trace_cursor_offsets(struct trace_cursor *c, uint64_t window, uint64_t addr[32])
{
	const struct trace_pattern *p;
	uint64_t base = next_base(c, &p);
	uint64_t low = base + (uint64_t)(int64_t)(p ? p->low : 0), high = base + (uint64_t)(int64_t)(p ? p->high : 0);
	// All of them lie in it, or all below: none has passed either end of the address space.
	if (p && low <= base && base <= INT64_MAX && (low >= window || high < window)) {
		add_pattern(p, low >= window ? base - window : base, addr);
		return;
	}
	if (p)
		add_pattern(p, base, addr);
	else
		add_listed(c, c->mask, base, addr);
	for (unsigned i = 0; i < 32; i++)
		addr[i] -= addr[i] >= window ? window : 0;
}
