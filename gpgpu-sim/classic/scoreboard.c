// The scoreboard: which registers will be written, and which warps can issue as far as registers and buffers go.
#include "gpgpu-sim/classic/classic.h"
#include "gpgpu-sim/sm/observer.h"

static bool collides(const struct sm_warp *w, const struct isa_inst *st)
{
	if (!w->pending)
		return false;
	for (unsigned i = 0; i < st->n_src; i++)
		if (w->reg[st->src[i] / 64] >> st->src[i] % 64 & 1)
			return true;
	for (unsigned i = 0; i < st->n_dst; i++)
		if (w->reg[st->dst[i] / 64] >> st->dst[i] % 64 & 1)
			return true;
	return false;
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
	classic_look(c, warp);
	if (!b->ib_n)
		c->ib_empty |= bit;
	else if (w->next && w->next->pc != b->ib_pc && !w->k->launch->fe->path)
		c->mismatch |= bit;
	else if (w->next && !collides(w, w->next)) {
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
	uint64_t *longop = m->classic->warp[w->warp].longop;
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
	classic_refresh(m, w->warp);
	sm_check_fence(m, w->warp);
	sm_check_leaving(m, w->warp);
}
