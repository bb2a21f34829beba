// Control bits for PTX, as a compiler sets them. Blocks are timed as if each warp ran alone: what a stall count can cover, it
// does. A block's last one covers what another block may use too early: no block touches a register sooner behind its
// first instruction than the soonest of all does.
//
// Dependence counters do not follow control flow: whoever touches a register waits for the counters of all instructions of
// the kernel that may still be writing or reading it, but for those it has waited for since in its own block. PTX writes most
// registers once, and a counter that is 0 costs nothing, so little is lost. Loads that follow each other without a consumer
// between them share a counter, as compilers have them do.
#include "gpgpu-sim/modern/assign.h"

#include "base/assert.h"
#include "base/mem.h"
#include "isa/frontend.h"

// A stall count has four bits in machine code; one above 11 counts only with yield. Behind a longer fixed latency, that of a tensor
// instruction, ptxas puts NOPs with stall counts of their own (24 cycles between two HMMA.16816 of sm_90: 15 and 9); here the count is
// as large as they are together. What not even that covers gets a dependence counter like variable latencies.
// Counters for results are handed out in turn from the low end, those for sources from the high end.
enum { WRITE_SB = 4, READ_SB = ISA_N_SB - WRITE_SB, MAX_STALL = 63, LONG_STALL = 5, COUNTER_STALL = 2 };

struct assign {
	const struct modern_config *cfg;
	struct modern_inst *const *inst;
	uint32_t n, n_reg;
	uint8_t *written_by, *read_by; // by register: counters of variable latencies that write or read it, in the whole kernel
	uint32_t *last_def;            // by register: number plus one of the last instruction that writes it, 0 none
	uint8_t *writers;              // by register: instructions with a counter that write it, 2 for more
	uint8_t *used;                 // by instruction: its result of an earlier turn is not on its way when it issues
	// By register, for each use:
	uint64_t *usable[MODERN_USES];      // cycle in which the last fixed result of this block can be used; 0: none, or it has a counter
	uint32_t *seen[MODERN_USES];        // number of the last block that touches it
	// Cycles from the start of a block until one that has not written it needs it, at the soonest.
	uint32_t *soonest[MODERN_USES];
};

// Its result has a dependence counter.
static bool counted(const struct assign *a, const struct modern_inst *m) { return !m->fixed || modern_longest_result(m, a->cfg) > MAX_STALL; }

// Cycles from its issue until its destination k can be used.
static unsigned result_cycles(const struct assign *a, const struct modern_inst *m, unsigned k, unsigned use)
{
	return modern_result_cycles(m, a->cfg, k, (enum modern_use)use);
}

static bool touches(const struct modern_inst *i, const uint8_t *set, uint8_t bits, uint8_t *which)
{
	for (unsigned k = 0; k < i->st->n_src; k++)
		*which |= set[i->st->src[k]] & bits;
	for (unsigned k = 0; k < i->st->n_dst; k++)
		*which |= set[i->st->dst[k]] & bits;
	return *which != 0;
}

// Which counters every instruction that needs some uses.
static void choose_counters(struct assign *a, const uint8_t *starts)
{
	unsigned write = 0, read = 0;
	bool open = false, again = false; // open: the counter was used, and nobody has waited for it yet
	for (uint32_t i = 0; i < a->n; i++) {
		struct modern_inst *m = a->inst[i];
		uint8_t waits = 0;
		again = starts[i] ? starts[i] & FE_AGAIN : again;
		if (starts[i] || (open && touches(m, a->written_by, (uint8_t)(1u << write), &waits))) {
			write = open ? (write + 1) % WRITE_SB : write;
			open = false;
		}
		if (!counted(a, m))
			continue;
		if (m->st->n_dst) {
			m->control.write_sb = (uint8_t)write;
			open = true;
			for (unsigned k = 0; k < m->st->n_dst; k++)
				a->written_by[m->st->dst[k]] |= (uint8_t)(1u << write);
		}
		if (m->fixed)
			continue; // reads in the order of issue
		bool overwritten = false;
		for (unsigned k = 0; k < m->st->n_src; k++)
			overwritten |= again ? a->last_def[m->st->src[k]] > 0 : a->last_def[m->st->src[k]] > i + 1;
		if (!overwritten)
			continue;
		m->control.read_sb = (uint8_t)(WRITE_SB + read);
		for (unsigned k = 0; k < m->st->n_src; k++)
			a->read_by[m->st->src[k]] |= (uint8_t)(1u << m->control.read_sb);
		read = (read + 1) % READ_SB;
	}
}

static void find_writers_and_uses(struct assign *a, const uint8_t *starts)
{
	uint32_t *read_in = mem_alloc(a->n_reg * sizeof *read_in), block = 1; // by register: block that reads it further down
	for (uint32_t i = 0, again = 0; i < a->n; i++) {
		again = starts[i] ? starts[i] & FE_AGAIN : again;
		a->used[i] = !again;
	}
	for (uint32_t i = a->n; i-- > 0;) {
		const struct modern_inst *m = a->inst[i];
		bool used = true;
		for (unsigned k = 0; k < m->st->n_dst; k++) {
			uint16_t r = m->st->dst[k];
			used &= read_in[r] == block;
			a->writers[r] += counted(a, m) && a->writers[r] < 2;
		}
		a->used[i] |= used;
		for (unsigned k = 0; k < m->st->n_src; k++)
			read_in[m->st->src[k]] = block;
		block += starts[i] != 0;
	}
	mem_free(read_in);
}

// Counters that an instruction waits for: of results it uses or overwrites, of sources it overwrites. It does not wait for its
// own result if there is no earlier one, or if a reader behind it in its block has done so.
static uint8_t wait_mask(const struct assign *a, uint32_t i, uint8_t waited)
{
	const struct modern_inst *m = a->inst[i];
	uint8_t mask = 0;
	for (unsigned k = 0; k < m->st->n_src; k++)
		mask |= a->written_by[m->st->src[k]];
	for (unsigned k = 0; k < m->st->n_dst; k++) {
		bool own = counted(a, m) && a->used[i] && a->writers[m->st->dst[k]] == 1;
		mask |= (own ? 0 : a->written_by[m->st->dst[k]]) | a->read_by[m->st->dst[k]];
	}
	return (uint8_t)(mask & ~waited);
}

static uint64_t operands_usable(const struct assign *a, const struct modern_inst *m)
{
	uint64_t t = 0;
	unsigned guard = modern_guard(m->st);
	for (unsigned k = 0; k < m->st->n_src; k++) {
		uint64_t at = a->usable[modern_use_of(m, k, guard)][m->st->src[k]];
		t = at > t ? at : t;
	}
	for (unsigned k = 0; k < m->st->n_dst; k++) {
		// Two results of one register must be written in order.
		for (unsigned use = 0; use < MODERN_USES; use++) {
			uint64_t own = m->fixed ? result_cycles(a, m, k, use) : UINT16_MAX, before = a->usable[use][m->st->dst[k]];
			if (before > own && before - own > t)
				t = before - own;
		}
	}
	return t;
}

static void set_stall(struct modern_inst *m, uint64_t cycles)
{
	HEDDLE_ASSERT(cycles && cycles <= MAX_STALL);
	m->control.stall = (uint8_t)cycles;
	m->control.yield = m->control.stall >= LONG_STALL;
}

// The first touch of a register in a block bounds what the blocks before it may leave open.
static void note_touch(struct assign *a, unsigned r, unsigned use, uint32_t block, uint64_t after)
{
	if (a->seen[use][r] == block)
		return;
	a->seen[use][r] = block;
	if (after < a->soonest[use][r])
		a->soonest[use][r] = (uint32_t)after;
}

// `now`: cycles from the start of its block until it issues.
static void note_touches(struct assign *a, const struct modern_inst *m, uint32_t block, uint64_t now)
{
	unsigned guard = modern_guard(m->st);
	for (unsigned k = 0; k < m->st->n_src; k++)
		note_touch(a, m->st->src[k], modern_use_of(m, k, guard), block, now);
	for (unsigned k = 0; k < m->st->n_dst; k++)
		for (unsigned use = 0; use < MODERN_USES; use++)
			note_touch(a, m->st->dst[k], use, block, now + (m->fixed ? result_cycles(a, m, k, use) : 0));
}

// Results of m, which issues in cycle `now`.
static void note_results(struct assign *a, const struct modern_inst *m, uint64_t now)
{
	const bool waited_for = counted(a, m);
	for (unsigned k = 0; k < m->st->n_dst; k++)
		for (unsigned use = 0; use < MODERN_USES; use++)
			a->usable[use][m->st->dst[k]] = waited_for ? 0 : now + result_cycles(a, m, k, use);
}

static void forget_results(struct assign *a, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		for (unsigned k = 0; k < a->inst[i]->st->n_dst; k++)
			for (unsigned use = 0; use < MODERN_USES; use++)
				a->usable[use][a->inst[i]->st->dst[k]] = 0;
}

// One block [from, to): stall counts but for that of its last instruction.
static void time_block(struct assign *a, uint32_t from, uint32_t to)
{
	uint64_t now = 1;
	uint8_t waited = 0;
	for (uint32_t i = from; i < to; i++) {
		struct modern_inst *m = a->inst[i];
		m->control.wait = wait_mask(a, i, waited);
		waited |= m->control.wait;
		uint64_t t = operands_usable(a, m);
		if (i > from) {
			struct modern_inst *before = a->inst[i - 1];
			uint64_t stall = t > now + 1 ? t - now : 1;
			uint8_t counts = (uint8_t)((before->control.write_sb < ISA_N_SB ? 1u << before->control.write_sb : 0) |
			                           (before->control.read_sb < ISA_N_SB ? 1u << before->control.read_sb : 0));
			if (m->control.wait & counts && stall < COUNTER_STALL)
				stall = COUNTER_STALL; // a counter is seen two cycles after issue
			set_stall(before, stall);
			now += before->control.stall;
		}
		if (m->control.write_sb < ISA_N_SB)
			waited &= (uint8_t)~(1u << m->control.write_sb);
		if (m->control.read_sb < ISA_N_SB)
			waited &= (uint8_t)~(1u << m->control.read_sb);
		note_touches(a, m, from + 1, now - 1);
		note_results(a, m, now);
	}
	forget_results(a, from, to);
}

// The last stall count of a block, when all blocks are timed.
static void end_block(struct assign *a, uint32_t from, uint32_t to)
{
	const struct modern_inst *end = a->inst[to - 1];
	bool counts = end->control.write_sb < ISA_N_SB || end->control.read_sb < ISA_N_SB;
	uint64_t now = 0, rest = counts ? COUNTER_STALL : 1;
	for (uint32_t i = from; i < to; i++) {
		note_results(a, a->inst[i], now);
		if (i + 1 < to)
			now += a->inst[i]->control.stall;
	}
	for (uint32_t i = from; i < to; i++) {
		const struct isa_inst *st = a->inst[i]->st;
		for (unsigned k = 0; k < st->n_dst; k++)
			for (unsigned use = 0; use < MODERN_USES; use++) {
				uint64_t open = a->usable[use][st->dst[k]], covered = now + a->soonest[use][st->dst[k]];
				if (open > covered && open - covered > rest)
					rest = open - covered;
			}
	}
	forget_results(a, from, to);
	set_stall(a->inst[to - 1], rest);
}

static bool writes(const struct modern_inst *m, uint16_t reg)
{
	for (unsigned k = 0; k < m->st->n_dst; k++)
		if (m->st->dst[k] == reg)
			return true;
	return false;
}

// A register that the next instruction reads in the same slot is worth keeping, unless this one overwrites it: the cache would
// go on giving what was there before.
static void set_reuse(struct modern_inst *m, const struct modern_inst *next)
{
	if (!m->fixed || !next->fixed)
		return;
	for (unsigned k = 0; k < m->n_read; k++)
		for (unsigned j = 0; j < next->n_read; j++)
			if (m->read[k].reg == next->read[j].reg && m->read[k].slot == next->read[j].slot && !writes(m, m->read[k].reg))
				m->read[k].reuse = true;
}

void modern_assign_control(struct modern_inst *const *inst, uint32_t n, const uint8_t *starts, uint32_t n_reg, const struct modern_config *cfg)
{
	struct assign a = {.cfg = cfg, .inst = inst, .n = n, .n_reg = n_reg};
	a.written_by = mem_alloc(a.n_reg);
	a.read_by = mem_alloc(a.n_reg);
	a.last_def = mem_alloc(a.n_reg * sizeof *a.last_def);
	a.writers = mem_alloc(a.n_reg);
	a.used = mem_alloc(a.n);
	for (unsigned use = 0; use < MODERN_USES; use++) {
		a.usable[use] = mem_alloc(a.n_reg * sizeof *a.usable[use]);
		a.seen[use] = mem_alloc(a.n_reg * sizeof *a.seen[use]);
		a.soonest[use] = mem_alloc(a.n_reg * sizeof *a.soonest[use]);
		for (uint32_t r = 0; r < a.n_reg; r++)
			a.soonest[use][r] = UINT32_MAX;
	}
	for (uint32_t i = 0; i < n; i++)
		inst[i]->control = (struct isa_control){.present = true, .stall = 1, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB};
	for (uint32_t i = 0; i < a.n; i++)
		for (unsigned k = 0; k < a.inst[i]->st->n_dst; k++)
			a.last_def[a.inst[i]->st->dst[k]] = i + 1;
	find_writers_and_uses(&a, starts);
	choose_counters(&a, starts);
	for (uint32_t from = 0; from < a.n;) {
		uint32_t to = from + 1;
		while (to < a.n && !starts[to])
			to++;
		time_block(&a, from, to);
		for (uint32_t i = from; i + 1 < to; i++)
			set_reuse(a.inst[i], a.inst[i + 1]);
		from = to;
	}
	for (uint32_t from = 0, to; from < a.n; from = to) {
		for (to = from + 1; to < a.n && !starts[to];)
			to++;
		end_block(&a, from, to);
	}
	mem_free(a.written_by);
	mem_free(a.read_by);
	mem_free(a.last_def);
	mem_free(a.writers);
	mem_free(a.used);
	for (unsigned use = 0; use < MODERN_USES; use++) {
		mem_free(a.usable[use]);
		mem_free(a.seen[use]);
		mem_free(a.soonest[use]);
	}
}
