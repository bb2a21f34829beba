// Comparison and selection: setp, set, selp, slct.
#include "cuda-sim/exec/bodies/fp_env.h"

#include <immintrin.h>

// The lanes of a row of 0 and all ones as a mask.
static inline uint32_t row_mask32(const uint32_t *r)
{
	uint32_t m = 0;
#if defined __AVX512F__
	for (unsigned k = 0; k < 2; k++)
		m |= (uint32_t)_mm512_test_epi32_mask(_mm512_load_si512(r + 16 * k), _mm512_load_si512(r + 16 * k)) << 16 * k;
#elif defined __AVX2__
	for (unsigned k = 0; k < 4; k++)
		m |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)(r + 8 * k))) << 8 * k;
#else
	for (unsigned k = 0; k < 8; k++)
		m |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)(r + 4 * k))) << 4 * k;
#endif
	return m;
}

static inline uint32_t row_mask64(const uint64_t *r)
{
	uint32_t m = 0;
#if defined __AVX512F__
	for (unsigned k = 0; k < 4; k++)
		m |= (uint32_t)_mm512_test_epi64_mask(_mm512_load_si512(r + 8 * k), _mm512_load_si512(r + 8 * k)) << 8 * k;
#elif defined __AVX2__
	for (unsigned k = 0; k < 8; k++)
		m |= (uint32_t)_mm256_movemask_pd(_mm256_load_pd((const double *)(r + 4 * k))) << 4 * k;
#else
	for (unsigned k = 0; k < 16; k++)
		m |= (uint32_t)_mm_movemask_pd(_mm_load_pd((const double *)(r + 2 * k))) << 2 * k;
#endif
	return m;
}

// p = t, q = !t, both combined with the predicate c where the instruction has a boolean operator.
static inline void put(uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t t, uint32_t nt)
{
	PRED(u->d) = (PRED(u->d) & ~mask) | (t & mask);
	PRED(u->x[0]) = (PRED(u->x[0]) & ~mask) | (nt & mask);
}

static inline uint32_t combine(enum uop_logic op, uint32_t t, uint32_t c)
{
	return op == UOP_AND ? t & c : op == UOP_OR ? t | c : op == UOP_XOR ? t ^ c : t;
}

static inline uint32_t pred_c(const uint8_t *fp, const struct uop *u)
{
	return PRED(u->c) ^ (u->flags & UOP_NEG_C ? FULL_MASK : 0);
}

// Comparison operators. X(name, condition)
#define ORDERED(X) X(eq, a == b) X(ne, a != b) X(lt, a < b) X(le, a <= b) X(gt, a > b) X(ge, a >= b)
#define UNSIGNED_ORDER(X) X(lo, a < b) X(ls, a <= b) X(hi, a > b) X(hs, a >= b)
// On floats: the plain ones are false on NaN, the ..u ones true.
#define FLOAT_ORDER(X)                                                                                         \
	X(eq, a == b) X(ne, a < b || a > b) X(lt, a < b) X(le, a <= b) X(gt, a > b) X(ge, a >= b)              \
	X(equ, !(a < b || a > b)) X(neu, a != b) X(ltu, !(a >= b)) X(leu, !(a > b)) X(gtu, !(a <= b)) X(geu, !(a < b)) \
	X(num, a == a && b == b) X(nan, a != a || b != b)

// setp for one operator and type, without and with a boolean operator. LOAD narrows what a row holds to a value.
#define SETP(op, t, R, V, LOAD, cond)                                                                          \
	static inline uint32_t test_##op##_##t(const uint8_t *fp, const struct uop *u)                         \
	{                                                                                                      \
		const R *ra = ROW(R, u->a), *rb = ROW(R, u->b);                                                \
		_Alignas(64) R r[WARP];                                                                        \
		for (unsigned i = 0; i < WARP; i++) {                                                          \
			const V a = LOAD(ra[i]), b = LOAD(rb[i]);                                              \
			r[i] = (cond) ? (R)-1 : 0;                                                             \
		}                                                                                              \
		return sizeof(R) == 4 ? row_mask32((const uint32_t *)r) : row_mask64((const uint64_t *)r);     \
	}                                                                                                      \
	BODY(setp_##op##_##t)                                                                                  \
	{                                                                                                      \
		const uint32_t p = test_##op##_##t(fp, u);                                                     \
		put(fp, u, mask, p, ~p);                                                                       \
	}                                                                                                      \
	BODY(setp_##op##_and_##t)                                                                              \
	{                                                                                                      \
		const uint32_t p = test_##op##_##t(fp, u), c = pred_c(fp, u);                                  \
		put(fp, u, mask, p & c, ~p & c);                                                               \
	}                                                                                                      \
	BODY(setp_##op##_or_##t)                                                                               \
	{                                                                                                      \
		const uint32_t p = test_##op##_##t(fp, u), c = pred_c(fp, u);                                  \
		put(fp, u, mask, p | c, ~p | c);                                                               \
	}                                                                                                      \
	BODY(setp_##op##_xor_##t)                                                                              \
	{                                                                                                      \
		const uint32_t p = test_##op##_##t(fp, u), c = pred_c(fp, u);                                  \
		put(fp, u, mask, p ^ c, ~p ^ c);                                                               \
	}

#define AS_u16(v)     ((uint16_t)(v))
#define AS_s16(v)     ((int16_t)(v))
#define AS_u32(v)     ((uint32_t)(v))
#define AS_s32(v)     ((int32_t)(v))
#define AS_u64(v)     ((uint64_t)(v))
#define AS_s64(v)     ((int64_t)(v))
#define AS_f32(v)     f32_of(v)
#define AS_f32_ftz(v) f32_flush(f32_of(v))
#define AS_f64(v)     f64_of(v)

#define X(op, cond)                                                                                            \
	SETP(op, u16, uint32_t, uint16_t, AS_u16, cond) SETP(op, s16, uint32_t, int16_t, AS_s16, cond)         \
	SETP(op, u32, uint32_t, uint32_t, AS_u32, cond) SETP(op, s32, uint32_t, int32_t, AS_s32, cond)         \
	SETP(op, u64, uint64_t, uint64_t, AS_u64, cond) SETP(op, s64, uint64_t, int64_t, AS_s64, cond)
ORDERED(X)
#undef X
#define X(op, cond)                                                                                            \
	SETP(op, f32, uint32_t, float, AS_f32, cond) SETP(op, f32_ftz, uint32_t, float, AS_f32_ftz, cond)      \
	SETP(op, f64, uint64_t, double, AS_f64, cond)
FLOAT_ORDER(X)
#undef X

// The rare forms read the micro-op's mode. One lane's comparison, exact in double for all float types and in
// 64 bits for all integer types.
static bool compare_float(enum uop_cmp cmp, double a, double b)
{
	switch (cmp) {
#define X(op, cond) case CMP_##op: return cond;
#define CMP_eq  UOP_EQ
#define CMP_ne  UOP_NE
#define CMP_lt  UOP_LT
#define CMP_le  UOP_LE
#define CMP_gt  UOP_GT
#define CMP_ge  UOP_GE
#define CMP_lo  UOP_LO
#define CMP_ls  UOP_LS
#define CMP_hi  UOP_HI
#define CMP_hs  UOP_HS
#define CMP_equ UOP_EQU
#define CMP_neu UOP_NEU
#define CMP_ltu UOP_LTU
#define CMP_leu UOP_LEU
#define CMP_gtu UOP_GTU
#define CMP_geu UOP_GEU
#define CMP_num UOP_NUM
#define CMP_nan UOP_NAN
	FLOAT_ORDER(X)
	default: return false;
	}
}

static bool compare_signed(enum uop_cmp cmp, int64_t a, int64_t b)
{
	switch (cmp) {
	ORDERED(X)
	default: return false;
	}
}

static bool compare_unsigned(enum uop_cmp cmp, uint64_t a, uint64_t b)
{
	switch (cmp) {
	ORDERED(X)
	UNSIGNED_ORDER(X)
	default: return false;
	}
}
#undef X

// Exact value of a binary16.
static inline double f16_value(uint32_t h)
{
	int64_t e = h >> 10 & 31, m = h & 1023;
	double v;
	if (e == 31)
		v = f64_of(m ? F64_NAN : 0x7ff0000000000000u);
	else if (e == 0)
		v = (double)m * 0x1p-24;
	else
		v = f64_of((uint64_t)(e - 15 + 1023) << 52 | (uint64_t)m << 42);
	return h & 0x8000 ? -v : v;
}

// One value of type `t` compared. `half` chooses the upper value of a packed pair.
static bool compare(const struct uop_mode *m, enum uop_type t, uint64_t a, uint64_t b, unsigned half)
{
	enum uop_cmp cmp = (enum uop_cmp)m->cmp;
	bool ls = cmp == UOP_LO || cmp == UOP_LS || cmp == UOP_HI || cmp == UOP_HS;
	switch (t) {
	case UOP_T_U16: return compare_unsigned(cmp, (uint16_t)a, (uint16_t)b);
	case UOP_T_U32: return compare_unsigned(cmp, (uint32_t)a, (uint32_t)b);
	case UOP_T_U64: return compare_unsigned(cmp, a, b);
	case UOP_T_S16:
		return ls ? compare_unsigned(cmp, (uint16_t)a, (uint16_t)b) : compare_signed(cmp, (int16_t)a, (int16_t)b);
	case UOP_T_S32:
		return ls ? compare_unsigned(cmp, (uint32_t)a, (uint32_t)b) : compare_signed(cmp, (int32_t)a, (int32_t)b);
	case UOP_T_S64: return ls ? compare_unsigned(cmp, a, b) : compare_signed(cmp, (int64_t)a, (int64_t)b);
	case UOP_T_F64: return compare_float(cmp, f64_of(a), f64_of(b));
	case UOP_T_F32: {
		float x = f32_of((uint32_t)a), y = f32_of((uint32_t)b);
		return compare_float(cmp, m->ftz ? f32_flush(x) : x, m->ftz ? f32_flush(y) : y);
	}
	case UOP_T_F16:
	case UOP_T_F16X2: {
		uint32_t x = (uint16_t)(a >> 16 * half), y = (uint16_t)(b >> 16 * half);
		if (m->ftz) {
			x = x & 0x7c00 ? x : x & 0x8000;
			y = y & 0x7c00 ? y : y & 0x8000;
		}
		return compare_float(cmp, f16_value(x), f16_value(y));
	}
	case UOP_T_BF16:
	case UOP_T_BF16X2:
		return compare_float(cmp, f32_of((uint32_t)(uint16_t)(a >> 16 * half) << 16),
		                     f32_of((uint32_t)(uint16_t)(b >> 16 * half) << 16));
	default: return false;
	}
}

// The lanes of `mask` for which a comparison of type t holds.
static uint32_t compare_rows(const uint8_t *fp, const struct uop *u, uint32_t mask, enum uop_type t, unsigned half)
{
	const uint32_t *a32 = ROW(uint32_t, u->a), *b32 = ROW(uint32_t, u->b);
	const uint64_t *a64 = ROW(uint64_t, u->a), *b64 = ROW(uint64_t, u->b);
	bool wide = t == UOP_T_U64 || t == UOP_T_S64 || t == UOP_T_F64;
	uint32_t r = 0;
	EACH(i)
		r |= (uint32_t)compare(&u->mode, t, wide ? a64[i] : a32[i], wide ? b64[i] : b32[i], half) << i;
	return r;
}

// f16 and bf16, packed or not: of a packed pair p gets the lower comparison and q the upper one.
BODY(setp_half)
{
	const struct uop_mode *m = &u->mode;
	enum uop_type t = (enum uop_type)m->type[0];
	bool packed = t == UOP_T_F16X2 || t == UOP_T_BF16X2;
	uint32_t p = compare_rows(fp, u, mask, t, 0), q = packed ? compare_rows(fp, u, mask, t, 1) : ~p;
	uint32_t c = m->logic ? pred_c(fp, u) : 0;
	put(fp, u, mask, combine((enum uop_logic)m->logic, p, c), combine((enum uop_logic)m->logic, q, c));
}

// set: true is all ones in integer destinations and 1.0 in float ones.
static uint32_t set_true(enum uop_type t)
{
	switch (t) {
	case UOP_T_F32: return 0x3f800000;
	case UOP_T_F16:
	case UOP_T_F16X2: return 0x3c00;
	case UOP_T_BF16:
	case UOP_T_BF16X2: return 0x3f80;
	default: return UINT32_MAX;
	}
}

BODY(set_any)
{
	const struct uop_mode *m = &u->mode;
	enum uop_type dt = (enum uop_type)m->type[0], st = (enum uop_type)m->type[1];
	bool packed = st == UOP_T_F16X2 || st == UOP_T_BF16X2;
	uint32_t c = m->logic ? pred_c(fp, u) : 0, yes = set_true(dt);
	uint32_t lo = combine((enum uop_logic)m->logic, compare_rows(fp, u, mask, st, 0), c);
	uint32_t hi = packed ? combine((enum uop_logic)m->logic, compare_rows(fp, u, mask, st, 1), c) : 0;
	uint32_t *rd = ROW(uint32_t, u->d);
	EACH(i) {
		uint32_t l = lo >> i & 1 ? yes : 0, h = hi >> i & 1 ? yes : 0;
		rd[i] = packed ? (l & 0xffff) | h << 16 : l;
	}
}

// selp: c is a predicate.
#define SELP(name, R)                                                                                          \
	BODY(name)                                                                                             \
	{                                                                                                      \
		R *rd = ROW(R, u->d);                                                                          \
		const R *ra = ROW(R, u->a), *rb = ROW(R, u->b);                                                \
		_Alignas(64) uint32_t c[WARP];                                                                 \
		exec_expand(c, pred_c(fp, u));                                                                 \
		LANES(R, rd, ({ const R a = ra[i], b = rb[i]; c[i] ? a : b; }));                               \
	}
SELP(selp_b32, uint32_t)
SELP(selp_b64, uint64_t)

// slct: a where c >= 0 (NaN is not), else b.
#define SLCT(name, R, RC, C, LOAD)                                                                             \
	BODY(name)                                                                                             \
	{                                                                                                      \
		R *rd = ROW(R, u->d);                                                                          \
		const R *ra = ROW(R, u->a), *rb = ROW(R, u->b);                                                \
		const RC *rc = ROW(RC, u->c);                                                                  \
		LANES(R, rd, ({ const R a = ra[i], b = rb[i]; const C c = LOAD(rc[i]); c >= 0 ? a : b; }));    \
	}
SLCT(slct_s32_b32, uint32_t, uint32_t, int32_t, AS_s32)
SLCT(slct_s32_b64, uint64_t, uint32_t, int32_t, AS_s32)
SLCT(slct_f32_b32, uint32_t, uint32_t, float, AS_f32)
SLCT(slct_f32_b64, uint64_t, uint32_t, float, AS_f32)
SLCT(slct_ftz_f32_b32, uint32_t, uint32_t, float, AS_f32_ftz)
SLCT(slct_ftz_f32_b64, uint64_t, uint32_t, float, AS_f32_ftz)

// Rows for one operator; `ftz` is "" or ".ftz"; fn is the name of the bodies' type.
#define SETP_ROWS(op, fop, ftz, text, fn)                                                                      \
	{"setp." op ftz "." text, setp_##fop##_##fn}, {"setp." op ".and" ftz "." text, setp_##fop##_and_##fn}, \
	{"setp." op ".or" ftz "." text, setp_##fop##_or_##fn}, {"setp." op ".xor" ftz "." text, setp_##fop##_xor_##fn},
#define UNSIGNED_ROWS(op, fop)                                                                                 \
	SETP_ROWS(op, fop, "", "u16", u16) SETP_ROWS(op, fop, "", "u32", u32) SETP_ROWS(op, fop, "", "u64", u64)
#define SELECT_ROWS(bits, t)                                                                                   \
	{"selp." t, selp_b##bits}, {"slct." t ".s32", slct_s32_b##bits}, {"slct." t ".f32", slct_f32_b##bits}, \
	{"slct.ftz." t ".f32", slct_ftz_f32_b##bits},

const struct exec_body EXEC_TABLE(cmp)[] = {
#define X(op, cond)                                                                                            \
	UNSIGNED_ROWS(#op, op)                                                                                 \
	SETP_ROWS(#op, op, "", "s16", s16) SETP_ROWS(#op, op, "", "s32", s32) SETP_ROWS(#op, op, "", "s64", s64)
	ORDERED(X)
#undef X
#define BITS_ROWS(op) \
	SETP_ROWS(#op, op, "", "b16", u16) SETP_ROWS(#op, op, "", "b32", u32) SETP_ROWS(#op, op, "", "b64", u64)
	BITS_ROWS(eq) BITS_ROWS(ne)
	UNSIGNED_ROWS("lo", lt) UNSIGNED_ROWS("ls", le) UNSIGNED_ROWS("hi", gt) UNSIGNED_ROWS("hs", ge)
#define X(op, cond)                                                                                            \
	SETP_ROWS(#op, op, "", "f32", f32) SETP_ROWS(#op, op, ".ftz", "f32", f32_ftz) SETP_ROWS(#op, op, "", "f64", f64)
	FLOAT_ORDER(X)
#undef X
	{"setp.*.f16", setp_half}, {"setp.*.f16x2", setp_half}, {"setp.*.bf16", setp_half}, {"setp.*.bf16x2", setp_half},
	{"set.*", set_any},
	SELECT_ROWS(32, "b16") SELECT_ROWS(32, "u16") SELECT_ROWS(32, "s16")
	SELECT_ROWS(32, "b32") SELECT_ROWS(32, "u32") SELECT_ROWS(32, "s32") SELECT_ROWS(32, "f32")
	SELECT_ROWS(64, "b64") SELECT_ROWS(64, "u64") SELECT_ROWS(64, "s64") SELECT_ROWS(64, "f64")
	{"selp.f16", selp_b32}, {"selp.bf16", selp_b32}, {"selp.f16x2", selp_b32}, {"selp.bf16x2", selp_b32},
	{0},
};
