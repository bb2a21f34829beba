// CTA barriers: bar.sync, bar.arrive, bar.red, named and counted.
//
// Threads are counted, not warps (sm_70 and later), and a lane that has exited counts as arrived, as it does on
// hardware. A counted barrier (`bar.sync a, b`) takes whole warps: a warp's missing lanes count with its first arrival.
#include "cuda-sim/simt/simt.h"

#include "isa/grids.h"

static bool complete(const struct simt_cta *c, const struct barrier *b)
{
	if (!b->arrived)
		return false;
	if (!b->count)
		return b->arrived >= c->live_threads;
	uint32_t n = 0;
	for (unsigned k = 0; k < c->x.n_warp; k++)
		if (b->lanes[k])
			n += (uint32_t)(__builtin_popcount(b->lanes[k]) + WARP -
			                __builtin_popcount(c->warp[k].w.live | b->lanes[k]));
	return n >= b->count;
}

static void deliver(struct simt_warp *w, const struct split *s, const struct barrier *b)
{
	const struct uop *u = s->at;
	uint8_t *fp = w->rows + w->frame.at[s->frame].fp;
	uint32_t *pred = (uint32_t *)(fp + u->d);
	switch ((enum uop_bar)u->x[0]) {
	case UOP_BAR_POPC:
		for (unsigned i = 0; i < WARP; i++)
			if (s->mask >> i & 1)
				((uint32_t *)(fp + u->d))[i] = b->popc;
		break;
	case UOP_BAR_AND:
		*pred = (*pred & ~s->mask) | (b->popc == b->arrived ? s->mask : 0);
		break;
	case UOP_BAR_OR:
		*pred = (*pred & ~s->mask) | (b->popc ? s->mask : 0);
		break;
	default:
		break;
	}
}

static void open_barrier(struct simt_cta *c, unsigned id)
{
	struct barrier *b = &c->barrier[id];
	c->opened = true;
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct simt_warp *w = &c->warp[k];
		if (!b->lanes[k])
			continue;
		w->fresh = true;
		for (size_t l = 0; l < w->leaf.n; l++) {
			struct split *s = &w->split.at[w->leaf.at[l]];
			if (s->state == SPLIT_BARRIER && s->barrier == id) {
				deliver(w, s, b);
				s->state = SPLIT_RUN;
				w->settled = false;
			}
		}
	}
	*b = (struct barrier){0};
}

void barrier_recheck(struct simt_cta *c)
{
	for (unsigned id = 0; id < SIMT_BARRIERS; id++)
		if (c->barrier[id].arrived && complete(c, &c->barrier[id]))
			open_barrier(c, id);
}

bool barrier_arrive(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t mask)
{
	struct split *s = &w->split.at[leaf];
	const uint8_t *fp = w->rows + w->frame.at[s->frame].fp;
	unsigned lane = (unsigned)__builtin_ctz(mask);
	uint32_t id = ((const uint32_t *)(fp + u->a))[lane];
	uint32_t count = u->b ? ((const uint32_t *)(fp + u->b))[lane] : 0;
	uint32_t asked = w->cta->x.launch->services->named_barriers, have = asked && asked < SIMT_BARRIERS ? asked : SIMT_BARRIERS;
	if (id >= have) {
		exec_fault(&w->w, u, FAULT_ILLEGAL_INSTRUCTION, lane, id, "barrier %u does not exist (0 to %u do)%s", id, have - 1,
		           have < SIMT_BARRIERS ? "; -gpgpu_num_cta_barriers gives a CTA no more" : "");
		return true;
	}
	if (count % WARP) {
		exec_fault(&w->w, u, FAULT_ILLEGAL_INSTRUCTION, lane, count,
		           "barrier %u: a thread count of %u is not a multiple of the warp size", id, count);
		return true;
	}
	struct barrier *b = &w->cta->barrier[id];
	b->count = count;
	b->arrived += (uint32_t)__builtin_popcount(mask & ~b->lanes[w->w.id]);
	b->lanes[w->w.id] |= mask;
	if (u->x[0] >= UOP_BAR_POPC) {
		uint32_t p = *(const uint32_t *)(fp + u->c);
		b->popc += (uint32_t)__builtin_popcount((u->flags & UOP_NEG_C ? ~p : p) & mask);
	}
	if (u->x[0] != UOP_BAR_ARRIVE) {
		s->state = SPLIT_BARRIER;
		s->barrier = (uint8_t)id;
		s->at = u;
	}
	if (complete(w->cta, b))
		open_barrier(w->cta, id);
	return s->state == SPLIT_BARRIER;
}

bool barrier_children(struct simt_cta *c)
{
	if (!c->at_children || grids_wait(c->x.launches))
		return false;
	c->at_children = false;
	c->opened = true;
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct simt_warp *w = &c->warp[k];
		for (size_t l = 0; l < w->leaf.n; l++) {
			struct split *s = &w->split.at[w->leaf.at[l]];
			if (s->state == SPLIT_BARRIER && s->barrier == SIMT_CHILDREN) {
				s->state = SPLIT_RUN;
				w->settled = false;
			}
		}
	}
	return true;
}
