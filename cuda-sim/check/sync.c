// synccheck: barriers and __syncwarp are used as CUDA asks.
//
//  - The threads that meet at a barrier of all threads (__syncthreads) came by one and the same instruction. Threads that have
//    exited are let off, unless they went on behind the barrier first: then it stood in code that was not for all. Whether the lanes
//    of a warp come at the same time says nothing: that is up to the executor.
//  - A barrier with a count of threads gets no more than these, and all say the same count.
//  - The warps of a warp group all execute a setmaxnreg, as often and with the same number.
//  - The mask of a __syncwarp names the lane that gives it, and none that has exited.
#include "cuda-sim/check/parts.h"

#include <inttypes.h>
#include <stdio.h>

struct sync_barrier {
	const struct isa_inst *inst; // by which the first came; NULL: nobody has come
	uint8_t warp, lane;          // of them
	uint32_t count, threads;     // asked for, and come
	bool told;
};

struct sync_warp {
	const struct isa_inst *left_at; // the last instruction of lanes that have exited, the farthest of them; NULL
	uint8_t lane;
	uint32_t changes, registers;       // setmaxnreg: how often, and the last one's number
	const struct isa_inst *changed_by; // the last one
};

struct sync_cta {
	struct sync_barrier barrier[EXEC_BARRIERS];
	struct sync_warp warp[WARP];
};

static void cta_new(struct exec_cta *x) { check_cta_of(x)->sync = MEM_NEW(struct sync_cta); }
static void cta_free(struct exec_cta *x) { mem_free(check_cta_of(x)->sync); }

static void cta_start(struct exec_cta *x)
{
	*check_cta_of(x)->sync = (struct sync_cta){0};
}

static void complain(const struct warp *w, const struct isa_inst *inst, unsigned lane, uint64_t lanes, const char *what, const char *also)
{
	char title[120];
	snprintf(title, sizeof title, "Barrier error detected. %s.", what);
	check_found(check_cta_of(w->cta)->check, &(struct finding){.tool = "synccheck", .title = title, .warp = w, .inst = inst, .lane = lane,
	                                                           .lanes = lanes, .also = also});
}

static void as_lanes(uint32_t m, char *buf, size_t len)
{
	size_t n = 0;
	buf[0] = 0;
	for (unsigned i = 0; i < WARP && n + 12 < len; i++) {
		unsigned end = i;
		if (!(m >> i & 1))
			continue;
		while (end + 1 < WARP && m >> (end + 1) & 1)
			end++;
		n += (size_t)snprintf(buf + n, len - n, end > i ? "%s%u to %u" : "%s%u", n ? ", " : "", i, end);
		i = end;
	}
}

// Lanes have exited behind the last instruction that they executed.
static void exited(struct warp *w, const struct exec_trail *t)
{
	struct sync_warp *s = &check_cta_of(w->cta)->sync->warp[w->id];
	uint32_t gone = t->live & ~w->live;
	if (!gone || !t->last || (gone & ~t->last_lanes))
		return;
	if (!s->left_at || t->last->pc > s->left_at->pc) {
		s->left_at = t->last;
		s->lane = (uint8_t)__builtin_ctz(gone);
	}
}

// Warps that have exited whole execute nothing behind that.
static void note_exits(struct exec_cta *x)
{
	for (unsigned k = 0; k < x->n_warp; k++) {
		struct exec_trail *t = &x->check->trail[k];
		if (t->live != x->warp[k]->live) {
			exited(x->warp[k], t);
			t->live = x->warp[k]->live;
		}
	}
}

static const char *divergent(bool in_warp) { return in_warp ? "Divergent thread(s) in warp" : "Divergent thread(s) in block"; }

static void arrive(struct warp *w, uint32_t mask, uint32_t id, bool waits, bool aligned)
{
	struct exec_cta *x = w->cta;
	struct check_cta *c = check_cta_of(x);
	if (id >= EXEC_BARRIERS)
		return;
	struct sync_barrier *b = &c->sync->barrier[id];
	const struct isa_inst *inst = c->head.trail[w->id].now;
	const uint32_t count = x->barrier[id].count;
	unsigned lane = (unsigned)__builtin_ctz(mask);
	char also[300];
	if (!b->inst)
		*b = (struct sync_barrier){.inst = inst, .warp = (uint8_t)w->id, .lane = (uint8_t)lane, .count = count};
	b->threads += count ? WARP : (uint32_t)__builtin_popcount(mask);
	if (b->count != count) {
		snprintf(also, sizeof also, "    Barrier %u is asked to wait for %u threads, others asked for %u (0: all of the block)\n", id, count,
		         b->count);
		complain(w, inst, lane, (uint64_t)__builtin_popcount(mask), "Invalid arguments", also);
	} else if (count && b->threads > count) {
		snprintf(also, sizeof also, "    Barrier %u waits for %u threads, and more have come\n", id, count);
		complain(w, inst, lane, (uint64_t)__builtin_popcount(mask), "Invalid arguments", also);
	} else if (!count && aligned && b->inst != inst && waits && !b->told) {
		char where[600];
		uint32_t t[3];
		check_place(c->check, x->launch, b->inst, true, where, sizeof where);
		check_thread(x, b->warp, b->lane, t);
		snprintf(also, sizeof also, "    Thread (%u,%u,%u) waits for it at %.200s\n", t[0], t[1], t[2], where);
		complain(w, inst, lane, (uint64_t)__builtin_popcount(mask), divergent(b->warp == w->id), also);
		b->told = true;
	}
}

// Threads that have exited behind the barrier without coming to it.
static void look_for_those_who_left(struct exec_cta *x, const struct sync_barrier *b)
{
	struct check_cta *c = check_cta_of(x);
	for (unsigned k = 0; k < x->n_warp; k++) {
		const struct sync_warp *s = &c->sync->warp[k];
		char also[800], where[600];
		uint32_t t[3];
		if (!s->left_at || s->left_at->pc <= b->inst->pc)
			continue;
		check_place(c->check, x->launch, s->left_at, true, where, sizeof where);
		check_thread(x, k, s->lane, t);
		snprintf(also, sizeof also, "    Thread (%u,%u,%u) did not come to it, went on to %s and has exited\n", t[0], t[1], t[2], where);
		complain(x->warp[b->warp], b->inst, b->lane, b->threads, divergent(b->warp == k), also);
		return;
	}
}

static void open(struct exec_cta *x, uint32_t id)
{
	if (id >= EXEC_BARRIERS)
		return;
	struct sync_barrier *b = &check_cta_of(x)->sync->barrier[id];
	note_exits(x);
	if (b->inst && !b->count && !b->told)
		look_for_those_who_left(x, b);
	*b = (struct sync_barrier){0};
}

static void warpsync(struct warp *w, uint32_t mask, const uint32_t *members)
{
	const struct isa_inst *inst = check_cta_of(w->cta)->head.trail[w->id].now;
	uint32_t named = 0, unnamed = 0;
	char also[300], lanes[120];
	if (!members)
		return;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		named |= members[i];
		unnamed |= (uint32_t)!(members[i] >> i & 1) << i;
	}
	// Before a barrier compilers gather all lanes in machine code, whoever has exited.
	const uint32_t gone = named == FULL_MASK && inst->sass ? 0 : named & w->exist & ~w->live;
	if (unnamed) {
		unsigned i = (unsigned)__builtin_ctz(unnamed);
		snprintf(also, sizeof also, "    Its mask 0x%08x does not name its own lane %u\n", members[i], i);
		complain(w, inst, i, (uint64_t)__builtin_popcount(unnamed), "Invalid arguments", also);
	} else if (gone) {
		unsigned i = (unsigned)__builtin_ctz(mask);
		as_lanes(gone, lanes, sizeof lanes);
		snprintf(also, sizeof also, "    Its mask 0x%08x names lanes that have exited: %s\n", members[i], lanes);
		complain(w, inst, i, (uint64_t)__builtin_popcount(mask), "Invalid arguments", also);
	}
}

// --- setmaxnreg

static void complain_of_change(const struct warp *w, const struct warp *other)
{
	const struct sync_warp *a = &check_cta_of(w->cta)->sync->warp[w->id], *b = &check_cta_of(w->cta)->sync->warp[other->id];
	char also[300];
	if (a->changes == b->changes)
		snprintf(also, sizeof also, "    Warp %u asks setmaxnreg for %u registers, and warp %u of its group for %u\n", w->id, a->registers, other->id,
		         b->registers);
	else
		snprintf(also, sizeof also, "    Warp %u has executed %u setmaxnreg, and warp %u of its group %u\n", w->id, a->changes, other->id, b->changes);
	complain(w, a->changed_by, 0, WARP, "Invalid arguments", also);
}

static void group(struct warp *w, enum exec_group_op op, uint32_t keep)
{
	struct sync_cta *c = check_cta_of(w->cta)->sync;
	struct sync_warp *s = &c->warp[w->id];
	const unsigned first = w->id / EXEC_GROUP_WARPS * EXEC_GROUP_WARPS;
	if (op != EXEC_GROUP_LESS && op != EXEC_GROUP_MORE)
		return;
	s->changes++;
	s->registers = keep;
	s->changed_by = w->cta->check->trail[w->id].now;
	for (unsigned k = first; k < first + EXEC_GROUP_WARPS && k < w->cta->n_warp; k++)
		if (c->warp[k].changes == s->changes && c->warp[k].registers != keep) {
			complain_of_change(w, w->cta->warp[k]);
			return;
		}
}

static void cta_end(struct exec_cta *x)
{
	const struct sync_warp *s = check_cta_of(x)->sync->warp;
	for (unsigned k = 0; k < x->n_warp; k++) {
		const unsigned first = k / EXEC_GROUP_WARPS * EXEC_GROUP_WARPS;
		unsigned most = first, least = first;
		for (unsigned j = first; j < first + EXEC_GROUP_WARPS && j < x->n_warp; j++) {
			most = s[j].changes > s[most].changes ? j : most;
			least = s[j].changes < s[least].changes ? j : least;
		}
		if (k == first && s[most].changes != s[least].changes)
			complain_of_change(x->warp[most], x->warp[least]);
	}
}

const struct check_tool check_sync = {
	.bit = CHECK_SYNCCHECK, .cta_new = cta_new, .cta_free = cta_free, .cta_start = cta_start, .cta_end = cta_end, .group = group,
	.exited = exited, .warpsync = warpsync, .arrive = arrive, .open = open,
};
