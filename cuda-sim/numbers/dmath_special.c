// Special functions of f64: error functions and their inverses, gamma functions, Bessel functions.
//
// Each is taken back to a smooth factor that dmath_tables.h holds piece by piece, and the elementary kernels.
#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/numbers/dmath_tables.h"

static const struct dd pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const struct dd sqrt2 = {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54};
static const struct dd sqrt_half = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
static const struct dd two_over_pi = {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55};
static const struct dd inv_sqrt_pi = {0x1.20dd750429b6dp-1, 0x1.1ae3a914fed80p-57};
static const struct dd half_log_2pi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};

// Error functions.

// exp(x^2) erfc(x), 0 <= x < 2^400.
static struct dd erfcx_dd(struct dd x)
{
	if (x.hi < 8)
		return dm_piecewise(&tab_erfcx, x);
	double w = 1 / (x.hi * x.hi);
	struct dd p = dd_sum(pol_erfcx[0], w * dm_horner(pol_erfcx + 1, 12, w));
	return dd_div(dd_mul(p, inv_sqrt_pi), x);
}

// erfc(x) for x >= 0 as result * 2^*k.
static struct dd erfc_dd(struct dd x, int *k)
{
	struct dd e = dm_exp_dd(dd_neg(dd_mul(x, x)), k);
	return dd_mul(e, erfcx_dd(x));
}

// erf(x), |x| < 1.
static struct dd erf_small(struct dd x)
{
	struct dd a = x.hi < 0 ? dd_neg(x) : x;
	return dd_mul(x, dm_piecewise(&tab_erf, a));
}

double dm_erf(double x)
{
	double a = dm_fabs(x);
	int k;
	if (x != x || x == 0)
		return softfp_canon_f64(x);
	if (a < 0x1p-200) // scaled: products of subnormals are not exact
		return dm_ldexp_dd(dd_mul_d(dd_scale(inv_sqrt_pi, 2), x * 0x1p500), -500);
	if (a < 1)
		return erf_small(dd_of(x)).hi;
	if (a > 6)
		return dm_with_sign(1, x);
	struct dd c = erfc_dd(dd_of(a), &k);
	return dm_with_sign(dd_add_d(dd_scale(c, -dm_pow2(k)), 1).hi, x);
}

static double erfc_of(struct dd x, double factor)
{
	int k;
	if (x.hi > 28)
		return 0;
	if (x.hi < -6.5)
		return 2 * factor;
	if (dm_fabs(x.hi) < 0.5)
		return factor * dd_add_d(dd_neg(erf_small(x)), 1).hi;
	struct dd c = erfc_dd(x.hi < 0 ? dd_neg(x) : x, &k);
	if (x.hi < 0)
		return factor * dd_add_d(dd_scale(c, -dm_pow2(k)), 2).hi;
	return dm_ldexp_dd(dd_scale(c, factor), k);
}

double dm_erfc(double x)
{
	return x != x ? DM_NAN : erfc_of(dd_of(x), 1);
}

double dm_erfcx(double x)
{
	int k;
	if (x != x)
		return DM_NAN;
	if (x >= 0x1p300) // 1 / (sqrt(pi) x)
		return x == DM_INF ? 0 : dm_ldexp_dd(dd_div(inv_sqrt_pi, dd_of(x * 0x1p-700)), -700);
	if (x >= 0)
		return erfcx_dd(dd_of(x)).hi;
	if (x < -27)
		return DM_INF;
	// exp(x^2) (2 - erfc(-x)) = 2 exp(x^2) - erfcx(-x)
	struct dd e = dm_exp_dd(dd_prod(x, x), &k);
	if (k > 100)
		return dm_ldexp_dd(e, k + 1);
	return dd_sub(dd_scale(e, dm_pow2(k + 1)), erfcx_dd(dd_of(-x))).hi;
}

double dm_normcdf(double x)
{
	if (x != x)
		return DM_NAN;
	double in = x < -60 ? -60 : x > 60 ? 60 : x; // 0 and 1 long before
	return erfc_of(dd_mul_d(sqrt_half, -in), 0.5);
}

// erfinv(x), |x| <= 0.5.
static struct dd erfinv_small(struct dd x)
{
	struct dd a = x.hi < 0 ? dd_neg(x) : x;
	return dd_mul(x, dm_piecewise(&tab_erfinv, a));
}

// erfcinv(q), 0 < q <= 0.5.
static struct dd erfcinv_small(struct dd q)
{
	struct dd w = dd_sqrt(dd_neg(dm_log_dd(q)));
	return dm_piecewise(w.hi < 4.75 ? &tab_erfcinv_a : &tab_erfcinv_b, w);
}

double dm_erfinv(double x)
{
	double a = dm_fabs(x);
	if (!(a <= 1))
		return DM_NAN;
	if (a == 1)
		return dm_with_sign(DM_INF, x);
	if (a == 0)
		return x;
	if (a < 0x1p-200)
		return dm_ldexp_dd(dd_mul_d(dm_piecewise(&tab_erfinv, dd_of(0)), x * 0x1p500), -500);
	if (a <= 0.5)
		return erfinv_small(dd_of(x)).hi;
	return dm_with_sign(erfcinv_small(dd_of(1 - a)).hi, x);
}

static struct dd erfcinv_dd(double q)
{
	if (q <= 0.5)
		return erfcinv_small(dd_of(q));
	if (q < 1.5)
		return erfinv_small(dd_sum(1, -q));
	return dd_neg(erfcinv_small(dd_of(2 - q)));
}

double dm_erfcinv(double q)
{
	if (!(q >= 0 && q <= 2))
		return DM_NAN;
	if (q == 0 || q == 2)
		return q == 0 ? DM_INF : -DM_INF;
	return erfcinv_dd(q).hi;
}

double dm_normcdfinv(double p)
{
	if (!(p >= 0 && p <= 1))
		return DM_NAN;
	if (p == 0 || p == 1)
		return p == 0 ? -DM_INF : DM_INF;
	// 2 p is exact; at p = 1/2 the answer is +0.
	return p == 0.5 ? 0 : -dd_mul(erfcinv_dd(2 * p), sqrt2).hi;
}

// Gamma functions.

double dm_tgamma(double x)
{
	if (x != x || x == -DM_INF)
		return DM_NAN;
	if (x == 0)
		return dm_with_sign(DM_INF, x);
	double n = softfp_integral_f64(x, ROUND_RM);
	if (x < 0 && n == x)
		return DM_NAN;
	if (x > 172)
		return DM_INF;
	if (x < -190) // between poles the sign alternates: negative in (-1, 0)
		return softfp_integral_f64(n * 0.5, ROUND_RM) * 2 == n ? 0 : -0.0;
	if (dm_fabs(x) < 0x1p-100)
		return 1 / x;
	// gamma(y) for y = x - (n - 1) in [1, 2), then the recurrence up or down. The product is kept below 2^700.
	struct dd g = dm_piecewise(&tab_gamma, dd_sum(x, 1 - n)), p = {1, 0};
	int e = 0, i = (int)n;
	for (int k = i >= 1 ? 1 : i; k <= (i >= 1 ? i - 1 : 0); k++) {
		p = dd_mul(p, dd_sum(x, -k));
		if (dm_fabs(p.hi) > 0x1p400) {
			p = dd_scale(p, 0x1p-400);
			e += 400;
		}
	}
	return i >= 1 ? dm_ldexp_dd(dd_mul(g, p), e) : dm_ldexp_dd(dd_div(g, p), -e);
}

// lgamma on [0.5, 3).
static struct dd lgamma_middle(struct dd x)
{
	struct dd zeros = dd_mul(dd_add_d(x, -1), dd_add_d(x, -2));
	return dd_mul(zeros, dm_piecewise(&tab_lgamma, x));
}

// lgamma for 2^-1000 < x < 2^60.
static struct dd lgamma_dd(double x)
{
	// Stirling's series, B(2k) / (2k (2k - 1)) x^(1 - 2k); its error for x >= 8 is below 2^-60.
	static const double c[] = {1 / 12.0, -1 / 360.0, 1 / 1260.0, -1 / 1680.0, 1 / 1188.0, -691 / 360360.0,
	                           1 / 156.0, -3617 / 122400.0, 43867 / 244188.0, -174611 / 125400.0};
	if (x >= 8) {
		double r = 1 / x;
		struct dd l = dm_log_dd(dd_of(x)), s = dd_sub(dd_mul(l, dd_sum(x, -0.5)), dd_of(x));
		return dd_add(s, dd_add_d(half_log_2pi, r * dm_horner(c, 10, r * r)));
	}
	if (x >= 3) {
		struct dd p = {1, 0};
		double y = x;
		while (y >= 3) {
			y -= 1;
			p = dd_mul_d(p, y);
		}
		return dd_add(lgamma_middle(dd_of(y)), dm_log_dd(p));
	}
	if (x >= 0.5)
		return lgamma_middle(dd_of(x));
	return dd_sub(lgamma_middle(dd_sum(x, 1)), dm_log_dd(dd_of(x)));
}

double dm_lgamma(double x)
{
	double a = dm_fabs(x);
	if (x != x)
		return DM_NAN;
	if (a == DM_INF || a == 0)
		return DM_INF;
	if (a < 0x1p-60)
		return -dm_log_dd(dd_of(a)).hi;
	if (x < 0) {
		if (softfp_integral_f64(x, ROUND_RZ) == x)
			return DM_INF;
		struct dd s, c;
		dm_sincospi_dd(a, &s, &c);
		s = dd_mul_d(s.hi < 0 ? dd_neg(s) : s, a);
		return dd_sub(dm_log_dd(dd_div(pi, s)), lgamma_dd(a)).hi;
	}
	if (x > 2.6e305)
		return DM_INF;
	if (x >= 0x1p60) { // x (log x - 1): the rest is below the last place
		struct dd l = dd_add_d(dm_log_dd(dd_of(x)), -1);
		return dm_ldexp_dd(dd_mul_d(l, x * 0x1p-600), 600);
	}
	return lgamma_dd(x).hi;
}

// Bessel functions. From 16 on, J = sqrt(2 / (pi x)) (P cos chi - Q sin chi), Y with sin and cos, where
// chi = x - (2 order + 1) pi / 4; cos chi and sin chi are (cos x + sin x, sin x - cos x) / sqrt 2 for order 0 and
// (sin x - cos x, -sin x - cos x) / sqrt 2 for order 1.

struct bessel {
	const struct piecewise *j, *y;
	const double *p, *q;
};

static const struct bessel bessel[2] = {
	{&tab_j0, &tab_y0, pol_p0, pol_q0},
	{&tab_j1, &tab_y1, pol_p1, pol_q1},
};

static double far(int order, bool second, double x)
{
	double s, c, w = 1 / x * (1 / x);
	dm_sincos(x, &s, &c);
	double p = dm_horner(bessel[order].p, 11, w), q = dm_horner(bessel[order].q, 11, w) / x;
	double cosine = order ? s - c : c + s, sine = order ? -s - c : s - c; // of chi, times sqrt 2
	double size = 0x1.20dd750429b6dp-1 / __builtin_sqrt(x);           // 1 / sqrt(pi x)
	return size * (second ? p * sine + q * cosine : p * cosine - q * sine);
}

static struct dd near_j(int order, double x)
{
	struct dd j = dm_piecewise(bessel[order].j, dd_of(x));
	return order ? dd_mul_d(j, x) : j;
}

static double bessel_j(int order, double x)
{
	double a = dm_fabs(x), r;
	if (x != x)
		return DM_NAN;
	if (a == DM_INF)
		r = 0;
	else if (a < 0x1p-100)
		r = order ? a * 0.5 : 1;
	else
		r = a < 16 ? near_j(order, a).hi : far(order, false, a);
	return order && softfp_bits_f64(x) >> 63 ? -r : r;
}

static double bessel_y(int order, double x)
{
	if (x != x || x < 0)
		return DM_NAN;
	if (x == 0)
		return -DM_INF;
	if (x == DM_INF)
		return 0;
	if (x >= 16)
		return far(order, true, x);
	if (order && x < 0x1p-100)
		return -two_over_pi.hi / x;
	struct dd l = dd_mul(dm_log_dd(dd_of(x)), near_j(order, x)), e = dm_piecewise(bessel[order].y, dd_of(x));
	if (order) {
		l = dd_sub(l, dd_div(dd_of(1), dd_of(x)));
		e = dd_mul_d(e, x);
	}
	return dd_add(dd_mul(l, two_over_pi), e).hi;
}

double dm_j0(double x)
{
	return bessel_j(0, x);
}

double dm_j1(double x)
{
	return bessel_j(1, x);
}

double dm_y0(double x)
{
	return bessel_y(0, x);
}

double dm_y1(double x)
{
	return bessel_y(1, x);
}

enum { MAX_ORDER = 1 << 20 }; // the recurrences below take this many steps

// J of order n, 2 <= n, x < n: downwards from an order where it vanishes, scaled so that J0 + 2 (J2 + J4 + ...) = 1.
static double jn_down(int n, double x)
{
	double size = n * (dm_log(x) - dm_log(2)) - dm_lgamma(n + 1.0);
	if (size < -750)
		return 0;
	int top = n + (int)__builtin_sqrt(60.0 * n) + 20;
	top += top & 1;
	double next = 0, at = 0x1p-900, sum = 0, result = 0;
	for (int k = top; k > 0; k--) {
		double below = 2 * k / x * at - next;
		next = at;
		at = below;
		if (dm_fabs(at) > 0x1p300) {
			at *= 0x1p-600;
			next *= 0x1p-600;
			sum *= 0x1p-600;
			result *= 0x1p-600;
		}
		if (k - 1 == n)
			result = at;
		if (k & 1)
			sum += k == 1 ? at : 2 * at;
	}
	return result / sum;
}

// Upwards from orders 0 and 1.
static double order_up(int n, double x, double a, double b)
{
	for (int k = 1; k < n; k++) {
		double c = 2 * k / x * b - a;
		a = b;
		b = c;
		if (dm_is_inf(b))
			break;
	}
	return b;
}

double dm_jn(int n, double x)
{
	double a = dm_fabs(x), r;
	if (n < 0 || n > MAX_ORDER || x != x)
		return DM_NAN;
	if (n < 2)
		return n ? dm_j1(x) : dm_j0(x);
	if (a == 0 || a == DM_INF)
		r = 0;
	else
		r = a > n ? order_up(n, a, dm_j0(a), dm_j1(a)) : jn_down(n, a);
	return n & 1 && x < 0 ? -r : r;
}

double dm_yn(int n, double x)
{
	if (n < 0 || n > MAX_ORDER || x != x || x < 0)
		return DM_NAN;
	if (n < 2)
		return n ? dm_y1(x) : dm_y0(x);
	return x == 0 ? -DM_INF : x == DM_INF ? 0 : order_up(n, x, dm_y0(x), dm_y1(x));
}

// Modified Bessel functions of the first kind, orders 0 and 1.
static double bessel_i(const struct piecewise *t, const double *pol, bool odd, double x)
{
	double a = dm_fabs(x), r;
	int k;
	if (x != x)
		return DM_NAN;
	if (a > 714) {
		r = DM_INF;
	} else if (odd && a < 0x1p-30) {
		r = 0.5 * a;
	} else {
		struct dd e = dm_exp_dd(dd_of(a), &k), p;
		if (a < 16) {
			p = dm_piecewise(t, dd_of(a));
			p = odd ? dd_mul_d(p, a) : p;
		} else {
			double w = 1 / a;
			p = dd_sum(pol[0], w * dm_horner(pol + 1, 16, w));
			p = dd_div(p, dd_sqrt(dd_scale(dd_mul_d(pi, a), 2)));
		}
		r = dm_ldexp_dd(dd_mul(e, p), k);
	}
	return odd ? dm_with_sign(r, x) : r;
}

double dm_cyl_bessel_i0(double x)
{
	return bessel_i(&tab_i0, pol_i0, false, x);
}

double dm_cyl_bessel_i1(double x)
{
	return bessel_i(&tab_i1, pol_i1, true, x);
}
