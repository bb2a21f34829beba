// Bitwise logic, shifts and byte permutation.
#include "cuda-sim/exec/lanes.h"

BODY2(and_b32, uint32_t, uint32_t, a & b)
BODY2(and_b64, uint64_t, uint64_t, a & b)
BODY2(or_b32, uint32_t, uint32_t, a | b)
BODY2(or_b64, uint64_t, uint64_t, a | b)
BODY2(xor_b32, uint32_t, uint32_t, a ^ b)
BODY2(xor_b64, uint64_t, uint64_t, a ^ b)
BODY1(not_b32, uint32_t, uint32_t, ~a)
BODY1(not_b64, uint64_t, uint64_t, ~a)
BODY1(cnot_b16, uint32_t, uint32_t, (uint16_t)a == 0)
BODY1(cnot_b32, uint32_t, uint32_t, a == 0)
BODY1(cnot_b64, uint64_t, uint64_t, a == 0)

// Predicates are masks already.
static inline uint32_t pred_source(const uint8_t *fp, const struct uop *u, int32_t off, unsigned neg)
{
	return PRED(off) ^ (u->flags & neg ? FULL_MASK : 0);
}

#define PRED_BODY(name, expr)                                                           \
	BODY(name)                                                                      \
	{                                                                               \
		const uint32_t a = pred_source(fp, u, u->a, UOP_NEG_A);                 \
		const uint32_t b = pred_source(fp, u, u->b, UOP_NEG_B);                 \
		PRED(u->d) = (PRED(u->d) & ~mask) | ((expr) & mask);                    \
	}
PRED_BODY(and_pred, a & b)
PRED_BODY(or_pred, a | b)
PRED_BODY(xor_pred, a ^ b)

BODY(not_pred)
{
	const uint32_t a = pred_source(fp, u, u->a, UOP_NEG_A);
	PRED(u->d) = (PRED(u->d) & ~mask) | (~a & mask);
}

// Any function of three bits: bit k of the table is its value where (a, b, c) spell k.
BODY(lop3_b32)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	const uint32_t lut = *ROW(uint32_t, u->x[0]); // an immediate: the same in all lanes
	uint32_t t[8];
	for (unsigned k = 0; k < 8; k++)
		t[k] = 0 - (lut >> k & 1);
	LANES(uint32_t, rd, ({
		const uint32_t a = ra[i], b = rb[i], c = rc[i];
		const uint32_t b0 = (t[0] & ~c) | (t[1] & c), b1 = (t[2] & ~c) | (t[3] & c);
		const uint32_t b2 = (t[4] & ~c) | (t[5] & c), b3 = (t[6] & ~c) | (t[7] & c);
		const uint32_t a0 = (b0 & ~b) | (b1 & b), a1 = (b2 & ~b) | (b3 & b);
		(a0 & ~a) | (a1 & a);
	}));
}

// lop3.BoolOp d|p, a, b, c, lut, q: x[0] = p, x[1] = lut, x[2] = q.
#define LOP3_PRED(name, expr)                                                           \
	BODY(name)                                                                      \
	{                                                                               \
		struct uop v = *u;                                                      \
		v.x[0] = u->x[1];                                                       \
		lop3_b32(fp, &v, mask, w);                                              \
		const uint32_t *rd = ROW(uint32_t, u->d);                               \
		const uint32_t t = MASK_OF(rd[i] != 0), q = PRED(u->x[2]);              \
		PRED(u->x[0]) = (PRED(u->x[0]) & ~mask) | ((expr) & mask);              \
	}
LOP3_PRED(lop3_or, t | q)
LOP3_PRED(lop3_and, t & q)

// The amount is a full 32-bit unsigned value; shifting by the width or more leaves zeroes or copies of the sign.
#define SHIFT(name, R, V, expr)                                                         \
	BODY(name)                                                                      \
	{                                                                               \
		R *rd = ROW(R, u->d);                                                   \
		const R *ra = ROW(R, u->a);                                             \
		const uint32_t *rb = ROW(uint32_t, u->b);                               \
		LANES(R, rd, ({ const V a = (V)ra[i]; const uint32_t b = rb[i]; (expr); })); \
	}
SHIFT(shl_b16, uint32_t, uint16_t, b > 15 ? 0 : (uint32_t)a << (b & 15))
SHIFT(shl_b32, uint32_t, uint32_t, b > 31 ? 0 : a << (b & 31))
SHIFT(shl_b64, uint64_t, uint64_t, b > 63 ? 0 : a << (b & 63))
SHIFT(shr_u16, uint32_t, uint16_t, b > 15 ? 0 : a >> (b & 15))
SHIFT(shr_u32, uint32_t, uint32_t, b > 31 ? 0 : a >> (b & 31))
SHIFT(shr_u64, uint64_t, uint64_t, b > 63 ? 0 : a >> (b & 63))
SHIFT(shr_s16, uint32_t, int16_t, (uint32_t)(a >> (b > 15 ? 15 : b)))
SHIFT(shr_s32, uint32_t, int32_t, (uint32_t)(a >> (b > 31 ? 31 : b)))
SHIFT(shr_s64, uint64_t, int64_t, (uint64_t)(a >> (b > 63 ? 63 : b)))

// Funnel shifts of b:a; the left one gives the high word, the right one the low word.
static inline uint64_t join(uint32_t lo, uint32_t hi)
{
	return (uint64_t)hi << 32 | lo;
}

BODY3(shf_l_clamp, uint32_t, uint32_t, (uint32_t)(join(a, b) << (c > 32 ? 32 : c) >> 32))
BODY3(shf_r_clamp, uint32_t, uint32_t, (uint32_t)(join(a, b) >> (c > 32 ? 32 : c)))
BODY3(shf_l_wrap, uint32_t, uint32_t, (uint32_t)(join(a, b) << (c & 31) >> 32))
BODY3(shf_r_wrap, uint32_t, uint32_t, (uint32_t)(join(a, b) >> (c & 31)))

// One byte of b:a by a selector of four bits; the top bit asks for eight copies of the byte's sign.
static inline uint32_t pick(uint64_t v, uint32_t sel)
{
	uint32_t byte = (uint32_t)(v >> (sel & 7) * 8) & 0xff;
	return sel & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t sel)
{
	uint64_t v = join(a, b);
	return pick(v, sel) | pick(v, sel >> 4) << 8 | pick(v, sel >> 8) << 16 | pick(v, sel >> 12) << 24;
}

BODY3(prmt_each, uint32_t, uint32_t, prmt(a, b, c))

// One byte of the word `from` by the selector of all lanes: up to the top of the word, and down as what is asked for.
#define PICKED(k) ((uint32_t)((int32_t)(from[k][i] << up[k]) >> down[k]) & 0xff)

// As a rule the selector is an immediate, and so the same in all lanes.
BODY(prmt_b32)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	uint32_t sel = rc[0], differs = 0;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		differs |= rc[i] ^ sel;
	if (differs) {
		prmt_each(fp, u, mask, w);
		return;
	}
	const uint32_t *from[4];
	unsigned up[4], down[4];
	for (unsigned k = 0; k < 4; k++) {
		unsigned s = sel >> 4 * k & 15;
		from[k] = s & 4 ? rb : ra;
		up[k] = 24 - 8 * (s & 3);
		down[k] = s & 8 ? 31 : 24;
	}
	LANES(uint32_t, rd, PICKED(0) | PICKED(1) << 8 | PICKED(2) << 16 | PICKED(3) << 24);
}

// The special modes: c & 3 chooses one of four selectors. (PTX ISA, prmt)
#define PRMT_MODES(X)                                                                   \
	X(f4e, 0x3210, 0x4321, 0x5432, 0x6543) X(b4e, 0x5670, 0x6701, 0x7012, 0x0123)   \
	X(rc8, 0x0000, 0x1111, 0x2222, 0x3333) X(ecl, 0x3210, 0x3211, 0x3222, 0x3333)   \
	X(ecr, 0x0000, 0x1110, 0x2210, 0x3210) X(rc16, 0x1010, 0x3232, 0x1010, 0x3232)
#define X(mode, s0, s1, s2, s3) \
	BODY3(prmt_##mode, uint32_t, uint32_t, prmt(a, b, c & 2 ? (c & 1 ? s3 : s2) : (c & 1 ? s1 : s0)))
PRMT_MODES(X)
#undef X

#define BITWISE(op, fn) {op ".b16", fn##_b32}, {op ".b32", fn##_b32}, {op ".b64", fn##_b64}

const struct exec_body EXEC_TABLE(logic)[] = {
	BITWISE("and", and), BITWISE("or", or), BITWISE("xor", xor), BITWISE("not", not),
	{"and.pred", and_pred}, {"or.pred", or_pred}, {"xor.pred", xor_pred}, {"not.pred", not_pred},
	{"cnot.b16", cnot_b16}, {"cnot.b32", cnot_b32}, {"cnot.b64", cnot_b64},
	{"lop3.b32", lop3_b32}, {"lop3.or.b32", lop3_or}, {"lop3.and.b32", lop3_and},
	{"shl.b16", shl_b16}, {"shl.b32", shl_b32}, {"shl.b64", shl_b64},
	{"shl.u16", shl_b16}, {"shl.u32", shl_b32}, {"shl.u64", shl_b64},
	{"shl.s16", shl_b16}, {"shl.s32", shl_b32}, {"shl.s64", shl_b64},
	{"shr.b16", shr_u16}, {"shr.b32", shr_u32}, {"shr.b64", shr_u64},
	{"shr.u16", shr_u16}, {"shr.u32", shr_u32}, {"shr.u64", shr_u64},
	{"shr.s16", shr_s16}, {"shr.s32", shr_s32}, {"shr.s64", shr_s64},
	{"shf.l.clamp.b32", shf_l_clamp}, {"shf.r.clamp.b32", shf_r_clamp},
	{"shf.l.wrap.b32", shf_l_wrap}, {"shf.r.wrap.b32", shf_r_wrap},
	{"prmt.b32", prmt_b32},
#define X(mode, s0, s1, s2, s3) {"prmt.b32." #mode, prmt_##mode},
	PRMT_MODES(X)
#undef X
	{0},
};
