// Functions of f32. The common ones are short double kernels rounded once, the rest the f64 function rounded: either
// way within 0.501 units of the last place, unless dmath.h says otherwise.
#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/numbers/dmath_dd.h"

static float narrow(double x)
{
	return softfp_canon_f32((float)x);
}

// Through f64.
#define UNARY(X)                                                                                              \
	X(sinpi) X(cospi) X(asin) X(acos) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(exp10) X(expm1) \
	X(log10) X(log1p) X(logb) X(cbrt) X(rcbrt) X(sqrt) X(rsqrt) X(erf) X(erfc) X(erfinv) X(erfcinv)        \
	X(erfcx) X(normcdf) X(normcdfinv) X(tgamma) X(lgamma) X(j0) X(j1) X(y0) X(y1) X(cyl_bessel_i0)         \
	X(cyl_bessel_i1) X(round) X(rint) X(trunc) X(floor) X(ceil) X(atan)
#define X(name)                                   \
	float dm_##name##f(float x)               \
	{                                         \
		return narrow(dm_##name(x));      \
	}
UNARY(X)
#undef X

#define BINARY(X) X(atan2) X(hypot) X(rhypot) X(fmod) X(remainder) X(fmin) X(fmax)
#define X(name)                                      \
	float dm_##name##f(float x, float y)         \
	{                                            \
		return narrow(dm_##name(x, y));      \
	}
BINARY(X)
#undef X

// The angle in double: x - n pi/2 with pi/2 in pieces of 33 and 53 bits. |x| < 2^20 leaves the product exact; floats
// come no nearer to a multiple of pi/2 than 2^-30 of themselves there, so the error of 2^-66 does not show.
static double reduce(float x, int *q)
{
	if (x < 0x1p20f && x > -0x1p20f) {
		double n = softfp_integral_f64(x * 0x1.45f306dc9c883p-1, ROUND_RN);
		*q = (int)n & 3;
		return (x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
	}
	struct dd r = dm_reduce(x, q);
	return r.hi;
}

static void sincos(double r, double *s, double *c)
{
	static const double cs[] = {-1 / 6.0, 1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0, 1 / 6227020800.0};
	static const double cc[] = {-1 / 2.0, 1 / 24.0, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0, 1 / 479001600.0,
	                            -1 / 87178291200.0};
	double z = r * r;
	*s = r + r * z * dm_horner(cs, 6, z);
	*c = 1 + z * dm_horner(cc, 7, z);
}

void dm_sincosf(float x, float *s, float *c)
{
	double a, b;
	int q;
	if (x - x != 0) {
		*s = *c = softfp_f32(SOFTFP_NAN32);
		return;
	}
	sincos(reduce(x, &q), &a, &b);
	float u = (float)(q & 1 ? b : a), v = (float)(q & 1 ? a : b);
	*s = x == 0 ? x : q & 2 ? -u : u;
	*c = (q + 1) & 2 ? -v : v;
}

float dm_sinf(float x)
{
	float s, c;
	dm_sincosf(x, &s, &c);
	return s;
}

float dm_cosf(float x)
{
	float s, c;
	dm_sincosf(x, &s, &c);
	return c;
}

float dm_tanf(float x)
{
	double s, c;
	int q;
	if (x - x != 0)
		return softfp_f32(SOFTFP_NAN32);
	sincos(reduce(x, &q), &s, &c);
	return x == 0 ? x : (float)(q & 1 ? -c / s : s / c);
}

void dm_sincospif(float x, float *s, float *c)
{
	double a, b;
	dm_sincospi(x, &a, &b);
	*s = narrow(a);
	*c = narrow(b);
}

float dm_exp2f(float x)
{
	return dm_ex2_approx_f32(x);
}

float dm_expf(float x)
{
	double y = x * 0x1.71547652b82fep+0;
	y = y > 200 ? 200 : y < -200 ? -200 : y;
	return x != x ? softfp_f32(SOFTFP_NAN32) : (float)dm_kernel_exp2(y);
}

float dm_log2f(float x)
{
	return dm_mufu_lg2(x);
}

float dm_logf(float x)
{
	if (x > 0 && x < __builtin_inff())
		return (float)(dm_kernel_log2(x) * 0x1.62e42fefa39efp-1);
	return dm_mufu_lg2(x);
}

float dm_powf(float x, float y)
{
	// Only positive finite x here; the rest is rare.
	if (!(x > 0 && x < __builtin_inff() && y - y == 0))
		return narrow(dm_pow(x, y));
	double p = y * dm_kernel_log2(x);
	return (float)dm_kernel_exp2(p > 200 ? 200 : p < -200 ? -200 : p);
}

float dm_powif(float x, int n)
{
	return narrow(dm_pow(x, n));
}

float dm_normf(const float *v, int n)
{
	// Squares and sums of floats fit a double with room to spare.
	double sum = 0;
	bool inf = false;
	for (int i = 0; i < n; i++) {
		sum += (double)v[i] * v[i];
		inf |= dm_is_inf(v[i]);
	}
	return inf ? __builtin_inff() : narrow(__builtin_sqrt(sum));
}

float dm_rnormf(const float *v, int n)
{
	double sum = 0;
	bool inf = false;
	for (int i = 0; i < n; i++) {
		sum += (double)v[i] * v[i];
		inf |= dm_is_inf(v[i]);
	}
	return inf ? 0 : narrow(1 / __builtin_sqrt(sum));
}

float dm_jnf(int n, float x)
{
	return narrow(dm_jn(n, x));
}

float dm_ynf(int n, float x)
{
	return narrow(dm_yn(n, x));
}

float dm_remquof(float x, float y, int *quotient)
{
	return narrow(dm_remquo(x, y, quotient));
}

float dm_frexpf(float x, int *exp)
{
	return narrow(dm_frexp(x, exp));
}

float dm_ldexpf(float x, int n)
{
	n = n > 400 ? 400 : n < -400 ? -400 : n; // exact in f64, then one rounding
	return narrow(dm_ldexp(x, n));
}

float dm_modff(float x, float *whole)
{
	double w, f = dm_modf(x, &w);
	*whole = narrow(w);
	return narrow(f);
}
