// Copies that go past registers, their groups, and barriers in shared memory.
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/remote.h"
#include "cuda-sim/exec/tries.h"
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

// From global to shared memory. Without its predicate a lane reads nothing and stores zeroes.
static void ldgsts(struct lower *x)
{
	const struct sass_token *to = lower_token(x, SASS_AT_COPIED), *from = lower_token(x, SASS_AT_GLOBAL);
	struct sx_access unused;
	if (!to || !from || x->n_pin > 1) {
		lower_fail(x, "this form of a copy is not executed by this version");
		return;
	}
	struct lower_address src = lower_far_address(x, from, false, &x->k->access[x->at]);
	struct lower_address dst = lower_near_address(x, to, &unused);
	x->k->access[x->at].how = EXEC_LIST_BODY;
	struct uop *u = lower_emit(x, "async.copy");
	u->a = src.row;
	u->imm = src.imm;
	u->flags |= src.wide ? UOP_ADDR64 : 0;
	u->b = dst.row;
	u->x[1] = (int32_t)dst.imm;
	u->x[2] = lower_has(x, "128") ? 16 : lower_has(x, "64") ? 8 : 4;
	u->x[3] = lower_has(x, "ZFILL") ? COPY_BY_ADDRESS : 0;
	if (x->n_pin && !x->pin[0].always) {
		u->x[0] = x->pin[0].at;
		u->x[3] |= x->pin[0].neg ? 0 : COPY_NEGATED;
	}
	x->out.at[x->k->first[x->at]].flags |= UOP_SHARES;
}

// --- mbarriers

// [register + uniform register + offset] of shared memory as u->a, u->imm and, for the uniform register, u->x[0].
static void shared_address(struct lower *x, struct uop *u)
{
	const struct sass_token *t = lower_token(x, SASS_AT_SHARED);
	struct sass_address_bits b = t ? sass_address_at(&x->i, t) : (struct sass_address_bits){0};
	struct sass_word w = x->i.word;
	if (!t || (b.scale && sass_run(w, b.scale, 2))) {
		lower_fail(x, "this form of an address is not executed by this version");
		return;
	}
	const unsigned unused = 32u - b.offset_width;
	u->a = b.reg ? lower_r(x, (unsigned)sass_run(w, b.reg, 8)) : SX_AT_ZERO;
	u->imm = (int32_t)((uint32_t)sass_run(w, b.offset, b.offset_width) << unused) >> unused;
	int32_t ur = b.ur ? lower_ur(x, lower_ur_at(x, b.ur)) : 0;
	u->x[0] = ur == SX_AT_ZERO ? 0 : ur;
}

static void shares(struct lower *x) { x->out.at[x->k->first[x->at]].flags |= UOP_SHARES; }

// An operation of lanes on barriers; `pair`: the state goes to two registers.
static struct uop *act(struct lower *x, const char *name, int32_t state)
{
	char key[48];
	struct uop where = {0};
	shared_address(x, &where);
	snprintf(key, sizeof key, "async.mbarrier.%s", name);
	struct uop *u = lower_emit(x, key);
	u->a = where.a;
	u->imm = where.imm;
	u->x[0] = where.x[0];
	u->d = state;
	return u;
}

// SYNCS.ARRIVE: its words name what is taken off the arrivals and what is put on the bytes: 0, 1, or R of a register, which X takes off.
static void syncs_arrive(struct lower *x)
{
	const bool drop = lower_has(x, "OPTOUT"), red = lower_has(x, "RED"), mask = lower_has(x, "TMASK");
	const bool result = x->has_dst && x->dst != SX_RZ;
	int32_t operand = x->n_src ? lower_raw(x, &x->src[0], 0) : SX_AT_ZERO, state = result ? lower_temp(x, 8) : 0;
	int32_t one = lower_bits(x, 1, false);
	struct uop *u;
	if (mask && (!result || !lower_has(x, "ART0"))) {
		lower_fail(x, "this form is not executed by this version");
		return;
	}
	if (lower_has(x, "A0TR") || lower_has(x, "A0T1")) {
		u = act(x, "expect_tx", 0);
		u->c = lower_has(x, "A0T1") ? one : operand;
	} else if (lower_has(x, "A0TX")) {
		u = act(x, "complete_tx", 0);
		u->c = operand;
	} else {
		u = act(x, mask ? "together" : "arrive", state);
		if (lower_has(x, "ART0"))
			u->b = operand;
		else if (!lower_has(x, "A1T0"))
			u->c = operand;
	}
	u->x[3] = (drop ? MBARRIER_DROP : 0) | (red ? MBARRIER_CLUSTER : 0) | (mask ? MBARRIER_ONLY : 0);
	if (result)
		lower_put_pair(x, state);
	shares(x);
	x->k->isa[x->at].ordered = red;
}

static void syncs_phase(struct lower *x)
{
	struct uop where = {0};
	int32_t phase = lower_raw(x, &x->src[0], 0);
	shared_address(x, &where);
	struct uop *u = lower_ctl(x, SX_TRY);
	u->a = where.a;
	u->imm = where.imm;
	u->x[0] = where.x[0];
	u->b = phase;
	u->d = x->pout[0];
	u->x[3] = TRY_PARITY | TRY_HIGH | (lower_has(x, "TRYWAIT") ? TRY_WAITS : 0);
}

static void syncs(struct lower *x)
{
	if (lower_has(x, "ARRIVE")) {
		syncs_arrive(x);
	} else if (lower_has(x, "PHASECHK")) {
		syncs_phase(x);
	} else if (lower_has(x, "EXCH")) {
		if (x->has_dst && x->dst != SX_URZ)
			lower_fail(x, "its result is not executed by this version");
		int32_t word = lower_pair(x, 0);
		act(x, "store", 0)->c = word;
		shares(x);
	} else if (lower_has(x, "IVALL")) {
		lower_emit(x, "sass.nop");
	} else {
		act(x, "inval", 0);
		shares(x);
	}
}

// An arrival, or the byte that stands for one, when the copies of the thread are there: they are.
static void arrives(struct lower *x)
{
	int32_t one = lower_bits(x, 1, false);
	if (x->i.generation < SASS_HOPPER)
		act(x, "ampere", 0);
	else if (lower_has(x, "ARVCNT"))
		act(x, "arrive", 0);
	else
		act(x, "complete_tx", 0)->c = one;
	shares(x);
}

// --- bulk copies

// [UR]: one of two registers of an address in shared memory, with the mbarrier's behind it, or a pair with a global one.
static struct exec_bulk_operand uniform(struct lower *x, unsigned lsb, unsigned plus, bool pair)
{
	const unsigned ur = lower_ur_at(x, lsb);
	return (struct exec_bulk_operand){.how = pair ? EXEC_BULK_PAIR : EXEC_BULK_WORD, .row = ur == SX_URZ ? SX_AT_ZERO : lower_ur(x, ur + plus)};
}

static void bulk_emit(struct lower *x, struct exec_bulk b)
{
	struct exec_bulk *kept = ARENA_NEW(&x->k->arena, struct exec_bulk);
	*kept = b;
	lower_emit(x, "async.bulk")->imm = (int64_t)(uintptr_t)kept;
	shares(x);
	x->k->isa[x->at].ordered = true;
	x->k->isa[x->at].async = ISA_ASYNC_BULK_COPY;
}

enum { BULK_DST = 32, BULK_SRC = 24, BULK_SIZE = 64 }; // lowest bits of registers

static void ublkcp(struct lower *x)
{
	static const struct { enum exec_bulk_op op; const char *name; } ops[] = {
		{EXEC_BULK_ADD, "ADD"}, {EXEC_BULK_MIN, "MIN"}, {EXEC_BULK_MAX, "MAX"}, {EXEC_BULK_INC, "INC"}, {EXEC_BULK_DEC, "DEC"},
		{EXEC_BULK_AND, "AND"}, {EXEC_BULK_OR, "OR"}, {EXEC_BULK_XOR, "XOR"}};
	static const struct { enum uop_type type; const char *name; } types[] = {
		{UOP_T_S32, "S32"}, {UOP_T_U64, "U64"}, {UOP_T_S64, "S64"}, {UOP_T_F16, "F16.RN"}, {UOP_T_F32, "F32.RN"}, {UOP_T_F64, "F64.RN"}, {UOP_T_BF16, "BF16.RN"}};
	const bool to_global = lower_has(x, "G.S"), from_global = lower_has(x, "S.G");
	struct exec_bulk b = {.machine = true, .multicast = lower_has(x, "MULTICAST"), .type = UOP_T_U32,
	                      .from = from_global ? EXEC_BULK_GLOBAL : EXEC_BULK_SHARED, .to = to_global ? EXEC_BULK_GLOBAL : EXEC_BULK_CLUSTER};
	b.dst = uniform(x, BULK_DST, 0, to_global);
	b.src = uniform(x, BULK_SRC, 0, from_global);
	b.size = uniform(x, BULK_SIZE, 0, false);
	if (!to_global)
		b.mbarrier = uniform(x, BULK_DST, 1, false);
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		if (lower_has(x, ops[k].name))
			b.op = (uint8_t)ops[k].op;
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (lower_has(x, types[k].name))
			b.type = (uint8_t)types[k].type;
	bulk_emit(x, b);
}

static void ublkpf(struct lower *x)
{
	bulk_emit(x, (struct exec_bulk){.machine = true, .op = EXEC_BULK_PREFETCH, .src = uniform(x, BULK_SRC, 0, true),
	                                .size = uniform(x, BULK_SIZE, 0, false)});
}

// [R]: the destination, and in the register behind it the mbarrier.
static void remote(struct lower *x)
{
	const unsigned reg = (unsigned)sass_run(x->i.word, 24, 8);
	struct exec_remote *r = ARENA_NEW(&x->k->arena, struct exec_remote);
	const bool add = x->i.row->op[0] == 'R';
	const struct sx_source *v = &x->src[x->n_src - 1];
	*r = (struct exec_remote){.n = 1, .each = lower_has(x, "64") ? 8 : 4, .pairs = true, .type = lower_has(x, "S32") ? UOP_T_S32 : UOP_T_U32};
	if (add && r->each == 8)
		r->type = UOP_T_U64;
	if (lower_has(x, "128"))
		r->n = 4;
	for (unsigned k = 0; k < r->n; k++)
		r->value[k] = r->each == 8 ? lower_raw(x, v, 0) : lower_raw(x, v, k);
	r->dst = (struct exec_bulk_operand){.how = EXEC_BULK_WORD, .row = lower_r(x, reg)};
	r->mbarrier = (struct exec_bulk_operand){.how = EXEC_BULK_WORD, .row = lower_r(x, reg + 1)};
	static const char *const ops[] = {[EXEC_BULK_ADD] = "ADD", [EXEC_BULK_MIN] = "MIN", [EXEC_BULK_MAX] = "MAX", [EXEC_BULK_INC] = "INC",
	                                  [EXEC_BULK_DEC] = "DEC", [EXEC_BULK_AND] = "AND", [EXEC_BULK_OR] = "OR", [EXEC_BULK_XOR] = "XOR"};
	for (uint8_t k = EXEC_BULK_ADD; add && k <= EXEC_BULK_XOR; k++)
		if (lower_has(x, ops[k]))
			r->op = k;
	lower_emit(x, "async.remote")->imm = (int64_t)(uintptr_t)r;
	shares(x);
	x->k->isa[x->at].has_access = false; // what lies in other CTAs is no place of its own shared memory
	x->k->isa[x->at].ordered = true;
	x->k->isa[x->at].async = ISA_ASYNC_BULK_COPY;
}

// The barrier of the cluster.
static void barrier(struct lower *x)
{
	const bool waits = !strcmp(x->i.row->op, "UCGABAR_WAIT");
	lower_ctl(x, SX_CLUSTER)->x[0] = waits ? EXEC_CLUSTER_WAIT : EXEC_CLUSTER_ARRIVE;
	x->k->isa[x->at].ordered = !waits;
}

static void flush(struct lower *x)
{
	x->k->isa[x->at].async = ISA_ASYNC_BULK_COMMIT;
	lower_emit(x, "sass.nop");
}

static void nothing(struct lower *x) { lower_emit(x, "sass.nop"); }

const struct lower_op lower_async_ops[] = {
	{"LDGSTS", ldgsts, FAR SIZES " BYPASS ZFILL"}, {"LDGDEPBAR", nothing, ""}, {"DEPBAR", nothing, "LE"},
	{"SYNCS", syncs, "ARRIVE TRANS64 TMASK RED OPTOUT A1T0 A0T1 A0TR A0TX ART0 PHASECHK TRYWAIT CCTL IV IVALL EXCH 64"},
	{"UBLKCP", ublkcp, "S G MULTICAST"},
	{"UBLKRED", ublkcp, "S G ADD MIN MAX INC DEC AND OR XOR S32 U64 S64 F16 F32 F64 BF16 RN"},
	{"UBLKPF", ublkpf, "L2"}, {"UTMACMDFLUSH", flush, ""},
	{"STAS", remote, "64 128"}, {"REDAS", remote, "ADD MIN MAX INC DEC AND OR XOR S32 64"},
	{"UCGABAR_ARV", barrier, ""}, {"UCGABAR_WAIT", barrier, ""},
	{"ARRIVES", arrives, "LDGSTSBAR 64 ARVCNT TRANSCNT"}, {0},
};
