#include "cuda-sim/check/clocks.h"

#include "base/mem.h"

#include <string.h>

enum { FLAGS = 256 }; // a power of two

void clocks_new(struct clocks *c, unsigned n_warp)
{
	c->n_warp = n_warp;
	c->warp = mem_alloc(n_warp * sizeof *c->warp);
	c->base = 0;
}

void clocks_free(struct clocks *c)
{
	for (unsigned k = 0; k < c->n_warp; k++)
		mem_free(c->warp[k].lane);
	mem_free(c->warp);
	mem_free(c->flag);
}

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void make_safe(const struct clocks *c, unsigned warp)
{
	struct clock_warp *k = &c->warp[warp];
	uint32_t least = k->all;
	for (unsigned j = 0; j < c->n_warp; j++)
		if (j != warp && k->seen[j] < least)
			least = k->seen[j];
	k->safe = least;
}

// Everything up to now is before everything from now on, for all warps.
static void all_ordered(struct clocks *c)
{
	uint32_t now = 0;
	for (unsigned k = 0; k < c->n_warp; k++)
		now = most(now, c->warp[k].now);
	now++;
	for (unsigned k = 0; k < c->n_warp; k++) {
		struct clock_warp *w = &c->warp[k];
		w->now = w->all = w->safe = now;
		for (unsigned j = 0; j < c->n_warp; j++)
			w->seen[j] = now;
	}
}

void clocks_start(struct clocks *c)
{
	// Times of the block before go on, so that nothing of it has to be cleared.
	if (c->warp[0].now > UINT32_MAX / 2)
		for (unsigned k = 0; k < c->n_warp; k++)
			c->warp[k].now = 0; // some stale accesses may count as new, after 2 billion barriers
	all_ordered(c);
	c->base = c->warp[0].now;
	for (unsigned k = 0; k < c->n_warp; k++) {
		c->warp[k].waiting = 0;
		c->warp[k].has_published = c->warp[k].has_pending = false;
	}
	memset(c->barrier, 0, sizeof c->barrier);
	c->n_flag = 0;
	if (c->flag)
		memset(c->flag, 0, FLAGS * sizeof *c->flag);
}

void clocks_meet(struct clocks *c, const struct warp *w, uint32_t lanes)
{
	struct clock_warp *k = &c->warp[w->id];
	if (!(w->live & ~lanes)) {
		k->all = ++k->now;
		make_safe(c, w->id);
		return;
	}
	if (!k->lane)
		k->lane = mem_alloc(WARP * sizeof *k->lane);
	uint32_t together[WARP] = {0};
	for (uint32_t m = lanes; m; m &= m - 1) {
		const uint32_t *row = k->lane[__builtin_ctz(m)];
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			together[i] = most(together[i], row[i]);
	}
	k->now++;
	for (unsigned i = 0; i < WARP; i++)
		if (lanes >> i & 1)
			together[i] = k->now;
	for (uint32_t m = lanes; m; m &= m - 1)
		memcpy(k->lane[__builtin_ctz(m)], together, sizeof together);
}

// Lanes that name the same members wait for these, and so apart from others: tiles of a warp give different masks.
void clocks_warpsync(struct clocks *c, const struct warp *w, uint32_t mask, const uint32_t *members)
{
	struct clock_warp *k = &c->warp[w->id];
	for (uint32_t left = mask; left;) {
		uint32_t same = left, want = mask;
		if (members) {
			want = members[__builtin_ctz(left)];
			same = 0;
			for (uint32_t m = left; m; m &= m - 1)
				same |= members[__builtin_ctz(m)] == want ? m & (0 - m) : 0;
		}
		left &= ~same;
		want = (want | same) & w->live;
		k->waiting |= same;
		if (want & ~k->waiting)
			continue;
		k->waiting &= ~want;
		clocks_meet(c, w, want);
	}
}

void clocks_arrive(struct clocks *c, const struct warp *w, uint32_t mask, uint32_t id, bool waits)
{
	struct clock_warp *k = &c->warp[w->id];
	for (unsigned j = 0; j < c->n_warp; j++)
		c->barrier[id].seen[j] = most(c->barrier[id].seen[j], k->seen[j]);
	c->barrier[id].seen[w->id] = ++k->now;
	c->barrier[id].lanes[w->id] |= mask;
	if (waits)
		c->barrier[id].waits |= 1u << w->id;
}

void clocks_open(struct clocks *c, const struct exec_cta *x, uint32_t id)
{
	uint32_t waits = c->barrier[id].waits;
	bool whole = true;
	for (unsigned k = 0; k < c->n_warp; k++)
		whole &= !(x->warp[k]->live & ~(waits >> k & 1 ? c->barrier[id].lanes[k] : 0));
	if (whole) {
		all_ordered(c);
	} else {
		for (; waits; waits &= waits - 1) {
			unsigned k = (unsigned)__builtin_ctz(waits);
			for (unsigned j = 0; j < c->n_warp; j++)
				if (j != k)
					c->warp[k].seen[j] = most(c->warp[k].seen[j], c->barrier[id].seen[j]);
			clocks_meet(c, x->warp[k], c->barrier[id].lanes[k]);
			make_safe(c, k);
		}
	}
	memset(&c->barrier[id], 0, sizeof c->barrier[id]);
}

// --- flags

static struct clock_flag *flag_at(struct clocks *c, uint64_t addr, bool make)
{
	if (!c->flag && make)
		c->flag = mem_alloc(FLAGS * sizeof *c->flag);
	if (!c->flag)
		return NULL;
	addr++; // 0: free
	for (unsigned i = (unsigned)(addr * 0x9e3779b1u >> 8) % FLAGS, n = 0; n < FLAGS; i = (i + 1) % FLAGS, n++) {
		struct clock_flag *f = &c->flag[i];
		if (f->addr == addr)
			return f;
		if (f->addr)
			continue;
		if (!make || c->n_flag + 1 == FLAGS)
			return NULL;
		c->n_flag++;
		f->addr = addr;
		return f;
	}
	return NULL;
}

void clocks_fence(struct clocks *c, unsigned warp)
{
	struct clock_warp *k = &c->warp[warp];
	for (unsigned j = 0; k->has_pending && j < c->n_warp; j++)
		if (j != warp)
			k->seen[j] = most(k->seen[j], k->pending[j]);
	if (k->has_pending)
		make_safe(c, warp);
	k->has_pending = false;
	k->now++;
	memcpy(k->published, k->seen, sizeof k->published);
	k->published[warp] = k->now;
	k->has_published = true;
}

void clocks_flag_written(struct clocks *c, unsigned warp, uint64_t addr)
{
	struct clock_warp *k = &c->warp[warp];
	struct clock_flag *f = k->has_published ? flag_at(c, addr, true) : NULL;
	for (unsigned j = 0; f && j < c->n_warp; j++)
		f->seen[j] = most(f->seen[j], k->published[j]);
}

void clocks_flag_read(struct clocks *c, unsigned warp, uint64_t addr)
{
	struct clock_warp *k = &c->warp[warp];
	const struct clock_flag *f = c->n_flag ? flag_at(c, addr, false) : NULL;
	if (!f)
		return;
	if (!k->has_pending)
		memset(k->pending, 0, sizeof k->pending);
	for (unsigned j = 0; j < c->n_warp; j++)
		k->pending[j] = most(k->pending[j], f->seen[j]);
	k->has_pending = true;
}
