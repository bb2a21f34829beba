// Sums of two doubles, and the kernels of the device mathematics that return them. Internal to dmath*.c.
//
// A struct dd stands for hi + lo with |lo| <= ulp(hi) / 2, some 106 bits. Functions evaluated this way and rounded once
// come within a few thousandths of the half ulp of correct rounding. No fma: products are made exact by Dekker's
// splitting, which needs |x| < 2^996 and products above 2^-960; callers scale.
#ifndef CUDA_SIM_NUMBERS_DMATH_DD_H
#define CUDA_SIM_NUMBERS_DMATH_DD_H

#include "cuda-sim/numbers/softfp.h"

#define DM_INF __builtin_inf()
#define DM_NAN softfp_f64(SOFTFP_NAN64)

struct dd {
	double hi, lo;
};

static inline struct dd dd_of(double x)
{
	return (struct dd){x, 0};
}

// Exact, if |a| >= |b| or a is 0.
static inline struct dd dd_fast_sum(double a, double b)
{
	double s = a + b;
	return (struct dd){s, b - (s - a)};
}

static inline struct dd dd_sum(double a, double b)
{
	double s = a + b, t = s - a;
	return (struct dd){s, (a - (s - t)) + (b - t)};
}

static inline struct dd dd_prod(double a, double b)
{
	double p = a * b, ta = a * 0x1.0000002p27, tb = b * 0x1.0000002p27;
	double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
	return (struct dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline struct dd dd_neg(struct dd a)
{
	return (struct dd){-a.hi, -a.lo};
}

static inline struct dd dd_add(struct dd a, struct dd b)
{
	struct dd s = dd_sum(a.hi, b.hi), t = dd_sum(a.lo, b.lo);
	s = dd_fast_sum(s.hi, s.lo + t.hi);
	return dd_fast_sum(s.hi, s.lo + t.lo);
}

static inline struct dd dd_sub(struct dd a, struct dd b)
{
	return dd_add(a, dd_neg(b));
}

static inline struct dd dd_add_d(struct dd a, double b)
{
	struct dd s = dd_sum(a.hi, b);
	return dd_fast_sum(s.hi, s.lo + a.lo);
}

static inline struct dd dd_mul(struct dd a, struct dd b)
{
	struct dd p = dd_prod(a.hi, b.hi);
	return dd_fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline struct dd dd_mul_d(struct dd a, double b)
{
	struct dd p = dd_prod(a.hi, b);
	return dd_fast_sum(p.hi, p.lo + a.lo * b);
}

// a times a power of two.
static inline struct dd dd_scale(struct dd a, double b)
{
	return (struct dd){a.hi * b, a.lo * b};
}

static inline struct dd dd_div(struct dd a, struct dd b)
{
	double q = a.hi / b.hi;
	struct dd r = dd_sub(a, dd_mul_d(b, q));
	double q2 = r.hi / b.hi;
	r = dd_sub(r, dd_mul_d(b, q2));
	struct dd q12 = dd_fast_sum(q, q2);
	return dd_add_d(q12, r.hi / b.hi);
}

static inline struct dd dd_sqrt(struct dd a)
{
	double s = __builtin_sqrt(a.hi);
	struct dd r = dd_sub(a, dd_prod(s, s));
	return s > 0 ? dd_fast_sum(s, r.hi / (2 * s)) : dd_of(0);
}

// 2^n for -1022 <= n <= 1023.
static inline double dm_pow2(int n)
{
	return softfp_f64((uint64_t)(n + 1023) << 52);
}

static inline double dm_fabs(double x)
{
	return softfp_f64(softfp_bits_f64(x) & INT64_MAX);
}

static inline double dm_with_sign(double x, double sign)
{
	return softfp_f64((softfp_bits_f64(x) & INT64_MAX) | (softfp_bits_f64(sign) & (UINT64_C(1) << 63)));
}

static inline bool dm_is_inf(double x)
{
	return dm_fabs(x) == DM_INF;
}

// sum of c[i] x^i, i < n.
static inline double dm_horner(const double *c, int n, double x)
{
	double p = c[n - 1];
	for (int i = n - 2; i >= 0; i--)
		p = p * x + c[i];
	return p;
}

// A function given piece by piece: n pieces of width 1 / per_unit from lo, each with 2 + deg coefficients: constant
// term hi, lo, then u, u^2, ...
struct piecewise {
	double lo, per_unit;
	int n, deg;
	const double *c;
};

// The value at x. Outside the table the nearest piece is used.
static inline struct dd dm_piecewise(const struct piecewise *t, struct dd x)
{
	double at = (x.hi - t->lo) * t->per_unit;
	int i = at > 0 ? at < t->n ? (int)at : t->n - 1 : 0;
	const double *c = t->c + (size_t)i * (t->deg + 2);
	double u = (x.hi - (t->lo + (i + 0.5) / t->per_unit)) + x.lo;
	struct dd p = dd_sum(c[0], u * dm_horner(c + 2, t->deg, u));
	return dd_fast_sum(p.hi, p.lo + c[1]);
}

// frexp with 1 <= |m| < 2; x finite and not 0.
double dm_split(double x, int *exp);
// (a.hi + a.lo) * 2^n, rounded once, also where it is subnormal or too large. |a.hi| within 2^+-500.
double dm_ldexp_dd(struct dd a, int n);

// e^x = result * 2^*k; |x.hi| < 2^20. Relative error below 2^-58.
struct dd dm_exp_dd(struct dd x, int *k);
// e^x - 1 for |x.hi| < 40. Relative error below 2^-57.
struct dd dm_expm1_dd(struct dd x);
// Natural logarithm, x > 0 finite. Relative error below 2^-66.
struct dd dm_log_dd(struct dd x);
// log(1 + x), x > -1.
struct dd dm_log1p_dd(struct dd x);
// x - *q pi/2 in [-pi/4, pi/4], any finite x; *q modulo 4.
struct dd dm_reduce(double x, int *q);
// Sine and cosine of |r| <= pi/4 + a little. Relative error below 2^-58.
void dm_sincos_dd(struct dd r, struct dd *s, struct dd *c);
// Sine and cosine of pi x, finite x.
void dm_sincospi_dd(double x, struct dd *s, struct dd *c);

#endif
