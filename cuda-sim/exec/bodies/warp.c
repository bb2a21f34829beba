// Instructions that look at other lanes: shuffles, votes, match, redux, elect. `mask` holds the lanes that are here; those
// of the member masks have been gathered by the caller.
//
// Lanes may give different member masks, and a lane a mask without itself, which the PTX ISA leaves undefined. Here the
// code that ptxas makes for sm_70 to sm_89 decides. A shuffle is SHFL over the lanes that are here. A vote is VOTE, a
// match MATCH.ANY over the lanes that are here, and each lane ands the result with its own mask. Before REDUX and ELECT
// comes WARPSYNC.EXCLUSIVE, which lets the lanes of each mask go on by themselves.
#include "cuda-sim/exec/lanes.h"

static inline void set_pred(uint8_t *fp, int32_t off, uint32_t mask, uint32_t value)
{
	PRED(off) = (PRED(off) & ~mask) | (value & mask);
}

// The row of member masks; instructions without one are among all lanes.
static inline const uint32_t *members(const uint8_t *fp, const struct uop *u)
{
	static const _Alignas(64) uint32_t all[WARP] = {[0 ... WARP - 1] = FULL_MASK};

	return u->x[3] ? ROW(const uint32_t, u->x[3]) : all;
}

// Shuffles. Operand c packs the segment mask (bits 8-12) and the clamp value (bits 0-4); see shfl in the PTX ISA. A
// lane reads the row of its source lane if that lane is here or a member, which may be on the other side of a branch.
// What another lane gives is undefined in PTX; reductions by part of a warp count on 0, as kernels 7 and 9 of the
// reduction sample in NVIDIA's cuda-samples do.
#define SHFL(name, source, limit, in_range)                                                            \
	BODY(name)                                                                                     \
	{                                                                                              \
		uint32_t *rd = ROW(uint32_t, u->d);                                                    \
		const uint32_t *ra = ROW(const uint32_t, u->a), *rb = ROW(const uint32_t, u->b),       \
			       *rc = ROW(const uint32_t, u->c), *rm = members(fp, u);                  \
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
			value[i] = (mask | rm[i]) >> from[i] & 1 ? ra[from[i]] : 0;                    \
		uint32_t p = MASK_OF(in[i]);                                                           \
		LANES(uint32_t, rd, value[i]);                                                         \
		set_pred(fp, u->x[0], mask, p);                                                        \
	}

SHFL(shfl_up, i - b, max, j >= max)
SHFL(shfl_down, i + b, max, j <= max)
SHFL(shfl_bfly, i ^ b, max, j <= max)
SHFL(shfl_idx, (uint32_t)min | (b & ~seg), max, j <= max)

// Votes. p is the lanes that are here and for which the predicate operand holds.
static inline uint32_t vote_operand(const uint8_t *fp, const struct uop *u, uint32_t mask)
{
	uint32_t p = *(const uint32_t *)(fp + u->a);

	return (u->flags & UOP_NEG_A ? ~p : p) & mask;
}

// `own` is the lanes among which a lane votes, `yes` those of them for which the operand holds.
#define VOTE(name, cond)                                                            \
	BODY(name)                                                                  \
	{                                                                           \
		const uint32_t p = vote_operand(fp, u, mask), *m = members(fp, u);  \
		const uint32_t result = MASK_OF(({                                  \
			const uint32_t own = m[i] & mask, yes = m[i] & p;           \
			(void)own;                                                  \
			(cond);                                                     \
		}));                                                                \
		set_pred(fp, u->d, mask, result);                                   \
	}

VOTE(vote_all, yes == own)
VOTE(vote_any, yes != 0)
VOTE(vote_uni, yes == 0 || yes == own)

BODY(vote_ballot)
{
	const uint32_t p = vote_operand(fp, u, mask), *m = members(fp, u);
	uint32_t *rd = ROW(uint32_t, u->d);

	LANES(uint32_t, rd, p & m[i]);
}

BODY(activemask)
{
	uint32_t *rd = ROW(uint32_t, u->d);

	LANES(uint32_t, rd, mask);
}

// Calls a function for the lanes of each member mask in turn.
typedef void group_fn(uint8_t *fp, const struct uop *u, uint32_t mask);

static inline void each_group(uint8_t *fp, const struct uop *u, uint32_t mask, group_fn *fn)
{
	const uint32_t *m = members(fp, u);

	while (mask) {
		const uint32_t first = m[__builtin_ctz(mask)];
		const uint32_t group = MASK_OF(m[i] == first) & mask;

		fn(fp, u, group);
		mask &= ~group;
	}
}

// elect.sync d|p: the lowest lane is the leader; p holds for it, d is its number.
static void elect_group(uint8_t *fp, const struct uop *u, uint32_t mask)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t leader = (uint32_t)__builtin_ctz(mask);

	LANES(uint32_t, rd, leader);
	set_pred(fp, u->x[0], mask, 1u << leader);
}

BODY(elect)
{
	each_group(fp, u, mask, elect_group);
}

// match: group[i] is the lanes that hold the same value as lane i. Each round takes the first lane not yet in a group.
#define MATCH(name_any, name_all, T)                                                \
	static inline void name_any##_groups(const T *a, uint32_t mask, uint32_t *group) \
	{                                                                           \
		while (mask) {                                                      \
			const T v = a[__builtin_ctz(mask)];                         \
			const uint32_t same = MASK_OF(a[i] == v) & mask;            \
			for (uint32_t g = same; g; g &= g - 1)                      \
				group[__builtin_ctz(g)] = same;                     \
			mask &= ~same;                                              \
		}                                                                   \
	}                                                                           \
	BODY(name_any)                                                              \
	{                                                                           \
		_Alignas(64) uint32_t group[WARP] = {0};                            \
		uint32_t *rd = ROW(uint32_t, u->d);                                 \
		const uint32_t *m = members(fp, u);                                 \
		name_any##_groups(ROW(const T, u->a), mask, group);                 \
		LANES(uint32_t, rd, group[i] & m[i]);                               \
	}                                                                           \
	BODY(name_all)                                                              \
	{                                                                           \
		_Alignas(64) uint32_t group[WARP] = {0}, own[WARP];                 \
		uint32_t *rd = ROW(uint32_t, u->d);                                 \
		const uint32_t *m = members(fp, u);                                 \
		name_any##_groups(ROW(const T, u->a), mask, group);                 \
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)                     \
			own[i] = m[i] & mask;                                       \
		LANES(uint32_t, rd, own[i] & ~group[i] ? 0 : own[i]);               \
		set_pred(fp, u->x[0], mask, MASK_OF(!(own[i] & ~group[i])));        \
	}

MATCH(match_any_b32, match_all_b32, uint32_t)
MATCH(match_any_b64, match_all_b64, uint64_t)

#define REDUX(name, T, expr)                                                        \
	static void name##_group(uint8_t *fp, const struct uop *u, uint32_t mask)   \
	{                                                                           \
		T *rd = ROW(T, u->d);                                               \
		const T *ra = ROW(T, u->a);                                         \
		T r = ra[__builtin_ctz(mask)];                                      \
		for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {               \
			const T a = ra[__builtin_ctz(m)];                           \
			r = (T)(expr);                                              \
		}                                                                   \
		LANES(T, rd, r);                                                    \
	}                                                                           \
	BODY(name)                                                                  \
	{                                                                           \
		each_group(fp, u, mask, name##_group);                              \
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
	static void name##_group(uint8_t *fp, const struct uop *u, uint32_t mask)   \
	{                                                                           \
		uint32_t *rd = ROW(uint32_t, u->d);                                 \
		const uint32_t r = redux_f32(ROW(const uint32_t, u->a), mask, max, abs, nan); \
		LANES(uint32_t, rd, r);                                             \
	}                                                                           \
	BODY(name)                                                                  \
	{                                                                           \
		each_group(fp, u, mask, name##_group);                              \
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
