// Instructions between lanes, and between registers and uniform registers; special registers.
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

// Rows and immediates by form: the lane, then the bounds.
static void shfl(struct lower *x)
{
	static const char *const key[] = {"shfl.idx.b32", "shfl.up.b32", "shfl.down.b32", "shfl.bfly.b32"};
	enum { REGS = 1, REG_IMM = 2, IMM_REG = 4, IMMS = 7 };
	struct sass_word w = x->i.word;
	unsigned form = x->i.form, next = 1;
	int32_t a = lower_raw(x, &x->src[0], 0), lane, bounds;
	lane = form == REGS || form == REG_IMM ? lower_raw(x, &x->src[next++], 0) : lower_bits(x, sass_run(w, 53, 5), false);
	bounds = form == REGS || form == IMM_REG ? lower_raw(x, &x->src[next], 0) : lower_bits(x, sass_run(w, 40, 13), false);
	struct uop *u = lower_emit3(x, key[sass_run(w, 58, 2)], lower_dst(x), a, lane, bounds);
	u->x[0] = x->pout[0];
	u->x[3] = SX_AT_ZERO; // no lane is a member that is not here
}

static struct uop *vote_micro(struct lower *x, const char *key, int32_t to)
{
	struct uop *u = lower_emit3(x, key, to, x->pin[0].at, 0, 0);
	u->flags |= x->pin[0].neg ? UOP_NEG_A : 0;
	return u;
}

static const char *vote_key(const struct lower *x)
{
	return lower_has(x, "ALL") ? "vote.all.pred" : lower_has(x, "ANY") ? "vote.any.pred" : "vote.uni.pred";
}

// The predicate may be read by both micro-ops and written by one, which therefore is the last.
static void vote(struct lower *x)
{
	if (x->dst != SX_RZ)
		vote_micro(x, "vote.ballot.b32", lower_dst(x));
	if (x->pout_used[0] || x->dst == SX_RZ)
		vote_micro(x, vote_key(x), x->pout[0]);
}

static void uniform_predicate(struct lower *x, int32_t to, int32_t from) { lower_emit3(x, "sass.broadcast.pred", to, from, 0, 0); }

static void voteu(struct lower *x)
{
	if (x->dst != SX_URZ) {
		int32_t row = lower_temp(x, 4);
		vote_micro(x, "vote.ballot.b32", row);
		lower_broadcast(x, lower_dst(x), row);
	}
	if (x->pout_used[0]) {
		int32_t p = lower_ptemp(x);
		vote_micro(x, vote_key(x), p);
		uniform_predicate(x, x->pout[0], p);
	}
}

static void match(struct lower *x)
{
	bool all = lower_has(x, "ALL"), wide = lower_has(x, "U64");
	int32_t a = wide ? lower_pair(x, 0) : lower_raw(x, &x->src[0], 0);
	char key[40];
	snprintf(key, sizeof key, "match.%s.sync.b%u", all ? "all" : "any", wide ? 64 : 32);
	lower_emit3(x, key, lower_dst(x), a, 0, 0)->x[0] = x->pout[0];
}

static void credux(struct lower *x)
{
	char key[40];
	int32_t a = lower_raw(x, &x->src[0], 0), row = lower_temp(x, 4);
	snprintf(key, sizeof key, "redux.sync.%s.%s", lower_has(x, "MIN") ? "min" : "max", lower_has(x, "S32") ? "s32" : "u32");
	lower_emit3(x, key, row, a, 0, 0);
	lower_broadcast(x, lower_dst(x), row);
}

static void redux(struct lower *x)
{
	static const char *const op[8] = {"and", "or", "xor", "add", "min", "max"};
	unsigned k = (unsigned)sass_run(x->i.word, 78, 3);
	char key[40];
	if (k > 5) {
		lower_fail(x, "this operation is not executed by this version");
		return;
	}
	int32_t a = lower_raw(x, &x->src[0], 0), row = lower_temp(x, 4);
	snprintf(key, sizeof key, "redux.sync.%s.%s", op[k], k < 3 ? "b32" : lower_has(x, "S32") ? "s32" : "u32");
	lower_emit3(x, key, row, a, 0, 0);
	lower_broadcast(x, lower_dst(x), row);
}

// The predicate holds for the lanes whose value is not the one that the uniform register gets. So code that ptxas makes of votes with
// member masks has it: lanes for which it does not hold compare themselves with all masks together (BRA.DIV).
static void r2ur(struct lower *x)
{
	int32_t from = lower_raw(x, &x->src[0], 0), to = x->dst == SX_URZ ? lower_temp(x, 4) : lower_dst(x);
	lower_broadcast(x, to, from);
	if (x->pout_used[0])
		lower_emit3(x, lower_has(x, "OR") ? "setp.ne.or.u32" : "setp.ne.u32", x->pout[0], from, to, x->pout[0])->x[0] = SX_AT_P_SINK;
}

// The predicate holds for the first of the lanes that are here; the uniform register is its number.
static void elect(struct lower *x)
{
	int32_t row = lower_temp(x, 4);
	if (!x->pin[0].always)
		lower_fail(x, "an election among lanes by a predicate is not executed by this version");
	lower_emit3(x, "elect.sync", row, 0, 0, 0)->x[0] = x->pout[0];
	if (x->dst != SX_URZ)
		lower_broadcast(x, lower_dst(x), row);
}

// --- special registers

enum { CLOCKLO = 80, CLOCKHI = 81, TIMERLO = 82, TIMERHI = 83, SRZ = 255 };

static bool is_clock(unsigned n) { return n >= CLOCKLO && n <= TIMERHI; }

static void clock_at(struct lower *x, unsigned n, int32_t row, bool wide)
{
	struct uop *u = lower_ctl(x, SX_CLOCK);
	u->d = row;
	u->x[0] = wide;
	u->imm = n >= TIMERLO;
	u->x[3] = n == CLOCKHI || n == TIMERHI;
}

static unsigned special_number(const struct lower *x) { return (unsigned)sass_run(x->i.word, 72, 8); }

static void s2r(struct lower *x)
{
	unsigned n = special_number(x);
	if (is_clock(n))
		clock_at(x, n, lower_dst(x), false);
	else
		lower_emit3(x, "mov.b32", lower_dst(x), n == SRZ ? SX_AT_ZERO : lower_special(x, n), 0, 0);
}

static void s2ur(struct lower *x)
{
	unsigned n = special_number(x);
	if (is_clock(n)) {
		clock_at(x, n, lower_dst(x), false);
	} else
		lower_broadcast(x, lower_dst(x), n == SRZ ? SX_AT_ZERO : lower_special(x, n));
}

static void cs2r(struct lower *x)
{
	unsigned n = special_number(x);
	bool narrow = lower_has(x, "32");
	if (is_clock(n)) {
		clock_at(x, n, lower_dst(x), !narrow);
		return;
	}
	lower_emit3(x, "mov.b32", lower_dst_at(x, 0), n == SRZ ? SX_AT_ZERO : lower_special(x, n), 0, 0);
	if (!narrow)
		lower_emit3(x, "mov.b32", lower_dst_at(x, 1), n == SRZ ? SX_AT_ZERO : lower_special(x, n + 1), 0, 0);
}

// To two uniform registers, or with .32 to one.
static void cs2ur(struct lower *x)
{
	unsigned n = special_number(x), narrow = lower_has(x, "32");
	if (is_clock(n)) {
		clock_at(x, n, lower_dst(x), !narrow);
		return;
	}
	for (unsigned k = 0; k < (narrow ? 1 : 2); k++)
		lower_broadcast(x, lower_dst_at(x, k), n == SRZ ? SX_AT_ZERO : lower_special(x, n + k));
}

// Rpc keeps what a compiler puts there; calls use registers.
static void rpcmov(struct lower *x)
{
	int32_t rpc = lower_extra(x, SX_RPC) + (int32_t)sass_bit(x->i.word, 31) * SX_ROW;
	if (x->has_dst)
		lower_emit3(x, "mov.b32", lower_dst(x), rpc, 0, 0);
	else
		lower_emit3(x, "mov.b32", rpc, lower_raw(x, &x->src[0], 0), 0, 0);
}

// What the last BAR.RED of the warp gave.
static void b2r(struct lower *x)
{
	lower_emit3(x, "mov.b32", lower_dst(x), lower_extra(x, SX_RESULT), 0, 0);
	if (x->pout_used[0])
		lower_emit3(x, "mov.pred", x->pout[0], SX_AT_P_RESULT, 0, 0);
}

const struct lower_op lower_warp_ops[] = {
	{"SHFL", shfl, "IDX UP DOWN BFLY"}, {"VOTE", vote, "ALL ANY EQ"}, {"VOTEU", voteu, "ALL ANY EQ"},
	{"MATCH", match, "ALL ANY U64"}, {"REDUX", redux, "AND OR XOR SUM MIN MAX S32"}, {"R2UR", r2ur, "OR BROADCAST"},
	{"ELECT", elect, ""}, {"S2R", s2r, ""}, {"S2UR", s2ur, ""}, {"CS2R", cs2r, "32"}, {"CS2UR", cs2ur, "32"}, {"CREDUX", credux, "MIN MAX S32"}, {"RPCMOV", rpcmov, "32"}, {"B2R", b2r, "RESULT"}, {0},
};
