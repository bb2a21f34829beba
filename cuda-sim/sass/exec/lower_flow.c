// Branches, calls, barriers, and where lanes part and meet.
#include "cuda-sim/sass/exec/lower.h"

#include <string.h>

// The micro-op of an instruction of control, with the predicate that its guard is joined with.
static struct uop *control(struct lower *x, enum sx_ctl ctl)
{
	struct uop *u = lower_ctl(x, ctl);
	if (x->n_pin && !x->pin[0].always) {
		u->x[1] = x->pin[0].at;
		u->x[2] = x->pin[0].neg;
	}
	return u;
}

static uint64_t target(struct lower *x)
{
	uint64_t pc = 0;
	sass_target(&x->i, &pc);
	return pc;
}

// A branch that asks a uniform predicate besides the one of its guard's file is taken if both hold.
static void join_predicates(struct lower *x)
{
	enum { BOTH = 0xc0 };
	if (x->n_pin < 2 || x->pin[1].always)
		return;
	if (!x->pin[0].always) {
		int32_t a = lower_pred(x, &x->pin[0]), b = lower_pred(x, &x->pin[1]), to = lower_ptemp(x);
		struct uop *u = lower_emit3(x, "sass.plop3", to, a, b, SX_AT_P + 4 * SX_PT);
		u->x[0] = SX_AT_P_SINK;
		u->imm = BOTH;
		x->pin[1] = (struct sx_pred){.at = to};
	}
	x->pin[0] = x->pin[1];
	x->n_pin = 1;
}

// .DIV is taken by all if the lanes that are here are not those of a uniform register, .CONV if they are; without a register, those
// that have not exited. .U.ANY is taken by all if it is by one.
static void bra(struct lower *x)
{
	enum { PLAIN, UNIFORM, DIVERGED, CONVERGED };
	unsigned kind = (unsigned)sass_run(x->i.word, 32, 2);
	const struct sx_source *s = x->n_src ? &x->src[0] : NULL;
	bool asks = kind == DIVERGED || kind == CONVERGED;
	bool any = lower_has(x, "ANY");
	if ((any && kind != UNIFORM) || (s && !asks)) {
		lower_fail(x, "this form of a branch is not executed by this version");
		return;
	}
	join_predicates(x);
	struct uop *u = control(x, asks ? SX_BRA_BY_LANES : any ? SX_BRA_ANY : SX_BRA);
	u->imm = (int64_t)target(x);
	if (!asks)
		return;
	u->a = s ? lower_ur(x, s->reg) : 0;
	u->x[0] = s && s->invert;
	u->x[3] = kind == CONVERGED;
}

static int64_t offset(struct lower *x)
{
	const struct sass_token *t = lower_token(x, SASS_AT_OFFSET);
	unsigned width = t ? t->bits.width[0] + t->bits.width[1] : 0;
	return t ? ((int64_t)(sass_get(x->i.word, t->bits) << (64 - width)) >> (64 - width)) * 4 : 0;
}

// A branch to what a register holds and a distance, from the next instruction.
static void brx(struct lower *x)
{
	int32_t row = lower_raw(x, &x->src[0], 0);
	struct uop *u = control(x, SX_JUMP);
	u->a = row;
	u->imm = (int64_t)x->i.pc + SX_INST_BYTES + offset(x);
}

// To a place in the code; with a register, to what that and the place add up to. The address of return is in registers already.
static void call(struct lower *x)
{
	if (!lower_has(x, "NOINC")) {
		lower_fail(x, "a call that keeps its return address in the warp is not executed by this version");
		return;
	}
	bool relative = lower_token(x, SASS_AT_TARGET) != NULL;
	bool outside = !relative && !x->n_src && (uint64_t)offset(x) >= SASS_EXTERNAL_BASE;
	if (!x->n_src && !outside) {
		struct uop *u = control(x, SX_BRA);
		u->imm = relative ? (int64_t)target(x) : offset(x);
		return;
	}
	int32_t row = outside ? SX_AT_ZERO : lower_raw(x, &x->src[0], 0);
	struct uop *u = control(x, relative ? SX_JUMP : SX_CALL);
	u->a = row;
	u->x[0] = outside;
	u->imm = relative ? (int64_t)target(x) : outside ? offset(x) : 0;
	if (!relative) // what is called may ask services that all SMs share
		x->k->isa[x->at].ordered = true;
}

static void ret(struct lower *x)
{
	if (!lower_has(x, "NODEC")) {
		lower_fail(x, "a return to an address that the warp keeps is not executed by this version");
		return;
	}
	int32_t row = lower_raw(x, &x->src[0], 0);
	struct uop *u = control(x, SX_JUMP);
	u->a = row;
	u->imm = lower_token(x, SASS_AT_TARGET) ? (int64_t)target(x) : offset(x);
}

static void lepc(struct lower *x)
{
	uint64_t pc = x->i.pc;
	sass_target(&x->i, &pc);
	lower_emit3(x, "mov.b32", lower_dst_at(x, 0), lower_bits(x, pc, false), 0, 0);
	lower_emit3(x, "mov.b32", lower_dst_at(x, 1), SX_AT_ZERO, 0, 0);
}

static void leave(struct lower *x) { control(x, SX_EXIT); }

static int32_t row_of_b(struct lower *x, uint32_t reg)
{
	if (reg < x->k->n_b)
		return sx_b_row(x->k, reg);
	lower_fail(x, "names a B register that is not known of it");
	return lower_extra(x, SX_SINK);
}

static int32_t b_row(struct lower *x)
{
	const struct sass_token *t = lower_token(x, SASS_AT_BREG);
	return row_of_b(x, (uint32_t)sass_get(x->i.word, t->bits));
}

static void bssy(struct lower *x) { control(x, SX_BSSY)->a = b_row(x); }
static void bsync(struct lower *x) { control(x, SX_BSYNC)->a = b_row(x); }
static void break_from(struct lower *x) { control(x, SX_BREAK)->a = b_row(x); }

static void warpsync(struct lower *x)
{
	int32_t row = x->n_src ? lower_raw(x, &x->src[0], 0) : lower_bits(x, UINT32_MAX, false);
	struct uop *u = control(x, SX_WARPSYNC);
	u->a = row;
	u->x[0] = lower_has(x, "EXCLUSIVE") || lower_has(x, "COLLECTIVE");
	if (lower_has(x, "COLLECTIVE")) {
		u->x[3] = 1;
		u->imm = (int64_t)target(x);
	}
}

static void yield(struct lower *x) { control(x, SX_YIELD); }

// Moves of B registers; MACTIVE is the lanes that are here.
static void bmov(struct lower *x)
{
	enum { TO_B = 0x156, B_TO_B = 7 };
	struct sass_word w = x->i.word;
	unsigned from = (unsigned)sass_run(w, 24, 5), to = (unsigned)sass_run(w, 16, 5);
	if (x->i.row->group == TO_B) {
		if (from >= SX_N_B) {
			lower_fail(x, "this form is not executed by this version");
			return;
		}
		int32_t row = lower_raw(x, &x->src[0], 0);
		lower_emit3(x, "mov.b32", row_of_b(x, from), row, 0, 0);
		return;
	}
	bool to_b = x->i.form == B_TO_B;
	int32_t d = to_b ? row_of_b(x, to) : lower_dst(x);
	if (from == SASS_MACTIVE) {
		lower_emit3(x, "activemask.b32", d, 0, 0, 0);
		return;
	}
	int32_t b = row_of_b(x, from);
	lower_emit3(x, "mov.b32", d, b, 0, 0);
	if (lower_has(x, "CLEAR"))
		lower_emit3(x, "mov.b32", b, SX_AT_ZERO, 0, 0);
}

static void bar(struct lower *x)
{
	enum { PACKED = 1, REGISTER = 2 };
	struct sass_word w = x->i.word;
	bool reduces = lower_has(x, "RED.POPC") || lower_has(x, "RED.AND") || lower_has(x, "RED.OR");
	if (lower_has(x, "SCAN")) {
		lower_fail(x, "is not executed by this version");
		return;
	}
	int32_t id, count = 0;
	uint32_t n = (uint32_t)sass_run(w, 42, 12);
	if (x->i.form == PACKED) {
		id = lower_raw(x, &x->src[0], 0);
	} else {
		id = x->i.form == REGISTER ? lower_raw(x, &x->src[0], 0) : lower_bits(x, sass_run(w, 54, 4), false);
		count = n ? lower_bits(x, n, false) : 0;
	}
	struct sx_pred p = reduces ? x->pin[0] : (struct sx_pred){0};
	if (reduces)
		lower_extra(x, SX_RESULT);
	struct uop *u = lower_ctl(x, SX_BAR);
	u->a = id;
	u->b = count;
	u->c = p.at;
	u->flags |= (p.neg ? UOP_NEG_C : 0) | UOP_ALIGNED;
	u->x[0] = lower_has(x, "ARV") ? UOP_BAR_ARRIVE : lower_has(x, "RED.POPC") ? UOP_BAR_POPC : lower_has(x, "RED.AND") ? UOP_BAR_AND :
	          lower_has(x, "RED.OR") ? UOP_BAR_OR : UOP_BAR_SYNC;
	u->x[3] = x->i.form == PACKED;
}

static void nothing(struct lower *x) { lower_emit(x, "sass.nop"); }

static void nanosleep(struct lower *x) { control(x, SX_YIELD); }

static void bpt(struct lower *x) { lower_ctl(x, SX_TRAP); }

const struct lower_op lower_flow_ops[] = {
	{"BRA", bra, "U DIV CONV ANY"}, {"BRX", brx, ""}, {"BRXU", brx, ""},
	{"CALL", call, "REL ABS NOINC"}, {"RET", ret, "REL ABS NODEC"}, {"LEPC", lepc, ""}, {"EXIT", leave, ""},
	{"BSSY", bssy, "RELIABLE RECONVERGENT"}, {"BSYNC", bsync, "RELIABLE RECONVERGENT"}, {"BREAK", break_from, "RELIABLE RECONVERGENT"}, {"WARPSYNC", warpsync, "ALL EXCLUSIVE COLLECTIVE"},
	{"ENDCOLLECTIVE", nothing, ""}, {"YIELD", yield, ""}, {"BMOV", bmov, "32 CLEAR"},
	{"BAR", bar, "SYNC ARV RED POPC AND OR DEFER_BLOCKING"}, {"NOP", nothing, ""}, {"NANOSLEEP", nanosleep, "WARP SYNCS"},
	{"BPT", bpt, "TRAP"}, {0},
};
