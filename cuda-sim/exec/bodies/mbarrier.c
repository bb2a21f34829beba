// Operations on mbarriers, which lanes do one after the other in lane order. Waiting for them is in exec/tries.h.
//
// a, imm: address, to which row x[0] is added unless that is 0; b: row of counts, 0: each lane counts once; c: row of bytes, 0: none;
// d: row of 8 bytes a lane that gets the state, 0: nobody asks; x[3]: enum mbarrier_form.
#include "cuda-sim/exec/async.h"
#include "cuda-sim/exec/check.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/lanes.h"
#include "cuda-sim/exec/mbarrier.h"
#include "cuda-sim/exec/tries.h"

enum { WORD_BYTES = 8 };

static inline bool place(const uint8_t *fp, const struct uop *u, struct warp *w, unsigned i, struct exec_place *p)
{
	const uint32_t more = u->x[0] ? ROW(const uint32_t, u->x[0])[i] : 0;

	return exec_shared_place(w, u, i, exec_lane_addr(fp, u, i) + more, WORD_BYTES, WORD_BYTES, true,
	                         u->x[3] & MBARRIER_CLUSTER ? EXEC_CLUSTER : EXEC_OWN, p);
}

static inline uint32_t count_of(const uint8_t *fp, const struct uop *u, unsigned i) { return u->b ? ROW(const uint32_t, u->b)[i] : 1; }
static inline uint32_t bytes_of(const uint8_t *fp, const struct uop *u, unsigned i) { return u->c ? ROW(const uint32_t, u->c)[i] : 0; }

static bool refuse(struct warp *w, const struct uop *u, unsigned i, const struct exec_place *p, enum mbarrier_fault f)
{
	char state[160];

	if (!f)
		return false;
	mbarrier_describe(*(const uint64_t *)p->at, state, sizeof state);
	exec_fault(w, u, FAULT_LAUNCH, i, p->offset, "the mbarrier at shared memory offset 0x%x: %s (%s)", p->offset, mbarrier_fault_text(f), state);
	return true;
}

// An arrival from afar at a barrier of a CTA that has ended. A GPU lets it pass, and programs count on it: those that tell the loader of
// each CTA of their cluster that a buffer is free do so after the last load, too.
static bool too_late(const uint8_t *fp, const struct uop *u, const struct warp *w, unsigned i)
{
	const uint32_t more = u->x[0] ? ROW(const uint32_t, u->x[0])[i] : 0;

	return u->x[3] & MBARRIER_CLUSTER && exec_cluster_gone(w->cta, exec_lane_addr(fp, u, i) + more);
}

static void tell_late(struct warp *w, const struct uop *u, unsigned i)
{
	exec_stray(w, u, i, STRAY_LATE,
	           "it arrives at an mbarrier of another block of its cluster, of which all threads have exited: a GPU seldom notices, nobody "
	           "waits there any more; barrier.cluster (cluster.sync()) at the end would keep that block");
}

// What an operation does to the word; *state may be set.
typedef enum mbarrier_fault mbarrier_act(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state);

static mbarrier_act act_arrive;

static inline void each(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, mbarrier_act *act, bool signals)
{
	uint32_t at[WARP];
	bool late = false;

	EACH(i) {
		struct exec_place p;
		uint64_t state = 0;

		if (act == act_arrive && too_late(fp, u, w, i)) {
			if (!late)
				tell_late(w, u, i);
			late = true;
			continue;
		}
		if (!place(fp, u, w, i, &p))
			return;
		const uint64_t old = *(const uint64_t *)p.at;
		if (refuse(w, u, i, &p, act(fp, u, i, (uint64_t *)p.at, &state)))
			return;
		if (u->d)
			ROW(uint64_t, u->d)[i] = state;
		at[i] = p.offset;
		if (w->cta->check && signals && p.cta == w->cta) // before those that wait go on
			w->cta->check->by->signalled(w, 1u << i, at);
		if ((old ^ *(const uint64_t *)p.at) >> 63)
			exec_phase_complete(w->cta, p.cta);
	}
}

static enum mbarrier_fault act_init(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	*word = 0;
	return mbarrier_init(word, count_of(fp, u, i));
}

// c: the word that the compiler has made of the count.
static enum mbarrier_fault act_store(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	const uint64_t made = ROW(const uint64_t, u->c)[i];

	*state = *word;
	*word = 0;
	if (mbarrier_check_init(made))
		return MBARRIER_COUNT;
	*word = made;
	return MBARRIER_FINE;
}

// Changes nothing: in libcu++ all threads of a block destroy its barriers, some while others still arrive.
static enum mbarrier_fault act_inval(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	return MBARRIER_FINE;
}

static enum mbarrier_fault act_arrive(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	const bool drop = u->x[3] & MBARRIER_DROP;

	if (u->x[3] & MBARRIER_ONLY)
		return mbarrier_arrive_only(word, count_of(fp, u, i), drop, state);
	return mbarrier_arrive(word, count_of(fp, u, i), bytes_of(fp, u, i), drop, state);
}

static enum mbarrier_fault act_expect(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	return mbarrier_expect_tx(word, bytes_of(fp, u, i));
}

static enum mbarrier_fault act_complete(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	return mbarrier_complete_tx(word, bytes_of(fp, u, i));
}

// cp.async.mbarrier.arrive: bytes have moved already, so its arrival is one more and one less.
static enum mbarrier_fault act_look(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	return mbarrier_check(*word);
}

static enum mbarrier_fault act_ampere(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *word, uint64_t *state)
{
	*state = mbarrier_arrive_ampere(word);
	return MBARRIER_FINE;
}

// Lanes that arrive at one place learn of each other: the lower half of the state is the lanes, the upper one that of the word before
// all of them.
static void together(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w)
{
	struct uop by_one = *u;
	uint64_t state[WARP] = {0};
	uint32_t at[WARP] = {0};

	by_one.d = 0;
	EACH(i) {
		struct exec_place p;
		if (!place(fp, u, w, i, &p))
			return;
		at[i] = p.offset;
		state[i] = *(const uint64_t *)p.at & ~(uint64_t)UINT32_MAX;
	}
	for (uint32_t left = mask; left && !w->fault;) {
		const unsigned first = (unsigned)__builtin_ctz(left);
		uint32_t same = 0;
		for (uint32_t m = left; m; m &= m - 1)
			same |= at[__builtin_ctz(m)] == at[first] ? m & (0 - m) : 0;
		for (uint32_t m = same; m; m &= m - 1)
			ROW(uint64_t, u->d)[__builtin_ctz(m)] = state[first] | same;
		left &= ~same;
	}
	EACH(i) {
		struct exec_place p;
		uint64_t unused;
		if (!place(fp, u, w, i, &p) || refuse(w, u, i, &p, act_arrive(fp, &by_one, i, (uint64_t *)p.at, &unused)))
			return;
	}
	if (w->cta->check)
		w->cta->check->by->signalled(w, mask, at);
}

BODY(init) { each(fp, u, mask, w, act_init, false); }
BODY(store) { each(fp, u, mask, w, act_store, false); }
BODY(inval) { each(fp, u, mask, w, act_inval, false); }
BODY(arrive) { each(fp, u, mask, w, act_arrive, true); }
BODY(arrive_together) { together(fp, u, mask, w); }
BODY(expect) { each(fp, u, mask, w, act_expect, true); }
BODY(complete) { each(fp, u, mask, w, act_complete, true); }
BODY(look) { each(fp, u, mask, w, act_look, true); }
BODY(ampere) { each(fp, u, mask, w, act_ampere, true); }
BODY1(pending, uint32_t, uint64_t, mbarrier_pending(a))

extern const struct exec_body EXEC_TABLE(mbarrier)[];
const struct exec_body EXEC_TABLE(mbarrier)[] = {
	{"async.mbarrier.init", init}, {"async.mbarrier.store", store}, {"async.mbarrier.inval", inval}, {"async.mbarrier.arrive", arrive},
	{"async.mbarrier.together", arrive_together}, {"async.mbarrier.expect_tx", expect}, {"async.mbarrier.complete_tx", complete},
	{"async.mbarrier.look", look}, {"async.mbarrier.ampere", ampere}, {"async.mbarrier.pending_count", pending},
	{0},
};
