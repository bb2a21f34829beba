// Warp schedulers of the classic core. A scheduler decides in which order warps are tried; issue.c tries them.
//
// To add one: a file sched_NAME.c with its struct sched_ops, declared below and listed in policies.c; its number in enum
// scheduler_kind (base/option_forms.h) and its name in the array `schedulers` of option_forms.c; a case in
// tests/unit/test_sched.c, and the policy in its array `policies`.
#ifndef GPGPU_SIM_CLASSIC_SCHED_H
#define GPGPU_SIM_CLASSIC_SCHED_H

#include "base/assert.h"
#include "base/option_forms.h"
#include "base/ring.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCHED_MAX_WARPS = 64, SCHED_NONE = 0xff };

// Sets of warps are bits, bit w for warp slot w of the SM.
struct sched_view {
	uint64_t resident; // hold a warp that has not left
	uint64_t waiting;  // done, at a barrier, at a fence, or for atomics
	uint64_t longop;   // the next instruction needs a register that a long operation will write (if tracked)
	const uint64_t *age; // per slot: smaller is older
};

struct sched {
	_Alignas(64) const struct sched_ops *ops;
	uint64_t own;      // the slots it supervises
	uint8_t last;      // slot that issued last; SCHED_NONE before the first
	uint32_t limit;    // warp_limiting: warps considered; two_level_active: active warps
	// two_level_active: the slots in order. The pending ones stand in pending_at, so it stays where it was initialised.
	uint8_t active[SCHED_MAX_WARPS], pending_at[SCHED_MAX_WARPS];
	RING(uint8_t) pending;
	uint32_t n_active;
	uint8_t turn;      // rrr: whose turn it is
	bool ever_issued;
};

struct sched_ops {
	const char *name;
	// Its state changes in cycles in which nothing can issue, or it goes by sched_view.longop: its schedulers look in every cycle,
	// and the SM must not sleep.
	bool every_cycle;
	void (*init)(struct sched *s, const struct scheduler_form *f);
	// Begins a cycle; the slots that may be tried in it. NULL: all that are its own.
	uint64_t (*begin)(struct sched *s, const struct sched_view *v);
	// The first of `set` (not empty, within what begin allowed) in order of priority.
	unsigned (*pick)(const struct sched *s, uint64_t set, const struct sched_view *v);
	void (*issued)(struct sched *s, unsigned slot);
};

// Scheduler `id` of `n`: it supervises the slots id, id + n, ...
void sched_init(struct sched *s, const struct scheduler_form *f, unsigned id, unsigned n, unsigned slots);

// The slots that the policy lets be tried in a cycle that begins.
static inline uint64_t sched_begin(struct sched *s, const struct sched_view *v) { return s->ops->begin ? s->ops->begin(s, v) : s->own; }

// What the policy picks of `set`, which is not empty.
static inline unsigned sched_pick(const struct sched *s, uint64_t set, const struct sched_view *v)
{
	unsigned slot = s->ops->pick(s, set, v);
	HEDDLE_ASSERT(slot < SCHED_MAX_WARPS && set >> slot & 1);
	return slot;
}

// What the policy may well pick of `set`, which is not empty: a guess.
static inline unsigned sched_likely(const struct sched *s, uint64_t set)
{
	uint64_t after = s->last < 63 ? set & ~(uint64_t)0 << (s->last + 1) : 0;
	return (unsigned)__builtin_ctzll(after ? after : set);
}

// Helpers for policies.
unsigned sched_after(uint64_t set, unsigned slot);                // the first of set behind `slot`, going round
unsigned sched_oldest(uint64_t set, const uint64_t *age);
void sched_note_issued(struct sched *s, unsigned slot);           // keeps s->last
void sched_nothing(struct sched *s, const struct scheduler_form *f);

extern const struct sched_ops sched_lrr, sched_gto, sched_old, sched_rrr, sched_two_level, sched_swl;

#endif
