// Recognises lanes that spin with the timing model, so that they soon give way to lanes of their own warp.
//
// A poll tells the lanes nothing new if it is the instruction that polled last, touches the addresses that it touched
// then and reads what it read then. A loop over an array and an atomic that counts are therefore no spinning.
#include "cuda-sim/simt/simt.h"

#include "base/assert.h"

enum { FRUITLESS = HEDDLE_LIMIT(1, 2) }; // polls in a row that tell nothing new before others get a turn

static uint64_t lane_of(const uint8_t *row, bool wide, unsigned i)
{
	return wide ? ((const uint64_t *)row)[i] : ((const uint32_t *)row)[i];
}

bool spin_poll(struct simt_warp *w, const struct code *code, const struct uop *u, uint32_t mask)
{
	uint32_t n = code->inst_of[u - code->uop];
	const struct code_access *from = &code->access[n];
	const struct isa_inst *inst = &code->isa[n];
	uint8_t *fp = w->w.fp;
	struct spin *s = &w->spin;
	bool scalar = n < code->func->n_inst && code->func->inst[n].mods.vec <= 1 && inst->bytes <= 8;
	uint64_t addr[WARP];
	if ((from->how != LIST_DEVICE && from->how != LIST_GENERIC && from->how != LIST_OFFSET) || !scalar) {
		u->fn(fp, u, mask, &w->w);
		return false;
	}
	for (unsigned i = 0; i < WARP; i++)
		addr[i] = lane_of(fp + from->row, from->wide, i);
	u->fn(fp, u, mask, &w->w);

	bool same = s->at == u && !(mask & ~s->seen);
	if (s->at != u)
		s->seen = 0;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t value = lane_of(fp + u->d, inst->bytes > 4, i);
		same &= s->addr[i] == addr[i] && s->value[i] == value;
		s->addr[i] = addr[i];
		s->value[i] = value;
	}
	s->at = u;
	s->seen |= mask;
	s->fruitless = same ? s->fruitless + 1 : 0;
	return s->fruitless >= FRUITLESS;
}
