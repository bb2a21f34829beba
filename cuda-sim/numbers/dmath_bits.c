// Functions that are exact, or only take floating point numbers apart: remainders, exponents, neighbours, rounding to
// integers.
#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/numbers/dmath_dd.h"

// |x| modulo |y| for finite x, y != 0, exact, by long division of the significands; *quotient receives its low bits.
static double long_mod(double x, double y, uint32_t *quotient)
{
	x = dm_fabs(x);
	y = dm_fabs(y);
	*quotient = 0;
	if (x < y)
		return x;
	int ex, ey;
	uint64_t mx = (uint64_t)(dm_split(x, &ex) * 0x1p52), my = (uint64_t)(dm_split(y, &ey) * 0x1p52);
	uint32_t q = (uint32_t)(mx / my);
	mx %= my;
	for (int left = ex - ey, step; left > 0; left -= step) {
		step = left < 11 ? left : 11; // 53 + 11 bits fit
		mx <<= step;
		q = q << step | (uint32_t)(mx / my);
		mx %= my;
	}
	*quotient = q;
	return mx ? dm_ldexp_dd(dd_of((double)mx), ey - 52) : 0;
}

double dm_fmod(double x, double y)
{
	uint32_t q;
	if (!(dm_fabs(x) < DM_INF) || y != y || y == 0)
		return DM_NAN;
	return dm_is_inf(y) ? x : dm_with_sign(long_mod(x, y, &q), x);
}

double dm_remquo(double x, double y, int *quotient)
{
	uint32_t q = 0;
	*quotient = 0;
	if (!(dm_fabs(x) < DM_INF) || y != y || y == 0)
		return DM_NAN;
	if (dm_is_inf(y))
		return x;
	double a = dm_fabs(y), r = long_mod(x, y, &q);
	// r against a / 2 without leaving the range
	bool above = r > a - r || (r == a - r && (q & 1));
	if (above) {
		r -= a;
		q++;
	}
	bool neg = softfp_bits_f64(x) >> 63;
	*quotient = (int)(q & 0x7fffffff) * (neg != softfp_bits_f64(y) >> 63 ? -1 : 1);
	return r == 0 ? dm_with_sign(0, x) : neg ? -r : r;
}

double dm_remainder(double x, double y)
{
	int q;
	return dm_remquo(x, y, &q);
}

double dm_frexp(double x, int *exp)
{
	*exp = 0;
	if (x == 0 || !(dm_fabs(x) < DM_INF))
		return softfp_canon_f64(x);
	double m = dm_split(x, exp);
	*exp += 1;
	return m * 0.5;
}

double dm_ldexp(double x, int n)
{
	if (x == 0 || !(dm_fabs(x) < DM_INF))
		return softfp_canon_f64(x);
	int e;
	double m = dm_split(x, &e);
	n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
	return dm_ldexp_dd(dd_of(m), e + n);
}

double dm_modf(double x, double *whole)
{
	*whole = softfp_integral_f64(x, ROUND_RZ);
	if (x != x)
		return DM_NAN;
	return dm_with_sign(dm_is_inf(x) ? 0 : x - *whole, x);
}

double dm_logb(double x)
{
	int e;
	if (x != x)
		return DM_NAN;
	if (x == 0 || dm_is_inf(x))
		return x == 0 ? -DM_INF : DM_INF;
	dm_split(x, &e);
	return e;
}

int dm_ilogb(double x)
{
	int e;
	if (x != x || x == 0)
		return INT32_MIN;
	if (dm_is_inf(x))
		return INT32_MAX;
	dm_split(x, &e);
	return e;
}

double dm_nextafter(double x, double y)
{
	if (x != x || y != y)
		return DM_NAN;
	if (x == y)
		return y;
	if (x == 0)
		return dm_with_sign(0x1p-1074, y);
	uint64_t u = softfp_bits_f64(x);
	return softfp_f64((x < y) == (x > 0) ? u + 1 : u - 1);
}

float dm_nextafterf(float x, float y)
{
	if (x != x || y != y)
		return softfp_f32(SOFTFP_NAN32);
	if (x == y)
		return y;
	if (x == 0)
		return y > 0 ? 0x1p-149f : -0x1p-149f;
	uint32_t u = softfp_bits_f32(x);
	return softfp_f32((x < y) == (x > 0) ? u + 1 : u - 1);
}

double dm_fdim(double x, double y)
{
	if (x != x || y != y)
		return DM_NAN;
	return x > y ? x - y : 0;
}

float dm_fdimf(float x, float y)
{
	if (x != x || y != y)
		return softfp_f32(SOFTFP_NAN32);
	return x > y ? x - y : 0;
}

double dm_copysign(double x, double y)
{
	return dm_with_sign(x, y);
}

float dm_copysignf(float x, float y)
{
	return softfp_f32((softfp_bits_f32(x) & 0x7fffffff) | (softfp_bits_f32(y) & 0x80000000));
}

double dm_fmin(double x, double y)
{
	if (x != x || y != y)
		return softfp_canon_f64(x != x ? y : x);
	bool first = x < y || (x == y && softfp_bits_f64(x) >> 63); // -0 is less than +0
	return first ? x : y;
}

double dm_fmax(double x, double y)
{
	if (x != x || y != y)
		return softfp_canon_f64(x != x ? y : x);
	bool first = x > y || (x == y && !(softfp_bits_f64(x) >> 63));
	return first ? x : y;
}

double dm_round(double x)
{
	return softfp_integral_f64(x, ROUND_RNA);
}

double dm_rint(double x)
{
	return softfp_integral_f64(x, ROUND_RN);
}

double dm_trunc(double x)
{
	return softfp_integral_f64(x, ROUND_RZ);
}

double dm_floor(double x)
{
	return softfp_integral_f64(x, ROUND_RM);
}

double dm_ceil(double x)
{
	return softfp_integral_f64(x, ROUND_RP);
}

int64_t dm_llround(double x)
{
	return (int64_t)softfp_f64_to_sint(x, ROUND_RNA, 64, UINT64_C(1) << 63);
}

int64_t dm_llrint(double x)
{
	return (int64_t)softfp_f64_to_sint(x, ROUND_RN, 64, UINT64_C(1) << 63);
}
