#include "gpgpu-sim/modern/distance.h"

#include "gpgpu-sim/modern/inst.h"

static const struct modern_distances distances[] = {
	{.from = 90, .guard = 13, .queued = 4, .memory = 5, .dp = 6, .addend = 2, .wide_low = 3, .to_uniform = 13, .dp_operand = 10, .dp_guard = 14, .dp_queued = 6,
	 .dp_memory = 7, .dp_dp = 8, .dp_predicate = 6},
	{.from = 80, .guard = 13, .queued = 4, .memory = 5, .dp = 6, .barrier_reads = true},
	{.from = 0, .guard = 12, .queued = 6, .memory = 8, .dp = 6, .barrier_reads = true},
};

// Results of UMOV, ULDC and VOTEU; of the other uniform instructions as a guard of one, in a branch, as an operand elsewhere, and where
// operands are taken late.
enum { MOVE = 2, MOVE_PREDICATE = 1, MOVE_GUARD = 5, MOVE_BRANCH = 3, UNIFORM_GUARD = 11, UNIFORM_OPERAND = 6, UNIFORM_QUEUED = 9 };

const struct modern_distances *modern_distances_of(unsigned capability)
{
	const struct modern_distances *d = distances;
	while (capability < d->from)
		d++;
	return d;
}

unsigned modern_guard(const struct isa_inst *st)
{
	const struct isa_sass *s = st->sass;
	unsigned named = 0;
	for (unsigned i = 0; s && i < s->n_src; i++)
		named += s->src[i].count > 0 && s->src[i].file != ISA_FILE_CONST;
	return !s || named > st->n_read ? st->n_read : st->n_src;
}

// --- from pipe to pipe

enum producer { INT, IMAD, WIDE, HALF, MMA, VOTE, N_PRODUCERS };

static enum producer producer_of(const struct modern_inst *i)
{
	switch ((enum isa_unit)i->unit) {
	case ISA_UNIT_INT: return INT;
	case ISA_UNIT_SP: return i->wide_result ? WIDE : i->imad ? IMAD : N_PRODUCERS;
	case ISA_UNIT_HALF: return i->half_mma ? MMA : HALF;
	case ISA_UNIT_MISC: return i->st->cls == ISA_VOTE ? VOTE : N_PRODUCERS;
	default: return N_PRODUCERS;
	}
}

// Cycles more, or less, than from one instruction of the pipe to the next, where compiled code has shown another distance many
// times or on several generations. On GA10x and Ada HADD2 has the paper's 5 cycles; compiled code for them shows no pair.
static const struct { uint8_t from, to; bool predicate; uint8_t producer, use; int8_t more; } across[] = {
	{0, 89, false, INT, MODERN_IMAD, 1}, {0, 89, false, INT, MODERN_WIDE, 1}, {90, 255, false, INT, MODERN_ADDEND, -1},
	{0, 79, false, INT, MODERN_HALF, 2}, {80, 255, false, INT, MODERN_HALF, 1}, {80, 255, false, INT, MODERN_MMA, 2},
	{0, 255, true, INT, MODERN_IMAD, 1}, {0, 255, true, INT, MODERN_WIDE, 1},
	{0, 79, false, IMAD, MODERN_INT, 1}, {80, 255, false, IMAD, MODERN_HALF, 1},
	{0, 255, true, IMAD, MODERN_INT, 1}, {0, 255, true, IMAD, MODERN_OPERAND, 1},
	{0, 89, false, WIDE, MODERN_INT, 1}, {0, 89, false, WIDE, MODERN_WIDE, 2}, {90, 255, false, WIDE, MODERN_ADDEND, 0},
	{0, 255, true, WIDE, MODERN_INT, 1}, {0, 255, true, WIDE, MODERN_OPERAND, 1},
	{0, 79, false, HALF, MODERN_HALF, 1}, {0, 79, false, HALF, MODERN_INT, 3}, {0, 79, false, HALF, MODERN_OPERAND, 3}, {0, 79, true, HALF, MODERN_INT, 3},
	{80, 85, false, HALF, MODERN_HALF, -1}, {90, 255, false, HALF, MODERN_HALF, -1}, {80, 85, false, HALF, MODERN_QUEUED, -1},
	{90, 255, false, HALF, MODERN_QUEUED, -1}, {80, 255, false, HALF, MODERN_MMA, 1},
	{80, 255, false, MMA, MODERN_OPERAND, 5}, {80, 255, false, MMA, MODERN_INT, 5}, {80, 255, false, MMA, MODERN_IMAD, 5}, {80, 255, false, MMA, MODERN_WIDE, 5},
	{80, 255, false, MMA, MODERN_HALF, 5}, {80, 89, false, MMA, MODERN_MMA, 1}, {90, 255, false, MMA, MODERN_MMA, 3}, {80, 255, false, MMA, MODERN_MEMORY, 2},
	{80, 255, false, MMA, MODERN_QUEUED, 1}, {90, 255, false, MMA, MODERN_DOUBLE, 3}, {90, 255, false, MMA, MODERN_ADDEND, 3},
	{0, 255, false, VOTE, MODERN_INT, 2}, {0, 255, true, VOTE, MODERN_INT, 2},
};

enum { NOT_ACROSS = -100 };

static int across_pipes(const struct modern_inst *i, unsigned generation, bool predicate, enum modern_use use)
{
	enum producer p = producer_of(i);
	for (unsigned k = 0; p != N_PRODUCERS && k < sizeof across / sizeof *across; k++)
		if (across[k].producer == p && across[k].use == use && across[k].predicate == predicate && across[k].from <= generation && generation <= across[k].to)
			return across[k].more;
	return NOT_ACROSS;
}

enum modern_use modern_use_of(const struct modern_inst *i, unsigned k, unsigned guard)
{
	bool predicate = !((i->src_regular | i->src_uniform) >> k & 1);
	bool ahead = i->unit == ISA_UNIT_MISC || i->uniform_move; // votes
	if (k == guard || i->unit == ISA_UNIT_BRANCH || (predicate && ahead))
		return MODERN_GUARD;
	if (i->late_addend >> k & 1)
		return MODERN_ADDEND;
	switch ((enum isa_unit)i->unit) {
	case ISA_UNIT_DP:
		return i->st->cls == ISA_CVT ? MODERN_QUEUED : MODERN_DOUBLE;
	case ISA_UNIT_UNIFORM:
		return MODERN_UNIFORM;
	case ISA_UNIT_MEMORY:
		return i->memory == MODERN_MEM_TEX || i->memory == MODERN_MEM_LDC || i->st->cls == ISA_VOTE || i->st->cls == ISA_ALU || i->st->surface
		               ? MODERN_QUEUED
		               : MODERN_MEMORY;
	case ISA_UNIT_INT:
		return MODERN_INT;
	case ISA_UNIT_HALF:
		return i->half_mma ? MODERN_MMA : MODERN_HALF;
	case ISA_UNIT_SP:
		return i->wide_result ? MODERN_WIDE : i->imad ? MODERN_IMAD : MODERN_OPERAND;
	default:
		return i->fixed ? MODERN_OPERAND : MODERN_QUEUED;
	}
}

// The operand that register k of st->dst belongs to, and the register's place in it.
static enum isa_file result_file(const struct isa_inst *st, unsigned k, unsigned *at)
{
	const struct isa_sass *s = st->sass;
	*at = 0;
	if (!s)
		return st->dst_predicates >> k & 1 ? ISA_FILE_P : ISA_FILE_R;
	for (unsigned i = 0; i < s->n_dst; k -= s->dst[i++].count)
		if (k < s->dst[i].count) {
			*at = k;
			return (enum isa_file)s->dst[i].file;
		}
	return ISA_FILE_R;
}

static unsigned most(unsigned a, unsigned b) { return a > b ? a : b; }

static unsigned uniform_cycles(const struct modern_inst *i, bool predicate, enum modern_use use)
{
	unsigned pipe = i->latency + i->interval;
	bool move = i->uniform_move || !i->st->n_src;
	bool queued = use == MODERN_MEMORY || use == MODERN_QUEUED || use == MODERN_DOUBLE;
	if (predicate && use == MODERN_GUARD)
		return move ? MOVE_GUARD : UNIFORM_GUARD;
	if (move)
		return predicate ? MOVE_PREDICATE : use == MODERN_GUARD ? MOVE_BRANCH : MOVE;
	return use == MODERN_UNIFORM ? pipe : most(pipe, queued ? UNIFORM_QUEUED : UNIFORM_OPERAND);
}

static unsigned double_cycles(const struct modern_distances *d, bool predicate, enum modern_use use)
{
	if (predicate)
		return use == MODERN_GUARD ? d->dp_guard : d->dp_predicate;
	return use == MODERN_DOUBLE ? d->dp_dp : use == MODERN_MEMORY ? d->dp_memory : use == MODERN_QUEUED ? d->dp_queued : d->dp_operand;
}

unsigned modern_result_cycles(const struct modern_inst *i, const struct modern_config *cfg, unsigned k, enum modern_use use)
{
	const struct modern_distances *d = cfg->distances;
	unsigned at, pipe = i->latency + i->interval;
	enum isa_file file = result_file(i->st, k, &at);
	bool predicate = file == ISA_FILE_P || file == ISA_FILE_UP;
	if (i->unit == ISA_UNIT_UNIFORM)
		return uniform_cycles(i, predicate, use);
	if (i->unit == ISA_UNIT_DP)
		return double_cycles(d, predicate, use);
	int more = file == ISA_FILE_R || predicate ? across_pipes(i, cfg->capability, predicate, use) : NOT_ACROSS;
	if (more != NOT_ACROSS)
		return pipe + (unsigned)more;
	if (predicate)
		return use == MODERN_GUARD || use == MODERN_DOUBLE ? most(pipe, cfg->predicate_total) : pipe;
	if (file == ISA_FILE_UR && i->st->cls == ISA_VOTE && i->control.write_sb >= ISA_N_SB)
		return MOVE; // the lane that ELECT chose: ptxas 13 reads it 2 cycles later on sm_90
	if (file != ISA_FILE_R)
		return most(pipe, file == ISA_FILE_UR && i->control.write_sb >= ISA_N_SB ? d->to_uniform : 0);
	bool low = i->wide_result && !at && d->wide_low;
	switch (use) {
	case MODERN_QUEUED: return most(pipe, d->queued);
	case MODERN_MEMORY: return most(pipe, d->memory);
	case MODERN_DOUBLE: return most(pipe, d->dp);
	case MODERN_ADDEND: return pipe > 4u ? pipe : d->addend;
	default: return low && pipe > d->wide_low ? d->wide_low : pipe;
	}
}

unsigned modern_longest_result(const struct modern_inst *i, const struct modern_config *cfg)
{
	unsigned longest = 0;
	for (unsigned k = 0; k < i->st->n_dst; k++)
		for (unsigned use = 0; use < MODERN_USES; use++)
			longest = most(longest, modern_result_cycles(i, cfg, k, (enum modern_use)use));
	return longest;
}
