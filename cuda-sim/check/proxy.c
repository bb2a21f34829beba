// racecheck, another part: what bulk copies and tensor maps read of shared memory goes past the way of loads and stores. What a thread
// has stored they see behind a fence.proxy.async, by that thread or by the one that starts the copy. Without one a GPU may copy what
// stood there before.
#include "cuda-sim/check/parts.h"

#include <stdio.h>
#include <string.h>

struct proxy_write {
	const struct isa_inst *inst; // NULL: nothing was stored that a copy could miss
	uint32_t time;
	uint8_t warp, lane;
};

struct proxy_cta {
	uint32_t size, now;       // words; stores so far
	uint32_t fenced[WARP];    // by warp: stores before its last fence
	struct proxy_write *word;
};

static void cta_new(struct exec_cta *x)
{
	struct proxy_cta *p = MEM_NEW(struct proxy_cta);
	p->size = (x->shared_size + 3) / 4;
	p->word = mem_alloc((p->size + 1) * sizeof *p->word);
	check_cta_of(x)->proxy = p;
}

static void cta_free(struct exec_cta *x)
{
	mem_free(check_cta_of(x)->proxy->word);
	mem_free(check_cta_of(x)->proxy);
}

static void cta_start(struct exec_cta *x)
{
	struct proxy_cta *p = check_cta_of(x)->proxy;
	p->now = 0;
	memset(p->fenced, 0, sizeof p->fenced);
	memset(p->word, 0, p->size * sizeof *p->word);
}

static void touch(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	struct proxy_cta *p = check_cta_of(w->cta)->proxy;
	if (t->space != SPACE_SHARED || !t->write)
		return;
	p->now++;
	for (uint32_t m = t->mask; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);
		const uint64_t end = (t->addr[i] + t->bytes + 3) / 4;
		for (uint64_t k = t->addr[i] / 4; k < end && k < p->size; k++)
			p->word[k] = (struct proxy_write){t->inst, p->now, (uint8_t)w->id, (uint8_t)i};
	}
}

static void fence(struct warp *w, uint32_t mask, bool proxy)
{
	struct proxy_cta *p = check_cta_of(w->cta)->proxy;
	if (proxy)
		p->fenced[w->id] = p->now;
}

static void complain(struct warp *w, unsigned lane, const struct proxy_write *by, uint32_t at)
{
	const struct exec_cta *x = w->cta;
	struct check *c = check_cta_of(x)->check;
	const struct isa_inst *now = check_cta_of(x)->head.trail[w->id].now;
	char key[120];
	snprintf(key, sizeof key, "proxy %p %p %p", (const void *)x->launch->info, (const void *)by->inst, (const void *)now);
	struct report *r = report_find(c, key);
	if (!r) {
		struct check_where from, to;
		char text[2800], signature[1600];
		uint32_t a[3], b[3];
		check_where(c, x->launch, by->inst, &from);
		check_where(c, x->launch, now, &to);
		check_thread(x, by->warp, by->lane, a);
		check_thread(x, w->id, lane, b);
		snprintf(signature, sizeof signature, "racecheck: Race reported between Write access at %s and asynchronous Read access at %s", from.name, to.name);
		snprintf(text, sizeof text,
		         "Race reported between Write access at %s%s\n"
		         "    and asynchronous Read access at %s%s [# hazards]\n"
		         "    first by thread (%u,%u,%u) and thread (%u,%u,%u) in block (%u,%u,%u) at __shared__ 0x%x\n"
		         "    Neither of them has executed fence.proxy.async between\n",
		         from.at, from.call, to.at, to.call, a[0], a[1], a[2], b[0], b[1], b[2], x->id[0], x->id[1], x->id[2], at);
		r = report_add(c, key, signature, text);
		r->race = r->race_error = true;
	}
	report_again(c, r, 4);
}

static void proxied(struct warp *w, unsigned lane, uint32_t at, uint32_t bytes, bool write)
{
	struct proxy_cta *p = check_cta_of(w->cta)->proxy;
	for (uint32_t k = at / 4; k < (at + bytes + 3) / 4 && k < p->size; k++) {
		struct proxy_write *by = &p->word[k];
		if (by->inst && !write && p->fenced[by->warp] < by->time && p->fenced[w->id] < by->time)
			complain(w, lane, by, 4 * k);
		by->inst = NULL;
	}
}

const struct check_tool check_proxy = {
	.bit = CHECK_RACECHECK, .cta_new = cta_new, .cta_free = cta_free, .cta_start = cta_start, .touch = touch, .fence = fence, .proxied = proxied,
};
