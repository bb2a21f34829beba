// Instructions that look at other lanes, move values, ask for address spaces, branch, call and wait.
#ifndef TESTS_OPS_WARP_H
#define TESTS_OPS_WARP_H

#include "tests/unit/ops_float.h"

// PTX ISA, shfl: the source lane of each mode and whether it is in range. A lane that is neither here nor a member gives
// 0. Of a member that is not here nothing is said, so lanes that would read one are not compared: they get what the
// instruction gave.
static bool warp_any(const struct op_in *x, uint64_t want, uint64_t got) { return true; }

static void shfl(struct op_in *x, char mode, bool members)
{
	int lane = (int)x->lane, b = (int)(x->v[1] & 31), c = (int)(x->v[2] & 31), seg = (int)(x->v[2] >> 8 & 31);
	int max = (lane & seg) | (c & ~seg), min = lane & seg;
	int j = mode == 'u' ? lane - b : mode == 'd' ? lane + b : mode == 'b' ? lane ^ b : min | (b & ~seg);
	bool in = mode == 'u' ? j >= max : j <= max;
	j = in ? j : lane;
	x->d[1] = in;
	if (j >= 0 && j < 32 && x->lanes >> j & 1)
		x->d[0] = x->warp[j].v[0];
	else if (members)
		x->d[0] = 0;
	else
		x->close = warp_any;
}
static void ref_shfl_up(struct op_in *x) { shfl(x, 'u', false); }
static void ref_shfl_sync_up(struct op_in *x) { shfl(x, 'u', true); }
static void ref_shfl_down(struct op_in *x) { shfl(x, 'd', false); }
static void ref_shfl_sync_down(struct op_in *x) { shfl(x, 'd', true); }
static void ref_shfl_bfly(struct op_in *x) { shfl(x, 'b', false); }
static void ref_shfl_sync_bfly(struct op_in *x) { shfl(x, 'b', true); }
static void ref_shfl_idx(struct op_in *x) { shfl(x, 'i', false); }
static void ref_shfl_sync_idx(struct op_in *x) { shfl(x, 'i', true); }

// Lanes whose first source is v.
static uint32_t warp_with(const struct op_in *x, uint64_t v)
{
	uint32_t r = 0;
	for (unsigned k = 0; k < 32; k++)
		if (x->lanes >> k & 1 && x->warp[k].v[0] == v)
			r |= 1u << k;
	return r;
}

static void ref_vote_all(struct op_in *x) { x->d[0] = warp_with(x, 1) == x->lanes; }
static void ref_vote_any(struct op_in *x) { x->d[0] = warp_with(x, 1) != 0; }
static void ref_vote_uni(struct op_in *x) { x->d[0] = warp_with(x, 1) == x->lanes || warp_with(x, 0) == x->lanes; }
static void ref_ballot(struct op_in *x) { x->d[0] = warp_with(x, 1); }
static void ref_match_any(struct op_in *x) { x->d[0] = warp_with(x, x->v[0]); }
static void ref_match_all(struct op_in *x)
{
	x->d[1] = warp_with(x, x->v[0]) == x->lanes;
	x->d[0] = x->d[1] ? x->lanes : 0;
}
static void ref_activemask(struct op_in *x) { x->d[0] = x->lanes; }
static void ref_elect(struct op_in *x)
{
	x->d[0] = 0; // every warp of the test has lane 0
	x->d[1] = x->lane == 0;
}

static void redux(struct op_in *x, char op)
{
	bool first = true, any_nan = false;
	long double r = NAN;
	big n = 0;
	for (unsigned k = 0; k < 32; k++) {
		if (!(x->lanes >> k & 1))
			continue;
		uint64_t v = x->warp[k].v[0];
		if (x->t == PTX_T_F32) {
			long double f = ops_decode(x->t, x->m->abs ? v & 0x7fffffff : v, false);
			any_nan |= isnan(f);
			if (!isnan(f) &&
			    (isnan(r) || (op == '<' ? f < r || (f == r && signbit(f)) : f > r || (f == r && !signbit(f)))))
				r = f;
			continue;
		}
		big a = ops_number(v, 32, ops_signed(x->t));
		n = first ? a : op == '+' ? n + a : op == '<' ? (a < n ? a : n) : op == '>' ? (a > n ? a : n)
		    : op == '&' ? (n & a) : op == '|' ? (n | a) : (n ^ a);
		first = false;
	}
	x->d[0] = x->t == PTX_T_F32 ? encode(&f32, x->m->nan && any_nan ? NAN : r) : (uint64_t)n;
}
static void ref_redux_add(struct op_in *x) { redux(x, '+'); }
static void ref_redux_min(struct op_in *x) { redux(x, '<'); }
static void ref_redux_max(struct op_in *x) { redux(x, '>'); }
static void ref_redux_and(struct op_in *x) { redux(x, '&'); }
static void ref_redux_or(struct op_in *x) { redux(x, '|'); }
static void ref_redux_xor(struct op_in *x) { redux(x, '^'); }

static void ref_mov(struct op_in *x) { x->d[0] = x->v[0]; }
static void ref_none(struct op_in *x) {}

// Pieces of PTX: what they leave in %rd40 and %rd41 of the values v.
static void ref_pack64(struct op_in *x) { x->d[0] = (uint32_t)x->v[0] | x->v[1] << 32, x->d[1] = (uint32_t)x->v[1]; }
static void ref_pack16(struct op_in *x)
{
	x->d[0] = (uint64_t)(uint16_t)x->v[0] | (uint64_t)(uint16_t)x->v[1] << 16 | (uint64_t)(uint16_t)x->v[2] << 32 |
	          x->v[3] << 48;
	x->d[1] = (uint16_t)x->v[2];
}
static void ref_pack32(struct op_in *x)
{
	x->d[0] = (uint16_t)x->v[0] | (uint32_t)x->v[1] << 16, x->d[1] = (uint16_t)x->v[1];
}
static void ref_pack128(struct op_in *x) { x->d[0] = x->v[0], x->d[1] = x->v[1]; }
static void ref_alloca(struct op_in *x) { x->d[0] = x->v[0]; }
static void ref_one(struct op_in *x) { x->d[0] = 1; }
static void ref_swap_odd(struct op_in *x) { x->d[0] = x->v[0] & 1 ? x->v[1] : x->v[2]; }
static void ref_table(struct op_in *x) { x->d[0] = 10 * ((x->v[0] & 3) % 3 + 1); }
static void ref_factorial(struct op_in *x)
{
	x->d[0] = 1;
	for (uint64_t n = x->v[0] & 7; n > 1; n--)
		x->d[0] *= n;
}
// Of the block: x->warp - (lanes before) is its first lane.
static const struct op_in *warp_block(const struct op_in *x)
{
	const struct op_in *first = x->warp;
	while (first->block_lane)
		first--;
	return first;
}
static unsigned warp_count(const struct op_in *x)
{
	unsigned n = 0;
	for (unsigned k = 0; k < OPS_BLOCK; k++)
		n += warp_block(x)[k].v[0] & 1;
	return n;
}
static void ref_bar_popc(struct op_in *x) { x->d[0] = warp_count(x); }
static void ref_bar_and(struct op_in *x) { x->d[0] = warp_count(x) == OPS_BLOCK; }
static void ref_bar_or(struct op_in *x) { x->d[0] = warp_count(x) != 0; }
// Every thread leaves a value in shared memory and reads its neighbour's after the barrier.
static void ref_neighbour(struct op_in *x)
{
	x->d[0] = warp_block(x)[(x->block_lane + 1) % OPS_BLOCK].v[0];
}

#define SHARE(sync) \
	"st.shared.b64 [%shp], %rd0; " sync " mov.u32 %r30, %tid.x; add.u32 %r30, %r30, 1; rem.u32 %r30, %r30, 80;\n" \
	"shl.b32 %r30, %r30, 6; mov.u32 %r31, sh; add.u32 %r30, %r30, %r31; ld.shared.b64 %rd40, [%r30]; bar.sync 0;"
#define RED(name, op, to) name ".red." op " " to ", 0, %p0;"
#define PRED_OUT "selp.b64 %rd40, 1, 0, %p9;"
#define POPC_OUT "cvt.u64.u32 %rd40, %r9;"
// A generic address of each space, its space asked for, and the way back.
#define THROUGH(space, from) \
	from " cvta." space ".u64 %rd30, %rd30; isspacep." space " %p9, %rd30; selp.b64 %rd40, 1, 0, %p9;"
#define BACK(space, from) \
	from " cvta." space ".u64 %rd31, %rd30; cvta.to." space ".u64 %rd31, %rd31; setp.eq.u64 %p9, %rd30, %rd31; " \
		"selp.b64 %rd40, 1, 0, %p9;"

static const struct op_case ops_warp[] = {
	{"shfl.sync.up.b32 #2={0,0x1800,0x1000,3} #3=lanes", ref_shfl_sync_up},
	{"shfl.up.b32 #2={0,0x1800,0x1000,3}", ref_shfl_up},
	{"shfl.sync.down.b32 #2={0x1f,0x181f,0x100f,7} #3=lanes", ref_shfl_sync_down},
	{"shfl.down.b32 #2={0x1f,0x181f,0x100f,7}", ref_shfl_down},
	{"shfl.sync.bfly.b32 #2={0x1f,0x181f,0x100f,7} #3=lanes", ref_shfl_sync_bfly},
	{"shfl.bfly.b32 #2={0x1f,0x181f,0x100f,7}", ref_shfl_bfly},
	{"shfl.sync.idx.b32 #2={0x1f,0x181f,0x100f,7} #3=lanes", ref_shfl_sync_idx},
	{"shfl.idx.b32 #2={0x1f,0x181f,0x100f,7}", ref_shfl_idx},
	{"vote.sync.all.pred #1=lanes", ref_vote_all},
	{"vote.all.pred", ref_vote_all},
	{"vote.sync.any.pred #1=lanes", ref_vote_any},
	{"vote.any.pred", ref_vote_any},
	{"vote.sync.uni.pred #1=lanes", ref_vote_uni},
	{"vote.uni.pred", ref_vote_uni},
	{"vote.sync.ballot.b32 #1=lanes", ref_ballot},
	{"vote.ballot.b32", ref_ballot},
	{"match.any.sync.{b32,b64} #1=lanes", ref_match_any},
	{"match.all.sync.{b32,b64} #1=lanes", ref_match_all},
	{"match.all.sync.{b32,b64} #0=77 #1=lanes", ref_match_all},
	{"activemask.b32", ref_activemask},
	{"elect.sync #0=lanes", ref_elect},
	{"redux.sync.add.{u32,s32} #1=lanes", ref_redux_add},
	{"redux.sync.min.{u32,s32,f32,abs.f32,NaN.f32,abs.NaN.f32} #1=lanes", ref_redux_min},
	{"redux.sync.max.{u32,s32,f32,abs.f32,NaN.f32,abs.NaN.f32} #1=lanes", ref_redux_max},
	{"redux.sync.and.b32 #1=lanes", ref_redux_and},
	{"redux.sync.or.b32 #1=lanes", ref_redux_or},
	{"redux.sync.xor.b32 #1=lanes", ref_redux_xor},
};

static const struct op_case ops_mov[] = {
	{"mov.{u16,s16,b16,f16,bf16,u32,s32,b32,f32,f16x2,bf16x2,u64,s64,b64,f64,b128,pred}", ref_mov},
	{"mov.{u64,s64,b64} #0={123456789012,-123456789012}", ref_mov},
	{"mov.b64 = mov.b64 %rd40, {%r0, %r1}; mov.b64 {_, %r9}, %rd40; cvt.u64.u32 %rd41, %r9;", ref_pack64},
	{"mov.b64 = mov.b64 %rd40, {%rh0, %rh1, %rh2, %rh3}; mov.b64 {_, _, %rh9, _}, %rd40; cvt.u64.u16 %rd41, %rh9;", ref_pack16},
	{"mov.b32 = mov.b32 %r8, {%rh0, %rh1}; cvt.u64.u32 %rd40, %r8; mov.b32 {_, %rh9}, %r8; cvt.u64.u16 %rd41, %rh9;", ref_pack32},
	{"mov.b128 = mov.b128 %q1, {%rd0, %rd1}; mov.b128 %q2, %q1; mov.b128 {%rd40, %rd41}, %q2;", ref_pack128},
	{"cvta.global.u64 = " THROUGH("global", "mov.u64 %rd30, %slot;"), ref_one},
	{"cvta.shared.u64 = " THROUGH("shared", "cvt.u64.u32 %rd30, %shp;"), ref_one},
	{"cvta.shared::cta.u64 = " THROUGH("shared::cta", "cvt.u64.u32 %rd30, %shp;"), ref_one},
	{"cvta.shared::cluster.u64 = " THROUGH("shared::cluster", "cvt.u64.u32 %rd30, %shp;"), ref_one},
	{"cvta.local.u64 = " THROUGH("local", "cvt.u64.u32 %rd30, %lop;"), ref_one},
	{"cvta.const.u64 = " THROUGH("const", "mov.u64 %rd30, fixed;"), ref_one},
	{"alloca.u64 = and.b64 %rd31, %rd0, 31; add.u64 %rd31, %rd31, 8; alloca.u64 %rd30, %rd31, 32; alloca.u64 %rd32, %rd31; "
		"st.local.b64 [%rd30], %rd0; st.local.b64 [%rd32], %rd1; ld.local.b64 %rd40, [%rd30]; and.b64 %rd41, %rd30, 31;", ref_alloca},
	{"alloca.u32 = and.b32 %r31, %r0, 31; add.u32 %r31, %r31, 8; alloca.u32 %r30, %r31; st.local.b64 [%r30], %rd0; "
		"ld.local.b64 %rd40, [%r30]; and.b32 %r9, %r30, 7; cvt.u64.u32 %rd41, %r9;", ref_alloca},
	{"stacksave.u64 = stacksave.u64 %rd30; alloca.u64 %rd31, 24; stacksave.u64 %rd32; setp.eq.u64 %p9, %rd31, %rd32; " PRED_OUT, ref_one},
	{"stacksave.u32 = stacksave.u32 %r30; alloca.u32 %r31, 24; stacksave.u32 %r32; setp.eq.u32 %p9, %r31, %r32; " PRED_OUT, ref_one},
	{"stackrestore.u64 = stacksave.u64 %rd30; alloca.u64 %rd31, 24; stackrestore.u64 %rd30; alloca.u64 %rd32, 24; "
		"setp.eq.u64 %p9, %rd31, %rd32; " PRED_OUT, ref_one},
	{"stackrestore.u32 = stacksave.u32 %r30; alloca.u32 %r31, 24; stackrestore.u32 %r30; alloca.u32 %r32, 24; "
		"setp.eq.u32 %p9, %r31, %r32; " PRED_OUT, ref_one},
	{"isspacep.param = mov.b64 %rd31, par; cvta.param.u64 %rd30, %rd31; isspacep.param %p9, %rd30; " PRED_OUT, ref_one},
	{"isspacep.global = cvta.global.u64 %rd30, %slot; isspacep.shared %p9, %rd30; isspacep.local %p8, %rd30; "
		"or.pred %p9, %p9, %p8; " PRED_OUT, ref_none},
	{"cvta.to.shared.u64 = " BACK("shared", "cvt.u64.u32 %rd30, %shp;"), ref_one},
	{"cvta.to.local.u64 = " BACK("local", "cvt.u64.u32 %rd30, %lop;"), ref_one},
	{"cvta.to.global.u64 = " BACK("global", "mov.u64 %rd30, %slot;"), ref_one},
	{"cvta.to.const.u64 = " BACK("const", "mov.u64 %rd30, fixed;"), ref_one},
	{"cvta.shared.u32 = cvta.shared.u32 %r30, %shp; cvta.to.shared.u32 %r30, %r30; setp.eq.u32 %p9, %r30, %shp; " PRED_OUT, ref_one},
	{"bra = @%p0 bra A; mov.b64 %rd40, %rd2; bra.uni B;\nA: mov.b64 %rd40, %rd1;\nB:", ref_swap_odd},
	{"brx.idx = and.b32 %r9, %r0, 3; rem.u32 %r9, %r9, 3;\nTS: .branchtargets A, B, C;\nbrx.idx %r9, TS;\n"
	 "A: mov.b64 %rd40, 10; bra E;\nB: mov.b64 %rd40, 20; bra E;\nC: mov.b64 %rd40, 30;\nE:", ref_table},
	{"call = and.b32 %r9, %r0, 7; { .param .b32 a; st.param.b32 [a], %r9; .param .b32 v; call (v), fact, (a); "
		"ld.param.b32 %r9, [v]; } " POPC_OUT, ref_factorial},
	{"ret = { .param .b32 a; st.param.b32 [a], 1; .param .b32 v; call.uni (v), fact, (a); ld.param.b32 %r9, [v]; } " POPC_OUT, ref_one},
	{"bar.sync = " SHARE("bar.sync 0;"), ref_neighbour},
	{"bar.cta.sync = " SHARE("bar.cta.sync 1, 96;"), ref_neighbour},
	{"barrier.sync = " SHARE("barrier.sync 0;"), ref_neighbour},
	{"barrier.cta.sync.aligned = " SHARE("barrier.cta.sync.aligned 2, 96;"), ref_neighbour},
	{"bar.arrive = setp.eq.u32 %p9, 0, 0; mov.u32 %r30, %tid.x; setp.lt.u32 %p8, %r30, 32; @%p8 bar.arrive 3, 96; "
		"@!%p8 bar.sync 3, 96; " PRED_OUT, ref_one},
	{"barrier.arrive = setp.eq.u32 %p9, 0, 0; mov.u32 %r30, %tid.x; setp.lt.u32 %p8, %r30, 32; "
		"@%p8 barrier.cta.arrive.aligned 4, 96; @!%p8 barrier.sync 4, 96; " PRED_OUT, ref_one},
	{"bar.warp.sync = bar.warp.sync %lanes; " SHARE("bar.sync 0;"), ref_neighbour},
	{"bar.red.popc.u32 = " RED("bar", "popc.u32", "%r9") POPC_OUT, ref_bar_popc},
	{"bar.red.and.pred = " RED("bar", "and.pred", "%p9") PRED_OUT, ref_bar_and},
	{"bar.red.or.pred = " RED("bar", "or.pred", "%p9") PRED_OUT, ref_bar_or},
	{"barrier.red.popc.u32 = " RED("barrier.cta", "popc.aligned.u32", "%r9") POPC_OUT, ref_bar_popc},
	{"barrier.red.and.pred = " RED("barrier", "and.pred", "%p9") PRED_OUT, ref_bar_and},
	{"barrier.red.or.pred = " RED("barrier", "or.pred", "%p9") PRED_OUT, ref_bar_or},
	{"membar.{cta,gl,sys}", NULL},
	{"membar.proxy.alias = membar.proxy.alias;", ref_none},
	{"fence.{acq_rel,sc}.{cta,cluster,gpu,sys}", NULL},
	{"fence.proxy.async = fence.proxy.async;", ref_none},
	{"nanosleep.u32 #0=20", NULL},
	{"pmevent #0={0,7}", NULL},
	{"griddepcontrol.{wait,launch_dependents}", NULL},
	{"setmaxnreg.{inc,dec}.sync.aligned.u32 #0=64", NULL},
	{"barrier.cluster.arrive = " SHARE("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"), ref_neighbour},
	{"trap = setp.ne.b32 %p9, 0, 0; @%p9 trap; mov.b64 %rd40, 1;", ref_one},
	{"brkpt = setp.ne.b32 %p9, 0, 0; @%p9 brkpt; mov.b64 %rd40, 1;", ref_one},
	{"exit = setp.ne.b32 %p9, 0, 0; @%p9 exit; mov.b64 %rd40, 1;", ref_one},
};

#endif
