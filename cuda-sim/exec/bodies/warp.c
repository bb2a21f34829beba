// Instructions that look at other lanes: shuffles, votes, match, redux. `mask` holds the lanes that take part; those of
// the member mask have been gathered by the caller.
#include "cuda-sim/exec/lanes.h"

static inline void set_pred(uint8_t *fp, int32_t off, uint32_t mask, uint32_t value)
{
	PRED(off) = (PRED(off) & ~mask) | (value & mask);
}

// Shuffles. Operand c packs the segment mask (bits 8-12) and the clamp value (bits 0-4); see shfl in the PTX ISA. A
// lane reads the row of its source lane even if that lane is not active, which PTX leaves undefined.
#define SHFL(name, source, limit, in_range)                                                            \
	BODY(name)                                                                                     \
	{                                                                                              \
		uint32_t *rd = ROW(uint32_t, u->d);                                                    \
		const uint32_t *ra = ROW(const uint32_t, u->a), *rb = ROW(const uint32_t, u->b),       \
			       *rc = ROW(const uint32_t, u->c);                                        \
		_Alignas(64) uint32_t from[WARP], in[WARP], value[WARP];                               \
		EXEC_VECTOR for (uint32_t i = 0; i < WARP; i++) {                                      \
			const uint32_t b = rb[i] & 31, seg = rc[i] >> 8 & 31, c = rc[i] & 31;          \
			const int32_t max = (int32_t)((i & seg) | (c & ~seg)), min = (int32_t)(i & seg); \
			const int32_t j = (int32_t)(source);                                           \
			(void)max, (void)min;                                                          \
			in[i] = (in_range) ? ~0u : 0;                                                  \
			from[i] = (in_range) ? (uint32_t)j & 31 : i;                                   \
		}                                                                                      \
		for (unsigned i = 0; i < WARP; i++)                                                    \
			value[i] = ra[from[i]];                                                        \
		uint32_t p = MASK_OF(in[i]);                                                           \
		LANES(uint32_t, rd, value[i]);                                                         \
		set_pred(fp, u->x[0], mask, p);                                                        \
	}

SHFL(shfl_up, i - b, max, j >= max)
SHFL(shfl_down, i + b, max, j <= max)
SHFL(shfl_bfly, i ^ b, max, j <= max)
SHFL(shfl_idx, (uint32_t)min | (b & ~seg), max, j <= max)

// Votes. p is the lanes of the mask for which the predicate operand holds.
static inline uint32_t vote_operand(const uint8_t *fp, const struct uop *u, uint32_t mask)
{
	uint32_t p = *(const uint32_t *)(fp + u->a);

	return (u->flags & UOP_NEG_A ? ~p : p) & mask;
}

#define VOTE(name, cond)                                                            \
	BODY(name)                                                                  \
	{                                                                           \
		const uint32_t p = vote_operand(fp, u, mask);                       \
		set_pred(fp, u->d, mask, (cond) ? ~0u : 0);                         \
	}

VOTE(vote_all, p == mask)
VOTE(vote_any, p != 0)
VOTE(vote_uni, p == 0 || p == mask)

BODY(vote_ballot)
{
	const uint32_t p = vote_operand(fp, u, mask);
	uint32_t *rd = ROW(uint32_t, u->d);

	LANES(uint32_t, rd, p);
}

BODY(activemask)
{
	uint32_t *rd = ROW(uint32_t, u->d);

	LANES(uint32_t, rd, mask);
}

// elect.sync d|p: the lowest lane is the leader; p holds for it, d is its number.
BODY(elect)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t leader = (uint32_t)__builtin_ctz(mask);

	LANES(uint32_t, rd, leader);
	set_pred(fp, u->x[0], mask, 1u << leader);
}

// match: groups of lanes that hold the same value. Each round takes the first lane not yet in a group.
#define MATCH(name_any, name_all, T)                                                \
	BODY(name_any)                                                              \
	{                                                                           \
		uint32_t *rd = ROW(uint32_t, u->d);                                 \
		_Alignas(64) T a[WARP];                                             \
		memcpy(a, ROW(const T, u->a), sizeof a);                            \
		for (uint32_t rest = mask; rest;) {                                 \
			const T v = a[__builtin_ctz(rest)];                         \
			const uint32_t group = MASK_OF(a[i] == v) & rest;           \
			for (uint32_t g = group; g; g &= g - 1)                     \
				rd[__builtin_ctz(g)] = group;                       \
			rest &= ~group;                                             \
		}                                                                   \
	}                                                                           \
	BODY(name_all)                                                              \
	{                                                                           \
		uint32_t *rd = ROW(uint32_t, u->d);                                 \
		const T *ra = ROW(const T, u->a), v = ra[__builtin_ctz(mask)];      \
		const uint32_t same = (MASK_OF(ra[i] == v) & mask) == mask ? mask : 0; \
		LANES(uint32_t, rd, same);                                          \
		set_pred(fp, u->x[0], mask, same);                                  \
	}

MATCH(match_any_b32, match_all_b32, uint32_t)
MATCH(match_any_b64, match_all_b64, uint64_t)

#define REDUX(name, T, expr)                                                        \
	BODY(name)                                                                  \
	{                                                                           \
		T *rd = ROW(T, u->d);                                               \
		const T *ra = ROW(const T, u->a);                                   \
		T r = ra[__builtin_ctz(mask)];                                      \
		for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {               \
			const T a = ra[__builtin_ctz(m)];                           \
			r = (T)(expr);                                              \
		}                                                                   \
		LANES(T, rd, r);                                                    \
	}

REDUX(redux_add, uint32_t, r + a)
REDUX(redux_and, uint32_t, r & a)
REDUX(redux_or, uint32_t, r | a)
REDUX(redux_xor, uint32_t, r ^ a)
REDUX(redux_min_u32, uint32_t, a < r ? a : r)
REDUX(redux_max_u32, uint32_t, a > r ? a : r)
REDUX(redux_min_s32, int32_t, a < r ? a : r)
REDUX(redux_max_s32, int32_t, a > r ? a : r)

// f32: ordered as sign-magnitude integers, so that -0 < +0. NaNs are passed over, or with .NaN win; the NaN given is
// the canonical one.
#define CANONICAL_NAN 0x7fffffffu

static inline int32_t order_f32(uint32_t v)
{
	return v & 0x80000000u ? (int32_t)(v ^ 0x7fffffffu) : (int32_t)v;
}

static inline uint32_t redux_f32(const uint32_t *ra, uint32_t mask, bool max, bool abs, bool nan)
{
	uint32_t r = CANONICAL_NAN;
	bool any = false;

	for (uint32_t m = mask; m; m &= m - 1) {
		const uint32_t raw = ra[__builtin_ctz(m)], a = abs ? raw & 0x7fffffffu : raw;

		if ((a & 0x7fffffffu) > 0x7f800000u) {
			if (nan)
				return CANONICAL_NAN;
		} else if (!any || (max ? order_f32(a) > order_f32(r) : order_f32(a) < order_f32(r))) {
			r = a;
			any = true;
		}
	}
	return r;
}

#define REDUX_F32(name, max, abs, nan)                                              \
	BODY(name)                                                                  \
	{                                                                           \
		uint32_t *rd = ROW(uint32_t, u->d);                                 \
		const uint32_t r = redux_f32(ROW(const uint32_t, u->a), mask, max, abs, nan); \
		LANES(uint32_t, rd, r);                                             \
	}

REDUX_F32(redux_min_f32, false, false, false)
REDUX_F32(redux_max_f32, true, false, false)
REDUX_F32(redux_min_abs_f32, false, true, false)
REDUX_F32(redux_max_abs_f32, true, true, false)
REDUX_F32(redux_min_nan_f32, false, false, true)
REDUX_F32(redux_max_nan_f32, true, false, true)
REDUX_F32(redux_min_abs_nan_f32, false, true, true)
REDUX_F32(redux_max_abs_nan_f32, true, true, true)

const struct exec_body EXEC_TABLE(warp)[] = {
	{"shfl.sync.up.b32", shfl_up},
	{"shfl.sync.down.b32", shfl_down},
	{"shfl.sync.bfly.b32", shfl_bfly},
	{"shfl.sync.idx.b32", shfl_idx},
	{"shfl.up.b32", shfl_up},
	{"shfl.down.b32", shfl_down},
	{"shfl.bfly.b32", shfl_bfly},
	{"shfl.idx.b32", shfl_idx},
	{"vote.sync.all.pred", vote_all},
	{"vote.sync.any.pred", vote_any},
	{"vote.sync.uni.pred", vote_uni},
	{"vote.sync.ballot.b32", vote_ballot},
	{"vote.all.sync.pred", vote_all},
	{"vote.any.sync.pred", vote_any},
	{"vote.uni.sync.pred", vote_uni},
	{"vote.ballot.sync.b32", vote_ballot},
	{"vote.all.pred", vote_all},
	{"vote.any.pred", vote_any},
	{"vote.uni.pred", vote_uni},
	{"vote.ballot.b32", vote_ballot},
	{"match.any.sync.b32", match_any_b32},
	{"match.any.sync.b64", match_any_b64},
	{"match.all.sync.b32", match_all_b32},
	{"match.all.sync.b64", match_all_b64},
	{"redux.sync.add.u32", redux_add},
	{"redux.sync.add.s32", redux_add},
	{"redux.sync.min.u32", redux_min_u32},
	{"redux.sync.min.s32", redux_min_s32},
	{"redux.sync.max.u32", redux_max_u32},
	{"redux.sync.max.s32", redux_max_s32},
	{"redux.sync.and.b32", redux_and},
	{"redux.sync.or.b32", redux_or},
	{"redux.sync.xor.b32", redux_xor},
	{"redux.sync.min.f32", redux_min_f32},
	{"redux.sync.max.f32", redux_max_f32},
	{"redux.sync.min.abs.f32", redux_min_abs_f32},
	{"redux.sync.max.abs.f32", redux_max_abs_f32},
	{"redux.sync.min.NaN.f32", redux_min_nan_f32},
	{"redux.sync.max.NaN.f32", redux_max_nan_f32},
	{"redux.sync.min.abs.NaN.f32", redux_min_abs_nan_f32},
	{"redux.sync.max.abs.NaN.f32", redux_max_abs_nan_f32},
	{"activemask.b32", activemask},
	{"elect.sync", elect},
	{0},
};
