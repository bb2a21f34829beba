// The registers between two stages of the classic core.
#ifndef GPGPU_SIM_CLASSIC_REGISTER_SET_H
#define GPGPU_SIM_CLASSIC_REGISTER_SET_H

#include "gpgpu-sim/sm/winst.h"

// A register set: `width` registers between two stages. With sub-cores, register i belongs to scheduler i.
struct register_set {
	_Alignas(64) uint32_t full; // bit per slot
	// In the owner's set of stages that hold something, so that empty ones need not be looked at.
	uint32_t bit, *occupied;
	uint8_t width;
	uint8_t n;             // in `order`
	uint64_t order;        // slots of what came by regs_append, four bits each, the first in the lowest
	struct winst *slot[CORE_MAX_WIDTH];
};
_Static_assert(CORE_MAX_WIDTH <= 16, "a slot of register_set.order has four bits");

static inline bool regs_has_free(const struct register_set *s, bool sub_core, unsigned id)
{
	return sub_core ? !(s->full >> id & 1) : s->full != (1u << s->width) - 1;
}

static inline void regs_put(struct register_set *s, bool sub_core, unsigned id, struct winst *w)
{
	unsigned i = sub_core ? id : (unsigned)__builtin_ctz(~s->full);
	HEDDLE_ASSERT(i < s->width && !(s->full >> i & 1));
	s->slot[i] = w;
	s->full |= 1u << i;
	*s->occupied |= s->bit;
}

// Of a stage that is filled in the order of the instructions and emptied in that order: nobody need look for the oldest one.
static inline void regs_append(struct register_set *s, bool sub_core, unsigned id, struct winst *w)
{
	const unsigned i = sub_core ? id : (unsigned)__builtin_ctz(~s->full);
	regs_put(s, sub_core, id, w);
	s->order |= (uint64_t)i << 4 * s->n++;
}

static inline struct winst *regs_first(const struct register_set *s) { return s->slot[s->order & 15]; }

static inline void regs_drop_first(struct register_set *s)
{
	s->full &= ~(1u << (s->order & 15));
	s->order >>= 4;
	if (!--s->n)
		*s->occupied &= ~s->bit;
}

// Slot of the oldest instruction; the stage is not empty.
static inline unsigned regs_oldest(const struct register_set *s)
{
	unsigned best = (unsigned)__builtin_ctz(s->full);
	for (uint32_t m = s->full & (s->full - 1); m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (s->slot[i]->uid < s->slot[best]->uid)
			best = i;
	}
	return best;
}

static inline struct winst *regs_take(struct register_set *s, unsigned i)
{
	s->full &= ~(1u << i);
	if (!s->full)
		*s->occupied &= ~s->bit;
	return s->slot[i];
}

#endif
