#include "cuda-sim/sass/exec/warp.h"

#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/dependents.h"
#include "cuda-sim/exec/group.h"
#include "cuda-sim/exec/straight.h"
#include "cuda-sim/exec/tries.h"
#include "cuda-sim/runtime/native.h"

#include <stdio.h>
#include <string.h>

static struct sx_group *running(struct sx_warp *w) { return &w->group[w->n_group - 1]; }

static uint32_t *row_of(const struct sx_warp *w, int32_t at) { return (uint32_t *)(w->w.fp + at); }

// --- groups

#ifdef HEDDLE_HOSTILE
static void check_groups(const struct sx_warp *w)
{
	uint32_t all = 0;
	for (uint32_t k = 0; k < w->n_group; k++) {
		HEDDLE_ASSERT(w->group[k].mask && !(all & w->group[k].mask));
		HEDDLE_ASSERT(w->group[k].pc < w->cta->kernel->n_uop);
		all |= w->group[k].mask;
	}
	HEDDLE_ASSERT(all == w->w.live);
}
#else
static void check_groups(const struct sx_warp *w) { (void)w; }
#endif

// There are never more groups than lanes.
static struct sx_group *push(struct sx_warp *w, uint32_t pc, uint32_t mask)
{
	HEDDLE_ASSERT(w->n_group < WARP);
	w->group[w->n_group] = (struct sx_group){.pc = pc, .mask = mask};
	return &w->group[w->n_group++];
}

static void take_out(struct sx_warp *w, uint32_t k)
{
	memmove(&w->group[k], &w->group[k + 1], (w->n_group - k - 1) * sizeof w->group[0]);
	w->n_group--;
}

// The running group's lanes part: `some` go on at `pc` and run first.
static struct sx_group *part(struct sx_warp *w, uint32_t some, uint32_t pc)
{
	running(w)->mask &= ~some;
	return push(w, pc, some);
}

// The running group, which stands behind a branch, parts: lanes `some` jump to `to`. The fewer lanes run first, and of two halves those
// that do not jump. So do an A100 and an H100: traces that NVBit wrote of Rodinia's bfs and b+tree (sarchlab/mgpusim, its history) part at
// 3,069 branches, all of them like this.
static void branch(struct sx_warp *w, uint32_t some, uint32_t to)
{
	struct sx_group *g = running(w);
	const uint32_t next = g->pc, rest = g->mask & ~some;
	if (__builtin_popcount(some) < __builtin_popcount(rest)) {
		part(w, some, to);
		return;
	}
	g->pc = to;
	part(w, rest, next);
}

// Groups that can run at the same place become one, which runs next; `pc` is that place.
static void join(struct sx_warp *w, uint32_t pc)
{
	uint32_t mask = 0;
	for (uint32_t k = w->n_group; k-- > 0;) {
		if (w->group[k].state != SX_RUNS || w->group[k].pc != pc)
			continue;
		if (mask) // there were two
			w->turn.lonely = 0;
		mask |= w->group[k].mask;
		take_out(w, k);
	}
	push(w, pc, mask);
}

// Brings the group that parted last of those that can run to the top, with all that stand where it does, as in the traces that
// branch() speaks of. False if there is none.
static bool pick(struct sx_warp *w)
{
	for (uint32_t k = w->n_group; k-- > 0;) {
		if (w->group[k].state != SX_RUNS)
			continue;
		join(w, w->group[k].pc);
		w->turn.insts = 0;
		return true;
	}
	return false;
}

// --- meetings

// Of the lanes of a waiting group, those that they wait for, live ones only.
static uint32_t wanted(const struct sx_warp *w, const struct sx_group *g)
{
	const uint32_t *row = row_of(w, w->cta->kernel->uop[g->pc].a);
	uint32_t all = 0;
	for (uint32_t m = g->mask; m; m &= m - 1)
		all |= row[__builtin_ctz(m)];
	return (all | g->mask) & w->w.live;
}

// Lanes meet at BSYNCs of one B register wherever these are, and so they do at WARPSYNCs, but for those that keep lanes apart which
// name others: there they do something together.
static bool together(const struct sx_warp *w, const struct sx_group *a, const struct sx_group *b)
{
	const struct uop *ua = &w->cta->kernel->uop[a->pc], *ub = &w->cta->kernel->uop[b->pc];
	if (a->state != b->state)
		return false;
	return a->state == SX_AT_WARPSYNC ? a->pc == b->pc || !(ua->x[0] || ub->x[0]) : ua->a == ub->a;
}

// Of the groups that wait where `g` does, the lanes that name the same lanes as its first one go on as one group, apart from the others.
static void meet_alike(struct sx_warp *w, struct sx_group g)
{
	const uint32_t *row = row_of(w, w->cta->kernel->uop[g.pc].a);
	const uint32_t named = row[__builtin_ctz(g.mask)];
	uint32_t lanes = 0;
	for (uint32_t k = w->n_group; k-- > 0;) {
		struct sx_group *o = &w->group[k];
		if (o->state != g.state || o->pc != g.pc)
			continue;
		for (uint32_t m = o->mask; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);
			lanes |= row[i] == named ? 1u << i : 0;
		}
		o->mask &= ~lanes;
		if (!o->mask)
			take_out(w, k);
	}
	push(w, g.pc + 1, lanes);
	w->turn.lonely = 0;
}

// Lanes go on behind the instruction they waited in.
static void go_on(struct sx_warp *w, uint32_t lanes)
{
	for (uint32_t k = 0; k < w->n_group; k++) {
		struct sx_group *g = &w->group[k];
		if (g->state == SX_AT_BSYNC || g->state == SX_AT_WARPSYNC) {
			if (!(g->mask & lanes))
				continue;
			g->pc++;
			g->state = SX_RUNS;
		}
	}
}

// Lets those meet that are all there. True if some group can run now that could not.
static bool meet(struct sx_warp *w)
{
	bool any = false;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t k = 0; k < w->n_group && !again; k++) {
			struct sx_group *g = &w->group[k];
			uint32_t here = 0, pc = g->pc + 1;
			if (g->state != SX_AT_BSYNC && g->state != SX_AT_WARPSYNC)
				continue;
			uint32_t want = wanted(w, g);
			for (uint32_t o = 0; o < w->n_group; o++)
				here |= together(w, g, &w->group[o]) ? w->group[o].mask : 0;
			if (want & ~here)
				continue;
			any = again = true;
			if (g->state == SX_AT_WARPSYNC && w->cta->kernel->uop[g->pc].x[0]) {
				meet_alike(w, *g);
				continue;
			}
			go_on(w, want);
			join(w, pc);
		}
	}
	return any;
}

// A group that waits for others of its warp goes on alone, and nobody waits for it any more: the first that some of `lanes` are of.
static bool let_go(struct sx_warp *w, uint32_t lanes)
{
	bool any = false;
	for (uint32_t k = 0; k < w->n_group; k++) {
		struct sx_group *g = &w->group[k];
		if ((g->state != SX_AT_BSYNC && g->state != SX_AT_WARPSYNC) || !(g->mask & lanes))
			continue;
		if (g->state == SX_AT_BSYNC) {
			uint32_t *row = row_of(w, w->cta->kernel->uop[g->pc].a);
			for (unsigned i = 0; i < WARP; i++)
				row[i] &= g->mask >> i & 1 ? 0 : ~g->mask;
		}
		g->pc++;
		g->state = SX_RUNS;
		any = true;
		break;
	}
	return any;
}

// The running group's turn ends, since it spins or has had enough: it is the last to have another. Lanes that have waited for too
// long go on group by group, a turn each.
static void end_turn(struct sx_warp *w, bool spins)
{
	uint32_t lanes = exec_turn_end(&w->turn, spins ? running(w)->mask : 0);
	if (w->n_group > 1) {
		struct sx_group top = *running(w);
		memmove(&w->group[1], &w->group[0], (w->n_group - 1) * sizeof top);
		w->group[0] = top;
	}
	while (lanes && let_go(w, lanes) && spins)
		;
}

static bool let_tries_go(struct exec_cta *c, uint32_t most)
{
	for (unsigned k = 0; k < c->n_warp; k++)
		if (c->warp[k]->tries.vain < most && !exec_try_for_nothing(c->warp[k]) && sx_try_let_go((struct sx_warp *)c->warp[k]))
			return true;
	return false;
}

// Lanes that wait for a phase of an mbarrier go some times before those that wait to meet others, and again when there are none of these.
bool sx_let_go(struct exec_cta *c)
{
	if (let_tries_go(c, TRY_FOR_JOINS * TRY_LET_GO))
		return true;
	for (unsigned k = 0; k < c->n_warp; k++) {
		if (!let_go((struct sx_warp *)c->warp[k], FULL_MASK))
			continue;
		c->warp[k]->settled = false;
		exec_try_anew(c->warp[k]);
		return true;
	}
	return let_tries_go(c, UINT32_MAX);
}

static bool at_barrier(const struct sx_warp *w)
{
	for (uint32_t k = 0; k < w->n_group; k++)
		if (w->group[k].state == SX_AT_BARRIER || w->group[k].state == SX_AT_MBARRIER)
			return true;
	return false;
}

// --- instructions of control

// By the guard, and the predicate that instructions of control have besides.
static inline uint32_t control_mask(const uint8_t *fp, const struct uop *u)
{
	uint32_t g = exec_guard(fp, u);
	if (u->x[1])
		g &= *(const uint32_t *)(fp + u->x[1]) ^ (u->x[2] ? FULL_MASK : 0);
	return g;
}

static void bad_pc(struct sx_warp *w, const struct uop *u, uint32_t mask, uint64_t to)
{
	exec_fault(&w->w, u, FAULT_INVALID_PC, (unsigned)__builtin_ctz(mask), to,
	           "it goes to 0x%llx, where the kernel has no instruction", (unsigned long long)to);
}

// Each lane goes where its register says.
static void jump(struct sx_warp *w, const struct uop *u, uint32_t mask, uint32_t next)
{
	const struct sass_kernel *k = w->cta->kernel;
	const uint32_t *row = row_of(w, u->a);
	if (mask != running(w)->mask) {
		running(w)->pc = next;
		part(w, mask, next);
	}
	const uint32_t from = w->n_group - 1; // the lanes that have not gone yet; those that have stand above
	for (;;) {
		uint32_t to = row[__builtin_ctz(mask)] + (uint32_t)u->imm, same = 0;
		for (uint32_t m = mask; m; m &= m - 1)
			same |= row[__builtin_ctz(m)] + (uint32_t)u->imm == to ? m & (0 - m) : 0;
		if (to % SX_INST_BYTES || to / SX_INST_BYTES >= k->n) {
			bad_pc(w, u, same, to);
			return;
		}
		if (same == mask) {
			w->group[from].pc = k->first[to / SX_INST_BYTES];
			return;
		}
		mask &= ~same;
		w->group[from].mask = mask;
		push(w, k->first[to / SX_INST_BYTES], same);
	}
}

// Functions that the program leaves to the system; others are places in the code. True if the call is not over: others should run.
static bool call(struct sx_warp *w, const struct uop *u, uint32_t mask, uint32_t next)
{
	enum { RETURN_TO = 20 };
	const struct sass_kernel *k = w->cta->kernel;
	const uint32_t *lo = row_of(w, u->a), *hi = row_of(w, u->a + SX_ROW);
	unsigned lane = (unsigned)__builtin_ctz(mask);
	bool given = u->x[0]; // in the instruction itself
	uint64_t to = given ? (uint64_t)u->imm : lo[lane] | (uint64_t)hi[lane] << 32, n = (to - SASS_EXTERNAL_BASE) / 16;
	uint32_t same = given ? mask : 0;
	for (uint32_t m = given ? 0 : mask; m; m &= m - 1)
		same |= lo[__builtin_ctz(m)] == lo[lane] && hi[__builtin_ctz(m)] == hi[lane] ? m & (0 - m) : 0;
	if (to < SASS_EXTERNAL_BASE) {
		jump(w, u, mask, next);
		return false;
	}
	exec_try_anew(&w->w);
	if (n >= k->image->n_external || to % 16) {
		bad_pc(w, u, same, to);
		return false;
	}
	const struct builtin *b = k->image->external[n];
	if (!b) {
		exec_fault(&w->w, u, FAULT_ILLEGAL_INSTRUCTION, lane, to, "it calls '%s', which this version does not have",
		           k->image->external_name[n]);
		return false;
	}
	// Lanes that call something else do so in a turn of their own; those that do not call have gone on.
	uint32_t here = running(w)->pc;
	if (mask != running(w)->mask) {
		running(w)->pc = next;
		part(w, mask, here);
	}
	if (same != mask)
		part(w, same, here);
	w->w.active = same;
	enum native_end end = native_call(b, &w->w, u, same, w->w.fp + SX_AT_R);
	if (w->w.fault)
		return false;
	if (end == NATIVE_AGAIN)
		return true;
	struct uop back = *u;
	back.a = SX_AT_R + RETURN_TO * SX_ROW;
	back.imm = 0;
	uint32_t top = w->n_group;
	jump(w, &back, same, next);
	if (end == NATIVE_WAITS && !w->w.fault) {
		w->cta->x.at_children = true;
		for (uint32_t i = top - 1; i < w->n_group; i++) {
			w->group[i].state = SX_AT_BARRIER;
			w->group[i].barrier = EXEC_CHILDREN;
		}
	}
	return false;
}

static void leave(struct sx_warp *w, uint32_t mask, uint32_t next)
{
	struct sx_group *g = running(w);
	w->w.live &= ~mask;
	w->cta->x.live_threads -= (uint32_t)__builtin_popcount(mask);
	g->mask &= ~mask;
	g->pc = next;
	if (!g->mask && --w->n_group)
		pick(w);
	meet(w);
	exec_barriers_open(&w->cta->x);
}

static void bssy(struct sx_warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t *row = row_of(w, u->a);
	for (unsigned i = 0; i < WARP; i++)
		row[i] = mask >> i & 1 ? mask : row[i];
}

static void break_from(struct sx_warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t *row = row_of(w, u->a), others = 0;
	for (uint32_t m = mask; m; m &= m - 1)
		others |= row[__builtin_ctz(m)];
	for (unsigned i = 0; i < WARP; i++)
		row[i] &= others >> i & 1 ? ~mask : UINT32_MAX;
	meet(w);
}

// Waits for the lanes of row u->a, unless they are all here.
static void wait_for(struct sx_warp *w, const struct uop *u, uint32_t mask, uint32_t pc, enum sx_state state)
{
	const uint32_t *row = row_of(w, u->a);
	struct sx_group *g = running(w);
	uint32_t want = 0;
	for (uint32_t m = mask; m; m &= m - 1)
		want |= row[__builtin_ctz(m)];
	if (!(want & w->w.live & ~mask) && mask == g->mask && !u->x[0]) {
		g->pc = pc + 1;
		return;
	}
	g->pc = pc;
	if (mask != g->mask) {
		g->pc = pc + 1;
		g = part(w, mask, pc);
	}
	g->state = (uint8_t)state;
	meet(w);
}

// Lanes that do not name themselves pass over what the others do together. Those that are left.
static uint32_t collect(struct sx_warp *w, const struct uop *u, uint32_t mask)
{
	const uint32_t *row = row_of(w, u->a);
	uint32_t others = 0;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		others |= row[i] >> i & 1 ? 0 : 1u << i;
	}
	if (!others)
		return mask;
	if (others == running(w)->mask) {
		running(w)->pc = (uint32_t)u->imm;
		return 0;
	}
	running(w)->mask &= ~others;
	struct sx_group here = *running(w);
	*running(w) = (struct sx_group){.pc = (uint32_t)u->imm, .mask = others};
	HEDDLE_ASSERT(w->n_group < WARP);
	w->group[w->n_group++] = here;
	return mask & ~others;
}

static void read_clock(struct sx_warp *w, const struct uop *u, uint32_t mask, uint64_t ahead)
{
	uint64_t now = kernel_clock(w->cta->x.launch->services, ahead + exec_ahead(&w->w), u->imm);
	uint32_t *lo = row_of(w, u->d), *hi = row_of(w, u->d + SX_ROW);
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		lo[i] = (uint32_t)(u->x[3] ? now >> 32 : now);
		if (u->x[0])
			hi[i] = (uint32_t)(now >> 32);
	}
}

// --- the loop

void sx_reset(struct sx_warp *w)
{
	exec_turn_reset(&w->turn);
	w->held = false;
	exec_try_reset(&w->w);
	w->fresh = 0;
	w->n_group = 0;
	push(w, 0, w->w.exist);
}

// Executes an instruction of control of the running group. True if another turn is due: others should run.
static bool control(struct sx_warp *w, const struct uop *u, uint32_t mask, uint32_t pc, uint64_t ahead)
{
	struct sx_group *g = running(w);
	uint32_t next = pc + 1;
	g->pc = next;
	switch ((enum sx_ctl)u->ctl) {
	case SX_BRA_BY_LANES: {
		uint32_t all = u->a ? row_of(w, u->a)[__builtin_ctz(g->mask)] ^ (u->x[0] ? FULL_MASK : 0) : w->w.live;
		if ((mask == all) != (u->x[3] != 0))
			return false;
	}
	// fall through
	case SX_BRA_ANY:
		mask = g->mask;
	// fall through
	case SX_BRA:
		if (mask == g->mask)
			g->pc = (uint32_t)u->imm;
		else
			branch(w, mask, (uint32_t)u->imm);
		return false;
	case SX_JUMP:
		jump(w, u, mask, next);
		return false;
	case SX_CALL:
		g->pc = pc;
		return call(w, u, mask, next);
	case SX_EXIT:
		exec_try_anew(&w->w);
		leave(w, mask, next);
		return false;
	case SX_BSSY:
		bssy(w, u, mask);
		return false;
	case SX_BSYNC:
		wait_for(w, u, mask, pc, SX_AT_BSYNC);
		return false;
	case SX_WARPSYNC:
		if (u->x[3] && !(mask = collect(w, u, mask)))
			return false;
		wait_for(w, u, mask, pc, SX_AT_WARPSYNC);
		return false;
	case SX_BREAK:
		break_from(w, u, mask);
		return false;
	case SX_YIELD:
		return exec_turn_poll(&w->turn);
	case SX_BAR:
		if (mask != g->mask)
			g = part(w, mask, next);
		exec_try_anew(&w->w);
		sx_arrive(w, g, u, mask);
		return false;
	case SX_TRY:
		return sx_try(w, u, mask);
	case SX_GROUP:
		// TRY_ALLOC is tried over and over until its predicate is set: the warp may as well wait in it.
		if (u->d)
			row_of(w, u->d)[0] |= mask;
		if (!exec_group_step(&w->w, u, mask)) {
			g->state = SX_AT_BARRIER;
			g->barrier = EXEC_GROUP;
		}
		return false;
	case SX_CLUSTER:
		if (mask != g->mask)
			g = part(w, mask, next);
		if (!exec_cluster_step(&w->w, u, mask)) {
			g->state = SX_AT_BARRIER;
			g->barrier = EXEC_AT_CLUSTER;
		}
		return false;
	case SX_DEPENDENTS:
		if (mask != g->mask)
			g = part(w, mask, next);
		if (!exec_dependents_step(&w->w, u)) {
			g->state = SX_AT_BARRIER;
			g->barrier = EXEC_CHILDREN;
		}
		return false;
	case SX_CLOCK:
		w->w.tries.by_clock = true;
		read_clock(w, u, mask, ahead);
		return exec_turn_clock(&w->turn, u);
	case SX_TRAP:
	default:
		exec_fault(&w->w, u, FAULT_TRAP, (unsigned)__builtin_ctz(mask), 0,
		           "the kernel executed a breakpoint or ran past its end");
		return false;
	}
}

// Executes the instruction of which `u` is the first micro-op. Returns the one behind it.
static inline const struct uop *execute(uint8_t *fp, const struct uop *u, uint32_t mask, struct sx_warp *w)
{
	if (!mask) {
		do
			u++;
		while (u->flags & UOP_EXTRA);
		return u;
	}
	do {
		u->fn(fp, u, mask, &w->w);
		u++;
	} while (u->flags & UOP_EXTRA && !w->w.fault);
	return u;
}

// The same of an instruction that polls; *spins: it told its lanes nothing new.
static const struct uop *execute_poll(struct sx_warp *w, const struct uop *u, uint32_t mask, bool *spins)
{
	const struct sass_kernel *k = w->cta->kernel;
	const uint32_t n = k->inst_of[u - k->uop];
	const struct sx_access *from = &k->access[n];
	const uint32_t *lo = row_of(w, from->value), *hi = row_of(w, from->value + SX_ROW);
	uint64_t addr[WARP], value[WARP];
	if (!from->value)
		return execute(w->w.fp, u, mask, w);
	sx_addresses(w, from, addr);
	const struct uop *behind = execute(w->w.fp, u, mask, w);
	for (unsigned i = 0; i < WARP; i++)
		value[i] = lo[i] | (k->isa[n].bytes == 8 ? (uint64_t)hi[i] << 32 : 0);
	*spins = !w->w.fault && exec_spin_poll(&w->turn.spin, u, mask, addr, value);
	return behind;
}

// Shows an instruction to those who look on. False if one of them ends the kernel.
static __attribute__((noinline)) bool look(struct sx_warp *w, uint32_t pc, uint32_t active, uint32_t mask)
{
	if (w->cta->x.log)
		sx_log_step(w, pc, active, mask);
	if (w->cta->x.check && mask)
		sx_check(w, pc, mask);
	return !w->w.fault;
}

// Runs up to `budget` instructions. In lockstep other warps run between any two instructions, and the clock counts cycles; else
// it counts what this call has executed too. In a fresh turn it stops before an instruction that other warps can see.
static enum fe_status run(struct sx_warp *w, uint64_t budget, bool lockstep, bool fresh, uint64_t *used)
{
	struct kernel_counts *const counts = w->cta->x.counts;
	const struct uop *const code = w->cta->kernel->uop;
	uint8_t *const fp = w->w.fp;
	const bool looked_at = w->cta->x.looked_at;
	const uint16_t watch = fresh || exec_try_watched(&w->w) ? UOP_SHARES : 0;
	uint64_t left = budget, threads = 0;
	enum fe_status status = FE_OK;
	bool gives_way = false, by_clock = false;

	while (left && !w->w.fault && !gives_way) {
		check_groups(w);
		if (!w->n_group) {
			status = FE_DONE;
			break;
		}
		if (running(w)->state != SX_RUNS && !pick(w)) {
			if (exec_children_open(&w->cta->x) || (!at_barrier(w) && let_go(w, FULL_MASK)))
				continue;
			if (!lockstep && left == budget && !sx_can_run(&w->w) && exec_try_expired(&w->w, true) && sx_try_let_go(w))
				continue;
			if (!lockstep && !w->cta->x.at_children && left == budget && exec_cluster_idle(&w->cta->x) &&
			    sx_let_go(&w->cta->x) && pick(w))
				continue;
			status = FE_BARRIER;
			break;
		}
		struct sx_group *g = running(w);
		uint32_t pc = g->pc;
		const uint32_t active = g->mask;
		uint64_t turn = left;
		w->w.active = active;
		while (left) {
			const struct uop *u = &code[pc];
			if (u->straight && !looked_at && !(u->flags & watch)) {
				pc = (uint32_t)(exec_straight(fp, u, active, &w->w, &left, &threads) - code);
				if (__builtin_expect(w->w.fault, 0))
					break;
				continue;
			}
			uint32_t mask = active;
			if (u->guard)
				mask &= exec_guard(fp, u);
			if (__builtin_expect(u->ctl != SX_PLAIN, 0) && u->x[1])
				mask = active & control_mask(fp, u);
			if (__builtin_expect(u->flags & watch, 0) && mask) {
				exec_try_anew(&w->w);
				gives_way = fresh && (w->held = !w->held);
				if (gives_way)
					break;
			}
			if (__builtin_expect(looked_at, 0) && !look(w, pc, active, mask))
				break;
			unsigned n = fe_lanes(mask);
			counts->cls[u->cls]++;
			counts->cls_thread[u->cls] += n;
			threads += n;
			left--;
			if (__builtin_expect(u->ctl == SX_PLAIN, 1)) {
				const bool poll = u->flags & UOP_POLL;
				bool spins = false;
				if (poll && mask && u->cls == ISA_LOAD)
					exec_try_anew(&w->w);
				u = poll && lockstep && mask ? execute_poll(w, u, mask, &spins) : execute(fp, u, mask, w);
				pc = (uint32_t)(u - code);
				if (__builtin_expect(w->w.fault, 0))
					break;
				if (__builtin_expect(poll, 0) && (exec_turn_poll(&w->turn) || spins)) {
					g->pc = pc;
					by_clock = exec_turn_by_clock(&w->turn);
					end_turn(w, spins);
					status = FE_YIELD;
					break;
				}
				continue;
			}
			if (!mask && u->ctl != SX_BRA_BY_LANES) {
				pc++;
				continue;
			}
			if (u->ctl == SX_BRA && mask == active) {
				pc = (uint32_t)u->imm;
				continue;
			}
			if (control(w, u, mask, pc, lockstep ? 0 : budget - left)) {
				by_clock = exec_turn_by_clock(&w->turn);
				end_turn(w, false);
				status = FE_YIELD;
			}
			if (u->ctl == SX_BAR || u->ctl == SX_CLUSTER)
				gives_way = w->fresh && !lockstep;
			g = NULL;
			break;
		}
		if (g && !w->w.fault && status != FE_YIELD)
			g->pc = pc;
		if (status == FE_YIELD)
			break;
		if (exec_turn_use(&w->turn, turn - left))
			end_turn(w, false);
	}
	if (w->w.fault)
		status = FE_FAULT;
	else if (!w->n_group)
		status = FE_DONE;
	if (!lockstep)
		status = exec_try_turn_over(&w->w, status, by_clock);
	*used = budget - left;
	counts->warp_insts += *used;
	counts->thread_insts += threads;
	return status;
}

enum fe_status sx_run(struct warp *warp, uint64_t budget, uint64_t *used)
{
	struct sx_warp *w = (struct sx_warp *)warp;
	// After a barrier warps stay close together for a while, as on a GPU: a turn ends before each instruction that others see. Programs
	// that lack a barrier there run on a GPU.
	const uint32_t fresh = w->fresh;
	if (fresh && budget > fresh)
		budget = fresh;
	w->fresh = 0; // until a barrier opens, which ends the turn
	enum fe_status status = run(w, budget, false, fresh, used);
	if (!w->fresh && fresh > *used)
		w->fresh = fresh - (uint32_t)*used;
	if (w->cta->x.log)
		inst_log_pause(w->cta->x.log);
	w->cta->x.idle = *used || status == FE_OK ? 0 : w->cta->x.idle + 1;
	w->w.settled = false;
	return status;
}

void sx_settle(struct warp *warp)
{
	struct sx_warp *w = (struct sx_warp *)warp;
	w->w.settled = true;
	w->w.next = NULL;
	while (w->n_group && !w->w.fault) {
		if (running(w)->state != SX_RUNS && !pick(w)) {
			if (!exec_children_open(&w->cta->x) && (at_barrier(w) || !let_go(w, FULL_MASK)))
				return;
			continue;
		}
		w->w.ahead = &w->cta->kernel->uop[running(w)->pc];
		w->w.next = &w->cta->kernel->isa[w->cta->kernel->inst_of[running(w)->pc]];
		return;
	}
}

enum exec_list sx_next(struct warp *warp, uint32_t *active, uint32_t *mask)
{
	struct sx_warp *w = (struct sx_warp *)warp;
	const struct sass_kernel *k = w->cta->kernel;
	const struct uop *u = warp->ahead;
	*active = running(w)->mask;
	*mask = *active & (u->ctl != SX_PLAIN ? control_mask(warp->fp, u) : exec_guard(warp->fp, u));
	return (enum exec_list)k->access[warp->next - k->isa].how;
}

// The next step of most warps: an instruction of a straight run, or a branch that lanes take together, on which nobody
// looks. False if nothing has been done.
static bool quick_step(struct sx_warp *w)
{
	const struct sass_kernel *k = w->cta->kernel;
	const struct uop *u = w->w.ahead, *behind;
	struct sx_group *g = running(w);
	if (w->cta->x.looked_at || (u->flags & UOP_SHARES && w->w.tries.vain))
		return false;
	if (u->straight) {
		w->w.active = g->mask;
		behind = exec_one(w->w.fp, u, g->mask, &w->w);
	} else {
		const uint32_t mask = g->mask & control_mask(w->w.fp, u);
		if (u->ctl != SX_BRA || (mask && mask != g->mask))
			return false;
		exec_count_one(w->cta->x.counts, u, mask);
		behind = mask ? &k->uop[u->imm] : u + 1;
	}
	g->pc = (uint32_t)(behind - k->uop);
	if (exec_turn_use(&w->turn, 1)) {
		end_turn(w, false);
		w->w.settled = false;
	}
	if (w->w.fault || !w->w.settled) {
		sx_settle(&w->w);
		return true;
	}
	w->w.next = &k->isa[k->inst_of[g->pc]];
	w->w.ahead = behind;
	return true;
}

enum fe_status sx_step(struct warp *warp)
{
	struct sx_warp *w = (struct sx_warp *)warp;
	enum fe_status status = FE_OK;
	if (!quick_step(w)) {
		uint64_t used;
		status = run(w, 1, true, false, &used);
		if (w->cta->x.log)
			inst_log_pause(w->cta->x.log);
		sx_settle(warp);
	}
	if (w->w.fault)
		return FE_FAULT;
	return w->w.next ? status : w->n_group ? FE_BARRIER : FE_DONE;
}
