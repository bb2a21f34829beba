// The sums of tensor cores in whole numbers, for tests of their bodies.
#ifndef TESTS_UNIT_TENSOR_SUMS_H
#define TESTS_UNIT_TENSOR_SUMS_H

#include "cuda-sim/numbers/softfp.h"
#include "cuda-sim/tensor/tensor.h"
#include "tests/unit/random.h"

static const struct format {
	enum tensor_type type;
	unsigned exponent, mantissa, unused; // `unused` low bits are not looked at
} formats[] = {
	{TENSOR_F16, 5, 10, 0}, {TENSOR_BF16, 8, 7, 0}, {TENSOR_TF32, 8, 10, 13}, {TENSOR_E4M3, 4, 3, 0}, {TENSOR_E5M2, 5, 2, 0},
};
static const struct format f32 = {TENSOR_F32, 8, 23, 0};

enum kind { NUMBER, INFINITE, NAN_OF };

struct number {
	enum kind kind;
	bool negative;
	int64_t sig; // with `mantissa` bits behind the point
	int exp;
};

static struct number number_of(const struct format *f, uint32_t bits)
{
	bits >>= f->unused;
	unsigned max = (1u << f->exponent) - 1, e = bits >> f->mantissa & max, m = bits & ((1u << f->mantissa) - 1);
	struct number n = {NUMBER, bits >> (f->exponent + f->mantissa) & 1, m, (int)(e ? e : 1) - (int)(max / 2)};
	bool finite = f->type == TENSOR_E4M3;
	if (e == max && (!finite || m == (1u << f->mantissa) - 1))
		n.kind = finite || m ? NAN_OF : INFINITE;
	if (e)
		n.sig |= 1 << f->mantissa;
	return n;
}

struct term {
	__int128 sig;
	int exp, bits; // sig * 2^(exp - bits)
};

// The number of the leading one, -1 if there is none.
static int leading(unsigned __int128 v)
{
	int top = -1;
	for (; v; v >>= 1)
		top++;
	return top;
}

// `sum` * 2^exp cut to an f32 of `kept` fraction bits.
static uint32_t cut_f32(__int128 sum, int exp, int kept)
{
	bool negative = sum < 0;
	unsigned __int128 mag = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
	int top = leading(mag);
	if (top < 0)
		return 0;
	int e = top + exp < -126 ? -126 : top + exp, drop = e - kept - exp;
	uint32_t m = (uint32_t)(drop > 126 ? 0 : drop >= 0 ? mag >> drop : mag << -drop) << (23 - kept);
	if (e > 127)
		return negative ? 0xff800000 : 0x7f800000;
	m = m >> 23 ? m - (1u << 23) + ((uint32_t)(e + 127) << 23) : m;
	return m || !negative ? m | (uint32_t)negative << 31 : 0x80000000;
}

static uint32_t nearest_f16(__int128 sum, int exp)
{
	bool negative = sum < 0;
	unsigned __int128 mag = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
	int top = leading(mag);
	if (top < 0)
		return 0;
	int e = top + exp < -14 ? -14 : top + exp, drop = e - 10 - exp;
	unsigned __int128 m = drop > 126 ? 0 : drop > 0 ? mag >> drop : mag << -drop;
	if (drop > 0 && drop <= 126) {
		unsigned __int128 rest = mag & (((unsigned __int128)1 << drop) - 1), half = (unsigned __int128)1 << (drop - 1);
		m += rest > half || (rest == half && m & 1);
	}
	uint32_t bits = m >> 10 ? (uint32_t)m - (1u << 10) + ((uint32_t)(e + 15) << 10) : (uint32_t)m;
	return (bits > 0x7c00 ? 0x7c00 : bits) | (uint32_t)negative << 15;
}

// A row of A, of `len` numbers, by a column of B, whose numbers stand `ldb` apart, added to c in one block.
static uint32_t block_of(const struct tensor_rule *r, const struct format *fa, const struct format *fb, const struct format *fc, unsigned len,
                         const uint32_t *a, const uint32_t *b, size_t ldb, uint32_t c)
{
	struct term term[40];
	struct number nc = number_of(fc, c);
	bool nan = nc.kind == NAN_OF, plus = nc.kind == INFINITE && !nc.negative, minus = nc.kind == INFINITE && nc.negative;
	int largest = nc.sig ? nc.exp : -126;
	term[len] = (struct term){nc.negative ? -nc.sig : nc.sig, largest, (int)fc->mantissa};
	for (unsigned k = 0; k < len; k++) {
		struct number x = number_of(fa, a[k]), y = number_of(fb, b[k * ldb]);
		bool negative = x.negative != y.negative, whole = x.kind == INFINITE || y.kind == INFINITE;
		nan |= x.kind == NAN_OF || y.kind == NAN_OF || (whole && (!x.sig || !y.sig));
		plus |= whole && !negative;
		minus |= whole && negative;
		term[k] = (struct term){(__int128)x.sig * y.sig * (negative ? -1 : 1), x.exp + y.exp, (int)(fa->mantissa + fb->mantissa)};
		if (term[k].sig && term[k].exp > largest)
			largest = term[k].exp;
	}
	if (nan || (plus && minus))
		return fc->type == TENSOR_F32 ? SOFTFP_NAN32 : SOFTFP_NAN16;
	if (plus || minus)
		return fc->type == TENSOR_F32 ? (plus ? 0x7f800000 : 0xff800000) : plus ? 0x7c00 : 0xfc00;
	__int128 sum = 0;
	for (unsigned k = 0; k <= len; k++) {
		int drop = term[k].bits + largest - term[k].exp - r->fraction;
		__int128 mag = term[k].sig < 0 ? -term[k].sig : term[k].sig;
		mag = drop > 126 ? 0 : drop >= 0 ? mag >> drop : mag << -drop;
		sum += term[k].sig < 0 ? -mag : mag;
	}
	return fc->type == TENSOR_F32 ? cut_f32(sum, largest - r->fraction, r->kept) : nearest_f16(sum, largest - r->fraction);
}

// A number of the format: of any exponent, near 1, or a special one.
static uint32_t random_bits(const struct format *f, unsigned kind)
{
	unsigned max = (1u << f->exponent) - 1, e = pick(max + 1), m = pick(1u << f->mantissa);
	if (kind % 3 == 0)
		e = max / 2 - 3 + pick(6);
	else if (kind % 3 == 1 && e == max)
		e--;
	if (pick(16) == 0)
		e = 0, m = pick(2) ? m : 0;
	uint32_t bits = (uint32_t)pick(2) << (f->exponent + f->mantissa) | e << f->mantissa | m;
	return f->unused ? bits << f->unused | pick(1u << f->unused) : bits;
}

#endif
