// The scoreboard: which registers will be written, and which warps can issue as far as registers and buffers go.
#include "gpgpu-sim/classic/classic.h"
#include "gpgpu-sim/sm/observer.h"

static bool is_pending(const struct sm_warp *w, unsigned reg) { return w->reg[reg / 64] >> reg % 64 & 1; }

// A register of the instruction that will be written; 0: none.
static unsigned collision(const struct sm_warp *w, const struct isa_inst *st)
{
	if (!w->pending)
		return 0;
	for (unsigned i = 0; i < st->n_src; i++)
		if (is_pending(w, st->src[i]))
			return st->src[i];
	for (unsigned i = 0; i < st->n_dst; i++)
		if (is_pending(w, st->dst[i]))
			return st->dst[i];
	return 0;
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
	else if (w->next && !(b->blocker = (uint16_t)collision(w, w->next))) {
		c->ready |= bit;
		b->wants = core_cost(m->cfg, w->next)->pipe;
		c->wants[b->wants] |= bit;
	}
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
	if (b->blocker && !is_pending(s, b->blocker))
		classic_refresh(m, w->warp);
	sm_check_fence(m, w->warp);
	sm_check_leaving(m, w->warp);
}
