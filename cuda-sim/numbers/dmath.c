// Elementary functions of f64: exponentials, logarithms, powers, trigonometric and hyperbolic functions, roots.
//
// Each reduces its argument, evaluates a Taylor series whose first terms are carried as sums of two doubles and whose
// tail is short enough that its rounding errors lie below 2^-57 of the result, and rounds once. The coefficients are
// the rational ones of the series. Constants of two or three doubles are the value rounded to nearest, then the rest;
// they and the tables were computed with mpmath.
#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/numbers/dmath_dd.h"

static const struct dd ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const struct dd ln10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
static const struct dd log2e = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
static const struct dd log10e = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
static const struct dd pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const struct dd pi_2 = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const struct dd third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
static const struct dd fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
static const struct dd sixth = {0x1.5555555555555p-3, 0x1.5555555555555p-57};

// 2/pi, 1280 bits, most significant first.
static const uint64_t two_over_pi[20] = {
	UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041),
	UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c),
	UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484), UINT64_C(0xe99c7026b45f7e41),
	UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
	UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d),
	UINT64_C(0x7527bac7ebe5f17b), UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08),
	UINT64_C(0x56033046fc7b6bab), UINT64_C(0xf0cfbc209af4361d),
};

// atan(i / 8) as the sum of two doubles.
static const double tab_atan[9][2] = {
	{0x0.0p+0, 0x0.0p+0},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

double dm_split(double x, int *exp)
{
	uint64_t u = softfp_bits_f64(x);
	int e = (int)(u >> 52 & 0x7ff), adjust = 0;
	if (!e) {
		u = softfp_bits_f64(x * 0x1p54);
		e = (int)(u >> 52 & 0x7ff);
		adjust = 54;
	}
	*exp = e - 1023 - adjust;
	return softfp_f64((u & ~(UINT64_C(0x7ff) << 52)) | UINT64_C(1023) << 52);
}

double dm_ldexp_dd(struct dd a, int n)
{
	if (a.hi == 0)
		return a.hi;
	a = dd_fast_sum(a.hi, a.lo);
	int e;
	double m = dm_split(a.hi, &e);
	if (e + n > 1023)
		return a.hi * DM_INF;
	if (e + n < -1100)
		return a.hi * 0.0;
	if (e + n >= -1022) // m + lo/2^e needs no more rounding
		return m * dm_pow2(e + n);
	// Adding c, whose last place is what 2^-1074 will be, rounds at that place.
	double lo = a.lo == 0 ? 0 : a.lo * dm_pow2(-e), c = dm_with_sign(dm_pow2(-1022 - (e + n)), a.hi);
	struct dd s = dd_sum(c, m);
	s = dd_fast_sum(s.hi, s.lo + lo);
	double r = (s.hi - c) * dm_pow2(e + n + 54 < -1022 ? -1022 : e + n + 54);
	return dm_with_sign(r * 0x1p-54 * (e + n + 54 < -1022 ? dm_pow2(e + n + 54 + 1022) : 1), a.hi);
}

// Exponentials.

// e^r - 1 for |r| <= 0.35.
static struct dd expm1_small(struct dd r)
{
	static const double c[] = {1 / 6.0, 1 / 24.0, 1 / 120.0, 1 / 720.0, 1 / 5040.0, 1 / 40320.0, 1 / 362880.0,
	                           1 / 3628800.0, 1 / 39916800.0, 1 / 479001600.0, 1 / 6227020800.0,
	                           1 / 87178291200.0, 1 / 1307674368000.0};
	struct dd square = dd_prod(r.hi, r.hi);
	double cube = square.hi * r.hi * dm_horner(c, 13, r.hi);
	struct dd half = {square.hi * 0.5, square.lo * 0.5 + r.hi * r.lo};
	struct dd s = dd_sum(half.hi, cube);
	return dd_add(r, dd_fast_sum(s.hi, s.lo + half.lo));
}

// x - k ln2, k the nearest integer. ln2 in pieces of 32, 33 and 53 bits: k times the first two is exact.
static struct dd reduce_ln2(struct dd x, int *k)
{
	double n = softfp_integral_f64(x.hi * log2e.hi, ROUND_RN);
	*k = (int)n;
	struct dd r = dd_sum(x.hi - n * 0x1.62e42ffp-1, n * 0x1.718432a2p-35);
	return dd_add_d(r, x.lo - n * 0x1.3c7673007e5edp-69);
}

struct dd dm_exp_dd(struct dd x, int *k)
{
	return dd_add_d(expm1_small(reduce_ln2(x, k)), 1);
}

struct dd dm_expm1_dd(struct dd x)
{
	int k;
	struct dd p = expm1_small(reduce_ln2(x, &k));
	if (k == 0)
		return p;
	double s = dm_pow2(k);
	return dd_add(dd_sum(s, -1), dd_scale(p, s));
}

static double exp_of(struct dd x)
{
	if (x.hi > 710)
		return DM_INF;
	if (x.hi < -750)
		return 0;
	int k;
	struct dd e = dm_exp_dd(x, &k);
	return dm_ldexp_dd(e, k);
}

double dm_exp(double x)
{
	return x != x ? DM_NAN : exp_of(dd_of(x));
}

double dm_exp2(double x)
{
	if (x != x)
		return DM_NAN;
	if (x >= 1024)
		return DM_INF;
	if (x < -1080)
		return 0;
	double n = softfp_integral_f64(x, ROUND_RN);
	int k;
	struct dd e = dm_exp_dd(dd_mul_d(ln2, x - n), &k);
	return dm_ldexp_dd(e, (int)n + k);
}

double dm_exp10(double x)
{
	if (x != x)
		return DM_NAN;
	if (x > 309)
		return DM_INF;
	if (x < -330)
		return 0;
	return exp_of(dd_mul_d(ln10, x));
}

double dm_expm1(double x)
{
	if (x != x)
		return DM_NAN;
	if (dm_fabs(x) < 0x1p-54)
		return x;
	if (x < -40)
		return -1;
	return x > 39 ? exp_of(dd_of(x)) : dm_expm1_dd(dd_of(x)).hi;
}

// Logarithms.

// log(1 + f) = 2 atanh(s), s = f / (2 + f), for 1 + f in [sqrt(1/2), sqrt(2)]: s^2 < 0.0295.
static struct dd log1p_small(struct dd f)
{
	static const double c[] = {1 / 7.0, 1 / 9.0, 1 / 11.0, 1 / 13.0, 1 / 15.0, 1 / 17.0, 1 / 19.0, 1 / 21.0,
	                           1 / 23.0, 1 / 25.0, 1 / 27.0, 1 / 29.0};
	struct dd s = dd_div(f, dd_add_d(f, 2)), z = dd_mul(s, s);
	struct dd p = dd_add_d(fifth, z.hi * dm_horner(c, 12, z.hi));
	p = dd_add(third, dd_mul(z, p));
	p = dd_add(s, dd_mul(dd_mul(s, z), p));
	return dd_scale(p, 2);
}

// x = 2^*k (1 + result), 1 + result in [sqrt(1/2), sqrt(2)).
static struct dd log_split(struct dd x, int *k)
{
	int e;
	double m = dm_split(x.hi, &e), lo = x.lo;
	if (lo != 0)
		lo = e < -1000 ? lo * 0x1p600 * dm_pow2(-e - 600) : lo * dm_pow2(-e / 2) * dm_pow2(-(e - e / 2));
	if (m > 0x1.6a09e667f3bcdp0) {
		m *= 0.5;
		lo *= 0.5;
		e++;
	}
	*k = e;
	return dd_fast_sum(m - 1, lo);
}

struct dd dm_log_dd(struct dd x)
{
	int k;
	struct dd f = log_split(x, &k);
	if (f.hi == 0 && k == 0)
		return dd_of(0);
	return f.hi == 0 ? dd_mul_d(ln2, k) : dd_add(dd_mul_d(ln2, k), log1p_small(f));
}

struct dd dm_log1p_dd(struct dd x)
{
	if (x.hi > -0.29 && x.hi < 0.41)
		return log1p_small(x);
	return dm_log_dd(dd_add_d(x, 1));
}

// What logarithms of any base say outside of (0, inf). True if *r is the answer.
static bool log_special(double x, double *r)
{
	if (x > 0 && x < DM_INF)
		return false;
	*r = x == 0 ? -DM_INF : x > 0 ? x : DM_NAN;
	return true;
}

double dm_log(double x)
{
	double r;
	return log_special(x, &r) ? r : dm_log_dd(dd_of(x)).hi;
}

double dm_log2(double x)
{
	double r;
	if (log_special(x, &r))
		return r;
	int k;
	struct dd f = log_split(dd_of(x), &k);
	return f.hi == 0 ? k : dd_add_d(dd_mul(log1p_small(f), log2e), k).hi;
}

double dm_log10(double x)
{
	double r;
	return log_special(x, &r) ? r : dd_mul(dm_log_dd(dd_of(x)), log10e).hi;
}

double dm_log1p(double x)
{
	double r;
	if (dm_fabs(x) < 0x1p-54)
		return x;
	if (x == -1 || x < -1 || x != x || x == DM_INF)
		return log_special(x + 1, &r) ? r : x;
	return dm_log1p_dd(dd_of(x)).hi;
}

// Powers.

// 0 not an integer, 1 odd, 2 even.
static int parity(double y)
{
	double a = dm_fabs(y);
	if (a >= 0x1p53)
		return 2;
	if (softfp_integral_f64(a, ROUND_RZ) != a)
		return 0;
	return (int64_t)a & 1 ? 1 : 2;
}

// C99 F.9.4.4 for arguments that are zero, infinite or NaN. True if *r is the answer.
static bool pow_special(double x, double y, double *r)
{
	double a = dm_fabs(x), sign = parity(y) == 1 ? x : 1;
	if (y == 0 || x == 1)
		*r = 1;
	else if (x != x || y != y)
		*r = DM_NAN;
	else if (dm_is_inf(y))
		*r = a == 1 ? 1 : (a > 1) == (y > 0) ? DM_INF : 0;
	else if (a == 0 || a == DM_INF)
		*r = dm_with_sign((a == 0) == (y > 0) ? 0 : DM_INF, sign);
	else if (x < 0 && !parity(y))
		*r = DM_NAN;
	else
		return false;
	return true;
}

double dm_pow(double x, double y)
{
	double r, sign = x < 0 && parity(y) == 1 ? -1 : 1;
	if (pow_special(x, y, &r))
		return r;
	struct dd l = dm_log_dd(dd_of(dm_fabs(x)));
	double rough = l.hi * y;
	if (rough > 720)
		return sign * DM_INF;
	if (rough < -760)
		return sign * 0;
	if (dm_fabs(rough) < 0x1p-60)
		return sign;
	return sign * exp_of(dd_mul_d(l, y));
}

double dm_powi(double x, int n)
{
	return dm_pow(x, n);
}

// Trigonometric functions.

// The 64 bits of 2/pi whose first has weight 2^-j; j <= 0 is before the point.
static uint64_t two_over_pi_bits(int j)
{
	int at = j - 1, word = at >= 0 ? at / 64 : -((63 - at) / 64), bit = at - word * 64;
	uint64_t hi = word >= 0 && word < 20 ? two_over_pi[word] : 0;
	uint64_t lo = word >= -1 && word < 19 ? two_over_pi[word + 1] : 0;
	return bit ? hi << bit | lo >> (64 - bit) : hi;
}

// Payne and Hanek. x = m 2^e; the bits of 2/pi of weight 2^(2 - e) and above make multiples of 4. The next 256 bits
// times m, modulo 2^256, are x 2/pi modulo 4 with an error below 2^-200.
static struct dd reduce_big(double x, int *q)
{
	uint64_t u = softfp_bits_f64(x), m = (u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	int e = (int)(u >> 52 & 0x7ff) - 1023 - 52;
	uint64_t p[4], carry = 0;
	for (int i = 3; i >= 0; i--) {
		unsigned __int128 t = (unsigned __int128)m * two_over_pi_bits(e - 1 + 64 * i) + carry;
		p[i] = (uint64_t)t;
		carry = (uint64_t)(t >> 64);
	}
	*q = (int)((p[0] >> 62) + (p[0] >> 61 & 1)) & 3;
	// The fraction as a signed number in [-1/2, 1/2), 254 bits.
	bool neg = p[0] >> 61 & 1;
	p[0] = p[0] << 2 | p[1] >> 62;
	p[1] = p[1] << 2 | p[2] >> 62;
	p[2] = p[2] << 2 | p[3] >> 62;
	for (int i = 0; neg && i < 3; i++)
		p[i] = ~p[i];
	int lead = 0;
	while (lead < 2 && !p[0]) {
		p[0] = p[1];
		p[1] = p[2];
		p[2] = 0;
		lead++;
	}
	int lz = p[0] ? __builtin_clzll(p[0]) : 0;
	uint64_t a = lz ? p[0] << lz | p[1] >> (64 - lz) : p[0], b = lz ? p[1] << lz | p[2] >> (64 - lz) : p[1];
	double s = dm_pow2(-64 * lead - lz);
	// 32 bits at a time convert exactly.
	struct dd f = dd_fast_sum((double)(a >> 32) * 0x1p-32, (double)(uint32_t)a * 0x1p-64);
	f = dd_add(f, dd_fast_sum((double)(b >> 32) * 0x1p-96, (double)(uint32_t)b * 0x1p-128));
	f = dd_mul(dd_scale(f, neg ? -s : s), pi_2);
	if (x < 0) {
		*q = -*q & 3;
		f = dd_neg(f);
	}
	return f;
}

struct dd dm_reduce(double x, int *q)
{
	if (dm_fabs(x) <= 0.785) {
		*q = 0;
		return dd_of(x);
	}
	if (dm_fabs(x) < 0x1p20) {
		// pi/2 in pieces of 33, 33 and 53 bits; n times the first two is exact.
		double n = softfp_integral_f64(x * 0x1.45f306dc9c883p-1, ROUND_RN);
		struct dd r = dd_sum(x - n * 0x1.921fb544p+0, -n * 0x1.0b4611a6p-34);
		r = dd_sub(r, dd_prod(n, 0x1.3198a2e037073p-69));
		if (dm_fabs(r.hi) > 0x1p-24) { // else the error of the third piece, n 2^-123, shows
			*q = (int)n & 3;
			return r;
		}
	}
	return reduce_big(x, q);
}

void dm_sincos_dd(struct dd r, struct dd *s, struct dd *c)
{
	static const double cs[] = {1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0, 1 / 6227020800.0,
	                            -1 / 1307674368000.0, 1 / 355687428096000.0, -1 / 121645100408832000.0};
	static const double cc[] = {1 / 24.0, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0, 1 / 479001600.0,
	                            -1 / 87178291200.0, 1 / 20922789888000.0, -1 / 6402373705728000.0};
	if (dm_fabs(r.hi) < 0x1p-300) { // squares would underflow
		*s = r;
		*c = dd_of(1);
		return;
	}
	struct dd z = dd_mul(r, r);
	struct dd p = dd_sub(dd_of(z.hi * dm_horner(cs, 8, z.hi)), sixth);
	*s = dd_add(r, dd_mul(dd_mul(r, z), p));
	struct dd tail = dd_mul_d(dd_mul(z, z), dm_horner(cc, 8, z.hi));
	*c = dd_add_d(dd_sub(tail, dd_scale(z, 0.5)), 1);
}

// Turns sine and cosine of r into those of r + q pi/2.
static void rotate(int q, struct dd *s, struct dd *c)
{
	struct dd t = *s;
	if (q & 1) {
		*s = *c;
		*c = dd_neg(t);
	}
	if (q & 2) {
		*s = dd_neg(*s);
		*c = dd_neg(*c);
	}
}

static void sincos_of(double x, struct dd *s, struct dd *c)
{
	int q;
	struct dd r = dm_reduce(x, &q);
	dm_sincos_dd(r, s, c);
	rotate(q, s, c);
}

void dm_sincos(double x, double *s, double *c)
{
	if (!(dm_fabs(x) < DM_INF)) {
		*s = *c = DM_NAN;
	} else {
		struct dd ss, cc;
		sincos_of(x, &ss, &cc);
		*s = x == 0 ? x : ss.hi;
		*c = cc.hi;
	}
}

double dm_sin(double x)
{
	double s, c;
	dm_sincos(x, &s, &c);
	return s;
}

double dm_cos(double x)
{
	double s, c;
	dm_sincos(x, &s, &c);
	return c;
}

double dm_tan(double x)
{
	if (!(dm_fabs(x) < DM_INF))
		return DM_NAN;
	if (dm_fabs(x) < 0x1p-28)
		return x;
	struct dd s, c;
	sincos_of(x, &s, &c);
	return dd_div(s, c).hi;
}

void dm_sincospi_dd(double x, struct dd *s, struct dd *c)
{
	x = dm_fabs(x) < 0x1p53 ? x : 0; // beyond are even integers
	double n = softfp_integral_f64(2 * x, ROUND_RN), r = x - n * 0.5;
	dm_sincos_dd(dd_mul_d(pi, r), s, c);
	rotate((int)((int64_t)n & 3), s, c);
}

void dm_sincospi(double x, double *s, double *c)
{
	if (!(dm_fabs(x) < DM_INF)) {
		*s = *c = DM_NAN;
		return;
	}
	struct dd ss, cc;
	if (dm_fabs(x) < 0x1p-200) { // scaled: products of subnormals are not exact
		*s = x == 0 ? x : dm_ldexp_dd(dd_mul_d(pi, x * 0x1p500), -500);
		*c = 1;
		return;
	}
	dm_sincospi_dd(x, &ss, &cc);
	// Zeros: sinpi(n) has the sign of n, cospi(n + 1/2) is +0.
	*s = ss.hi == 0 ? dm_with_sign(0, x) : ss.hi;
	*c = cc.hi == 0 ? 0 : cc.hi;
}

double dm_sinpi(double x)
{
	double s, c;
	dm_sincospi(x, &s, &c);
	return s;
}

double dm_cospi(double x)
{
	double s, c;
	dm_sincospi(x, &s, &c);
	return c;
}

// atan t, 0 <= t <= 1: from the nearest i/8 with atan t = atan c + atan((t - c) / (1 + t c)).
static struct dd atan_unit(struct dd t)
{
	static const double c[] = {1 / 5.0, -1 / 7.0, 1 / 9.0, -1 / 11.0, 1 / 13.0, -1 / 15.0, 1 / 17.0, -1 / 19.0};
	int i = (int)(t.hi * 8 + 0.5);
	double at = i * 0.125;
	struct dd a = i ? dd_div(dd_add_d(t, -at), dd_add_d(dd_mul_d(t, at), 1)) : t, z = dd_mul(a, a);
	struct dd p = dd_sub(dd_of(z.hi * dm_horner(c, 8, z.hi)), third);
	a = dd_add(a, dd_mul(dd_mul(a, z), p));
	return dd_add((struct dd){tab_atan[i][0], tab_atan[i][1]}, a);
}

// The angle of (x, y), y >= 0, not both zero; neither far from 1 in size.
static struct dd angle(struct dd y, struct dd x)
{
	bool left = x.hi < 0, steep;
	if (left)
		x = dd_neg(x);
	steep = y.hi > x.hi;
	struct dd a = atan_unit(steep ? dd_div(x, y) : dd_div(y, x));
	if (steep)
		a = dd_sub(pi_2, a);
	return left ? dd_sub(pi, a) : a;
}

double dm_atan2(double y, double x)
{
	double ay = dm_fabs(y), ax = dm_fabs(x);
	bool left = softfp_bits_f64(x) >> 63;
	if (x != x || y != y)
		return DM_NAN;
	if (ay == 0)
		return dm_with_sign(left ? pi.hi : 0, y);
	if (ax == DM_INF && ay == DM_INF)
		return dm_with_sign(left ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1, y);
	if (ax == DM_INF)
		return dm_with_sign(left ? pi.hi : 0, y);
	if (ay == DM_INF || ax == 0)
		return dm_with_sign(pi_2.hi, y);
	int ey, ex;
	double my = dm_split(ay, &ey), mx = dm_split(ax, &ex);
	if (ey - ex > 100)
		return dm_with_sign(pi_2.hi, y);
	if (ey - ex < -100 && left)
		return dm_with_sign(pi.hi, y);
	if (ey - ex < -100)
		return dm_with_sign(dm_ldexp_dd(dd_div(dd_of(my), dd_of(mx)), ey - ex), y);
	return dm_with_sign(angle(dd_of(my * dm_pow2(ey - ex)), dd_of(left ? -mx : mx)).hi, y);
}

double dm_atan(double x)
{
	return dm_fabs(x) < 0x1p-28 ? x : dm_atan2(x, 1);
}

// sqrt(1 - x^2)
static struct dd cathetus(double x)
{
	return dd_sqrt(dd_mul(dd_sum(1, -x), dd_sum(1, x)));
}

double dm_asin(double x)
{
	double a = dm_fabs(x);
	if (!(a <= 1))
		return DM_NAN;
	return a < 0x1p-28 ? x : dm_with_sign(angle(dd_of(a), cathetus(a)).hi, x);
}

double dm_acos(double x)
{
	if (!(dm_fabs(x) <= 1))
		return DM_NAN;
	if (x == 1)
		return 0;
	return angle(cathetus(x), dd_of(x)).hi;
}

// Hyperbolic functions.

double dm_sinh(double x)
{
	double a = dm_fabs(x);
	if (x != x)
		return DM_NAN;
	if (a < 0x1p-28)
		return x;
	if (a > 39) // e^-a is below the last place of e^a
		return dm_with_sign(exp_of(dd_sub(dd_of(a > 720 ? 720 : a), ln2)), x);
	struct dd p = dm_expm1_dd(dd_of(a));
	return dm_with_sign(0.5 * dd_add(p, dd_div(p, dd_add_d(p, 1))).hi, x);
}

double dm_cosh(double x)
{
	double a = dm_fabs(x);
	if (x != x)
		return DM_NAN;
	if (a > 39)
		return exp_of(dd_sub(dd_of(a > 720 ? 720 : a), ln2));
	struct dd e = dd_add_d(dm_expm1_dd(dd_of(a)), 1);
	return 0.5 * dd_add(e, dd_div(dd_of(1), e)).hi;
}

double dm_tanh(double x)
{
	double a = dm_fabs(x);
	if (x != x)
		return DM_NAN;
	if (a < 0x1p-28)
		return x;
	if (a > 19.5)
		return dm_with_sign(1, x);
	struct dd p = dm_expm1_dd(dd_of(2 * a));
	return dm_with_sign(dd_div(p, dd_add_d(p, 2)).hi, x);
}

double dm_asinh(double x)
{
	double a = dm_fabs(x);
	if (x != x)
		return DM_NAN;
	if (a < 0x1p-28 || a == DM_INF)
		return x;
	if (a > 0x1p28)
		return dm_with_sign(dd_add(dm_log_dd(dd_of(a)), ln2).hi, x);
	struct dd square = dd_prod(a, a), root = dd_sqrt(dd_add_d(square, 1));
	struct dd w = dd_add_d(dd_div(square, dd_add_d(root, 1)), a);
	return dm_with_sign(dm_log1p_dd(w).hi, x);
}

double dm_acosh(double x)
{
	if (!(x >= 1))
		return DM_NAN;
	if (x == DM_INF || x == 1)
		return x == 1 ? 0 : x;
	if (x > 0x1p28)
		return dd_add(dm_log_dd(dd_of(x)), ln2).hi;
	struct dd t = dd_sum(x, -1);
	return dm_log1p_dd(dd_add(t, dd_sqrt(dd_mul(t, dd_add_d(t, 2))))).hi;
}

double dm_atanh(double x)
{
	double a = dm_fabs(x);
	if (!(a <= 1))
		return DM_NAN;
	if (a == 1)
		return dm_with_sign(DM_INF, x);
	if (a < 0x1p-28)
		return x;
	return dm_with_sign(0.5 * dm_log1p_dd(dd_div(dd_of(2 * a), dd_sum(1, -a))).hi, x);
}

// Roots and norms.

// |x|^(1/3) = result * 2^*k.
static struct dd cbrt_dd(double x, int *k)
{
	int e;
	double m = dm_split(dm_fabs(x), &e);
	int third_e = (e >= 0 ? e : e - 2) / 3;
	m *= dm_pow2(e - 3 * third_e); // [1, 8)
	double y = 0.67 + 0.2 * m;     // within 30%; Newton squares the error
	for (int i = 0; i < 6; i++)
		y -= (y * y * y - m) / (3 * y * y);
	struct dd r = dd_sub(dd_of(m), dd_mul_d(dd_prod(y, y), y));
	*k = third_e;
	return dd_fast_sum(y, r.hi / (3 * y * y));
}

double dm_cbrt(double x)
{
	int k;
	if (x != x)
		return DM_NAN;
	if (x == 0 || dm_is_inf(x))
		return x;
	struct dd r = cbrt_dd(x, &k);
	return dm_with_sign(dm_ldexp_dd(r, k), x);
}

double dm_rcbrt(double x)
{
	int k;
	if (x != x)
		return DM_NAN;
	if (x == 0 || dm_is_inf(x))
		return dm_with_sign(x == 0 ? DM_INF : 0, x);
	struct dd r = cbrt_dd(x, &k);
	return dm_with_sign(dm_ldexp_dd(dd_div(dd_of(1), r), -k), x);
}

// The length of a vector, or one over it. Scaled by the exponent of the greatest element.
static double norm_of(const double *v, int n, bool reciprocal)
{
	double max = 0;
	bool nan = false;
	for (int i = 0; i < n; i++) {
		nan |= v[i] != v[i];
		max = dm_fabs(v[i]) > max ? dm_fabs(v[i]) : max;
	}
	if (max == DM_INF) // whatever the others are
		return reciprocal ? 0 : DM_INF;
	if (nan)
		return DM_NAN;
	if (max == 0)
		return reciprocal ? DM_INF : 0;
	int e;
	dm_split(max, &e);
	struct dd sum = {0, 0};
	for (int i = 0; i < n; i++) {
		double x = dm_fabs(v[i]);
		x = e < -500 ? x * 0x1p600 * dm_pow2(-e - 600) : x * dm_pow2(-e / 2) * dm_pow2(-(e - e / 2));
		if (x > 0x1p-60 || n > 1000) // a smaller one changes nothing
			sum = dd_add(sum, x > 0x1p-400 ? dd_prod(x, x) : dd_of(0));
	}
	struct dd r = dd_sqrt(sum);
	return reciprocal ? dm_ldexp_dd(dd_div(dd_of(1), r), -e) : dm_ldexp_dd(r, e);
}

double dm_norm(const double *v, int n)
{
	return norm_of(v, n, false);
}

double dm_rnorm(const double *v, int n)
{
	return norm_of(v, n, true);
}

double dm_hypot(double x, double y)
{
	return norm_of((double[]){x, y}, 2, false);
}

double dm_rhypot(double x, double y)
{
	return norm_of((double[]){x, y}, 2, true);
}

double dm_sqrt(double x)
{
	return softfp_canon_f64(__builtin_sqrt(x));
}

double dm_rsqrt(double x)
{
	if (x == 0)
		return dm_with_sign(DM_INF, x);
	if (!(x > 0))
		return DM_NAN;
	if (x == DM_INF)
		return 0;
	int e;
	double m = dm_split(x, &e);
	if (e & 1) {
		m *= 2;
		e -= 1;
	}
	return dm_ldexp_dd(dd_div(dd_of(1), dd_sqrt(dd_of(m))), -e / 2);
}
