#include "cuda-sim/trace/sync.h"

#include "base/mem.h"
#include "base/vec.h"
#include "cuda-sim/exec/mbarrier.h"

#include <stdio.h>
#include <string.h>

// Of an address of shared memory in machine code: the rank of its CTA in the cluster stands above the offset.
enum { RANK_SHIFT = 24, MAX_RANKS = 16 };
#define OFFSET(address) ((uint32_t)(address) & ((1u << RANK_SHIFT) - 1))

struct barrier {
	uint32_t at;
	bool lost;               // the lines do not add up
	uint64_t word;
};

struct pending {
	bool used;
	uint8_t kind;
	struct trace_copy c;
	struct fe_piece *piece;
	uint32_t room;
};

struct wait {
	bool parity;
	uint32_t rank, at;
};

struct cluster {
	unsigned n, left;
	struct trace_async *cta[MAX_RANKS]; // NULL: it has ended
};

struct trace_async {
	VEC(struct barrier) barrier;
	VEC(struct pending) copy;
	uint32_t under_way;
	unsigned n_warp, rank;
	void *owner;
	struct cluster *cluster; // NULL: none
	uint64_t waits;          // warps that wait for an mbarrier, a bit each
	struct wait wait[];      // what for
};

// --- opcodes

enum trace_sync trace_sync_of(const struct sass_name *k, bool *drop)
{
	*drop = sass_name_has(k, "OPTOUT");
	if (sass_name_is(k, 0, "ARRIVES")) // the copies before it have been made: it arrives, or stands for a byte
		return sass_name_has(k, "ARVCNT") ? TRACE_SYNC_ARRIVE : sass_name_has(k, "TRANSCNT") ? TRACE_SYNC_COMPLETE_ONE : TRACE_SYNC_NONE;
	if (!k->n || !sass_name_is(k, 0, "SYNCS"))
		return TRACE_SYNC_NONE;
	if (sass_name_has(k, "EXCH"))
		return TRACE_SYNC_INIT;
	if (sass_name_has(k, "PHASECHK"))
		return sass_name_has(k, "TRYWAIT") ? TRACE_SYNC_TRY : TRACE_SYNC_NONE;
	if (!sass_name_has(k, "ARRIVE"))
		return TRACE_SYNC_NONE;
	return sass_name_has(k, "ART0") ? TRACE_SYNC_ARRIVE_COUNT : sass_name_has(k, "A1T0") ? TRACE_SYNC_ARRIVE :
	       sass_name_has(k, "A0TR") ? TRACE_SYNC_EXPECT : sass_name_has(k, "A0TX") ? TRACE_SYNC_COMPLETE :
	       sass_name_has(k, "A0T1") ? TRACE_SYNC_EXPECT_ONE : TRACE_SYNC_ARRIVE_EXPECT;
}

int trace_copy_kind(const struct sass_name *k)
{
	static const struct { const char *op; int kind; } ops[] = {
		{"UTMALDG", FE_COPY_LOAD}, {"UTMASTG", FE_COPY_STORE}, {"UTMAREDG", FE_COPY_REDUCE}, {"UTMAPF", FE_COPY_PREFETCH},
		{"UBLKPF", FE_COPY_PREFETCH}, {"UBLKRED", FE_COPY_REDUCE}, {"UBLKCP", FE_COPY_REMOTE}};
	int kind = -1;
	for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
		if (k->n && sass_name_is(k, 0, ops[i].op))
			kind = ops[i].kind;
	if (kind != FE_COPY_REMOTE && kind != FE_COPY_REDUCE)
		return kind;
	for (unsigned i = 1; i + 1 < k->n; i++) { // .S.G, .G.S or .S.S: to and from
		if (sass_name_is(k, i, "S") && sass_name_is(k, i + 1, "G"))
			return FE_COPY_LOAD;
		if (sass_name_is(k, i, "G") && sass_name_is(k, i + 1, "S"))
			return kind == FE_COPY_REDUCE ? FE_COPY_REDUCE : FE_COPY_STORE;
		if (sass_name_is(k, i, "S") && sass_name_is(k, i + 1, "S"))
			return FE_COPY_REMOTE;
	}
	return kind;
}

// --- packed copies

void trace_pack_copy(struct trace_pack *p, const struct trace_copy *c)
{
	trace_pack_number(p, c->known);
	if (!c->known)
		return;
	trace_pack_number(p, c->mbarrier);
	trace_pack_number(p, c->ctas);
	trace_pack_number(p, c->bytes);
	trace_pack_number(p, c->map);
	trace_pack_number(p, c->n);
}

void trace_pack_piece(struct trace_pack *p, uint64_t *before, uint64_t address, uint32_t bytes)
{
	trace_pack_signed(p, (int64_t)(address - *before));
	trace_pack_number(p, bytes);
	*before = address;
}

static void take_copy(struct trace_cursor *cursor, struct pending *p)
{
	struct trace_copy *c = &p->c;
	uint64_t at = 0;
	memset(c, 0, sizeof *c);
	c->known = trace_cursor_number(cursor);
	if (!c->known)
		return;
	c->mbarrier = (uint32_t)trace_cursor_number(cursor);
	c->ctas = (uint32_t)trace_cursor_number(cursor);
	c->bytes = trace_cursor_number(cursor);
	c->map = trace_cursor_number(cursor);
	c->n = (uint32_t)trace_cursor_number(cursor);
	if (c->n > p->room) {
		p->room = c->n;
		p->piece = mem_realloc(p->piece, c->n * sizeof *p->piece);
	}
	for (uint32_t k = 0; k < c->n; k++) {
		at += (uint64_t)trace_cursor_signed(cursor);
		p->piece[k] = (struct fe_piece){at, (uint32_t)trace_cursor_number(cursor)};
	}
}

// --- values of lanes

void trace_pack_values(struct trace_pack *p, uint32_t mask, unsigned n, const uint32_t value[32])
{
	trace_pack_number(p, n);
	if (n == 1)
		trace_pack_number(p, value[0]);
	for (uint32_t m = n > 1 ? mask : 0; m; m &= m - 1)
		trace_pack_number(p, value[__builtin_ctz(m)]);
}

bool trace_cursor_values(struct trace_cursor *c, uint32_t value[32])
{
	const unsigned n = (unsigned)trace_cursor_number(c);
	const uint32_t all = n == 1 ? (uint32_t)trace_cursor_number(c) : 0;
	for (unsigned i = 0; i < 32; i++)
		value[i] = all;
	for (uint32_t m = n > 1 ? c->mask : 0; m; m &= m - 1)
		value[__builtin_ctz(m)] = (uint32_t)trace_cursor_number(c);
	return n;
}

void trace_cursor_pass(struct trace_cursor *c, const struct trace_inst *t)
{
	uint64_t addr[32];
	uint32_t value[32];
	struct pending p = {0};
	if (!c->mask)
		return;
	if (t->has_address)
		trace_cursor_addresses(c, addr);
	if (t->value_at)
		trace_cursor_values(c, value);
	if (t->how == TRACE_BULK)
		take_copy(c, &p);
	if (t->numbered)
		trace_cursor_number(c);
	mem_free(p.piece);
}

// --- a CTA and its cluster

void *trace_async_owner(const struct trace_async *a) { return a->owner; }

struct trace_async *trace_async_peer(const struct trace_async *a, unsigned k, unsigned *n)
{
	*n = a->cluster ? a->cluster->n : 1;
	return a->cluster ? a->cluster->cta[k] : (struct trace_async *)(uintptr_t)a;
}

struct trace_async *trace_async_new(unsigned n_warp, void *owner)
{
	struct trace_async *a = mem_alloc(sizeof *a + n_warp * sizeof *a->wait);
	a->n_warp = n_warp;
	a->owner = owner;
	return a;
}

void trace_async_leave(struct trace_async *a)
{
	struct cluster *l = a->cluster;
	a->cluster = NULL;
	a->under_way = 0;
	if (!l)
		return;
	l->cta[a->rank] = NULL;
	if (!--l->left)
		mem_free(l);
}

void trace_async_reset(struct trace_async *a)
{
	trace_async_leave(a);
	a->barrier.n = 0;
	a->rank = 0;
	for (size_t k = 0; k < a->copy.n; k++)
		a->copy.at[k].used = false;
	a->waits = 0;
}

void trace_async_free(struct trace_async *a)
{
	if (!a)
		return;
	trace_async_leave(a);
	for (size_t k = 0; k < a->copy.n; k++)
		mem_free(a->copy.at[k].piece);
	VEC_FREE(&a->copy);
	VEC_FREE(&a->barrier);
	mem_free(a);
}

void trace_async_join(struct trace_async *const all[], unsigned n)
{
	if (n < 2 || n > MAX_RANKS)
		return;
	struct cluster *l = MEM_NEW(struct cluster);
	l->n = l->left = n;
	for (unsigned k = 0; k < n; k++) {
		l->cta[k] = all[k];
		all[k]->cluster = l;
		all[k]->rank = k;
	}
}

// The CTA of a rank; NULL: there is none any more.
static struct trace_async *ranked(const struct trace_async *a, uint32_t rank)
{
	if (!a->cluster)
		return rank ? NULL : (struct trace_async *)(uintptr_t)a;
	return rank < a->cluster->n ? a->cluster->cta[rank] : NULL;
}

static uint32_t rank_of(const struct trace_async *a, uint64_t address) { return a->cluster ? (uint32_t)address >> RANK_SHIFT : 0; }

bool trace_async_is_remote(const struct trace_async *a, uint32_t mask, const uint64_t at[32])
{
	for (uint32_t m = a->cluster ? mask : 0; m; m &= m - 1)
		if (rank_of(a, at[__builtin_ctz(m)]) != a->rank)
			return true;
	return false;
}

// --- mbarriers

static struct barrier *find(struct trace_async *a, uint32_t at)
{
	for (size_t k = 0; a && k < a->barrier.n; k++)
		if (a->barrier.at[k].at == at)
			return &a->barrier.at[k];
	return NULL;
}

static bool passed(const struct barrier *b, bool parity) { return !b || b->lost || mbarrier_passed(b->word, parity); }

// Warps of the CTA that wait for the barrier go on if they can.
static bool wake(struct trace_async *a, const struct barrier *b)
{
	bool any = false;
	for (uint64_t m = a->waits; m; m &= m - 1) {
		const struct wait *w = &a->wait[__builtin_ctzll(m)];
		if (w->at != b->at || !passed(b, w->parity))
			continue;
		a->waits &= ~(m & -m);
		any = true;
	}
	return any;
}

static void start(struct trace_async *a, uint32_t at, uint32_t value)
{
	// The compiler's word has 2^20 less the count from bit 1 on.
	const uint32_t count = (1u << 20) - (value >> 1 & ((1u << 20) - 1));
	struct barrier *b = find(a, at), fresh = {.at = at};
	fresh.lost = mbarrier_init(&fresh.word, count) != MBARRIER_FINE;
	if (b)
		*b = fresh;
	else
		VEC_PUSH(&a->barrier, fresh);
}

// True if warps of the barrier's CTA go on.
static bool act(struct trace_async *to, enum trace_sync op, bool drop, uint32_t at, uint32_t value)
{
	struct barrier *b = find(to, at);
	enum mbarrier_fault f = MBARRIER_FINE;
	if (op == TRACE_SYNC_INIT && to)
		start(to, at, value);
	if (!b || b->lost || op == TRACE_SYNC_INIT)
		return false;
	switch (op) {
	case TRACE_SYNC_ARRIVE: f = mbarrier_arrive(&b->word, 1, 0, drop, NULL); break;
	case TRACE_SYNC_ARRIVE_COUNT: f = mbarrier_arrive(&b->word, value, 0, drop, NULL); break;
	case TRACE_SYNC_ARRIVE_EXPECT: f = mbarrier_arrive(&b->word, 1, value, drop, NULL); break;
	case TRACE_SYNC_EXPECT: f = mbarrier_expect_tx(&b->word, value); break;
	case TRACE_SYNC_EXPECT_ONE: f = mbarrier_expect_tx(&b->word, 1); break;
	case TRACE_SYNC_COMPLETE: f = mbarrier_complete_tx(&b->word, value); break;
	case TRACE_SYNC_COMPLETE_ONE: f = mbarrier_complete_tx(&b->word, 1); break;
	default: break;
	}
	b->lost = f != MBARRIER_FINE;
	return wake(to, b);
}

// Lanes that try together and all in vain wait for the phase of the first.
static bool try(struct trace_async *a, unsigned warp, uint32_t mask, const uint64_t at[32], const uint32_t value[32])
{
	for (uint32_t m = mask; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);
		if (passed(find(ranked(a, rank_of(a, at[i])), OFFSET(at[i])), value[i] >> 31))
			return false;
	}
	const unsigned i = (unsigned)__builtin_ctz(mask);
	a->waits |= (uint64_t)1 << warp;
	a->wait[warp] = (struct wait){value[i] >> 31, rank_of(a, at[i]), OFFSET(at[i])};
	return true;
}

bool trace_async_sync(struct trace_async *a, unsigned warp, enum trace_sync op, bool drop, uint32_t mask, const uint64_t at[32],
                      const uint32_t value[32], bool *woken)
{
	if (op == TRACE_SYNC_TRY)
		return mask && try(a, warp, mask, at, value);
	for (uint32_t m = mask; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);
		*woken |= act(ranked(a, rank_of(a, at[i])), op, drop, OFFSET(at[i]), value[i]);
	}
	return false;
}

// --- copies

static bool complete(struct trace_async *a, const struct pending *p)
{
	const struct trace_copy *c = &p->c;
	const uint32_t own = 1u << (a->cluster ? a->rank : 0), at = OFFSET(c->mbarrier);
	bool woken = false;
	if (p->kind != FE_COPY_LOAD && p->kind != FE_COPY_REMOTE)
		return false;
	if (p->kind == FE_COPY_REMOTE)
		return act(ranked(a, rank_of(a, c->mbarrier)), TRACE_SYNC_COMPLETE, false, at, (uint32_t)c->bytes);
	for (uint32_t m = c->ctas ? c->ctas : own; m; m &= m - 1)
		woken |= act(ranked(a, (unsigned)__builtin_ctz(m)), TRACE_SYNC_COMPLETE, false, at, (uint32_t)c->bytes);
	return woken;
}

void trace_async_copy(struct trace_async *a, struct trace_cursor *cursor, int kind, bool timed, struct fe_result *out, bool *woken)
{
	uint32_t token = 0;
	while (token < a->copy.n && a->copy.at[token].used)
		token++;
	if (token == a->copy.n)
		VEC_PUSH(&a->copy, (struct pending){0});
	struct pending *p = &a->copy.at[token];
	take_copy(cursor, p);
	p->kind = (uint8_t)kind;
	if (!p->c.known)
		return;
	if (!timed) {
		*woken |= complete(a, p);
		return;
	}
	p->used = true;
	a->under_way++;
	const uint32_t own = 1u << (a->cluster ? a->rank : 0), to = p->c.ctas ? p->c.ctas : own;
	out->copy[out->n_copy++] = (struct fe_copy){
		.kind = (uint8_t)kind, .grouped = kind == FE_COPY_STORE || kind == FE_COPY_REDUCE,
		.elsewhere = kind == FE_COPY_REMOTE ? rank_of(a, p->c.mbarrier) != (a->cluster ? a->rank : 0) : a->cluster && (to & ~own),
		.ctas = (uint8_t)__builtin_popcount(to), .bytes = (uint32_t)p->c.bytes, .map = p->c.map, .piece = p->piece, .n_piece = p->c.n, .token = token};
}

void trace_async_done(struct trace_async *a, uint32_t token)
{
	struct pending *p = &a->copy.at[token];
	p->used = false;
	if (a->under_way)
		a->under_way--;
	complete(a, p);
}

// --- waiting

const uint64_t *trace_async_waits(const struct trace_async *a) { return &a->waits; }

bool trace_async_busy(const struct trace_async *a)
{
	const struct cluster *l = a->cluster;
	bool busy = a->under_way;
	for (unsigned k = 0; l && k < l->n; k++)
		busy |= l->cta[k] && l->cta[k]->under_way;
	return busy;
}

bool trace_async_let_go(struct trace_async *a)
{
	bool any = a->waits;
	a->waits = 0;
	return any;
}

bool trace_async_describe(const struct trace_async *a, unsigned warp, char *buf, size_t len)
{
	const struct wait *w = &a->wait[warp];
	const bool on = a->waits >> warp & 1;
	const struct barrier *b = on ? find(ranked(a, w->rank), w->at) : NULL;
	char state[120] = "its block has ended";
	if (!on)
		return false;
	if (b)
		mbarrier_describe(b->word, state, sizeof state);
	snprintf(buf, len, "waits at the mbarrier at shared memory offset 0x%x: %s", w->at, state);
	return true;
}
