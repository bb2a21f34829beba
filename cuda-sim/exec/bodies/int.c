// Integer arithmetic. Bodies compute in the unsigned row type, so that overflow wraps.
#include "cuda-sim/exec/lanes.h"

// Types of registers and values. X(text, row, value, unsigned value)
#define INT16(X) X(u16, uint32_t, uint16_t, uint16_t) X(s16, uint32_t, int16_t, uint16_t)
#define INT32(X) X(u32, uint32_t, uint32_t, uint32_t) X(s32, uint32_t, int32_t, uint32_t)
#define INT64(X) X(u64, uint64_t, uint64_t, uint64_t) X(s64, uint64_t, int64_t, uint64_t)
#define INTS(X)  INT16(X) INT32(X) INT64(X)
#define SIGNED(X) \
	X(s16, uint32_t, int16_t, uint16_t) X(s32, uint32_t, int32_t, uint32_t) X(s64, uint64_t, int64_t, uint64_t)

// Bodies over values: a, b, c are the operands as V. RD is the destination's row.
#define VALUE1(name, RD, R, V, expr)                                                                   \
	BODY(name)                                                                                     \
	{                                                                                              \
		RD *rd = ROW(RD, u->d);                                                                \
		const R *ra = ROW(R, u->a);                                                            \
		LANES(RD, rd, ({ const V a = (V)ra[i]; (expr); }));                                    \
	}
#define VALUE2(name, RD, R, V, expr)                                                                   \
	BODY(name)                                                                                     \
	{                                                                                              \
		RD *rd = ROW(RD, u->d);                                                                \
		const R *ra = ROW(R, u->a), *rb = ROW(R, u->b);                                        \
		LANES(RD, rd, ({ const V a = (V)ra[i], b = (V)rb[i]; (expr); }));                      \
	}
#define VALUE3(name, RD, R, V, expr)                                                                   \
	BODY(name)                                                                                     \
	{                                                                                              \
		RD *rd = ROW(RD, u->d);                                                                \
		const R *ra = ROW(R, u->a), *rb = ROW(R, u->b), *rc = ROW(R, u->c);                    \
		LANES(RD, rd, ({ const V a = (V)ra[i], b = (V)rb[i], c = (V)rc[i]; (expr); }));        \
	}

BODY2(add_b32, uint32_t, uint32_t, a + b)
BODY2(add_b64, uint64_t, uint64_t, a + b)
BODY2(sub_b32, uint32_t, uint32_t, a - b)
BODY2(sub_b64, uint64_t, uint64_t, a - b)
BODY2(mul_b32, uint32_t, uint32_t, a * b)
BODY2(mul_b64, uint64_t, uint64_t, a * b)
BODY3(mad_b32, uint32_t, uint32_t, a * b + c)
BODY3(mad_b64, uint64_t, uint64_t, a * b + c)
BODY1(neg_b32, uint32_t, uint32_t, 0 - a)
BODY1(neg_b64, uint64_t, uint64_t, 0 - a)

static inline int32_t clamp_s32(int64_t v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

VALUE2(add_sat_s32, uint32_t, uint32_t, int32_t, clamp_s32((int64_t)a + b))
VALUE2(sub_sat_s32, uint32_t, uint32_t, int32_t, clamp_s32((int64_t)a - b))

// High halves. X(text, row, value, value of double width, bits)
#define HIGH(X)                                                                                             \
	X(u16, uint32_t, uint16_t, uint32_t, 16) X(s16, uint32_t, int16_t, int32_t, 16)                     \
	X(u32, uint32_t, uint32_t, uint64_t, 32) X(s32, uint32_t, int32_t, int64_t, 32)                     \
	X(u64, uint64_t, uint64_t, unsigned __int128, 64) X(s64, uint64_t, int64_t, __int128, 64)

#define X(t, R, V, W, bits)                                                                                 \
	VALUE2(mul_hi_##t, R, R, V, (R)((W)a * b >> bits))                                                  \
	VALUE3(mad_hi_##t, R, R, V, (R)((W)a * b >> bits) + (R)c)
HIGH(X)
#undef X
VALUE3(mad_hi_sat_s32, uint32_t, uint32_t, int32_t, clamp_s32(((int64_t)a * b >> 32) + c))

// Widening products. X(text, value, row of the result, value of the result)
#define WIDE(X)                                                                                             \
	X(u16, uint16_t, uint32_t, uint32_t) X(s16, int16_t, uint32_t, int32_t)                             \
	X(u32, uint32_t, uint64_t, uint64_t) X(s32, int32_t, uint64_t, int64_t)
#define X(t, V, RD, W)                                                                                      \
	VALUE2(mul_wide_##t, RD, uint32_t, V, (W)a * b)                                                     \
	BODY(mad_wide_##t)                                                                                  \
	{                                                                                                   \
		RD *rd = ROW(RD, u->d);                                                                     \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b);                        \
		const RD *rc = ROW(RD, u->c);                                                               \
		LANES(RD, rd, (RD)((W)(V)ra[i] * (V)rb[i]) + rc[i]);                                        \
	}
WIDE(X)
#undef X

// 24-bit products: lo is bits 31..0 of the 48-bit result, hi bits 47..16. (PTX ISA, mul24)
static inline int64_t s24(uint32_t v)
{
	return (int32_t)(v << 8) >> 8;
}

static inline uint64_t u24(uint32_t v)
{
	return v & 0xffffff;
}

BODY2(mul24_lo_u32, uint32_t, uint32_t, (uint32_t)(u24(a) * u24(b)))
BODY2(mul24_hi_u32, uint32_t, uint32_t, (uint32_t)(u24(a) * u24(b) >> 16))
BODY2(mul24_lo_s32, uint32_t, uint32_t, (uint32_t)(s24(a) * s24(b)))
BODY2(mul24_hi_s32, uint32_t, uint32_t, (uint32_t)(s24(a) * s24(b) >> 16))
BODY3(mad24_lo_u32, uint32_t, uint32_t, (uint32_t)(u24(a) * u24(b)) + c)
BODY3(mad24_hi_u32, uint32_t, uint32_t, (uint32_t)(u24(a) * u24(b) >> 16) + c)
BODY3(mad24_lo_s32, uint32_t, uint32_t, (uint32_t)(s24(a) * s24(b)) + c)
BODY3(mad24_hi_s32, uint32_t, uint32_t, (uint32_t)(s24(a) * s24(b) >> 16) + c)
BODY3(mad24_hi_sat_s32, uint32_t, uint32_t, (uint32_t)clamp_s32((int32_t)(s24(a) * s24(b) >> 16) + (int64_t)(int32_t)c))

#define X(t, R, V, U)                                                                                       \
	VALUE2(min_##t, R, R, V, (R)(a < b ? a : b))                                                        \
	VALUE2(max_##t, R, R, V, (R)(a > b ? a : b))                                                        \
	VALUE3(sad_##t, R, R, V, (R)((a < b ? (U)b - (U)a : (U)a - (U)b) + (U)c))
INTS(X)
#undef X
#define X(t, R, V, U) VALUE1(abs_##t, R, R, V, (R)(a < 0 ? 0 - (U)a : (U)a))
SIGNED(X)
#undef X
VALUE2(min_relu_s32, uint32_t, uint32_t, int32_t, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
VALUE2(max_relu_s32, uint32_t, uint32_t, int32_t, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)

// Division by zero gives all ones, and so does its remainder: the manual leaves both open, and ptxas's code does so. MIN / -1 wraps.
// 32-bit and narrower quotients go through double: the quotient of two such integers that is not whole lies further
// from the next integer than half an ulp, so truncation of the rounded quotient is exact; and this vectorises.
static inline uint32_t div32u(uint32_t a, uint32_t b)
{
	uint32_t d = b ? b : 1;
	// Signed conversions only: AVX2 has no unsigned ones. 2147483648.0 is the offset between the two.
	double x = (double)(int32_t)(a ^ 0x80000000u) + 2147483648.0, y = (double)(int32_t)(d ^ 0x80000000u) + 2147483648.0;
	double q = x / y;
	uint32_t r = q >= 2147483648.0 ? (uint32_t)(int32_t)(q - 2147483648.0) ^ 0x80000000u : (uint32_t)(int32_t)q;
	return b ? r : UINT32_MAX;
}

static inline uint32_t div32s(int32_t a, int32_t b)
{
	uint32_t q = (uint32_t)(int32_t)((double)a / (double)(b == 0 || (b == -1 && a == INT32_MIN) ? 1 : b));
	return b ? q : UINT32_MAX;
}

static inline uint64_t div64u(uint64_t a, uint64_t b)
{
	if (!b)
		return UINT64_MAX;
	return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

static inline uint64_t div64s(int64_t a, int64_t b)
{
	uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
	uint64_t q = div64u(x, y);
	return b && (a < 0) != (b < 0) ? 0 - q : q;
}

VALUE2(div_u16, uint32_t, uint32_t, uint16_t, div32u(a, b))
VALUE2(div_s16, uint32_t, uint32_t, int16_t, div32s(a, b))
VALUE2(div_u32, uint32_t, uint32_t, uint32_t, div32u(a, b))
VALUE2(div_s32, uint32_t, uint32_t, int32_t, div32s(a, b))
VALUE2(rem_u16, uint32_t, uint32_t, uint16_t, b ? a - div32u(a, b) * b : UINT32_MAX)
VALUE2(rem_s16, uint32_t, uint32_t, int16_t, b ? (uint32_t)a - div32s(a, b) * (uint32_t)b : UINT32_MAX)
VALUE2(rem_u32, uint32_t, uint32_t, uint32_t, b ? a - div32u(a, b) * b : UINT32_MAX)
VALUE2(rem_s32, uint32_t, uint32_t, int32_t, b ? (uint32_t)a - div32s(a, b) * (uint32_t)b : UINT32_MAX)

// 64-bit division stays scalar, and only in active lanes.
#define DIV64(name, expr)                                                                                   \
	BODY(name)                                                                                          \
	{                                                                                                   \
		uint64_t *rd = ROW(uint64_t, u->d);                                                         \
		const uint64_t *ra = ROW(uint64_t, u->a), *rb = ROW(uint64_t, u->b);                        \
		EACH(i) {                                                                                   \
			const uint64_t a = ra[i], b = rb[i];                                                \
			rd[i] = (expr);                                                                     \
		}                                                                                           \
	}
DIV64(div_u64, div64u(a, b))
DIV64(div_s64, div64s((int64_t)a, (int64_t)b))
DIV64(rem_u64, b ? a - div64u(a, b) * b : UINT64_MAX)
DIV64(rem_s64, b ? a - div64s((int64_t)a, (int64_t)b) * b : UINT64_MAX)

// Two 16-bit values in a register.
#define HALVES(lo, hi) ((uint32_t)(uint16_t)(lo) | (uint32_t)(hi) << 16)
#define PACKED2(name, V, expr)                                                                              \
	static inline uint32_t name##_half(V a, V b)                                                        \
	{                                                                                                   \
		return (uint32_t)(expr);                                                                    \
	}                                                                                                   \
	BODY2(name, uint32_t, uint32_t, HALVES(name##_half((V)a, (V)b), name##_half((V)(a >> 16), (V)(b >> 16))))
static inline int clamp16(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

PACKED2(add_x2, uint16_t, a + b)
PACKED2(sub_x2, uint16_t, a - b)
PACKED2(add_sat_u16x2, uint16_t, clamp16(a + b, 0, UINT16_MAX))
PACKED2(sub_sat_u16x2, uint16_t, clamp16(a - b, 0, UINT16_MAX))
PACKED2(add_sat_s16x2, int16_t, clamp16(a + b, INT16_MIN, INT16_MAX))
PACKED2(sub_sat_s16x2, int16_t, clamp16(a - b, INT16_MIN, INT16_MAX))
PACKED2(min_u16x2, uint16_t, a < b ? a : b)
PACKED2(max_u16x2, uint16_t, a > b ? a : b)
PACKED2(min_s16x2, int16_t, a < b ? a : b)
PACKED2(max_s16x2, int16_t, a > b ? a : b)
PACKED2(min_relu_s16x2, int16_t, clamp16(a < b ? a : b, 0, INT16_MAX))
PACKED2(max_relu_s16x2, int16_t, clamp16(a > b ? a : b, 0, INT16_MAX))
BODY1(neg_s16x2, uint32_t, uint32_t, HALVES(0 - a, 0 - (a >> 16)))
VALUE2(add_sat_u16, uint32_t, uint32_t, uint16_t, clamp16(a + b, 0, UINT16_MAX))
VALUE2(sub_sat_u16, uint32_t, uint32_t, uint16_t, clamp16(a - b, 0, UINT16_MAX))
VALUE2(add_sat_s16, uint32_t, uint32_t, int16_t, clamp16(a + b, INT16_MIN, INT16_MAX))
VALUE2(sub_sat_s16, uint32_t, uint32_t, int16_t, clamp16(a - b, INT16_MIN, INT16_MAX))
BODY2(add_sat_u32, uint32_t, uint32_t, a + b < a ? UINT32_MAX : a + b)
BODY2(sub_sat_u32, uint32_t, uint32_t, a < b ? 0 : a - b)

// Bits.
static inline uint32_t popc32(uint32_t a)
{
	a -= a >> 1 & 0x55555555u;
	a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
	return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline uint32_t brev32(uint32_t a)
{
	a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
	a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
	a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(a);
}

// Position of the highest set bit, all ones if there is none. The bits below it are filled and counted: no CPU level
// needs a count-leading-zeros instruction, and the loop vectorises.
static inline uint32_t top32(uint32_t a)
{
	a |= a >> 1;
	a |= a >> 2;
	a |= a >> 4;
	a |= a >> 8;
	a |= a >> 16;
	return popc32(a) - 1;
}

static inline uint32_t top64(uint64_t a)
{
	uint32_t hi = (uint32_t)(a >> 32);
	return hi ? top32(hi) + 32 : top32((uint32_t)a);
}

static inline uint32_t flip32(uint32_t a)
{
	return a ^ (uint32_t)((int32_t)a >> 31);
}

static inline uint64_t flip64(uint64_t a)
{
	return a ^ (uint64_t)((int64_t)a >> 63);
}

static inline uint32_t shift_to_top(uint32_t pos, uint32_t msb)
{
	return pos == UINT32_MAX ? pos : msb - pos;
}

BODY1(popc_b32, uint32_t, uint32_t, popc32(a))
BODY1(popc_b64, uint32_t, uint64_t, popc32((uint32_t)a) + popc32((uint32_t)(a >> 32)))
BODY1(clz_b32, uint32_t, uint32_t, 31 - top32(a))
BODY1(clz_b64, uint32_t, uint64_t, 63 - top64(a))
BODY1(brev_b32, uint32_t, uint32_t, brev32(a))
BODY1(brev_b64, uint64_t, uint64_t, (uint64_t)brev32((uint32_t)a) << 32 | brev32((uint32_t)(a >> 32)))
BODY1(bfind_u32, uint32_t, uint32_t, top32(a))
BODY1(bfind_s32, uint32_t, uint32_t, top32(flip32(a)))
BODY1(bfind_u64, uint32_t, uint64_t, top64(a))
BODY1(bfind_s64, uint32_t, uint64_t, top64(flip64(a)))
BODY1(bfind_shiftamt_u32, uint32_t, uint32_t, shift_to_top(top32(a), 31))
BODY1(bfind_shiftamt_s32, uint32_t, uint32_t, shift_to_top(top32(flip32(a)), 31))
BODY1(bfind_shiftamt_u64, uint32_t, uint64_t, shift_to_top(top64(a), 63))
BODY1(bfind_shiftamt_s64, uint32_t, uint64_t, shift_to_top(top64(flip64(a)), 63))

// The n-th set bit from position `base` upwards (n > 0) or downwards (n < 0); base itself if n is 0 and it is set.
static uint32_t find_nth_set(uint32_t bits, uint32_t base, int32_t n)
{
	if (base > 31)
		return UINT32_MAX;
	if (n == 0)
		return bits >> base & 1 ? base : UINT32_MAX;
	int step = n > 0 ? 1 : -1;
	uint32_t left = n > 0 ? (uint32_t)n : 0 - (uint32_t)n;
	for (int pos = (int)base; pos >= 0 && pos < 32; pos += step)
		if (bits >> pos & 1 && --left == 0)
			return (uint32_t)pos;
	return UINT32_MAX;
}

BODY(fns_b32)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	EACH(i)
		rd[i] = find_nth_set(ra[i], rb[i], (int32_t)rc[i]);
}

// Bit fields: position and length are the low bytes of b and c. Of 64 bits they are all of b and c: ptxas makes these of shifts.
// X(suffix, unsigned, signed, bits, which bits of b and c)
#define FIELDS(X) X(32, uint32_t, int32_t, 32, 0xff) X(64, uint64_t, int64_t, 64, UINT32_MAX)
#define X(n, U, S, bits, at)                                                                                    \
	static inline U low_bits##n(uint32_t len)                                                            \
	{                                                                                                    \
		return len >= bits ? (U)-1 : ((U)1 << (len & (bits - 1))) - 1;                               \
	}                                                                                                    \
	static inline U bfe_u##n(U a, uint32_t pos, uint32_t len)                                            \
	{                                                                                                    \
		return pos >= bits ? 0 : a >> (pos & (bits - 1)) & low_bits##n(len);                         \
	}                                                                                                    \
	static inline U bfe_s##n(U a, uint32_t pos, uint32_t len)                                            \
	{                                                                                                    \
		/* Above the top bit the field is filled with it, as the arithmetic shift does. */           \
		U t = (U)((S)a >> (pos < bits ? pos : bits - 1));                                            \
		uint32_t up = bits - (len < bits ? len : bits);                                              \
		return len ? (U)((S)(t << (up & (bits - 1))) >> (up & (bits - 1))) : 0;                      \
	}                                                                                                    \
	static inline U bfi_b##n(U a, U b, uint32_t pos, uint32_t len)                                       \
	{                                                                                                    \
		U m = pos >= bits ? 0 : low_bits##n(len) << (pos & (bits - 1));                              \
		return (b & ~m) | (a << (pos & (bits - 1)) & m);                                             \
	}                                                                                                    \
	BODY(bfe_u##n##_body)                                                                                \
	{                                                                                                    \
		U *rd = ROW(U, u->d);                                                                        \
		const U *ra = ROW(U, u->a);                                                                  \
		const uint32_t *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);                         \
		LANES(U, rd, bfe_u##n(ra[i], rb[i] & at, rc[i] & at));                                   \
	}                                                                                                    \
	BODY(bfe_s##n##_body)                                                                                \
	{                                                                                                    \
		U *rd = ROW(U, u->d);                                                                        \
		const U *ra = ROW(U, u->a);                                                                  \
		const uint32_t *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);                         \
		LANES(U, rd, bfe_s##n(ra[i], rb[i] & at, rc[i] & at));                                   \
	}                                                                                                    \
	BODY(bfi_b##n##_body)                                                                                \
	{                                                                                                    \
		U *rd = ROW(U, u->d);                                                                        \
		const U *ra = ROW(U, u->a), *rb = ROW(U, u->b);                                              \
		const uint32_t *rc = ROW(uint32_t, u->c), *rx = ROW(uint32_t, u->x[0]);                      \
		LANES(U, rd, bfi_b##n(ra[i], rb[i], rc[i] & at, rx[i] & at));                            \
	}
FIELDS(X)
#undef X

// A mask of b bits from bit a. Out of range is clamped to the top or taken modulo 32.
static inline uint32_t bmsk(uint32_t a, uint32_t b)
{
	uint64_t ones = b >= 32 ? UINT32_MAX : ((uint64_t)1 << (b & 31)) - 1;
	return a >= 32 ? 0 : (uint32_t)(ones << (a & 31));
}

BODY2(bmsk_clamp, uint32_t, uint32_t, bmsk(a, b))
BODY2(bmsk_wrap, uint32_t, uint32_t, bmsk(a & 31, b & 31))

// Keeps the low b bits of a, sign- or zero-extended; b == 0 gives 0.
static inline uint32_t zext(uint32_t a, uint32_t b)
{
	return b >= 32 ? a : a & (((uint32_t)1 << (b & 31)) - 1);
}

static inline uint32_t sext(uint32_t a, uint32_t b)
{
	uint32_t up = (32 - b) & 31;
	return b >= 32 ? a : b ? (uint32_t)((int32_t)(a << up) >> up) : 0;
}

BODY2(szext_clamp_u32, uint32_t, uint32_t, zext(a, b))
BODY2(szext_clamp_s32, uint32_t, uint32_t, sext(a, b))
BODY2(szext_wrap_u32, uint32_t, uint32_t, zext(a, b & 31))
BODY2(szext_wrap_s32, uint32_t, uint32_t, sext(a, b & 31))

// Dot products of bytes, and of 16-bit values with two bytes. X(types in the key, value of a, value of b)
#define DOTS(X) X(u32, u32, u) X(u32, s32, us) X(s32, u32, su) X(s32, s32, s)
#define AT_u32 uint8_t
#define AT_s32 int8_t
#define AT2_u32 uint16_t
#define AT2_s32 int16_t
#define X(ta, tb, n)                                                                                         \
	static inline uint32_t dot_##n(uint32_t a, uint32_t b, unsigned k)                                   \
	{                                                                                                    \
		return (uint32_t)((AT_##ta)(a >> k * 8) * (AT_##tb)(b >> k * 8));                            \
	}                                                                                                    \
	static inline uint32_t dot2_##n(uint32_t a, uint32_t b, unsigned k)                                  \
	{                                                                                                    \
		return (uint32_t)((int32_t)(AT2_##ta)a * (AT_##tb)(b >> k * 8)) +                            \
		       (uint32_t)((int32_t)(AT2_##ta)(a >> 16) * (AT_##tb)(b >> (k + 1) * 8));               \
	}                                                                                                    \
	BODY3(dp4a_##n, uint32_t, uint32_t, c + dot_##n(a, b, 0) + dot_##n(a, b, 1) + dot_##n(a, b, 2) + dot_##n(a, b, 3)) \
	BODY3(dp2a_lo_##n, uint32_t, uint32_t, c + dot2_##n(a, b, 0))                                        \
	BODY3(dp2a_hi_##n, uint32_t, uint32_t, c + dot2_##n(a, b, 2))
DOTS(X)
#undef X

// Arithmetic with carry: one flag a lane in w->cc. A subtraction is a + ~b + 1 and its flag the carry of that sum, so the
// flag is set when there was no borrow, although the PTX ISA says "borrow". It shows where the two kinds mix, as in
// nvcc's 128-bit division: ptxas makes `IADD3 d, P0, a, -b, RZ` of sub.cc and passes the plain P0 on, both to addc
// (`IADD3.X d, a, b, RZ, P0, !PT`) and to subc (`IADD3.X d, a, ~b, RZ, P0, !PT`).
#define CARRY(name, R, n_src, carry_in, carry_out, expr)                                                     \
	BODY(name)                                                                                           \
	{                                                                                                    \
		R *rd = ROW(R, u->d);                                                                        \
		const R *ra = ROW(R, u->a), *rb = ROW(R, u->b), *rc = n_src == 3 ? ROW(R, u->c) : rb;        \
		uint32_t out = 0;                                                                            \
		EACH(i) {                                                                                    \
			const R a = ra[i], b = rb[i], c = rc[i];                                             \
			const R k = carry_in ? w->cc >> i & 1 : 0;                                           \
			unsigned __int128 r = (expr);                                                        \
			rd[i] = (R)r;                                                                        \
			out |= (uint32_t)(r >> (8 * sizeof(R)) & 1) << i;                                    \
			(void)c, (void)k;                                                                    \
		}                                                                                            \
		if (carry_out)                                                                               \
			w->cc = (w->cc & ~mask) | out;                                                       \
	}
#define WIDER(v) ((unsigned __int128)(v))
#define CARRIES(n, R, S, W, SW, bits)                                                                        \
	CARRY(add_cc_##n, R, 2, 0, 1, WIDER(a) + b)                                                          \
	CARRY(addc_##n, R, 2, 1, 0, WIDER(a) + b + k)                                                        \
	CARRY(addc_cc_##n, R, 2, 1, 1, WIDER(a) + b + k)                                                     \
	CARRY(sub_cc_##n, R, 2, 0, 1, WIDER(a) + (R)~b + 1)                                                  \
	CARRY(subc_##n, R, 2, 1, 0, WIDER(a) + (R)~b + k)                                                    \
	CARRY(subc_cc_##n, R, 2, 1, 1, WIDER(a) + (R)~b + k)                                                 \
	CARRY(mad_lo_cc_##n, R, 3, 0, 1, WIDER((R)(a * b)) + c)                                              \
	CARRY(madc_lo_##n, R, 3, 1, 0, WIDER((R)(a * b)) + c + k)                                            \
	CARRY(madc_lo_cc_##n, R, 3, 1, 1, WIDER((R)(a * b)) + c + k)                                         \
	CARRY(mad_hi_cc_u##n, R, 3, 0, 1, WIDER((R)((W)a * b >> bits)) + c)                                  \
	CARRY(madc_hi_u##n, R, 3, 1, 0, WIDER((R)((W)a * b >> bits)) + c + k)                                \
	CARRY(madc_hi_cc_u##n, R, 3, 1, 1, WIDER((R)((W)a * b >> bits)) + c + k)                             \
	CARRY(mad_hi_cc_s##n, R, 3, 0, 1, WIDER((R)((SW)(S)a * (S)b >> bits)) + c)                           \
	CARRY(madc_hi_s##n, R, 3, 1, 0, WIDER((R)((SW)(S)a * (S)b >> bits)) + c + k)                         \
	CARRY(madc_hi_cc_s##n, R, 3, 1, 1, WIDER((R)((SW)(S)a * (S)b >> bits)) + c + k)
CARRIES(32, uint32_t, int32_t, uint64_t, int64_t, 32)
CARRIES(64, uint64_t, int64_t, unsigned __int128, __int128, 64)

#define SIGNLESS(op, fn, n) {op ".u" #n, fn##_##n}, {op ".s" #n, fn##_##n}, {op ".b" #n, fn##_##n}
#define WRAPPING(op, fn) \
	{op ".u16", fn##_b32}, {op ".s16", fn##_b32}, {op ".u32", fn##_b32}, {op ".s32", fn##_b32}, \
	{op ".u64", fn##_b64}, {op ".s64", fn##_b64}
#define CARRY_ROWS(n)                                                                                         \
	SIGNLESS("add.cc", add_cc, n), SIGNLESS("addc", addc, n), SIGNLESS("addc.cc", addc_cc, n),            \
	SIGNLESS("sub.cc", sub_cc, n), SIGNLESS("subc", subc, n), SIGNLESS("subc.cc", subc_cc, n),            \
	SIGNLESS("mad.lo.cc", mad_lo_cc, n), SIGNLESS("madc.lo", madc_lo, n),                                 \
	SIGNLESS("madc.lo.cc", madc_lo_cc, n),                                                                \
	{"mad.hi.cc.u" #n, mad_hi_cc_u##n}, {"madc.hi.u" #n, madc_hi_u##n}, {"madc.hi.cc.u" #n, madc_hi_cc_u##n}, \
	{"mad.hi.cc.s" #n, mad_hi_cc_s##n}, {"madc.hi.s" #n, madc_hi_s##n}, {"madc.hi.cc.s" #n, madc_hi_cc_s##n}

const struct exec_body EXEC_TABLE(int)[] = {
	WRAPPING("add", add), WRAPPING("sub", sub), WRAPPING("mul.lo", mul), WRAPPING("mad.lo", mad),
	{"add.sat.u16", add_sat_u16}, {"add.sat.s16", add_sat_s16},
	{"add.sat.u32", add_sat_u32}, {"add.sat.s32", add_sat_s32},
	{"sub.sat.u16", sub_sat_u16}, {"sub.sat.s16", sub_sat_s16},
	{"sub.sat.u32", sub_sat_u32}, {"sub.sat.s32", sub_sat_s32},
	{"neg.s16", neg_b32}, {"neg.s32", neg_b32}, {"neg.s64", neg_b64}, {"neg.s16x2", neg_s16x2},
#define X(t, R, V, W, bits) {"mul.hi." #t, mul_hi_##t}, {"mad.hi." #t, mad_hi_##t},
	HIGH(X)
#undef X
	{"mad.hi.sat.s32", mad_hi_sat_s32},
#define X(t, V, RD, W) {"mul.wide." #t, mul_wide_##t}, {"mad.wide." #t, mad_wide_##t},
	WIDE(X)
#undef X
	{"mul24.lo.u32", mul24_lo_u32}, {"mul24.hi.u32", mul24_hi_u32},
	{"mul24.lo.s32", mul24_lo_s32}, {"mul24.hi.s32", mul24_hi_s32},
	{"mad24.lo.u32", mad24_lo_u32}, {"mad24.hi.u32", mad24_hi_u32},
	{"mad24.lo.s32", mad24_lo_s32}, {"mad24.hi.s32", mad24_hi_s32}, {"mad24.hi.sat.s32", mad24_hi_sat_s32},
#define X(t, R, V, U)                                                                                         \
	{"min." #t, min_##t}, {"max." #t, max_##t}, {"sad." #t, sad_##t}, {"div." #t, div_##t}, {"rem." #t, rem_##t},
	INTS(X)
#undef X
#define X(t, R, V, U) {"abs." #t, abs_##t},
	SIGNED(X)
#undef X
	// .relu may stand before or after the type; CUDA's headers write it after.
	{"min.relu.s32", min_relu_s32}, {"max.relu.s32", max_relu_s32},
	{"min.s32.relu", min_relu_s32}, {"max.s32.relu", max_relu_s32},
	{"min.s16x2.relu", min_relu_s16x2}, {"max.s16x2.relu", max_relu_s16x2},
	{"add.u16x2", add_x2}, {"add.s16x2", add_x2}, {"sub.u16x2", sub_x2}, {"sub.s16x2", sub_x2},
	{"add.sat.u16x2", add_sat_u16x2}, {"add.sat.s16x2", add_sat_s16x2},
	{"sub.sat.u16x2", sub_sat_u16x2}, {"sub.sat.s16x2", sub_sat_s16x2},
	{"min.u16x2", min_u16x2}, {"min.s16x2", min_s16x2}, {"min.relu.s16x2", min_relu_s16x2},
	{"max.u16x2", max_u16x2}, {"max.s16x2", max_s16x2}, {"max.relu.s16x2", max_relu_s16x2},
	{"popc.b32", popc_b32}, {"popc.b64", popc_b64}, {"clz.b32", clz_b32}, {"clz.b64", clz_b64},
	{"brev.b32", brev_b32}, {"brev.b64", brev_b64},
	{"bfind.u32", bfind_u32}, {"bfind.s32", bfind_s32}, {"bfind.u64", bfind_u64}, {"bfind.s64", bfind_s64},
	{"bfind.shiftamt.u32", bfind_shiftamt_u32}, {"bfind.shiftamt.s32", bfind_shiftamt_s32},
	{"bfind.shiftamt.u64", bfind_shiftamt_u64}, {"bfind.shiftamt.s64", bfind_shiftamt_s64},
	{"fns.b32", fns_b32},
	{"bfe.u32", bfe_u32_body}, {"bfe.s32", bfe_s32_body}, {"bfe.u64", bfe_u64_body}, {"bfe.s64", bfe_s64_body},
	{"bfi.b32", bfi_b32_body}, {"bfi.b64", bfi_b64_body},
	{"bmsk.clamp.b32", bmsk_clamp}, {"bmsk.wrap.b32", bmsk_wrap},
	{"szext.clamp.u32", szext_clamp_u32}, {"szext.clamp.s32", szext_clamp_s32},
	{"szext.wrap.u32", szext_wrap_u32}, {"szext.wrap.s32", szext_wrap_s32},
#define X(ta, tb, n)                                                                                          \
	{"dp4a." #ta "." #tb, dp4a_##n}, {"dp2a.lo." #ta "." #tb, dp2a_lo_##n}, {"dp2a.hi." #ta "." #tb, dp2a_hi_##n},
	DOTS(X)
#undef X
	CARRY_ROWS(32), CARRY_ROWS(64),
	{0},
};
