// All formats are unpacked to sign, exponent and a 64-bit significand, computed on with integers, and rounded once by
// round_pack. A value is sig * 2^exp. Bits that do not fit are kept as a sticky bit: a significand whose bit 0 is set
// may stand for anything between it and its even neighbour. That is safe while at least two bits lie below the last
// bit of the result's format, which 64 bits guarantee for f64's 53.
#include "cuda-sim/numbers/softfp.h"

typedef unsigned __int128 u128;

struct fmt {
	uint8_t bits, ebits, mbits, shift; // shift: the pattern is stored this many bits up
	uint64_t max, inf, nan;            // magnitudes; inf is nan where the format has none
};

static const struct fmt fmts[SOFTFP_N] = {
	[SOFTFP_F16] = {16, 5, 10, 0, 0x7bff, 0x7c00, 0x7fff},
	[SOFTFP_BF16] = {16, 8, 7, 0, 0x7f7f, 0x7f80, 0x7fff},
	[SOFTFP_TF32] = {19, 8, 10, 13, 0x3fbff, 0x3fc00, 0x3ffff},
	[SOFTFP_F32] = {32, 8, 23, 0, 0x7f7fffff, 0x7f800000, SOFTFP_NAN32},
	[SOFTFP_F64] = {64, 11, 52, 0, 0x7fefffffffffffff, 0x7ff0000000000000, SOFTFP_NAN64},
	[SOFTFP_E4M3] = {8, 4, 3, 0, 0x7e, 0x7f, 0x7f},
	[SOFTFP_E5M2] = {8, 5, 2, 0, 0x7b, 0x7c, 0x7f},
};

enum cls { ZERO, FINITE, INF, NAN_ };

struct num {
	enum cls cls;
	bool neg;
	int exp;
	uint64_t sig; // bit 63 set if FINITE
};

static uint64_t put(const struct fmt *f, bool neg, uint64_t mag)
{
	return (mag | (uint64_t)neg << (f->bits - 1)) << f->shift;
}

static uint64_t put_nan(const struct fmt *f)
{
	return f->shift ? SOFTFP_NAN32 : f->nan;
}

static struct num unpack(const struct fmt *f, uint64_t u)
{
	u >>= f->shift;
	uint64_t mag = u & ((UINT64_C(1) << (f->bits - 1)) - 1), frac = mag & ((UINT64_C(1) << f->mbits) - 1);
	int e = (int)(mag >> f->mbits), bias = (1 << (f->ebits - 1)) - 1;
	struct num r = {ZERO, u >> (f->bits - 1) & 1, 0, 0};
	if (mag > f->max) {
		r.cls = mag == f->inf && f->inf != f->nan ? INF : NAN_;
	} else if (mag) {
		r.cls = FINITE;
		r.sig = e ? frac | UINT64_C(1) << f->mbits : frac;
		r.exp = (e ? e : 1) - bias - f->mbits;
		int lz = __builtin_clzll(r.sig);
		r.sig <<= lz;
		r.exp -= lz;
	}
	return r;
}

// Whether a magnitude is to be increased, given the odd bit of what is kept and the remainder relative to a half.
static bool round_up(enum rounding rnd, bool neg, bool odd, bool inexact, bool half, bool above)
{
	switch (rnd) {
	case ROUND_RZ: case ROUND_RZI: return false;
	case ROUND_RM: case ROUND_RMI: return neg && inexact;
	case ROUND_RP: case ROUND_RPI: return !neg && inexact;
	case ROUND_RNA: return half;
	default: return half && (above || odd);
	}
}

static uint64_t round_pack(const struct fmt *f, enum rounding rnd, bool satfinite, bool neg, int exp, uint64_t sig)
{
	if (!sig)
		return put(f, neg, 0);
	int lz = __builtin_clzll(sig), bias = (1 << (f->ebits - 1)) - 1;
	sig <<= lz;
	int e = exp - lz + 63, drop = 63 - f->mbits;
	if (e < 1 - bias)
		drop += 1 - bias - e;
	uint64_t q = drop < 64 ? sig >> drop : 0;
	bool half = drop <= 64 && (sig >> (drop - 1) & 1);
	uint64_t below = drop > 64 ? sig : sig & ((UINT64_C(1) << (drop - 1)) - 1);
	q += round_up(rnd, neg, q & 1, half || below, half, below != 0);
	// A carry out of the fraction moves into the exponent by itself, from subnormal to normal too.
	uint64_t mag = e < 1 - bias ? q : q + ((uint64_t)(e + bias - 1) << f->mbits);
	if (e + bias > 1 << f->ebits || mag > f->max) {
		bool to_inf = rnd != ROUND_RZ && rnd != ROUND_RZI && !((rnd == ROUND_RM || rnd == ROUND_RMI) && !neg) &&
		              !((rnd == ROUND_RP || rnd == ROUND_RPI) && neg);
		mag = to_inf && !satfinite ? f->inf : f->max;
	}
	return put(f, neg, mag);
}

// A 128-bit significand, sticky below.
static uint64_t round_pack128(const struct fmt *f, enum rounding rnd, bool neg, int exp, u128 sig)
{
	if (sig >> 64) {
		int lz = __builtin_clzll((uint64_t)(sig >> 64));
		sig <<= lz;
		return round_pack(f, rnd, false, neg, exp + 64 - lz, (uint64_t)(sig >> 64) | ((uint64_t)sig != 0));
	}
	return round_pack(f, rnd, false, neg, exp, (uint64_t)sig);
}

uint64_t softfp_convert(enum softfp_fmt dst, enum softfp_fmt src, uint64_t bits, enum rounding rnd, bool satfinite)
{
	const struct fmt *d = &fmts[dst];
	struct num n = unpack(&fmts[src], bits);
	switch (n.cls) {
	case NAN_: return put_nan(d);
	case INF: return put(d, n.neg, satfinite ? d->max : d->inf);
	case ZERO: return put(d, n.neg, 0);
	default: return round_pack(d, rnd, satfinite, n.neg, n.exp, n.sig);
	}
}

uint64_t softfp_from_sint(enum softfp_fmt dst, int64_t v, enum rounding rnd)
{
	return round_pack(&fmts[dst], rnd, false, v < 0, 0, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

uint64_t softfp_from_uint(enum softfp_fmt dst, uint64_t v, enum rounding rnd)
{
	return round_pack(&fmts[dst], rnd, false, false, 0, v);
}

static bool is_down(enum rounding rnd)
{
	return rnd == ROUND_RM || rnd == ROUND_RMI;
}

// x shifted right by n >= 0, what falls out kept as sticky bit.
static u128 shift_jam(u128 x, int n)
{
	if (n == 0)
		return x;
	if (n > 127)
		return x != 0;
	return x >> n | ((x << (128 - n)) != 0);
}

uint64_t softfp_fma(enum softfp_fmt fmt, uint64_t a, uint64_t b, uint64_t c, enum rounding rnd)
{
	const struct fmt *f = &fmts[fmt];
	struct num x = unpack(f, a), y = unpack(f, b), z = unpack(f, c);
	bool neg = x.neg ^ y.neg;
	if (x.cls == NAN_ || y.cls == NAN_ || z.cls == NAN_)
		return put_nan(f);
	if (x.cls == INF || y.cls == INF) {
		if (x.cls == ZERO || y.cls == ZERO || (z.cls == INF && z.neg != neg))
			return put_nan(f);
		return put(f, neg, f->inf);
	}
	if (z.cls == INF)
		return put(f, z.neg, f->inf);
	if (x.cls == ZERO || y.cls == ZERO) {
		if (z.cls == ZERO)
			return put(f, neg == z.neg ? neg : is_down(rnd), 0);
		return round_pack(f, rnd, false, z.neg, z.exp, z.sig);
	}
	// The product has at most 106 significant bits, so 22 low bits are zero before the shift below: what a shift
	// drops is below the result's last bit by far, unless both are aligned within two bits and nothing is dropped.
	u128 p = (u128)x.sig * y.sig >> 2, q = (u128)z.sig << 62;
	int pe = x.exp + y.exp + 2, qe = z.exp - 62;
	if (z.cls == ZERO)
		return round_pack128(f, rnd, neg, pe, p);
	int e = pe;
	if (pe >= qe) {
		q = shift_jam(q, pe - qe);
	} else {
		p = shift_jam(p, qe - pe);
		e = qe;
	}
	if (neg == z.neg)
		return round_pack128(f, rnd, neg, e, p + q);
	if (p == q)
		return put(f, is_down(rnd), 0);
	return p > q ? round_pack128(f, rnd, neg, e, p - q) : round_pack128(f, rnd, z.neg, e, q - p);
}

uint64_t softfp_add(enum softfp_fmt fmt, uint64_t a, uint64_t b, enum rounding rnd)
{
	static const uint64_t one[SOFTFP_N] = {0x3c00, 0x3f80, 0x3f800000, 0x3f800000, 0x3ff0000000000000, 0x38, 0x3c};
	return softfp_fma(fmt, a, one[fmt], b, rnd);
}

// The product of x and something of class y where one of them is zero, infinite or NaN; false if neither is.
static bool special_mul(const struct fmt *f, struct num x, enum cls y, bool neg, uint64_t *out)
{
	if (x.cls == NAN_ || y == NAN_ || (x.cls == INF && y == ZERO) || (x.cls == ZERO && y == INF))
		*out = put_nan(f);
	else if (x.cls == INF || y == INF)
		*out = put(f, neg, f->inf);
	else if (x.cls == ZERO || y == ZERO)
		*out = put(f, neg, 0);
	else
		return false;
	return true;
}

uint64_t softfp_mul(enum softfp_fmt fmt, uint64_t a, uint64_t b, enum rounding rnd)
{
	const struct fmt *f = &fmts[fmt];
	struct num x = unpack(f, a), y = unpack(f, b);
	uint64_t r;
	if (special_mul(f, x, y.cls, x.neg ^ y.neg, &r))
		return r;
	return round_pack128(f, rnd, x.neg ^ y.neg, x.exp + y.exp, (u128)x.sig * y.sig);
}

uint64_t softfp_div(enum softfp_fmt fmt, uint64_t a, uint64_t b, enum rounding rnd)
{
	const struct fmt *f = &fmts[fmt];
	struct num x = unpack(f, a), y = unpack(f, b);
	enum cls inverse = y.cls == ZERO ? INF : y.cls == INF ? ZERO : y.cls;
	uint64_t r;
	if (special_mul(f, x, inverse, x.neg ^ y.neg, &r))
		return r;
	u128 n = (u128)x.sig << 63; // the quotient has 63 or 64 bits
	uint64_t q = (uint64_t)(n / y.sig);
	return round_pack(f, rnd, false, x.neg ^ y.neg, x.exp - y.exp - 63, q | (n % y.sig != 0));
}

uint64_t softfp_sqrt(enum softfp_fmt fmt, uint64_t a, enum rounding rnd)
{
	const struct fmt *f = &fmts[fmt];
	struct num x = unpack(f, a);
	if (x.cls == ZERO)
		return put(f, x.neg, 0);
	if (x.cls == NAN_ || x.neg)
		return put_nan(f);
	if (x.cls == INF)
		return put(f, false, f->inf);
	// An even exponent, then the integer root bit by bit: 64 bits of it.
	u128 n = (u128)x.sig << 63, rem = 0;
	int e = x.exp - 63;
	if (e & 1) {
		n <<= 1;
		e -= 1;
	}
	uint64_t root = 0;
	for (int i = 63; i >= 0; i--) {
		rem = rem << 2 | (n >> (2 * i) & 3);
		u128 t = (u128)root << 2 | 1;
		root <<= 1;
		if (rem >= t) {
			rem -= t;
			root |= 1;
		}
	}
	return round_pack(f, rnd, false, false, e / 2, root | (rem != 0));
}

static bool moderate(double x) // 2^-400 < |x| < 2^400
{
	return (softfp_bits_f64(x) >> 52 & 0x7ff) - 623 < 801;
}

// Dekker's exact product uh + ul, then the sum with c as vh + (tl + vl) of which the second part is rounded to odd.
// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.)
static double fma_moderate(double a, double b, double c)
{
	double uh = a * b, ta = a * 0x1.0000002p27, tb = b * 0x1.0000002p27;
	double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
	double ul = ((ah * bh - uh) + ah * bl + al * bh) + al * bl;
	double th = c + ul, k = th - c, tl = (c - (th - k)) + (ul - k);
	double vh = uh + th, m = vh - uh, vl = (uh - (vh - m)) + (th - m);
	return vh + softfp_add_odd(tl, vl);
}

double softfp_fma_f64(double a, double b, double c, enum rounding rnd)
{
	bool nearest = rnd == ROUND_RN || rnd == ROUND_NONE || rnd == ROUND_RNI;
	if (nearest && moderate(a) && moderate(b) && moderate(c))
		return fma_moderate(a, b, c);
	return softfp_f64(softfp_fma(SOFTFP_F64, softfp_bits_f64(a), softfp_bits_f64(b), softfp_bits_f64(c), rnd));
}

double softfp_add_f64(double a, double b, enum rounding rnd)
{
	return softfp_f64(softfp_add(SOFTFP_F64, softfp_bits_f64(a), softfp_bits_f64(b), rnd));
}

double softfp_mul_f64(double a, double b, enum rounding rnd)
{
	return softfp_f64(softfp_mul(SOFTFP_F64, softfp_bits_f64(a), softfp_bits_f64(b), rnd));
}

double softfp_div_f64(double a, double b, enum rounding rnd)
{
	return softfp_f64(softfp_div(SOFTFP_F64, softfp_bits_f64(a), softfp_bits_f64(b), rnd));
}

double softfp_sqrt_f64(double a, enum rounding rnd)
{
	return softfp_f64(softfp_sqrt(SOFTFP_F64, softfp_bits_f64(a), rnd));
}

float softfp_div_f32(float a, float b, enum rounding rnd)
{
	return softfp_f32((uint32_t)softfp_div(SOFTFP_F32, softfp_bits_f32(a), softfp_bits_f32(b), rnd));
}

float softfp_sqrt_f32(float a, enum rounding rnd)
{
	return softfp_f32((uint32_t)softfp_sqrt(SOFTFP_F32, softfp_bits_f32(a), rnd));
}
