// f16 and bf16 arithmetic, one value or two in a register. Each operation is computed for one value; bodies without
// modifiers are vector loops over that, bodies with .ftz .sat .relu .NaN .xorsign.abs take lane by lane.
#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/exec/lanes.h"
#include "cuda-sim/numbers/softfp.h"
#include "cuda-sim/tensor/map.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // clang leaves the loops of ex2 and tanh scalar
#endif

// A format's constants are its bits of infinity and of 1. X(text, infinity, one)
#define HALVES(X) X(f16, 0x7c00u, 0x3c00u) X(bf16, 0x7f80u, 0x3f80u)

struct half {
	uint32_t inf, one;
};

#define X(t, i, o) static const struct half t = {i, o};
HALVES(X)
#undef X

static inline bool half_is_nan(uint32_t v, uint32_t inf)
{
	return (v & 0x7fff) > inf;
}

// Subnormals have no bit of the exponent set: below the smallest normal, whose only bit is the lowest exponent bit.
static inline uint32_t half_flush(uint32_t v, uint32_t inf)
{
	return v & inf ? v : v & 0x8000;
}

// Orders values as integers, -0 below +0.
static inline uint32_t half_order(uint32_t v)
{
	return v & 0x8000 ? 0x7fff - (v & 0x7fff) : 0x8000 | v;
}

static inline uint32_t half_min(uint32_t a, uint32_t b, uint32_t inf)
{
	uint32_t r = half_order(a) < half_order(b) ? a : b;
	r = half_is_nan(b, inf) ? a : half_is_nan(a, inf) ? b : r;
	return half_is_nan(r, inf) ? SOFTFP_NAN16 : r;
}

static inline uint32_t half_max(uint32_t a, uint32_t b, uint32_t inf)
{
	uint32_t r = half_order(a) > half_order(b) ? a : b;
	r = half_is_nan(b, inf) ? a : half_is_nan(a, inf) ? b : r;
	return half_is_nan(r, inf) ? SOFTFP_NAN16 : r;
}

// A sign is an addition of -0, which makes its own NaN.
static inline uint32_t half_signed(uint32_t a, uint32_t r, uint32_t inf)
{
	return half_is_nan(a, inf) ? SOFTFP_NAN16 : r;
}

// Operands and result under the micro-op's mode.
static inline uint32_t half_in(const struct uop_mode *m, struct half h, uint32_t v)
{
	return m->ftz ? half_flush(v, h.inf) : v;
}

static inline uint32_t half_out(const struct uop_mode *m, struct half h, uint32_t v)
{
	if (m->ftz)
		v = half_flush(v, h.inf);
	if (m->sat)
		return half_is_nan(v, h.inf) || v & 0x8000 ? 0 : v > h.one ? h.one : v;
	if (m->relu && v & 0x8000 && !half_is_nan(v, h.inf))
		return 0;
	return v;
}

// What copies by tensor maps write where a tensor has nothing (TENSOR_OUTSIDE), of either sign.
static inline bool half_is_outside(uint32_t v) { return (v & 0x7fff) == TENSOR_OUTSIDE; }

static inline uint32_t half_minmax(const struct uop_mode *m, struct half h, uint32_t a, uint32_t b, bool max)
{
	uint32_t sign = (a ^ b) & 0x8000;
	a = half_in(m, h, a);
	b = half_in(m, h, b);
	if (m->xorsign) {
		a &= 0x7fff;
		b &= 0x7fff;
	}
	if (m->nan && (half_is_nan(a, h.inf) || half_is_nan(b, h.inf)))
		return SOFTFP_NAN16;
	uint32_t r = max ? half_max(a, b, h.inf) : half_min(a, b, h.inf);
	return m->xorsign && !half_is_nan(r, h.inf) ? (r & 0x7fff) | sign : r;
}

static inline uint32_t half_minmax3(const struct uop_mode *m, struct half h, uint32_t a, uint32_t b, uint32_t c,
                                    bool three, bool max)
{
	uint32_t r = half_minmax(m, h, a, b, max);
	return three ? half_minmax(m, h, r, c, max) : r;
}

#define PAIR(lo, hi) ((uint32_t)(uint16_t)(lo) | (uint32_t)(hi) << 16)
#define LOW(v)       ((uint16_t)(v))
#define HIGH(v)      ((uint16_t)((v) >> 16))

// The four bodies of an operation: one value or two, without modifiers (`plain`) and with (`moded`, where m and h are
// the modifiers and the format). a, b, c are the operands of one value; three: there is a third one, which min and max
// may have.
#define OPERATION(name, plain, moded)                                                                         \
	static inline uint32_t name##_plain(uint16_t a, uint16_t b, uint16_t c, bool three)                               \
	{                                                                                                     \
		return (plain);                                                                               \
	}                                                                                                     \
	static inline uint32_t name##_moded(const struct uop_mode *m, uint16_t a, uint16_t b, uint16_t c, bool three)     \
	{                                                                                                     \
		return (moded);                                                                               \
	}                                                                                                     \
	BODY(name)                                                                                            \
	{                                                                                                     \
		uint32_t *rd = ROW(uint32_t, u->d);                                                           \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c); \
		const bool three = u->c != 0;                                                                 \
		LANES(uint32_t, rd, name##_plain(LOW(ra[i]), LOW(rb[i]), LOW(rc[i]), three));                        \
	}                                                                                                     \
	BODY(name##_x2)                                                                                       \
	{                                                                                                     \
		uint32_t *rd = ROW(uint32_t, u->d);                                                           \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c); \
		const bool three = u->c != 0;                                                                 \
		LANES(uint32_t, rd, PAIR(name##_plain(LOW(ra[i]), LOW(rb[i]), LOW(rc[i]), three),                    \
		                         name##_plain(HIGH(ra[i]), HIGH(rb[i]), HIGH(rc[i]), three)));               \
	}                                                                                                     \
	BODY(name##_mode)                                                                                     \
	{                                                                                                     \
		uint32_t *rd = ROW(uint32_t, u->d);                                                           \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c); \
		const bool three = u->c != 0;                                                                 \
		EACH(i)                                                                                       \
			rd[i] = name##_moded(&u->mode, LOW(ra[i]), LOW(rb[i]), LOW(rc[i]), three);             \
	}                                                                                                     \
	BODY(name##_x2_mode)                                                                                  \
	{                                                                                                     \
		uint32_t *rd = ROW(uint32_t, u->d);                                                           \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c); \
		const bool three = u->c != 0;                                                                 \
		EACH(i)                                                                                       \
			rd[i] = PAIR(name##_moded(&u->mode, LOW(ra[i]), LOW(rb[i]), LOW(rc[i]), three),        \
			             name##_moded(&u->mode, HIGH(ra[i]), HIGH(rb[i]), HIGH(rc[i]), three));    \
	}

// Instructions of fewer operands have a frame offset of 0 in the unused ones, whose row is read and ignored.
#define IN(t, v) half_in(m, t, v)
#define FMA(t)   (m->oob && (half_is_outside(a) || half_is_outside(b)) ? 0 : softfp_fma_##t(IN(t, a), IN(t, b), IN(t, c)))
#define X(t, inf, one)                                                                                        \
	OPERATION(add_##t, softfp_add_##t(a, b), half_out(m, t, softfp_add_##t(IN(t, a), IN(t, b))))          \
	OPERATION(sub_##t, softfp_sub_##t(a, b), half_out(m, t, softfp_sub_##t(IN(t, a), IN(t, b))))          \
	OPERATION(mul_##t, softfp_mul_##t(a, b), half_out(m, t, softfp_mul_##t(IN(t, a), IN(t, b))))          \
	OPERATION(fma_##t, softfp_fma_##t(a, b, c), half_out(m, t, FMA(t))) \
	OPERATION(neg_##t, half_signed(a, a ^ 0x8000u, inf), half_signed(a, IN(t, a) ^ 0x8000u, inf))         \
	OPERATION(abs_##t, half_signed(a, a & 0x7fffu, inf), half_signed(a, IN(t, a) & 0x7fffu, inf))         \
	OPERATION(min_##t, three ? half_min(half_min(a, b, inf), c, inf) : half_min(a, b, inf),               \
	          half_minmax3(m, t, a, b, c, three, false))                                                  \
	OPERATION(max_##t, three ? half_max(half_max(a, b, inf), c, inf) : half_max(a, b, inf),               \
	          half_minmax3(m, t, a, b, c, three, true))                                                   \
	OPERATION(ex2_##t, softfp_f32_to_##t(dm_mufu_ex2(softfp_##t##_to_f32(a))),                      \
	          half_out(m, t, softfp_f32_to_##t(dm_mufu_ex2(softfp_##t##_to_f32(IN(t, a))))))        \
	OPERATION(tanh_##t, softfp_f32_to_##t(dm_tanh_approx_f32(softfp_##t##_to_f32(a))),                    \
	          half_out(m, t, softfp_f32_to_##t(dm_tanh_approx_f32(softfp_##t##_to_f32(IN(t, a))))))
HALVES(X)
#undef X

// --- fma of f16 by eight lanes

#if defined __AVX2__ && defined __F16C__
#include "cuda-sim/tensor/group.h"

// The halves in the low bits. Products are exact in f32. A sum that a double has not exactly has one term more than 31 bits below the
// other, which then is C: any f16 is far enough from the middle between two others.
GROUP_INLINE tensor_words fma_of_halves(tensor_words a, tensor_words b, tensor_words c)
{
	const tensor_floats p = (tensor_floats)group_value(TENSOR_F16, a & 0xffff) * (tensor_floats)group_value(TENSOR_F16, b & 0xffff);
	const tensor_floats z = (tensor_floats)group_value(TENSOR_F16, c & 0xffff);
	return group_half_bits(group_sum_to_f16(__builtin_convertvector(p, tensor_doubles) + __builtin_convertvector(z, tensor_doubles)));
}

#define BY_EIGHT(name, expr)                                                                                    \
	BODY(name)                                                                                              \
	{                                                                                                       \
		_Alignas(64) uint32_t to[WARP];                                                                 \
		for (unsigned v = 0; v < WARP; v += TENSOR_WIDE) {                                              \
			const tensor_words a = GROUP_LOAD(tensor_words, ROW(const uint32_t, u->a) + v);         \
			const tensor_words b = GROUP_LOAD(tensor_words, ROW(const uint32_t, u->b) + v);         \
			const tensor_words c = GROUP_LOAD(tensor_words, ROW(const uint32_t, u->c) + v);         \
			GROUP_PUT(to + v, (expr));                                                              \
		}                                                                                               \
		uint32_t *rd = ROW(uint32_t, u->d);                                                             \
		LANES(uint32_t, rd, to[i]);                                                                     \
	}
BY_EIGHT(fma_by_eight_f16, fma_of_halves(a, b, c))
BY_EIGHT(fma_by_eight_f16_x2, fma_of_halves(a, b, c) | fma_of_halves(a >> 16, b >> 16, c >> 16) << 16)
#else
#define fma_by_eight_f16    fma_f16
#define fma_by_eight_f16_x2 fma_f16_x2
#endif
#define fma_by_eight_bf16    fma_bf16
#define fma_by_eight_bf16_x2 fma_bf16_x2

#define ROWS(op, t, fn)                                                                                       \
	{op "." #t, fn##_##t}, {op "." #t "x2", fn##_##t##_x2}, {op ".*." #t, fn##_##t##_mode},         \
	{op ".*." #t "x2", fn##_##t##_x2_mode}
#define ROUNDED(op, t, fn) {op ".rn." #t, fn##_##t}, {op ".rn." #t "x2", fn##_##t##_x2}, ROWS(op, t, fn)

const struct exec_body EXEC_TABLE(half)[] = {
	{"fma.*oob*.f32*", NULL}, {"fma.*oob*.f64", NULL}, // of halves alone
#define X(t, inf, one)                                                                                        \
	ROUNDED("add", t, add), ROUNDED("sub", t, sub), ROUNDED("mul", t, mul),                               \
	{"fma.rn." #t, fma_by_eight_##t}, {"fma.rn." #t "x2", fma_by_eight_##t##_x2}, ROWS("fma", t, fma),    \
	ROWS("neg", t, neg), ROWS("abs", t, abs), ROWS("min", t, min), ROWS("max", t, max),                   \
	ROWS("ex2.approx", t, ex2), ROWS("tanh.approx", t, tanh),
	HALVES(X)
#undef X
	{0},
};
