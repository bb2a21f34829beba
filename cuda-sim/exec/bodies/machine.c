// What machine code has and PTX does not: sums of three with carries, products with a 64-bit addend, shifts and additions in one,
// addresses made of parts, pairs of registers. Keys begin with "sass.".
//
// A pair is a 64-bit value in two registers: the row of the low one, and behind it that of the high one. Offset 0 as a
// predicate is one that never holds.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/numbers/softfp.h"

#define PAIR_ROW (4 * WARP)

static inline void put_pred(uint8_t *fp, int32_t off, uint32_t mask, uint32_t value)
{
	PRED(off) = (PRED(off) & ~mask) | (value & mask);
}

// --- sums with carries. A negated operand of a sum is its complement, and 1 more is added, which can carry: NAK's
// OpIAdd3 says so, and its tests ran on GPUs. The first carry says that the sum passed 2^32, the second 2^33.

BODY3(iadd3, uint32_t, uint32_t, a + b + c)

// imm: how many ones are added; x[0], x[1]: carries out; x[2], x[3]: carries in.
BODY(iadd3_carry)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	const uint32_t in1 = PRED(u->x[2]), in2 = PRED(u->x[3]);
	const uint64_t ones = (uint64_t)u->imm;
	_Alignas(64) uint64_t sum[WARP];
	uint32_t once = 0, twice = 0;

	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		sum[i] = (uint64_t)ra[i] + rb[i] + rc[i] + ones + (in1 >> i & 1) + (in2 >> i & 1);
	for (unsigned i = 0; i < WARP; i++) {
		once |= (uint32_t)(sum[i] >> 32 != 0) << i;
		twice |= (uint32_t)(sum[i] >> 33 != 0) << i;
	}
	LANES(uint32_t, rd, (uint32_t)sum[i]);
	put_pred(fp, u->x[0], mask, once);
	put_pred(fp, u->x[1], mask, twice);
}

// a * b + c and a carry x[2].
BODY(imad_carry)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	const uint32_t in = PRED(u->x[2]);

	LANES(uint32_t, rd, ra[i] * rb[i] + rc[i] + (in >> i & 1));
}

// A pair: a * b plus the pair c. x[0]: row of the upper half; d may be a row that nobody reads. x[1]: carry out, x[2]: in.
#define IMAD_WIDE(name, V, W)                                                                                       \
	BODY(name)                                                                                                  \
	{                                                                                                           \
		uint32_t *lo = ROW(uint32_t, u->d), *hi = ROW(uint32_t, u->x[0]);                                   \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);     \
		const uint32_t *rh = ROW(uint32_t, u->c + PAIR_ROW);                                                \
		_Alignas(64) uint64_t sum[WARP];                                                                    \
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)                                                     \
			sum[i] = (uint64_t)((W)(V)ra[i] * (W)(V)rb[i]) + (rc[i] | (uint64_t)rh[i] << 32);           \
		LANES(uint32_t, lo, (uint32_t)sum[i]);                                                              \
		LANES(uint32_t, hi, (uint32_t)(sum[i] >> 32));                                                      \
	}                                                                                                           \
	BODY(name##_carry)                                                                                          \
	{                                                                                                           \
		uint32_t *lo = ROW(uint32_t, u->d), *hi = ROW(uint32_t, u->x[0]);                                   \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);     \
		const uint32_t *rh = ROW(uint32_t, u->c + PAIR_ROW);                                                \
		const uint32_t in = PRED(u->x[2]);                                                                  \
		uint32_t out = 0;                                                                                   \
		EACH(i) {                                                                                           \
			unsigned __int128 s = (uint64_t)((W)(V)ra[i] * (W)(V)rb[i]);                                \
			s += (rc[i] | (uint64_t)rh[i] << 32);                                                       \
			s += in >> i & 1;                                                                           \
			lo[i] = (uint32_t)s;                                                                        \
			hi[i] = (uint32_t)(s >> 32);                                                                \
			out |= (uint32_t)(s >> 64 & 1) << i;                                                        \
		}                                                                                                   \
		put_pred(fp, u->x[1], mask, out);                                                                   \
	}
IMAD_WIDE(imad_wide_u32, uint32_t, uint64_t)
IMAD_WIDE(imad_wide_s32, int32_t, int64_t)

// (a << shift) + b; x[3]: shift.
BODY(lea)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b);
	const unsigned shift = (unsigned)u->x[3];

	LANES(uint32_t, rd, (ra[i] << shift) + rb[i]);
}

// The same with all that LEA has. imm: bit 0 the upper word of (c:a) << shift, bit 1 c is the sign of a, bit 2 what was shifted
// is inverted, from bit 8 on how many ones are added. x[0]: carry out, x[2]: carry in.
BODY(lea_carry)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	const unsigned shift = (unsigned)u->x[3];
	const bool high = u->imm & 1, sign = u->imm & 2;
	const uint32_t in = PRED(u->x[2]), flip = u->imm & 4 ? UINT32_MAX : 0;
	const uint64_t ones = (uint64_t)u->imm >> 8;
	_Alignas(64) uint64_t sum[WARP];
	uint32_t out = 0;

	for (unsigned i = 0; i < WARP; i++) {
		const uint32_t top = sign ? (uint32_t)((int32_t)ra[i] >> 31) : rc[i];
		const uint64_t v = (ra[i] | (uint64_t)top << 32) << shift;
		sum[i] = (uint64_t)((uint32_t)(high ? v >> 32 : v) ^ flip) + rb[i] + ones + (in >> i & 1);
		out |= (uint32_t)(sum[i] >> 32 != 0) << i;
	}
	LANES(uint32_t, rd, (uint32_t)sum[i]);
	put_pred(fp, u->x[0], mask, out);
}

// --- bits

// Funnel shift of c:a by b. imm: bit 0 right, bit 1 signed, bit 2 the amount wraps, bit 3 the upper word, bit 4 amounts of 64 bits.
BODY(shf)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	const bool right = u->imm & 1, is_signed = u->imm & 2, wrap = u->imm & 4, high = u->imm & 8;
	const uint32_t bits = u->imm & 16 ? 64 : 32;

	EACH(i) {
		const uint64_t v = ra[i] | (uint64_t)rc[i] << 32;
		const uint32_t n = wrap ? rb[i] & (bits - 1) : rb[i] < bits ? rb[i] : bits;
		const uint64_t r = n > 63 ? (right && is_signed && v >> 63 ? UINT64_MAX : 0)
		                   : !right ? v << n : is_signed ? (uint64_t)((int64_t)v >> n) : v >> n;
		rd[i] = (uint32_t)(high ? r >> 32 : r);
	}
}

// Any two functions of three predicates: imm has the table of d, and from bit 8 on that of x[0].
BODY(plop3)
{
	const uint32_t a = PRED(u->a), b = PRED(u->b), c = PRED(u->c);
	uint32_t r[2] = {0, 0};

	for (unsigned k = 0; k < 8; k++) {
		const uint32_t here = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
		r[0] |= u->imm >> k & 1 ? here : 0;
		r[1] |= u->imm >> (8 + k) & 1 ? here : 0;
	}
	put_pred(fp, u->d, mask, r[0]);
	put_pred(fp, u->x[0], mask, r[1]);
}

// The predicate p holds where row a is not zero, and q where it is, each joined with c: imm 1 or, else and.
BODY(nonzero)
{
	const uint32_t *ra = ROW(uint32_t, u->a);
	const uint32_t t = MASK_OF(ra[i] != 0), c = PRED(u->c);

	put_pred(fp, u->d, mask, u->imm ? t | c : t & c);
}

// Predicates from masks a on to byte x[0] of a register, those that row b has a bit for; the other bits are those of row c.
BODY(p2r)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);
	_Alignas(64) uint32_t v[WARP] = {0};

	for (unsigned p = 0; p < 7; p++)
		for (unsigned i = 0; i < WARP; i++)
			v[i] |= (PRED(u->a + 4 * (int32_t)p) >> i & 1) << p;
	LANES(uint32_t, rd, ((v[i] & rb[i]) | (~rb[i] & rc[i] >> 8 * u->x[0] & 0xff)) << 8 * u->x[0] | (rc[i] & ~(0xffu << 8 * u->x[0])));
}

// And back: byte x[0] of row a to the predicates from mask d on that row b has a bit for.
BODY(r2p)
{
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b);

	for (unsigned p = 0; p < 7; p++) {
		const uint32_t t = MASK_OF(ra[i] >> (8 * u->x[0] + (int32_t)p) & 1), change = MASK_OF(rb[i] >> p & 1);
		put_pred(fp, u->d + 4 * (int32_t)p, mask & change, t);
	}
}

// A comparison of upper words, where those are equal decided by that of the lower ones: x[1]. imm: enum uop_cmp of signed or, with
// bit 8, of unsigned words.
BODY(compare_extended)
{
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b);
	const uint32_t low = PRED(u->x[1]), c = PRED(u->c) ^ (u->flags & UOP_NEG_C ? FULL_MASK : 0);
	const bool is_unsigned = u->imm >> 8 & 1;
	uint32_t less = MASK_OF(is_unsigned ? ra[i] < rb[i] : (int32_t)ra[i] < (int32_t)rb[i]), same = MASK_OF(ra[i] == rb[i]), t;

	switch ((enum uop_cmp)(u->imm & 0xff)) {
	case UOP_EQ: t = same & low; break;
	case UOP_NE: t = ~same | low; break;
	case UOP_LT:
	case UOP_LE: t = (same & low) | (~same & less); break;
	default: t = (same & low) | (~same & ~less); break;
	}
	put_pred(fp, u->d, mask, u->mode.logic == UOP_OR ? t | c : u->mode.logic == UOP_XOR ? t ^ c : t & c);
	put_pred(fp, u->x[0], mask, u->mode.logic == UOP_OR ? ~t | c : u->mode.logic == UOP_XOR ? ~t ^ c : ~t & c);
}

// Sums of the absolute differences of four bytes, and c. imm: bit 0 signed; without bit 1 each byte's difference stays in its byte.
BODY(vabsdiff4)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);

	EACH(i) {
		uint32_t r = u->imm & 2 ? rc[i] : 0;
		for (unsigned k = 0; k < 4; k++) {
			const uint32_t x = ra[i] >> 8 * k & 0xff, y = rb[i] >> 8 * k & 0xff;
			const int p = u->imm & 1 ? (int8_t)x : (int)x, q = u->imm & 1 ? (int8_t)y : (int)y;
			const uint32_t v = (uint32_t)(p > q ? p - q : q - p);
			r = u->imm & 2 ? r + v : r | (v & 0xff) << 8 * k;
		}
		rd[i] = r;
	}
}

// a * b * c, rounded once; c is a power of two. The product of two floats is exact in double precision, and so is its scaling.
BODY(fmul_scaled)
{
	float *rd = ROW(float, u->d);
	const float *ra = ROW(float, u->a), *rb = ROW(float, u->b), *rc = ROW(float, u->c);
	const bool ftz = u->mode.ftz, sat = u->mode.sat;

	EACH(i) {
		const double a = ftz ? f32_flush(ra[i]) : ra[i], b = ftz ? f32_flush(rb[i]) : rb[i];
		float r = (float)(a * b * rc[i]);
		r = ftz ? f32_flush(r) : r;
		rd[i] = sat ? f32_sat(r) : f32_canon(r);
	}
}

// --- double precision in pairs. imm: bit 0 a negative, bit 1 its absolute value; bits 2, 3 of b; 4, 5 of c.
static inline uint64_t pair_at(const uint32_t *lo, const uint32_t *hi, unsigned i, uint64_t clear, uint64_t flip)
{
	return ((lo[i] | (uint64_t)hi[i] << 32) & ~clear) ^ flip;
}

#define SIGN64      ((uint64_t)1 << 63)
#define CLEAR(bit)  (u->imm >> (bit) & 1 ? SIGN64 : 0)
#define DOUBLES(name, use_b, use_c, expr)                                                                           \
	BODY(name)                                                                                                  \
	{                                                                                                           \
		uint32_t *lo = ROW(uint32_t, u->d), *hi = ROW(uint32_t, u->d + PAIR_ROW);                           \
		const uint32_t *al = ROW(uint32_t, u->a), *ah = ROW(uint32_t, u->a + PAIR_ROW);                     \
		const uint32_t *bl = ROW(uint32_t, u->b), *bh = ROW(uint32_t, u->b + PAIR_ROW);                     \
		const uint32_t *cl = ROW(uint32_t, u->c), *ch = ROW(uint32_t, u->c + PAIR_ROW);                     \
		const uint64_t an = CLEAR(0), ac = CLEAR(1), bn = CLEAR(2), bc = CLEAR(3), cn = CLEAR(4), cc = CLEAR(5); \
		_Alignas(64) uint64_t r[WARP];                                                                      \
		(void)bl, (void)bh, (void)cl, (void)ch, (void)bn, (void)bc, (void)cn, (void)cc;                     \
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++) {                                                   \
			const double a = f64_of(pair_at(al, ah, i, ac, an));                                        \
			const double b = use_b ? f64_of(pair_at(bl, bh, i, bc, bn)) : 0;                            \
			const double c = use_c ? f64_of(pair_at(cl, ch, i, cc, cn)) : 0;                            \
			(void)b, (void)c;                                                                           \
			r[i] = f64_bits(f64_canon(expr));                                                           \
		}                                                                                                   \
		LANES(uint32_t, lo, (uint32_t)r[i]);                                                                \
		LANES(uint32_t, hi, (uint32_t)(r[i] >> 32));                                                        \
	}
#ifdef __FMA__
#define FMA64(a, b, c) __builtin_fma(a, b, c)
#else
#define FMA64(a, b, c) softfp_fma_f64(a, b, c, ROUND_RN)
#endif
DOUBLES(dadd, true, false, a + b)
DOUBLES(dmul, true, false, a * b)
DOUBLES(dfma, true, true, FMA64(a, b, c))

// Which of two doubles min and max take: d holds where it is a, x[0] where it is b made a quiet NaN, since neither is a number; joined
// with the predicate c. -0 is below +0. imm: bits 0 to 3 as for arithmetic, bit 4: max.
BODY(dsetp_minmax)
{
	const uint32_t *al = ROW(uint32_t, u->a), *ah = ROW(uint32_t, u->a + PAIR_ROW);
	const uint32_t *bl = ROW(uint32_t, u->b), *bh = ROW(uint32_t, u->b + PAIR_ROW);
	const uint64_t an = CLEAR(0), ac = CLEAR(1), bn = CLEAR(2), bc = CLEAR(3);
	const uint32_t c = PRED(u->c) ^ (u->flags & UOP_NEG_C ? FULL_MASK : 0);
	uint32_t first = 0, none = 0;

	for (unsigned i = 0; i < WARP; i++) {
		const uint64_t x = pair_at(al, ah, i, ac, an), y = pair_at(bl, bh, i, bc, bn);
		const double a = f64_of(x), b = f64_of(y);
		const bool less = a < b || (a == b && x >> 63 > y >> 63), more = a > b || (a == b && x >> 63 < y >> 63);
		first |= (uint32_t)(a == a && (b != b || (u->imm & 16 ? more : less))) << i;
		none |= (uint32_t)(a != a && b != b) << i;
	}
	put_pred(fp, u->d, mask, first & c);
	put_pred(fp, u->x[0], mask, none & c);
}

// Sine and cosine of an angle in turns, of which ptxas's code multiplies an angle by 1 / (2 pi).
BODY1(sin_turns, float, float, dm_mufu_sin(a))
BODY1(cos_turns, float, float, dm_mufu_cos(a))

// The signs of an instruction's sources: only the sign's bit changes, of a NaN too.
BODY1(source_abs_f32, uint32_t, uint32_t, a & 0x7fffffffu)
BODY1(source_neg_f32, uint32_t, uint32_t, a ^ 0x80000000u)
BODY1(source_abs_f64, uint64_t, uint64_t, a & 0x7fffffffffffffffu)
BODY1(source_neg_f64, uint64_t, uint64_t, a ^ 0x8000000000000000u)
BODY1(source_abs_halves, uint32_t, uint32_t, a & 0x7fff7fffu)
BODY1(source_neg_halves, uint32_t, uint32_t, a ^ 0x80008000u)

// The upper half of a reciprocal or of that of a square root, of a double's upper half; the lower halves are taken as zero.
#define RECIPROCAL64(name, fn)                                                                                      \
	BODY(name)                                                                                                  \
	{                                                                                                           \
		uint32_t *rd = ROW(uint32_t, u->d);                                                                 \
		const uint32_t *ra = ROW(uint32_t, u->a);                                                           \
		LANES(uint32_t, rd, (uint32_t)(f64_bits(fn(f64_of((uint64_t)ra[i] << 32))) >> 32));                 \
	}
RECIPROCAL64(rcp64h, dm_rcp_approx_ftz_f64)
RECIPROCAL64(rsq64h, dm_rsqrt_approx_ftz_f64)

// Whether a division a / b needs more than the short way, which multiplies by an approximate reciprocal and corrects twice: where
// operands, quotient or what is between may be too large or too small. More than a GPU asks for does no harm.
BODY(fchk)
{
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b);
	uint32_t t = 0;

	for (unsigned i = 0; i < WARP; i++) {
		const int a = (int)(ra[i] >> 23 & 0xff), b = (int)(rb[i] >> 23 & 0xff);
		t |= (uint32_t)(a == 255 || b == 255 || b == 0 || a < 25 || b > 252 || a - b > 125 || a - b < -125) << i;
	}
	put_pred(fp, u->d, mask, t);
}

// --- halves

BODY1(half_low, uint32_t, uint32_t, (a & 0xffff) | a << 16)
BODY1(half_high, uint32_t, uint32_t, a >> 16 | (a & 0xffff0000u))

// --- addresses: pairs a of registers, with a uniform register b or a pair of them.

BODY(address_pair)
{
	uint64_t *rd = ROW(uint64_t, u->d);
	const uint32_t *lo = ROW(uint32_t, u->a), *hi = ROW(uint32_t, u->a + PAIR_ROW);

	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		rd[i] = lo[i] | (uint64_t)hi[i] << 32;
}

BODY(address_pair_pair)
{
	uint64_t *rd = ROW(uint64_t, u->d);
	const uint32_t *lo = ROW(uint32_t, u->a), *hi = ROW(uint32_t, u->a + PAIR_ROW);
	const uint32_t *bl = ROW(uint32_t, u->b), *bh = ROW(uint32_t, u->b + PAIR_ROW);

	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		rd[i] = (lo[i] | (uint64_t)hi[i] << 32) + (bl[i] | (uint64_t)bh[i] << 32);
}

BODY(address_word_pair)
{
	uint64_t *rd = ROW(uint64_t, u->d);
	const uint32_t *lo = ROW(uint32_t, u->a);
	const uint32_t *bl = ROW(uint32_t, u->b), *bh = ROW(uint32_t, u->b + PAIR_ROW);

	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		rd[i] = lo[i] + (bl[i] | (uint64_t)bh[i] << 32);
}

// (a << x[3]) + b of 32 bits.
BODY(address_word)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b);
	const unsigned shift = (unsigned)u->x[3];

	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		rd[i] = (ra[i] << shift) + rb[i];
}

// A constant by index: c[x[3]][a + imm], x[2] bytes, sign-extended if x[1]; d, or d and the row behind it.
BODY(ldc)
{
	const uint32_t *ra = ROW(uint32_t, u->a);
	const struct exec_bank *k = &w->cta->bank[u->x[3]];
	const uint32_t bytes = (uint32_t)u->x[2];

	EACH(i) {
		const uint32_t at = ra[i] + (uint32_t)u->imm;
		uint64_t v = 0;
		if (at > k->size || bytes > k->size - at || at % bytes) {
			exec_fault(w, u, at % bytes ? FAULT_MISALIGNED : FAULT_ILLEGAL_ADDRESS, i, at,
			           "%u bytes at 0x%x of constant bank %d, which has %u", bytes, at, u->x[3], k->size);
			return;
		}
		memcpy(&v, k->at + at, bytes);
		if (u->x[1] && bytes < 4)
			v = (uint64_t)(int64_t)((int32_t)((uint32_t)v << (32 - 8 * bytes)) >> (32 - 8 * bytes));
		ROW(uint32_t, u->d)[i] = (uint32_t)v;
		if (bytes == 8)
			ROW(uint32_t, u->d + PAIR_ROW)[i] = (uint32_t)(v >> 32);
	}
}

// --- the uniform data path

// The first lane's value to all lanes that are here, and the same of a predicate.
// A uniform register belongs to all lanes that are here, whether the guard holds for them or not.
BODY(broadcast)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t v = ROW(uint32_t, u->a)[__builtin_ctz(mask)];

	mask |= w->active;
	LANES(uint32_t, rd, v);
}

BODY(broadcast_pred)
{
	put_pred(fp, u->d, mask, PRED(u->a) >> __builtin_ctz(mask) & 1 ? FULL_MASK : 0);
}

BODY(nop)
{
}

const struct exec_body EXEC_TABLE(machine)[] = {
	{"sass.iadd3", iadd3}, {"sass.iadd3.carry", iadd3_carry}, {"sass.imad.carry", imad_carry},
	{"sass.imad.wide.u32", imad_wide_u32}, {"sass.imad.wide.s32", imad_wide_s32},
	{"sass.imad.wide.carry.u32", imad_wide_u32_carry}, {"sass.imad.wide.carry.s32", imad_wide_s32_carry},
	{"sass.lea", lea}, {"sass.lea.carry", lea_carry}, {"sass.shf", shf}, {"sass.plop3", plop3}, {"sass.nonzero", nonzero},
	{"sass.abs.f32", source_abs_f32}, {"sass.neg.f32", source_neg_f32}, {"sass.abs.f64", source_abs_f64}, {"sass.neg.f64", source_neg_f64},
	{"sass.abs.halves", source_abs_halves}, {"sass.neg.halves", source_neg_halves},
	{"sass.p2r", p2r}, {"sass.r2p", r2p}, {"sass.compare.extended", compare_extended}, {"sass.vabsdiff4", vabsdiff4},
	{"sass.dadd", dadd}, {"sass.dmul", dmul}, {"sass.dfma", dfma}, {"sass.dsetp.minmax", dsetp_minmax}, {"sass.sin", sin_turns}, {"sass.cos", cos_turns}, {"sass.rcp64h", rcp64h}, {"sass.rsq64h", rsq64h}, {"sass.fchk", fchk}, {"sass.fmul.scaled", fmul_scaled},
	{"sass.half.low", half_low}, {"sass.half.high", half_high},
	{"sass.address.pair", address_pair}, {"sass.address.pair.pair", address_pair_pair}, {"sass.address.word.pair", address_word_pair},
	{"sass.address.word", address_word}, {"sass.ldc", ldc}, {"sass.broadcast", broadcast}, {"sass.broadcast.pred", broadcast_pred},
	{"sass.nop", nop},
	{0},
};
