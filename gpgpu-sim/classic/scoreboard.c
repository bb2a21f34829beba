// The scoreboard: which registers will be written, and which warps can issue as far as registers and buffers go.
#include "gpgpu-sim/classic/classic.h"
#include "gpgpu-sim/sm/observer.h"

static bool is_pending(const struct sm_warp *w, unsigned reg) { return w->reg[reg / 64] >> reg % 64 & 1; }

// The warp's next instruction is the first in its buffer: it is ready, or waits for the first of its registers, sources before
// destinations and from the n-th on, that will be written.
static void find_blocker(struct sm *m, unsigned warp, unsigned n)
{
	struct classic *c = m->classic;
	const struct sm_warp *w = &m->warp[warp];
	const struct isa_inst *st = w->next;
	struct classic_warp *b = &c->warp[warp];
	const uint64_t bit = (uint64_t)1 << warp;
	const unsigned all = w->pending ? st->n_src + st->n_dst : 0;
	for (; n < all; n++) {
		const uint16_t reg = n < st->n_src ? st->src[n] : st->dst[n - st->n_src];
		if (!is_pending(w, reg))
			continue;
		b->blocker = reg;
		b->blocked_at = (uint8_t)n;
		return;
	}
	b->blocker = 0;
	c->ready |= bit;
	b->wants = core_cost(m->cfg, st)->pipe;
	c->wants[b->wants] |= bit;
}

// Of the first instruction in its buffer. A front end that knows the way ahead executes nothing that others see.
static bool outside(const struct sm_warp *w, const struct classic_warp *b)
{
	if (b->follows_path)
		return false;
	const struct kernel_launch *l = w->k->launch;
	const struct isa_inst *st = w->next ? w->next : l->fe->inst_at(l->code, b->ib_pc); // what follows a barrier
	return !st || sm_reaches_out(st);
}

void classic_refresh(struct sm *m, unsigned warp)
{
	struct classic *c = m->classic;
	struct sm_warp *w = &m->warp[warp];
	struct classic_warp *b = &c->warp[warp];
	uint64_t bit = (uint64_t)1 << warp;
	c->wants[b->wants] &= ~bit;
	c->ready &= ~bit;
	c->mismatch &= ~bit;
	c->ib_empty &= ~bit;
	c->outside &= ~bit;
	b->blocker = 0;
	classic_look(c, warp);
	if (b->ib_n && outside(w, b))
		c->outside |= bit;
	if (!b->ib_n)
		c->ib_empty |= bit;
	else if (w->next && w->next->pc != b->ib_pc && !b->follows_path)
		c->mismatch |= bit;
	else if (w->next)
		find_blocker(m, warp, 0);
}

void classic_reserve(struct sm *m, struct winst *i, bool longop)
{
	struct sm_warp *w = &m->warp[i->warp];
	uint64_t *long_reg = longop ? m->classic->warp[i->warp].longop : NULL;
	for (unsigned k = 0; k < i->st->n_dst; k++) {
		unsigned r = i->st->dst[k];
		uint64_t bit = (uint64_t)1 << r % 64;
		w->pending += !(w->reg[r / 64] & bit);
		w->reg[r / 64] |= bit;
		if (long_reg)
			long_reg[r / 64] |= bit;
	}
}

void classic_release(struct sm *m, struct winst *w)
{
	struct sm_warp *s = &m->warp[w->warp];
	const struct classic_warp *b = &m->classic->warp[w->warp];
	uint64_t *longop = b->longop;
	sm_see_release(m, w);
	for (unsigned i = 0; i < w->st->n_dst; i++) {
		unsigned r = w->st->dst[i];
		uint64_t bit = (uint64_t)1 << r % 64;
		if (!(s->reg[r / 64] & bit))
			continue;
		s->reg[r / 64] &= ~bit;
		if (longop)
			longop[r / 64] &= ~bit;
		s->pending--;
	}
	if (b->blocker && !is_pending(s, b->blocker)) { // those before it are still free, since the warp has issued nothing meanwhile
		classic_look(m->classic, w->warp);
		find_blocker(m, w->warp, b->blocked_at + 1u);
	}
	sm_check_fence(m, w->warp);
	sm_check_leaving(m, w->warp);
}
