// Copies by a tensor map. [UR] of shared memory names a run of registers: the address, of loads the mbarrier's, and the coordinates.
#include "cuda-sim/exec/tma.h"
#include "cuda-sim/sass/exec/lower.h"

enum { FIRST = 32, MAP = 24, THIRD = 64 }; // lowest bits of register numbers

static struct exec_bulk_operand word(struct lower *x, unsigned lsb, unsigned plus)
{
	const unsigned ur = lower_ur_at(x, lsb);
	return (struct exec_bulk_operand){.how = EXEC_BULK_WORD, .row = ur == SX_URZ ? SX_AT_ZERO : lower_ur(x, ur + plus)};
}

static struct exec_bulk_operand pair(struct lower *x, unsigned lsb)
{
	const unsigned ur = lower_ur_at(x, lsb);
	return (struct exec_bulk_operand){.how = EXEC_BULK_PAIR, .row = ur == SX_URZ ? SX_AT_ZERO : lower_ur(x, ur)};
}

static uint8_t rank_of(struct lower *x)
{
	static const char *const names[] = {"1D", "2D", "3D", "4D", "5D"};
	for (uint8_t k = 0; k < TENSOR_MAP_RANK; k++)
		if (lower_has(x, names[k]))
			return (uint8_t)(k + 1);
	return 0;
}

// `before`: registers that stand before the coordinates.
static void emit(struct lower *x, enum exec_tensor_kind kind, unsigned before)
{
	static const struct { enum exec_bulk_op op; const char *name; } ops[] = {
		{EXEC_BULK_ADD, "ADD"}, {EXEC_BULK_MIN, "MIN"}, {EXEC_BULK_MAX, "MAX"}, {EXEC_BULK_INC, "INC"}, {EXEC_BULK_DEC, "DEC"},
		{EXEC_BULK_AND, "AND"}, {EXEC_BULK_OR, "OR"}, {EXEC_BULK_XOR, "XOR"}};
	struct exec_tensor *t = ARENA_NEW(&x->k->arena, struct exec_tensor);
	const bool loads = kind == EXEC_TENSOR_LOAD;
	*t = (struct exec_tensor){.kind = (uint8_t)kind, .rank = rank_of(x), .machine = true, .im2col = lower_has(x, "IM2COL"),
	                          .multicast = lower_has(x, "MULTICAST")};
	if (!t->rank) {
		lower_fail(x, "this form of a copy is not executed by this version");
		return;
	}
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		if (lower_has(x, ops[k].name))
			t->op = (uint8_t)ops[k].op;
	t->map = pair(x, MAP);
	if (before)
		t->shared = word(x, FIRST, 0);
	if (loads)
		t->mbarrier = word(x, FIRST, 1);
	for (unsigned k = 0; k < t->rank; k++)
		t->at[k] = word(x, FIRST, before + k);
	if ((loads || kind == EXEC_TENSOR_PREFETCH) && (t->im2col || t->multicast))
		t->offset[0] = word(x, THIRD, 0);
	lower_emit(x, "async.tensor")->imm = (int64_t)(uintptr_t)t;
	x->out.at[x->k->first[x->at]].flags |= UOP_SHARES;
	x->k->isa[x->at].ordered = true;
	x->k->isa[x->at].async = ISA_ASYNC_BULK_COPY;
}

static void load(struct lower *x) { emit(x, EXEC_TENSOR_LOAD, 2); }
static void store(struct lower *x) { emit(x, EXEC_TENSOR_STORE, 1); }
static void reduce(struct lower *x) { emit(x, EXEC_TENSOR_REDUCE, 1); }
static void prefetch(struct lower *x) { emit(x, EXEC_TENSOR_PREFETCH, 0); }
static void nothing(struct lower *x) { lower_emit(x, "sass.nop"); }

#define DIMS "1D 2D 3D 4D 5D IM2COL "
const struct lower_op lower_tma_ops[] = {
	{"UTMALDG", load, DIMS "MULTICAST"}, {"UTMASTG", store, DIMS}, {"UTMAREDG", reduce, DIMS "ADD MIN MAX INC DEC AND OR XOR"},
	{"UTMAPF", prefetch, DIMS "L2"}, {"UTMACCTL", nothing, "IV PF"}, {0},
};
