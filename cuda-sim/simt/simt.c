#include "cuda-sim/simt/activation.h"

#include "base/assert.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/dependents.h"
#include "cuda-sim/exec/group.h"
#include "cuda-sim/exec/straight.h"
#include "cuda-sim/exec/tries.h"
#include "cuda-sim/simt/log.h"

#include <stdlib.h>
#include <string.h>

enum { FRESH_TURN = HEDDLE_LIMIT(2, 64) }; // instructions of a warp in its first turn after a barrier

static struct split *node(struct simt_warp *w, int32_t i) { return &w->split.at[i]; }
static int32_t current(const struct simt_warp *w) { return w->leaf.at[w->leaf.n - 1]; }

#ifdef HEDDLE_HOSTILE
static bool is_free(const struct simt_warp *w, int32_t i) { return w->split.at[i].frame == SIMT_NONE; }

// The lanes below inner node i; those that have arrived there are not.
static uint32_t lanes_below(const struct simt_warp *w, int32_t i)
{
	uint32_t lanes = 0;
	for (int32_t k = 0; k < (int32_t)w->split.n; k++) {
		if (is_free(w, k) || k == i)
			continue;
		int32_t up = w->split.at[k].parent;
		while (up != SIMT_NONE && up != i)
			up = w->split.at[up].parent;
		if (up == i)
			lanes |= w->split.at[k].mask;
	}
	return lanes;
}

// Deep recursion is looked at seldom.
static void check_frames(const struct simt_warp *w)
{
	enum { DEEP = 32 };
	uint32_t end = 0;
	if (w->frame_order.n > DEEP && w->frame_order.n % DEEP)
		return;
	for (size_t k = 0; k < w->frame_order.n; k++) {
		int32_t i = w->frame_order.at[k];
		const struct frame *f = &w->frame.at[i];
		uint32_t refs = 0;
		for (int32_t n = 0; n < (int32_t)w->split.n; n++)
			refs += w->split.at[n].frame == i;
		for (size_t n = 0; n < w->frame_order.n; n++) {
			const struct frame *o = &w->frame.at[w->frame_order.at[n]];
			refs += o->refs && o->up == i;
		}
		HEDDLE_ASSERT(f->refs == refs);
		HEDDLE_ASSERT(f->fp >= end && f->fp % 64 == 0);
		end = f->fp + f->code->frame_bytes;
	}
	HEDDLE_ASSERT(end <= w->rows_size);
	HEDDLE_ASSERT(w->frame_order.n + w->free_frame.n == w->frame.n);
}

// What simt.h says of the tree; true between any two changes.
static void check_tree(const struct simt_warp *w)
{
	uint32_t all = 0;
	size_t leaves = 0, used = 0;
	for (int32_t i = 0; i < (int32_t)w->split.n; i++) {
		const struct split *s = &w->split.at[i];
		if (is_free(w, i))
			continue;
		used++;
		leaves += s->state != SPLIT_WAIT;
		HEDDLE_ASSERT(!(all & s->mask));
		all |= s->mask;
		HEDDLE_ASSERT(s->parent == SIMT_NONE || (!is_free(w, s->parent) && w->split.at[s->parent].state == SPLIT_WAIT));
		HEDDLE_ASSERT(s->pc < w->frame.at[s->frame].code->n_uop);
		if (s->state == SPLIT_WAIT)
			HEDDLE_ASSERT(s->pending && s->pending == lanes_below(w, i));
		else
			HEDDLE_ASSERT(s->mask);
	}
	HEDDLE_ASSERT(all == w->w.live);
	HEDDLE_ASSERT(leaves == w->leaf.n);
	for (size_t k = 0; k < w->leaf.n; k++)
		HEDDLE_ASSERT(!is_free(w, w->leaf.at[k]) && w->split.at[w->leaf.at[k]].state != SPLIT_WAIT);
	HEDDLE_ASSERT(used + w->free_split.n == w->split.n);
	check_frames(w);
}
#else
static void check_tree(const struct simt_warp *w) { (void)w; }
#endif

// --- the tree of splits

static int32_t split_new(struct simt_warp *w, uint32_t pc, uint32_t mask, int32_t parent, int32_t frame)
{
	int32_t i;
	struct split s = {.pc = pc, .mask = mask, .parent = parent, .frame = frame};
	if (w->free_split.n) {
		i = w->free_split.at[--w->free_split.n];
		*node(w, i) = s;
	} else {
		VEC_PUSH(&w->split, s);
		i = (int32_t)w->split.n - 1;
	}
	w->frame.at[frame].refs++;
	return i;
}

static void split_free(struct simt_warp *w, int32_t i)
{
	activation_drop(w, node(w, i)->frame);
	node(w, i)->frame = SIMT_NONE;
	VEC_PUSH(&w->free_split, i);
}

static void leaf_remove(struct simt_warp *w, int32_t i)
{
	size_t k = 0;
	while (w->leaf.at[k] != i)
		k++;
	for (w->leaf.n--; k < w->leaf.n; k++)
		w->leaf.at[k] = w->leaf.at[k + 1];
}

static void make_leaf(struct simt_warp *w, int32_t i)
{
	node(w, i)->state = SPLIT_RUN;
	VEC_PUSH(&w->leaf, i);
}

// A leaf whose turn comes after that of the running one.
static void make_next_leaf(struct simt_warp *w, int32_t i)
{
	int32_t running = current(w);
	w->leaf.at[w->leaf.n - 1] = i;
	make_leaf(w, running);
}

// Lanes are gone from below `i`, by arrival (they are in some node's mask now) or by exit.
static void settle(struct simt_warp *w, int32_t i, uint32_t lanes)
{
	struct split *p = node(w, i);
	p->pending &= ~lanes;
	if (p->pending)
		return;
	if (p->mask)
		make_leaf(w, i);
	else
		split_free(w, i);
}

static void lanes_exit(struct simt_warp *w, int32_t from, uint32_t lanes)
{
	for (int32_t i = from; i != SIMT_NONE;) {
		int32_t up = node(w, i)->parent;
		settle(w, i, lanes);
		i = up;
	}
}

// The leaf has reached the place where its parent waits.
static void join(struct simt_warp *w, int32_t leaf)
{
	int32_t parent = node(w, leaf)->parent;
	uint32_t lanes = node(w, leaf)->mask;
	leaf_remove(w, leaf);
	split_free(w, leaf);
	node(w, parent)->mask |= lanes;
	settle(w, parent, lanes);
	w->turn.lonely = 0;
}

// Where the leaf would join its parent; UOP_NOWHERE if it can't in this activation.
static uint32_t join_pc(const struct simt_warp *w, int32_t leaf)
{
	const struct split *s = &w->split.at[leaf];
	if (s->parent == SIMT_NONE || w->split.at[s->parent].frame != s->frame)
		return UOP_NOWHERE;
	return w->split.at[s->parent].pc;
}

// The running leaf's lanes part: `taken` to `target`, the rest to `next`; they meet again at `rpc`. Those that jump run
// first, as in GPGPU-Sim.
static void diverge(struct simt_warp *w, int32_t leaf, uint32_t taken, uint32_t target, uint32_t next, uint32_t rpc)
{
	struct split *s = node(w, leaf);
	uint32_t all = s->mask, rest = all & ~taken;
	int32_t parent = s->parent, frame = s->frame;
	if (rpc != UOP_NOWHERE && join_pc(w, leaf) != rpc) {
		int32_t wait = split_new(w, rpc, 0, parent, frame); // may move the splits
		node(w, wait)->pending = all;
		node(w, wait)->state = SPLIT_WAIT;
		parent = wait;
	}
	s = node(w, leaf);
	s->parent = parent;
	s->pc = target;
	s->mask = taken;
	int32_t other = split_new(w, next, rest, parent, frame);
	make_next_leaf(w, other);
	// A side that goes straight to the meeting point is there already.
	if (next == rpc && rpc != UOP_NOWHERE)
		join(w, other);
	if (target == rpc && rpc != UOP_NOWHERE)
		join(w, leaf);
}

// Lanes that wait at joins for others go on alone, where some of `lanes` do.
static void let_go(struct simt_warp *w, uint32_t lanes)
{
	for (int32_t i = 0; i < (int32_t)w->split.n; i++) {
		struct split *s = node(w, i);
		if (s->frame == SIMT_NONE || s->state != SPLIT_WAIT || !(s->mask & lanes))
			continue;
		uint32_t waiting = s->mask;
		s->mask = 0;
		int32_t leaf = split_new(w, s->pc, waiting, s->parent, s->frame);
		make_leaf(w, leaf);
	}
}

// The running leaf's turn ends, since it spins or has had enough: it is the last to have another.
static void end_turn(struct simt_warp *w, bool spins)
{
	uint32_t lanes = exec_turn_end(&w->turn, spins ? node(w, current(w))->mask : 0);
	if (w->leaf.n > 1) {
		int32_t top = current(w);
		memmove(w->leaf.at + 1, w->leaf.at, (w->leaf.n - 1) * sizeof *w->leaf.at);
		w->leaf.at[0] = top;
	}
	if (lanes)
		let_go(w, lanes);
}

// Brings a leaf that can run to the top; false if there is none.
static bool pick(struct simt_warp *w)
{
	for (size_t k = w->leaf.n; k-- > 0;) {
		int32_t i = w->leaf.at[k];
		if (node(w, i)->state != SPLIT_RUN)
			continue;
		memmove(w->leaf.at + k, w->leaf.at + k + 1, (w->leaf.n - 1 - k) * sizeof *w->leaf.at);
		w->leaf.at[w->leaf.n - 1] = i;
		w->turn.insts = 0;
		return true;
	}
	return false;
}

// --- instructions that need lanes of several leaves at once

// The lanes that `lanes` of a .sync instruction name as members: the masks of all of them, since tiles of one warp give
// different ones. It is the instruction's last source operand.
static uint32_t members(const uint8_t *fp, const struct uop *u, uint32_t lanes)
{
	if (!u->x[3])
		return FULL_MASK;
	const uint32_t *row = (const uint32_t *)(fp + u->x[3]);
	uint32_t m = 0;
	for (unsigned i = 0; i < WARP; i++)
		m |= lanes >> i & 1 ? row[i] : 0;
	return m;
}

// True if everybody whom the lanes of `leaf` need at `u`, and whom those need, is there; then *all is their lanes.
static bool gathered(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t need, uint32_t *all)
{
	const struct split *s = node(w, leaf);
	*all = s->mask;
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t k = 0; k < w->leaf.n; k++) {
			const struct split *o = node(w, w->leaf.at[k]);
			if (o->state != SPLIT_GATHER || o->frame != s->frame || !(o->mask & need & ~*all))
				continue;
			const struct uop *ou = &w->frame.at[o->frame].code->uop[o->pc];
			if (ou != u && !(u->ctl == CTL_WARPSYNC && ou->ctl == CTL_WARPSYNC))
				continue;
			*all |= o->mask;
			need |= members(w->w.fp, ou, o->mask) & w->w.live;
			grew = true;
		}
	}
	return !(need & ~*all);
}

// The instruction has been executed for `lanes`: leaves that waited for it go on.
static void release_gathered(struct simt_warp *w, int32_t leaf, uint32_t lanes)
{
	for (size_t k = 0; k < w->leaf.n; k++) {
		struct split *o = node(w, w->leaf.at[k]);
		if (w->leaf.at[k] == leaf || o->state != SPLIT_GATHER || !(o->mask & lanes))
			continue;
		o->state = SPLIT_RUN;
		o->pc++;
	}
}

// Nobody can run since all wait for members that went elsewhere: first those at joins are let go, then the member
// masks are taken as satisfied (the program's behaviour is undefined there).
static bool force_progress(struct simt_warp *w)
{
	for (int32_t i = 0; i < (int32_t)w->split.n; i++) {
		struct split *s = node(w, i);
		if (s->frame == SIMT_NONE || s->state != SPLIT_WAIT || !s->mask)
			continue;
		w->turn.lonely = EXEC_TURN_LONELY;
		end_turn(w, false);
		return pick(w);
	}
	for (size_t k = 0; k < w->leaf.n; k++) {
		struct split *s = node(w, w->leaf.at[k]);
		if (s->state == SPLIT_GATHER) {
			s->state = SPLIT_RUN;
			s->alone = true;
			return pick(w);
		}
	}
	return false;
}

static bool let_tries_go(struct exec_cta *c, uint32_t most)
{
	for (unsigned k = 0; k < c->n_warp; k++)
		if (c->warp[k]->tries.vain < most && !exec_try_for_nothing(c->warp[k]) && simt_try_let_go((struct simt_warp *)c->warp[k]))
			return true;
	return false;
}

static bool let_joins_go(struct exec_cta *c)
{
	for (unsigned k = 0; k < c->n_warp; k++) {
		struct simt_warp *w = (struct simt_warp *)c->warp[k];
		for (int32_t i = 0; i < (int32_t)w->split.n; i++) {
			struct split *s = node(w, i);
			if (s->frame == SIMT_NONE || s->state != SPLIT_WAIT || !s->mask)
				continue;
			w->turn.lonely = EXEC_TURN_LONELY;
			end_turn(w, false);
			w->w.settled = false;
			exec_try_anew(&w->w);
			return true;
		}
	}
	return false;
}

// No warp of the CTA can move while lanes wait at a barrier. Those that wait for a phase of an mbarrier are let go some times, since
// their program may do something else then. Those that wait at a join may be what the others are waiting for, so the first warp that
// has any lets them go; then come again those that wait for a phase. False if there are none of these.
bool simt_let_go(struct exec_cta *c)
{
	return let_tries_go(c, TRY_FOR_JOINS * TRY_LET_GO) || let_joins_go(c) || let_tries_go(c, UINT32_MAX);
}

// --- calls and indexed branches

// An indirect call or branch takes the lanes that share the first lane's target; the others come back for theirs.
static uint32_t same_target(const uint64_t *row, uint32_t mask, uint64_t *target)
{
	*target = row[__builtin_ctz(mask)];
	uint32_t same = 0;
	for (unsigned i = 0; i < WARP; i++)
		same |= (uint32_t)(row[i] == *target) << i;
	return same & mask;
}

// False if the call is not over: others should run before it is made again.
static bool call(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t mask)
{
	const struct call_site *site = (const struct call_site *)(uintptr_t)u->imm;
	struct split *s = node(w, leaf);
	uint32_t pc = s->pc;
	if (site->builtin) {
		bool over = activation_builtin(w, leaf, u, site, mask);
		s->pc = over ? pc + 1 : pc;
		return over;
	}
	const struct code *code = site->code;
	if (!site->target) {
		uint64_t target;
		uint32_t same = same_target((const uint64_t *)(w->w.fp + u->a), mask, &target);
		struct ptx_func *f = ptx_program_func_at(w->cta->kernel->program, target);
		code = f ? kernel_code_find(w->cta->kernel, f) : NULL;
		if (!code) {
			exec_fault(&w->w, u, FAULT_INVALID_PC, (unsigned)__builtin_ctz(mask), target,
			           "indirect call to 0x%llx, which is no function", (unsigned long long)target);
			return true;
		}
		if (same != s->mask) {
			// The lanes that call something else, or nothing, part from these; all meet after the call.
			uint32_t idle = s->mask & ~mask, others = mask & ~same;
			if (idle) {
				diverge(w, leaf, mask, pc, pc + 1, pc + 1);
				s = node(w, leaf);
			}
			if (others) {
				diverge(w, leaf, same, pc, pc, pc + 1);
				// diverge left the other lanes running next; the caller's leaf is below it.
				s = node(w, leaf);
			}
			mask = same;
		}
	} else if (mask != s->mask) {
		diverge(w, leaf, mask, pc, pc + 1, pc + 1);
		s = node(w, leaf);
	}
	activation_enter(w, leaf, u, site, code, pc + 1);
	return true;
}

static void branch_indexed(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t mask)
{
	struct split *s = node(w, leaf);
	const struct code *code = w->frame.at[s->frame].code;
	const uint32_t *row = (const uint32_t *)(w->w.fp + u->a);
	uint32_t pc = s->pc, index = row[__builtin_ctz(mask)], same = 0;
	for (unsigned i = 0; i < WARP; i++)
		same |= (uint32_t)(row[i] == index) << i;
	same &= mask;
	uint32_t table = (uint32_t)u->x[1];
	if (index >= code->table_n[table]) {
		exec_fault(&w->w, u, FAULT_INVALID_PC, (unsigned)__builtin_ctz(mask), index,
		           "brx.idx index %u is outside its table of %u targets", index, code->table_n[table]);
		return;
	}
	uint32_t target = code->table[table][index];
	uint32_t rpc = u->x[0] < 0 ? UOP_NOWHERE : (uint32_t)u->x[0];
	uint32_t idle = s->mask & ~mask, others = mask & ~same;
	if (idle) {
		diverge(w, leaf, mask, pc, pc + 1, rpc);
		s = node(w, leaf);
	}
	if (others)
		diverge(w, leaf, same, target, pc, rpc);
	else
		s->pc = target;
}

// --- the loop

// What executes the .sync instruction u of `leaf`: its own lanes and those of the leaves that wait there for them.
// False if members are missing. *active and *mask are the leaf's own before. w->w.fp is the leaf's.
static bool gather(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t *active, uint32_t *mask)
{
	uint32_t need = *mask ? members(w->w.fp, u, *mask) & w->w.live & ~*active : 0, all;
	if (!need || node(w, leaf)->alone)
		return true;
	if (!gathered(w, leaf, u, need, &all))
		return false;
	*mask |= all & ~*active & exec_guard(w->w.fp, u);
	*active = all;
	return true;
}

// Of a warp that has no leaf: no split and no activation is left either.
static void clear(struct simt_warp *w)
{
	w->split.n = w->free_split.n = w->leaf.n = w->frame.n = w->free_frame.n = w->frame_order.n = 0;
	w->frame_gaps = false;
}

void simt_reset_stack(struct simt_warp *w)
{
	for (unsigned i = 0; i < WARP; i++)
		w->w.stack[i] = w->w.cta->local_size;
}

void simt_reset(struct simt_warp *w)
{
	const struct kernel_code *k = w->cta->kernel;
	const struct frame f = {.code = k->entry, .up = SIMT_NONE, .refs = 1};
	const struct split s = {.mask = w->w.exist, .parent = SIMT_NONE, .state = SPLIT_RUN};
	clear(w);
	VEC_PUSH(&w->frame, f);
	VEC_PUSH(&w->frame_order, 0);
	VEC_PUSH(&w->split, s);
	VEC_PUSH(&w->leaf, 0);
	w->w.cc = 0;
	if (k->allocates)
		simt_reset_stack(w);
	exec_turn_reset(&w->turn);
	w->fresh = false;
	exec_try_reset(&w->w);
}

void simt_free(struct simt_warp *w)
{
	VEC_FREE(&w->split);
	VEC_FREE(&w->free_split);
	VEC_FREE(&w->leaf);
	VEC_FREE(&w->frame);
	VEC_FREE(&w->free_frame);
	VEC_FREE(&w->frame_order);
	exec_spin_free(&w->turn.spin);
	free(w->rows);
	w->rows = NULL;
}

// True if some leaf waits for other warps.
static bool at_barrier(const struct simt_warp *w)
{
	for (size_t k = 0; k < w->leaf.n; k++)
		if (w->split.at[w->leaf.at[k]].state == SPLIT_BARRIER || w->split.at[w->leaf.at[k]].state == SPLIT_MBARRIER)
			return true;
	return false;
}

// True if the running leaf has begun an instruction that consists of several micro-ops.
static bool amid_instruction(const struct simt_warp *w)
{
	const struct split *s = w->leaf.n ? &w->split.at[current(w)] : NULL;
	return s && s->state == SPLIT_RUN && w->frame.at[s->frame].code->uop[s->pc].flags & UOP_EXTRA;
}

// Shows an instruction to those who look on. False if one of them ends the kernel.
static __attribute__((noinline)) bool look(struct simt_warp *w, int32_t frame, uint32_t pc, uint32_t active, uint32_t mask)
{
	if (w->cta->x.log)
		simt_log_step(w->cta->x.log, w, frame, pc, active, mask);
	if (w->cta->x.check && mask)
		simt_check(w, frame, pc, mask);
	return !w->w.fault;
}

// Runs up to `budget` instructions, each to its end. With budget 0 it ends the one that has begun. In lockstep other
// warps run between any two instructions, and the clock counts cycles; else it counts what this call has executed too.
// In a fresh turn it stops before a UOP_SHARES.
static enum fe_status run(struct simt_warp *w, uint64_t budget, bool lockstep, bool fresh, uint64_t *used)
{
	struct kernel_counts *const counts = w->cta->x.counts;
	const uint16_t watch = fresh || exec_try_watched(&w->w) ? UOP_GATHER | UOP_SHARES : UOP_GATHER;
	const bool looked_at = w->cta->x.looked_at;
	uint64_t left = budget, threads = 0;
	enum fe_status status = FE_OK;
	bool gives_way = false; // to the warps that a barrier let go with this one
	bool by_clock = false;  // the turn ended in a loop that reads a clock

	while ((left || amid_instruction(w)) && !w->w.fault && !gives_way) {
		check_tree(w);
		if (!w->leaf.n) {
			status = FE_DONE;
			break;
		}
		if (node(w, current(w))->state != SPLIT_RUN && !pick(w)) {
			if (exec_children_open(&w->cta->x) || (!at_barrier(w) && force_progress(w)))
				continue;
			if (!lockstep && left == budget && !simt_can_run(&w->w) && exec_try_expired(&w->w, true) && simt_try_let_go(w))
				continue;
			if (!lockstep && !w->cta->x.at_children && left == budget && exec_cluster_idle(&w->cta->x) &&
			    simt_let_go(&w->cta->x) && pick(w))
				continue;
			status = FE_BARRIER;
			break;
		}

		// One leaf runs until control leaves it; its state is in these locals meanwhile.
		int32_t leaf = current(w);
		struct split *s = node(w, leaf);
		const struct frame *f = &w->frame.at[s->frame];
		const struct uop *code = f->code->uop;
		uint8_t *fp = w->rows + f->fp;
		uint32_t pc = s->pc, active = s->mask, stop = join_pc(w, leaf);
		uint64_t turn = left;
		bool spinning = false;
		w->w.fp = fp;
		w->w.active = active;

		for (;;) {
			if (pc == stop) {
				s->pc = pc;
				join(w, leaf);
				break;
			}
			const struct uop *u = &code[pc];
			if (!left && !(u->flags & UOP_EXTRA)) {
				s->pc = pc;
				break;
			}
			if (u->straight && !looked_at && !(u->flags & watch)) {
				pc = (uint32_t)(exec_straight(fp, u, active, &w->w, &left, &threads) - code);
				if (__builtin_expect(w->w.fault, 0)) {
					s->pc = pc;
					break;
				}
				continue;
			}
			uint32_t mask = active;
			if (u->guard)
				mask &= exec_guard(fp, u);
			if (__builtin_expect(u->flags & watch, 0) && mask) {
				if (!(u->flags & UOP_GATHER) && fresh) {
					s->pc = pc;
					gives_way = true;
					break;
				}
				if (u->flags & UOP_SHARES)
					exec_try_touches(&w->w, fp, u, mask);
				uint32_t all = active;
				if (u->flags & UOP_GATHER && !gather(w, leaf, u, &all, &mask)) {
					s->pc = pc;
					s->state = SPLIT_GATHER;
					break;
				}
				if (all != active)
					release_gathered(w, leaf, all & ~active);
				s->alone = s->alone && !(u->flags & UOP_GATHER);
			}
			if (!(u->flags & UOP_EXTRA)) {
				if (__builtin_expect(looked_at, 0) && !look(w, s->frame, pc, active, mask)) {
					s->pc = pc;
					break;
				}
				unsigned n = fe_lanes(mask);
				counts->cls[u->cls]++;
				counts->cls_thread[u->cls] += n;
				threads += n;
				left--;
			}
			if (__builtin_expect(u->ctl == CTL_NONE, 1)) {
				pc++;
				if (__builtin_expect(u->flags & UOP_POLL, 0) && mask && lockstep)
					spinning = spin_poll(w, f->code, u, mask);
				else if (mask)
					u->fn(fp, u, mask, &w->w);
				if (__builtin_expect(u->flags & UOP_POLL, 0)) {
					if (mask && u->cls == ISA_LOAD)
						exec_try_anew(&w->w);
					if (exec_turn_poll(&w->turn) || spinning)
						goto yield;
				}
				if (__builtin_expect(w->w.fault, 0)) {
					s->pc = pc;
					break;
				}
				continue;
			}
			if (u->ctl == CTL_BRA) {
				if (mask == active) {
					pc = (uint32_t)u->imm;
					continue;
				}
				if (!mask) {
					pc++;
					continue;
				}
				diverge(w, leaf, mask, (uint32_t)u->imm, pc + 1, u->x[0] < 0 ? UOP_NOWHERE : (uint32_t)u->x[0]);
				break;
			}
			s->pc = pc;
			if (!mask) {
				pc++;
				continue;
			}
			switch ((enum uop_ctl)u->ctl) {
			case CTL_RET: // never guarded: the decoder makes a guarded `ret` a branch to this one
				activation_leave(w, leaf);
				break;
			case CTL_EXIT: {
				int32_t parent = s->parent;
				exec_try_anew(&w->w);
				w->w.live &= ~mask;
				w->cta->x.live_threads -= (uint32_t)__builtin_popcount(mask);
				s->mask &= ~mask;
				s->pc = pc + 1;
				if (!w->w.live) {
					clear(w);
				} else {
					if (!s->mask) {
						leaf_remove(w, leaf);
						split_free(w, leaf);
					}
					lanes_exit(w, parent, mask);
				}
				exec_barriers_open(&w->cta->x);
				break;
			}
			case CTL_BRX:
				branch_indexed(w, leaf, u, mask);
				break;
			case CTL_CALL:
				if (((const struct call_site *)(uintptr_t)u->imm)->builtin)
					exec_try_anew(&w->w);
				if (!call(w, leaf, u, mask))
					goto yield;
				break;
			case CTL_BAR:
				s->pc = pc + 1;
				if (mask != active) {
					// Only some lanes arrive: they part from the others, who go on behind the barrier.
					diverge(w, leaf, mask, pc + 1, pc + 1, UOP_NOWHERE);
					s = node(w, leaf);
				}
				exec_try_anew(&w->w);
				simt_arrive(w, leaf, u, mask);
				gives_way = w->fresh && !lockstep;
				break;
			case CTL_WARPSYNC:
				s->pc = pc + 1;
				break;
			case CTL_TRY: {
				const enum simt_try t = simt_try(w, fp, u, mask);
				s->pc = pc + 1;
				if (t == TRY_WAIT) {
					if (mask != active) {
						diverge(w, leaf, mask, pc + 1, pc + 1, UOP_NOWHERE);
						s = node(w, leaf);
					}
					simt_try_wait(w, leaf, u);
					if (!lockstep && w->w.tries.vain >= TRY_LET_GO) // in a loop: others should have a turn
						status = FE_YIELD;
				}
				if (t == TRY_YIELD && (exec_turn_poll(&w->turn) || lockstep)) {
					pc++;
					spinning = lockstep;
					goto yield;
				}
				break;
			}
			case CTL_GROUP:
				s->pc = pc + 1;
				if (!exec_group_step(&w->w, u, mask)) {
					s->state = SPLIT_BARRIER;
					s->barrier = EXEC_GROUP;
					s->at = u;
				}
				break;
			case CTL_CLUSTER:
			case CTL_DEPENDENTS:
				s->pc = pc + 1;
				if (mask != active) {
					diverge(w, leaf, mask, pc + 1, pc + 1, UOP_NOWHERE);
					s = node(w, leaf);
				}
				if (!(u->ctl == CTL_CLUSTER ? exec_cluster_step(&w->w, u, mask) : exec_dependents_step(&w->w, u))) {
					s->state = SPLIT_BARRIER;
					s->barrier = u->ctl == CTL_CLUSTER ? EXEC_AT_CLUSTER : EXEC_CHILDREN;
					s->at = u;
				}
				gives_way = w->fresh && !lockstep;
				break;
			case CTL_CLOCK: {
				const uint64_t ahead = lockstep ? exec_ahead(&w->w) : budget - left;
				uint64_t now = kernel_clock(w->cta->x.launch->services, ahead, u->x[3]);
				uint32_t hi = u->x[2] ? 32 : 0;
				for (unsigned i = 0; i < WARP; i++) {
					if (!(mask >> i & 1))
						continue;
					if (u->x[1])
						((uint64_t *)(fp + u->d))[i] = now;
					else
						((uint32_t *)(fp + u->d))[i] = (uint32_t)(now >> hi);
				}
				s->pc = pc + 1;
				w->w.tries.by_clock = true;
				if (exec_turn_clock(&w->turn, u)) {
					pc++;
					goto yield;
				}
				break;
			}
			case CTL_TRAP:
				exec_fault(&w->w, u, FAULT_TRAP, (unsigned)__builtin_ctz(mask), 0, "the kernel executed '%s'",
				           code_inst(f->code, u)->text);
				break;
			default:
				exec_fault(&w->w, u, FAULT_ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(mask), 0,
				           "'%s' is not executed by this version", code_inst(f->code, u)->text);
				break;
			}
			if (w->w.fault)
				break;
			// The same leaf usually goes on: take it up again without leaving the loop over leaves.
			break;
		yield:
			s->pc = pc;
			by_clock = exec_turn_by_clock(&w->turn);
			end_turn(w, spinning);
			status = FE_YIELD;
			break;
		}
		if (status == FE_YIELD)
			break;
		if (exec_turn_use(&w->turn, turn - left))
			end_turn(w, false);
	}
	if (w->w.fault)
		status = FE_FAULT;
	else if (!w->leaf.n)
		status = FE_DONE;
	if (!lockstep)
		status = exec_try_turn_over(&w->w, status, by_clock);
	*used = budget - left;
	counts->warp_insts += *used;
	counts->thread_insts += threads;
	return status;
}

enum fe_status simt_run(struct warp *warp, uint64_t budget, uint64_t *used)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	bool fresh = w->fresh;
	if (fresh && budget > FRESH_TURN)
		budget = FRESH_TURN;
	w->fresh = false;
	enum fe_status status = run(w, budget, false, fresh, used);
	if (w->cta->x.log && !amid_instruction(w))
		inst_log_pause(w->cta->x.log);
	w->cta->x.idle = *used || status == FE_OK ? 0 : w->cta->x.idle + 1;
	w->w.settled = false;
	return status;
}

void simt_settle(struct warp *warp)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	w->w.settled = true;
	w->w.next = NULL;
	while (w->leaf.n && !w->w.fault) {
		if (node(w, current(w))->state != SPLIT_RUN && !pick(w)) {
			if (!exec_children_open(&w->cta->x) && (at_barrier(w) || !force_progress(w)))
				return;
			continue;
		}
		int32_t leaf = current(w);
		struct split *s = node(w, leaf);
		const struct frame *f = &w->frame.at[s->frame];
		const struct uop *u = &f->code->uop[s->pc];
		if (s->pc == join_pc(w, leaf)) {
			join(w, leaf);
			continue;
		}
		if (u->flags & UOP_EXTRA) {
			uint64_t used;
			run(w, 0, true, false, &used);
			continue;
		}
		if (u->flags & UOP_GATHER) {
			w->w.fp = w->rows + f->fp;
			uint32_t active = s->mask, mask = active & exec_guard(w->w.fp, u);
			if (!gather(w, leaf, u, &active, &mask)) {
				s->state = SPLIT_GATHER;
				continue;
			}
		}
		w->w.next = &f->code->isa[f->code->inst_of[s->pc]];
		w->w.ahead = u;
		w->w.fp = w->rows + f->fp;
		return;
	}
}

// Of a settled warp with a next instruction.
static const struct code_access *access_of(const struct simt_warp *w)
{
	const struct split *s = &w->split.at[current(w)];
	const struct code *code = w->frame.at[s->frame].code;
	return &code->access[w->w.next - code->isa];
}

enum exec_list simt_next(struct warp *warp, uint32_t *active, uint32_t *mask)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	const int32_t leaf = current(w);
	const struct uop *u = w->w.ahead;
	*active = node(w, leaf)->mask;
	*mask = *active & exec_guard(w->w.fp, u);
	if (u->flags & UOP_GATHER)
		gather(w, leaf, u, active, mask);
	return (enum exec_list)access_of(w)->how;
}

void simt_addresses(const struct warp *w, uint64_t *restrict addr)
{
	simt_list_addresses(w, w->fp, access_of((const struct simt_warp *)w), addr);
}

const struct texture_operands *simt_surface(const struct warp *w)
{
	return (const struct texture_operands *)(uintptr_t)access_of((const struct simt_warp *)w)->imm;
}

const struct exec_matrix *simt_matrix(const struct warp *w)
{
	return (const struct exec_matrix *)(uintptr_t)access_of((const struct simt_warp *)w)->imm;
}

// The next step of most warps: an instruction of a straight run, or a branch that lanes take together, on which nobody
// looks. False if nothing has been done.
static bool quick_step(struct simt_warp *w)
{
	const struct uop *u = w->w.ahead, *behind;
	struct split *s = node(w, current(w));
	const struct code *code = w->frame.at[s->frame].code;
	if (w->cta->x.looked_at || (u->flags & UOP_SHARES && w->w.tries.vain))
		return false;
	if (u->straight) {
		w->w.active = s->mask;
		behind = exec_one(w->w.fp, u, s->mask, &w->w);
	} else {
		const uint32_t mask = s->mask & exec_guard(w->w.fp, u);
		if (u->ctl != CTL_BRA || (mask && mask != s->mask))
			return false;
		exec_count_one(w->cta->x.counts, u, mask);
		behind = mask ? &code->uop[u->imm] : u + 1;
	}
	s->pc = (uint32_t)(behind - code->uop);
	if (exec_turn_use(&w->turn, 1)) {
		end_turn(w, false);
		w->w.settled = false;
	}
	if (w->w.fault || !w->w.settled || behind->flags & (UOP_MEETS | UOP_GATHER)) {
		simt_settle(&w->w);
		return true;
	}
	w->w.next = &code->isa[code->inst_of[s->pc]];
	w->w.ahead = behind;
	return true;
}

enum fe_status simt_step(struct warp *warp)
{
	struct simt_warp *w = (struct simt_warp *)warp;
	enum fe_status status = FE_OK;
	if (!quick_step(w)) {
		uint64_t used;
		status = run(w, 1, true, false, &used);
		simt_settle(warp);
		if (w->cta->x.log)
			inst_log_pause(w->cta->x.log);
	}
	if (w->w.fault)
		return FE_FAULT;
	return w->w.next ? status : w->leaf.n ? FE_BARRIER : FE_DONE;
}
