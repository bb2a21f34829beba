// Data dependences. With control bits hardware looks at nothing but the counters that an instruction names. Without them two
// scoreboards stand in: one for registers that will be written (RAW, WAW), one that counts readers (WAR).
#include "gpgpu-sim/modern/modern.h"

static void change(struct modern *u, unsigned warp, unsigned sb, int by)
{
	HEDDLE_ASSERT(u->n_change < MODERN_MAX_CHANGES);
	u->change[u->n_change++] = (struct modern_change){.warp = (uint8_t)warp, .sb = (uint8_t)sb, .by = (int8_t)by};
}

static void change_scoreboard(struct modern *u, const struct winst *w, int by)
{
	HEDDLE_ASSERT(u->n_change < MODERN_MAX_CHANGES);
	u->change[u->n_change++] = (struct modern_change){.warp = w->warp, .released = w->st, .by = (int8_t)by};
}

static bool pending(const struct sm_warp *w, unsigned r) { return w->reg[r / 64] >> r % 64 & 1; }

static void apply_scoreboard(struct sm *m, const struct modern_change *c)
{
	const struct isa_inst *st = c->released;
	struct sm_warp *w = &m->warp[c->warp];
	if (c->by < 0) {
		for (unsigned i = 0; i < st->n_src; i++)
			m->modern->warp[c->warp].readers[st->src[i]]--;
		return;
	}
	for (unsigned i = 0; i < st->n_dst; i++) {
		unsigned r = st->dst[i];
		w->pending -= pending(w, r);
		w->reg[r / 64] &= ~((uint64_t)1 << r % 64);
	}
	sm_check_fence(m, c->warp);
	sm_check_leaving(m, c->warp);
}

void depend_apply(struct sm *m)
{
	struct modern *u = m->modern;
	for (uint32_t i = 0; i < u->n_change; i++) {
		const struct modern_change *c = &u->change[i];
		u->dependences_known &= ~((uint64_t)1 << c->warp);
		modern_look(u, c->warp % MODERN_SUBCORES);
		if (c->released) {
			apply_scoreboard(m, c);
			continue;
		}
		struct modern_warp *w = &u->warp[c->warp];
		HEDDLE_ASSERT(c->by > 0 || w->sb[c->sb] > 0);
		w->sb[c->sb] = (uint16_t)(w->sb[c->sb] + c->by);
		w->busy = (uint8_t)((w->busy & ~(1u << c->sb)) | (unsigned)(w->sb[c->sb] != 0) << c->sb);
	}
	u->n_change = 0;
}

// Ahead of a decrement in the same cycle an increment is counted first: counters never go below 0.
void depend_control(struct sm *m, struct winst *w)
{
	const struct isa_control *c = &modern_inst_of(w)->control;
	if (m->modern->warp[w->warp].scoreboard)
		return;
	if (c->write_sb < ISA_N_SB)
		change(m->modern, w->warp, c->write_sb, 1);
	if (c->read_sb < ISA_N_SB)
		change(m->modern, w->warp, c->read_sb, 1);
	if (modern_inst_of(w)->memory && m->modern->cfg->distances->barrier_reads)
		change(m->modern, w->warp, MODERN_SB_READING, 1);
}

void modern_sources_read(struct sm *m, struct winst *w)
{
	struct modern_warp *s = &m->modern->warp[w->warp];
	unsigned sb = modern_inst_of(w)->control.read_sb;
	if (m->modern->hazards)
		hazards_read(m, w);
	if (!s->scoreboard) {
		if (sb < ISA_N_SB)
			change(m->modern, w->warp, sb, -1);
		if (modern_inst_of(w)->memory && m->modern->cfg->distances->barrier_reads)
			change(m->modern, w->warp, MODERN_SB_READING, -1);
	} else if (m->modern->cfg->war) {
		change_scoreboard(m->modern, w, -1);
	}
}

void depend_written(struct sm *m, struct winst *w)
{
	struct modern_warp *s = &m->modern->warp[w->warp];
	unsigned sb = modern_inst_of(w)->control.write_sb;
	if (m->modern->hazards)
		hazards_written(m, w);
	if (s->scoreboard)
		return;
	if (sb < ISA_N_SB)
		change(m->modern, w->warp, sb, -1);
}

// --- scoreboards

static bool scoreboards_free(const struct sm *m, unsigned warp, const struct isa_inst *st)
{
	const struct sm_warp *w = &m->warp[warp];
	const struct modern_config *c = m->modern->cfg;
	const uint16_t *readers = m->modern->warp[warp].readers;
	for (unsigned i = 0; i < st->n_src; i++)
		if (pending(w, st->src[i]) || (c->war && readers[st->src[i]] >= c->war_uses))
			return false;
	for (unsigned i = 0; i < st->n_dst; i++)
		if (pending(w, st->dst[i]) || (c->war && readers[st->dst[i]]))
			return false;
	return true;
}

bool depend_ready(const struct sm *m, unsigned warp, const struct modern_inst *i)
{
	const struct modern_warp *w = &m->modern->warp[warp];
	if (w->scoreboard)
		return scoreboards_free(m, warp, i->st);
	if (w->busy & i->control.wait || (w->behind_barrier && w->sb[MODERN_SB_READING]))
		return false;
	return w->hold_sb == ISA_NO_SB || (w->sb[w->hold_sb] <= w->hold_max && !(w->busy & w->hold_zero));
}

void depend_issue(struct sm *m, struct winst *w)
{
	struct modern_warp *s = &m->modern->warp[w->warp];
	struct sm_warp *sw = &m->warp[w->warp];
	const struct isa_inst *st = w->st;
	if (!s->scoreboard) {
		const struct modern_inst *i = modern_inst_of(w);
		s->hold_sb = i->depbar_sb;
		s->hold_max = i->depbar_max;
		s->hold_zero = i->depbar_zero;
		s->behind_barrier = st->cls == ISA_BARRIER;
		return;
	}
	for (unsigned i = 0; i < st->n_dst; i++) {
		sw->pending += !pending(sw, st->dst[i]);
		sw->reg[st->dst[i] / 64] |= (uint64_t)1 << st->dst[i] % 64;
	}
	if (m->modern->cfg->war)
		for (unsigned i = 0; i < st->n_src; i++)
			s->readers[st->src[i]]++;
}

void depend_released(struct sm *m, struct winst *w)
{
	if (m->modern->warp[w->warp].scoreboard && w->st->n_dst)
		change_scoreboard(m->modern, w, 1);
}
