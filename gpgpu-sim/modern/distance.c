#include "gpgpu-sim/modern/distance.h"

#include "gpgpu-sim/modern/inst.h"

static const struct modern_distances distances[] = {
	{.from = 101, .guard = 13, .queued = 4, .memory = 5, .dp = 6, .addend = 2, .to_uniform = 13, .uniform_branch = 9},
	{.from = 100, .guard = 13, .queued = 4, .memory = 5, .dp = 6, .addend = 2, .to_uniform = 13, .uniform_branch = 9, .dp_operand = 10,
	 .dp_guard = 14, .dp_queued = 6, .dp_memory = 7, .dp_dp = 8, .dp_predicate = 6},
	{.from = 90, .guard = 13, .queued = 4, .memory = 5, .dp = 6, .addend = 2, .to_uniform = 13, .dp_operand = 10, .dp_guard = 14, .dp_queued = 6,
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

// What Blackwell gives to another pipe than that of its unit.
static const struct { uint8_t from, to, moves, pipe; } moved[] = {
	{100, 119, ISA_MOVES_COMPARE, MODERN_PIPE_INT}, {100, 255, ISA_MOVES_ADD, MODERN_PIPE_FLOAT},
	{100, 255, ISA_MOVES_CHECK, MODERN_PIPE_QUEUE}, {120, 255, ISA_MOVES_COMPARE, MODERN_PIPE_EITHER}, {120, 255, ISA_MOVES_SELECT, MODERN_PIPE_EITHER},
};

enum modern_pipe modern_pipe_of(const struct isa_sass *s, enum isa_unit unit, unsigned capability)
{
	if (s->pair && capability >= 120)
		return MODERN_PIPE_PAIR;
	if (unit == ISA_UNIT_PREDICATE && capability >= 100)
		return MODERN_PIPE_INT;
	for (unsigned k = 0; k < sizeof moved / sizeof *moved; k++)
		if (moved[k].moves == s->moves && moved[k].from <= capability && capability <= moved[k].to)
			return (enum modern_pipe)moved[k].pipe;
	return MODERN_PIPE_UNIT;
}

enum producer { INT, FLOAT, EITHER, PAIR, IMAD, WIDE, LOW, HALF, MMA, VOTE, TENSOR, N_PRODUCERS };

// `low`: of the low half of IMAD.WIDE.
static enum producer producer_of(const struct modern_inst *i, bool low)
{
	switch ((enum modern_pipe)i->pipe) {
	case MODERN_PIPE_INT: return INT;
	case MODERN_PIPE_FLOAT: return FLOAT;
	case MODERN_PIPE_EITHER: return EITHER;
	case MODERN_PIPE_PAIR: return PAIR;
	case MODERN_PIPE_QUEUE: return N_PRODUCERS;
	default: break;
	}
	switch ((enum isa_unit)i->unit) {
	case ISA_UNIT_INT: return INT;
	case ISA_UNIT_SP: return i->wide_result ? (low ? LOW : WIDE) : i->imad ? IMAD : FLOAT;
	case ISA_UNIT_HALF: return i->half_mma ? MMA : HALF;
	case ISA_UNIT_MISC: return i->st->cls == ISA_VOTE ? VOTE : N_PRODUCERS;
	case ISA_UNIT_TENSOR: return TENSOR;
	default: return N_PRODUCERS;
	}
}

// Cycles more, or less, than from one instruction of the pipe to the next, from one generation to another, where compiled code has
// shown another distance many times or on several generations. HADD2's 5 cycles of the paper are those to other pipes.
#define TO(use) (1u << MODERN_##use)
static const struct { uint8_t from, to; bool predicate; uint8_t producer; uint32_t uses; int8_t more; } across[] = {
	{0, 79, false, INT, TO(HALF), 2}, {0, 89, false, INT, TO(IMAD) | TO(WIDE), 1}, {80, 255, false, INT, TO(HALF), 1},
	{80, 255, false, INT, TO(MMA), 2}, {90, 255, false, INT, TO(ADDEND), -1}, {100, 255, false, INT, TO(IMAD) | TO(WIDE) | TO(OPERAND), 1},
	{120, 255, false, INT, TO(EITHER) | TO(PAIR), 1}, {0, 255, true, INT, TO(IMAD) | TO(WIDE), 1},
	{120, 255, true, INT, TO(EITHER) | TO(PAIR), 1},
	{100, 255, false, FLOAT, TO(INT), 1}, {120, 255, false, FLOAT, TO(EITHER), 1},
	{120, 255, false, EITHER, TO(ADDEND), -1},
	{120, 255, false, EITHER, TO(INT) | TO(EITHER) | TO(PAIR) | TO(OPERAND) | TO(IMAD) | TO(WIDE) | TO(HALF), 1},
	{120, 255, true, EITHER, TO(INT) | TO(EITHER) | TO(PAIR) | TO(IMAD) | TO(WIDE), 1},
	{120, 255, false, PAIR, TO(INT) | TO(QUEUED), 1}, {120, 255, false, PAIR, TO(EITHER) | TO(IMAD) | TO(WIDE) | TO(ADDEND) | TO(MEMORY), 2},
	{120, 255, false, PAIR, TO(DOUBLE), 3}, {120, 255, true, PAIR, TO(INT), 1}, {120, 255, true, PAIR, TO(EITHER) | TO(PAIR) | TO(IMAD), 2},
	{0, 79, false, IMAD, TO(INT), 1}, {80, 255, false, IMAD, TO(HALF), 1}, {100, 255, false, IMAD, TO(INT), 1},
	{120, 255, false, IMAD, TO(EITHER) | TO(PAIR), 1}, {0, 255, true, IMAD, TO(INT) | TO(OPERAND), 1},
	{120, 255, true, IMAD, TO(EITHER) | TO(PAIR), 1},
	{0, 89, false, WIDE, TO(INT), 1}, {0, 89, false, WIDE, TO(WIDE), 2}, {90, 255, false, WIDE, TO(ADDEND), 0},
	{100, 255, false, WIDE, TO(INT), 1}, {120, 255, false, WIDE, TO(EITHER) | TO(PAIR), 1}, {0, 255, true, WIDE, TO(INT) | TO(OPERAND), 1},
	{120, 255, true, WIDE, TO(EITHER), 1},
	{90, 255, false, LOW, TO(INT), -1}, {90, 255, false, LOW, TO(ADDEND), 0}, {120, 255, false, LOW, TO(EITHER), -1},
	{120, 255, false, LOW, TO(PAIR), 1},
	{0, 79, false, HALF, TO(HALF), 1}, {0, 79, false, HALF, TO(INT) | TO(OPERAND), 3}, {80, 255, false, HALF, TO(HALF) | TO(QUEUED), -1},
	{80, 255, false, HALF, TO(MMA), 1}, {100, 255, false, HALF, TO(ADDEND), -2},
	{100, 255, false, HALF, TO(GUARD), -1},
	{0, 79, true, HALF, TO(INT), 3},
	{101, 255, true, HALF, TO(INT), -1}, // PLOP3: what selects by it waits for 5 cycles
	{80, 89, false, MMA, TO(MMA), 1}, {80, 255, false, MMA, TO(QUEUED), 1}, {80, 255, false, MMA, TO(MEMORY), 2},
	{80, 255, false, MMA, TO(OPERAND) | TO(INT) | TO(IMAD) | TO(WIDE) | TO(HALF), 5}, {90, 255, false, MMA, TO(MMA) | TO(DOUBLE) | TO(ADDEND), 3},
	{0, 119, false, VOTE, TO(INT), 2}, {100, 119, false, VOTE, TO(OPERAND), 3}, {120, 255, false, VOTE, TO(INT) | TO(EITHER), 3},
	{0, 119, true, VOTE, TO(INT), 2}, {120, 255, true, VOTE, TO(EITHER), 3},
	{80, 255, false, TENSOR, TO(MEMORY) | TO(QUEUED), -1},
};
#undef TO

enum { NOT_ACROSS = -100 };

static int across_pipes(const struct modern_inst *i, unsigned generation, bool predicate, bool low, enum modern_use use)
{
	enum producer p = producer_of(i, low);
	for (unsigned k = 0; p != N_PRODUCERS && k < sizeof across / sizeof *across; k++)
		if (across[k].producer == p && across[k].uses >> use & 1 && across[k].predicate == predicate && across[k].from <= generation && generation <= across[k].to)
			return across[k].more;
	return NOT_ACROSS;
}

enum modern_use modern_use_of(const struct modern_inst *i, unsigned k, unsigned guard)
{
	bool predicate = !((i->src_regular | i->src_uniform) >> k & 1);
	bool ahead = i->unit == ISA_UNIT_MISC || i->uniform_move; // votes
	if (predicate && i->unit == ISA_UNIT_BRANCH)
		return MODERN_BRANCH;
	if (k == guard || i->unit == ISA_UNIT_BRANCH || (predicate && ahead))
		return MODERN_GUARD;
	if (i->late_addend >> k & 1)
		return MODERN_ADDEND;
	if ((i->unit == ISA_UNIT_INT || i->unit == ISA_UNIT_SP) && i->control.write_sb < ISA_N_SB)
		return MODERN_QUEUED; // BREV, FLO, POPC, FCHK: compiled code takes their latency for a variable one
	switch ((enum modern_pipe)i->pipe) {
	case MODERN_PIPE_INT: return MODERN_INT;
	case MODERN_PIPE_FLOAT: return MODERN_OPERAND;
	case MODERN_PIPE_EITHER: return MODERN_EITHER;
	case MODERN_PIPE_PAIR: return MODERN_PAIR;
	case MODERN_PIPE_QUEUE: return MODERN_QUEUED;
	default: break;
	}
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
	case ISA_UNIT_TENSOR:
		return i->st->cls == ISA_MOV ? MODERN_QUEUED : MODERN_OPERAND; // MOVM, and products
	case ISA_UNIT_HALF:
		return i->half_mma ? MODERN_MMA : MODERN_HALF;
	case ISA_UNIT_MISC:
		return MODERN_QUEUED; // BAR, NANOSLEEP, REDUX
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

static unsigned uniform_cycles(const struct modern_inst *i, const struct modern_distances *d, bool predicate, enum modern_use use)
{
	unsigned pipe = i->latency + i->interval;
	bool move = i->uniform_move;
	bool queued = use == MODERN_MEMORY || use == MODERN_QUEUED || use == MODERN_DOUBLE;
	if (predicate && (use == MODERN_GUARD || use == MODERN_BRANCH))
		return move ? MOVE_GUARD : use == MODERN_BRANCH && d->uniform_branch ? d->uniform_branch : UNIFORM_GUARD;
	if (move)
		return predicate ? MOVE_PREDICATE : use == MODERN_GUARD ? MOVE_BRANCH : MOVE;
	return use == MODERN_UNIFORM ? pipe : most(pipe, queued ? UNIFORM_QUEUED : UNIFORM_OPERAND);
}

static unsigned double_cycles(const struct modern_distances *d, bool predicate, enum modern_use use)
{
	if (predicate)
		return use == MODERN_GUARD || use == MODERN_BRANCH ? d->dp_guard : d->dp_predicate;
	return use == MODERN_DOUBLE ? d->dp_dp : use == MODERN_MEMORY ? d->dp_memory : use == MODERN_QUEUED ? d->dp_queued : d->dp_operand;
}

unsigned modern_result_cycles(const struct modern_inst *i, const struct modern_config *cfg, unsigned k, enum modern_use use)
{
	const struct modern_distances *d = cfg->distances;
	unsigned at, pipe = i->latency + i->interval;
	enum isa_file file = result_file(i->st, k, &at);
	bool predicate = file == ISA_FILE_P || file == ISA_FILE_UP;
	if (i->unit == ISA_UNIT_UNIFORM)
		return uniform_cycles(i, d, predicate, use);
	if (i->unit == ISA_UNIT_DP)
		return double_cycles(d, predicate, use);
	bool low = file == ISA_FILE_R && !at && cfg->capability >= 90; // both halves come together before Hopper
	int more = file == ISA_FILE_R || predicate ? across_pipes(i, cfg->capability, predicate, low, use) : NOT_ACROSS;
	if (more != NOT_ACROSS)
		return pipe + (unsigned)more;
	if (predicate)
		return use == MODERN_GUARD || use == MODERN_BRANCH || use == MODERN_DOUBLE ? most(pipe, cfg->predicate_total) + (i->pipe == MODERN_PIPE_PAIR) : pipe;
	if (file == ISA_FILE_UR && i->st->cls == ISA_VOTE && i->control.write_sb >= ISA_N_SB)
		return MOVE; // the lane that ELECT chose: ptxas 13 reads it 2 cycles later on sm_90
	if (file != ISA_FILE_R)
		return most(pipe, file == ISA_FILE_UR && i->control.write_sb >= ISA_N_SB ? d->to_uniform : 0);
	switch (use) {
	case MODERN_QUEUED: return most(pipe, d->queued);
	case MODERN_MEMORY: return most(pipe, d->memory);
	case MODERN_DOUBLE: return most(pipe, d->dp);
	case MODERN_ADDEND: return pipe > 4u ? pipe : d->addend;
	default: return pipe;
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
