#include "cuda-sim/numbers/dmath.h"
#include "tests/unit/dmath_points.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fn {
	const char *name;
	double (*d1)(double);
	double (*d2)(double, double);
	float (*f1)(float);
	float (*f2)(float, float);
};

static const struct fn fns[] = {
#define X(name) {#name, dm_##name, NULL, dm_##name##f, NULL},
	DM_UNARY(X)
#undef X
#define X(name) {#name, NULL, dm_##name, NULL, dm_##name##f},
	DM_BINARY(X)
#undef X
};
enum { N_FN = sizeof fns / sizeof *fns };

// A trailing f asks for the f32 function.
static double call(const char *name, double x, double y, bool *single)
{
	for (unsigned i = 0; i < N_FN; i++) {
		size_t n = strlen(fns[i].name);
		if (strncmp(fns[i].name, name, n) != 0 || (name[n] && strcmp(name + n, "f") != 0))
			continue;
		*single = name[n];
		if (name[n])
			return fns[i].f1 ? fns[i].f1((float)x) : fns[i].f2((float)x, (float)y);
		return fns[i].d1 ? fns[i].d1(x) : fns[i].d2(x, y);
	}
	ck_abort_msg("no function %s", name);
}

// Distance in representable numbers, for two numbers of one sign.
static double steps(double a, double b, bool single)
{
	if (a == b)
		return 0;
	if (!(a - b == a - b) || signbit(a) != signbit(b))
		return INFINITY;
	if (single)
		return fabs((double)softfp_bits_f32((float)a) - (double)softfp_bits_f32((float)b));
	return fabs((double)(int64_t)(softfp_bits_f64(a) - softfp_bits_f64(b)));
}

START_TEST(values_agree_with_many_digits)
{
	for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
		bool single, bessel = strchr("jy", points[i].name[0]) != NULL;
		double got = call(points[i].name, points[i].x, points[i].y, &single);
		bool near = bessel && !single && fabs(got - points[i].want) < 0x1p-52; // absolute, beside its zeros
		ck_assert_msg(near || steps(got, points[i].want, single) <= 1, "%s(%a, %a) = %a, not %a", points[i].name,
		      points[i].x, points[i].y, points[i].want, got);
	}
}
END_TEST

static uint64_t state;

static uint64_t rnd64(void)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = state;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double between(double lo, double hi)
{
	return lo + (hi - lo) * ((double)(rnd64() >> 11) * 0x1p-53);
}

// The host's library is good to a few places; where it is known to be worse, `tol` says so.
START_TEST(values_agree_with_the_host)
{
	static const struct {
		const char *name;
		double (*host)(double);
		double lo, hi, tol;
	} t[] = {
		{"sin", sin, -100, 100, 2}, {"sin", sin, -1e300, 1e300, 2}, {"cos", cos, -100, 100, 2},
		{"cos", cos, -1e10, 1e10, 2}, {"tan", tan, -100, 100, 2}, {"asin", asin, -1, 1, 2},
		{"acos", acos, -1, 1, 2},
		{"atan", atan, -50, 50, 2}, {"sinh", sinh, -700, 700, 4}, {"cosh", cosh, -700, 700, 4},
		{"tanh", tanh, -3, 3, 4}, {"asinh", asinh, -100, 100, 4}, {"acosh", acosh, 1, 100, 4},
		{"atanh", atanh, -1, 1, 4}, {"exp", exp, -740, 709, 2}, {"exp2", exp2, -1070, 1023, 2},
		{"expm1", expm1, -2, 50, 2}, {"log", log, 0, 10, 2}, {"log2", log2, 0, 1e300, 2},
		{"log10", log10, 0, 100, 3},
		{"log1p", log1p, -1, 5, 2}, {"cbrt", cbrt, -1e3, 1e3, 5}, {"erf", erf, -5, 5, 3},
		{"erfc", erfc, -5, 26, 6},
		{"tgamma", tgamma, -20, 170, 12}, {"round", round, -1e16, 1e16, 0}, {"rint", rint, -1000, 1000, 0},
		{"trunc", trunc, -1000, 1000, 0}, {"floor", floor, -1000, 1000, 0}, {"ceil", ceil, -1000, 1000, 0},
		{"sqrt", sqrt, 0, 1e100, 0}, {"logb", logb, -1, 1, 0},
	};
	for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
		for (int i = 0; i < 2000; i++) {
			bool single;
			double x = between(t[k].lo, t[k].hi), got = call(t[k].name, x, 0, &single), want = t[k].host(x);
			ck_assert_msg(steps(got, want, false) <= t[k].tol, "%s(%a) = %a here, %a there", t[k].name, x, got,
			      want);
		}
	}
	for (int i = 0; i < 20000; i++) {
		double x = exp(between(-300, 300)), y = between(-2, 2), z = y * exp(between(-40, 40));
		int q, p;
		ck_assert_int_eq(dm_ilogb(x), ilogb(x));
		ck_assert_msg(steps(dm_pow(x, y), pow(x, y), false) <= 1, "pow(%a, %a)", x, y);
		ck_assert_msg(steps(dm_atan2(y, z), atan2(y, z), false) <= 1, "atan2(%a, %a)", y, z);
		ck_assert_msg(steps(dm_hypot(y, z), hypot(y, z), false) <= 1, "hypot(%a, %a)", y, z);
		ck_assert_msg(dm_fmod(z, y) == fmod(z, y), "fmod(%a, %a)", z, y);
		ck_assert_msg(dm_fmod(x, y) == fmod(x, y), "fmod(%a, %a)", x, y);
		ck_assert_msg(dm_remquo(z, y, &q) == remquo(z, y, &p) && ((q ^ p) & 7) == 0 , "remquo(%a, %a)", z, y);
		ck_assert_msg(dm_remainder(x, y) == remainder(x, y), "remainder(%a, %a)", x, y);
		ck_assert_msg(dm_nextafter(z, y) == nextafter(z, y), "nextafter(%a, %a)", z, y);
		ck_assert_msg(dm_frexp(z, &q) == frexp(z, &p) && q == p, "frexp(%a)", z);
		q = (int)between(-2200, 2200);
		ck_assert_msg(dm_ldexp(x, q) == ldexp(x, q), "ldexp(%a, %d)", x, q);
		ck_assert_msg(dm_ldexpf((float)y, q / 8) == ldexpf((float)y, q / 8), "ldexpf(%a, %d)", (float)y, q / 8);
		q = (int)between(2, 40);
		double a = between(0.1, 60);
		ck_assert_msg(fabs(dm_jn(q, a) - jn(q, a)) < 1e-14, "jn(%d, %a)", q, a);
		ck_assert_msg(fabs(dm_yn(q, a) - yn(q, a)) <= 1e-12 * fmax(1, fabs(yn(q, a))), "yn(%d, %a)", q, a);
		ck_assert_msg(dm_llround(z) == llround(z) || fabs(z) > 9e18, "llround(%a)", z);
		ck_assert_msg(dm_llrint(z) == llrint(z) || fabs(z) > 9e18, "llrint(%a)", z);
	}
}
END_TEST

// n stands for NaN, i for infinity.
START_TEST(special_values)
{
	const double i = INFINITY, n = NAN;
	const struct {
		const char *name;
		double x, y, want;
	} t[] = {
		{"sin", -0.0, 0, -0.0}, {"sin", i, 0, n}, {"cos", i, 0, n}, {"cos", 0, 0, 1},
		{"tan", -0.0, 0, -0.0}, {"tan", i, 0, n},
		{"sinpi", -3, 0, -0.0}, {"sinpi", 3, 0, 0}, {"cospi", 2.5, 0, 0}, {"cospi", 3, 0, -1},
		{"sinpi", 1e300, 0, 0},
		{"cospi", 1e300, 0, 1}, {"sinpi", i, 0, n}, {"asin", 1.5, 0, n}, {"asin", -0.0, 0, -0.0},
		{"acos", 1, 0, 0},
		{"acos", -2, 0, n}, {"atan", -0.0, 0, -0.0}, {"atan", i, 0, M_PI_2}, {"sinh", -i, 0, -i},
		{"sinh", -0.0, 0, -0.0},
		{"cosh", -i, 0, i}, {"tanh", i, 0, 1}, {"tanh", -0.0, 0, -0.0}, {"asinh", -i, 0, -i},
		{"acosh", 0.5, 0, n},
		{"acosh", 1, 0, 0}, {"acosh", i, 0, i}, {"atanh", 1, 0, i}, {"atanh", -1, 0, -i}, {"atanh", 2, 0, n},
		{"exp", -i, 0, 0}, {"exp", i, 0, i}, {"exp", 710, 0, i}, {"exp", -746, 0, 0}, {"exp2", -1, 0, 0.5},
		{"exp2", 1024, 0, i}, {"exp2", -1074, 0, 0x1p-1074}, {"exp10", 3, 0, 1000}, {"exp10", 22, 0, 1e22},
		{"exp10", -400, 0, 0}, {"expm1", -0.0, 0, -0.0}, {"expm1", -i, 0, -1}, {"expm1", i, 0, i},
		{"log", 0, 0, -i},
		{"log", -0.0, 0, -i}, {"log", -1, 0, n}, {"log", i, 0, i}, {"log", 1, 0, 0},
		{"log2", 0x1p-1074, 0, -1074},
		{"log10", 1e15, 0, 15}, {"log1p", -1, 0, -i}, {"log1p", -0.0, 0, -0.0}, {"log1p", -2, 0, n},
		{"log1p", i, 0, i},
		{"cbrt", -27, 0, -3}, {"cbrt", -0.0, 0, -0.0}, {"cbrt", -i, 0, -i}, {"rcbrt", 0, 0, i},
		{"rcbrt", -8, 0, -0.5},
		{"rsqrt", 4, 0, 0.5}, {"rsqrt", 0, 0, i}, {"rsqrt", -0.0, 0, -i}, {"rsqrt", -1, 0, n},
		{"rsqrt", i, 0, 0},
		{"sqrt", -1, 0, n}, {"erf", -i, 0, -1}, {"erf", -0.0, 0, -0.0}, {"erfc", -i, 0, 2}, {"erfc", i, 0, 0},
		{"erfcx", i, 0, 0}, {"erfcx", -30, 0, i}, {"erfinv", 1, 0, i}, {"erfinv", -1, 0, -i},
		{"erfinv", 2, 0, n},
		{"erfcinv", 0, 0, i}, {"erfcinv", 2, 0, -i}, {"erfcinv", 1, 0, 0}, {"erfcinv", -1, 0, n},
		{"normcdf", 0, 0, 0.5},
		{"normcdf", -i, 0, 0}, {"normcdf", i, 0, 1}, {"normcdfinv", 0.5, 0, 0}, {"normcdfinv", 0, 0, -i},
		{"normcdfinv", 1, 0, i}, {"tgamma", 0, 0, i}, {"tgamma", -0.0, 0, -i}, {"tgamma", -3, 0, n},
		{"tgamma", 5, 0, 24},
		{"tgamma", 172, 0, i}, {"tgamma", -i, 0, n}, {"tgamma", -200.5, 0, -0.0}, {"tgamma", -201.5, 0, 0},
		{"lgamma", 1, 0, 0}, {"lgamma", 2, 0, 0}, {"lgamma", -3, 0, i}, {"lgamma", -i, 0, i},
		{"j0", 0, 0, 1}, {"j0", i, 0, 0},
		{"j1", -0.0, 0, -0.0}, {"y0", 0, 0, -i}, {"y1", 0, 0, -i}, {"y0", -1, 0, n}, {"y1", i, 0, 0},
		{"logb", 0, 0, -i}, {"logb", -i, 0, i}, {"logb", 0x1p-1074, 0, -1074}, {"round", -2.5, 0, -3},
		{"rint", 2.5, 0, 2},
		{"rint", -0.3, 0, -0.0}, {"floor", -0.3, 0, -1}, {"ceil", -0.3, 0, -0.0}, {"trunc", i, 0, i},
		{"atan2", 0, -0.0, M_PI}, {"atan2", -0.0, -1, -M_PI}, {"atan2", -0.0, 1, -0.0}, {"atan2", 1, 0, M_PI_2},
		{"atan2", i, i, M_PI_4}, {"atan2", -i, -i, -3 * M_PI_4}, {"atan2", 1, -i, M_PI}, {"atan2", 1, i, 0},
		{"atan2", 0x1p-1074, 2, 0}, {"pow", 2, 10, 1024}, {"pow", -2, 3, -8}, {"pow", -2, 0.5, n},
		{"pow", 0, -1, i},
		{"pow", -0.0, -3, -i}, {"pow", -0.0, 3, -0.0}, {"pow", n, 0, 1}, {"pow", 1, n, 1},
		{"pow", -1, i, 1}, {"pow", 0.5, -i, i},
		{"pow", 0.5, i, 0}, {"pow", -i, 3, -i}, {"pow", -i, -3, -0.0}, {"pow", i, -1, 0},
		{"pow", 10, 308, 1e308},
		{"pow", 2, -1074, 0x1p-1074}, {"pow", 2, 1e300, i}, {"pow", 0.5, 1e300, 0}, {"pow", -3, 1e300, i},
		{"hypot", i, n, i}, {"hypot", 3, -4, 5}, {"hypot", 0x3p1000, 0x4p1000, 0x5p1000},
		{"hypot", 0x3p-1074, 0x4p-1074, 0x5p-1074}, {"rhypot", 0, 0, i}, {"rhypot", i, 1, 0}, {"fmod", 5, 0, n},
		{"fmod", i, 1, n}, {"fmod", -0.0, 1, -0.0}, {"fmod", 5, i, 5}, {"remainder", 3, 2, -1},
		{"remainder", 5, 2, 1},
		{"remainder", i, 2, n}, {"nextafter", 0, -1, -0x1p-1074}, {"nextafter", 1, n, n},
		{"fdim", 1, 3, 0}, {"fdim", 3, 1, 2},
		{"fdim", n, 1, n}, {"copysign", 1, -0.0, -1}, {"fmin", 0, -0.0, -0.0}, {"fmax", -0.0, 0, 0},
		{"fmin", n, 3, 3},
		{"fmax", 2, n, 2}, {"fmax", n, n, n},
		{"expf", 89, 0, i}, {"expf", -104, 0, 0}, {"logf", 0, 0, -i}, {"logf", -1, 0, n}, {"powf", 2, 128, i},
		{"powf", -2, 3, -8}, {"powf", 0, -1, i}, {"exp2f", -149, 0, 0x1p-149}, {"log2f", 8, 0, 3},
		{"sinf", i, 0, n},
		{"tgammaf", 36, 0, i}, {"erfcf", 11, 0, 0}, {"coshf", 90, 0, i}, {"tanhf", -i, 0, -1},
	};
	for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
		bool single, nan = t[k].want != t[k].want;
		double got = call(t[k].name, t[k].x, t[k].y, &single);
		bool same = nan ? got != got : got == t[k].want && !signbit(got) == !signbit(t[k].want);
		ck_assert_msg(same, "%s(%a, %a) = %a, not %a", t[k].name, t[k].x, t[k].y, t[k].want, got);
		if (nan && !single)
			ck_assert_msg(softfp_bits_f64(got) == SOFTFP_NAN64, "%s", t[k].name);
	}
	for (unsigned k = 0; k < N_FN; k++) { // NaN in, canonical NaN out
		if (!fns[k].d1)
			continue;
		ck_assert_msg(softfp_bits_f64(fns[k].d1(-n)) == SOFTFP_NAN64, "%s(NaN)", fns[k].name);
		ck_assert_msg(softfp_bits_f32(fns[k].f1(-NAN)) == SOFTFP_NAN32, "%sf(NaN)", fns[k].name);
	}
	ck_assert_int_eq(dm_ilogb(0), INT32_MIN);
	ck_assert_int_eq(dm_llround(n), INT64_MIN);
	ck_assert_int_eq(dm_llround(-2.5), -3);
	ck_assert_int_eq(dm_llrint(1e30), INT64_MAX);
	ck_assert(isnan(dm_jn(-1, 1.0)) && isnan(dm_yn(1 << 30, 1.0)));
	ck_assert(dm_norm((double[]){1, 2, 2}, 3) == 3 && dm_rnormf((float[]){2, 0, 0, 0}, 4) == 0.5f);
	ck_assert(dm_powi(-2, -1) == -0.5 && dm_powif(3, 3) == 27);
}
END_TEST

// Over all exponents. sin and cos lie within half a place of 1, a little, and what cutting the angle in turns off to a float makes.
START_TEST(approximate_instructions)
{
	for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 9973) {
		float x = softfp_f32((uint32_t)u);
		if (x - x != 0)
			continue;
		double e = exp2(x), r = dm_ex2_approx_f32(x), s;
		ck_assert_msg(steps((float)e, r, true) <= 1, "ex2 %a = %a not %a", x, e, r);
		ck_assert_msg(steps((float)tanh(x), dm_tanh_approx_f32(x), true) <= 1, "tanh %a", x);
		ck_assert_msg(x <= 0 || steps((float)log2(x), dm_lg2_approx_f32(x), true) <= 1, "lg2 %a", x);
		ck_assert_msg(x <= 0 || steps((float)(1 / sqrt(x)), dm_rsqrt_approx_f32(x), true) <= 1, "rsqrt %a", x);
		if (fabsf(x) < 314) {
			double most = 0x1.01p-25 + fabs(x) * 0x1p-22;
			s = dm_sin_approx_f32(x);
			ck_assert_msg(fabs(s - sin(x)) <= most, "sin %a = %a not %a", x, sin(x), s);
			s = dm_cos_approx_f32(x);
			ck_assert_msg(fabs(s - cos(x)) <= most, "cos %a = %a not %a", x, cos(x), s);
		}
		double d = softfp_f64(rnd64() & INT64_MAX);
		double a = softfp_f64(softfp_bits_f64(d) & UINT64_C(0xffffffff00000000));
		if (a > 0x1p-1022 && a < 0x1p1021) {
			double seed = dm_rcp_approx_ftz_f64(d), root = dm_rsqrt_approx_ftz_f64(d);
			ck_assert_msg(fabs(seed * a - 1) <= 0x1p-20 && !(uint32_t)softfp_bits_f64(seed), "rcp %a", d);
			ck_assert_msg(fabs(root * sqrt(a) - 1) <= 0x1p-20 && !(uint32_t)softfp_bits_f64(root), "rsqrt %a", d);
		}
	}
}
END_TEST

START_TEST(approximate_special_values)
{
	const float i = INFINITY;
	const struct {
		float got, want;
	} t[] = {
		{dm_ex2_approx_f32(-i), 0}, {dm_ex2_approx_f32(i), i}, {dm_ex2_approx_f32(-0.0f), 1},
		{dm_ex2_approx_f32(-149), 0x1p-149f},
		{dm_ex2_approx_f32(NAN), NAN}, {dm_lg2_approx_f32(-0.0f), -i}, {dm_lg2_approx_f32(i), i},
		{dm_lg2_approx_f32(-1), NAN},
		{dm_lg2_approx_f32(0x1.114p-133f), -0x1.09cfd4p+7f}, {dm_lg2_approx_f32(0x1.e87cp-135f), -0x1.0c22bcp+7f}, // 24 is taken off
		{dm_lg2_approx_f32(NAN), NAN}, {dm_lg2_approx_f32(0x1p-149f), -149}, {dm_sin_approx_f32(-0.0f), -0.0f},
		{dm_sin_approx_f32(0x1p-149f), 0}, {dm_sin_approx_f32(i), NAN}, {dm_cos_approx_f32(i), NAN},
		{dm_cos_approx_f32(-0.0f), 1}, {dm_tanh_approx_f32(-i), -1}, {dm_tanh_approx_f32(-0.0f), -0.0f},
		{dm_tanh_approx_f32(NAN), NAN}, {dm_rcp_approx_f32(-0.0f), -i}, {dm_rcp_approx_f32(-i), -0.0f},
		{dm_rsqrt_approx_f32(-0.0f), -i}, {dm_rsqrt_approx_f32(-1), NAN}, {dm_rsqrt_approx_f32(i), 0},
		{dm_sqrt_approx_f32(-0.0f), -0.0f}, {dm_sqrt_approx_f32(-1), NAN},
		{dm_div_approx_f32(1, 0x1.8p126f), 0},
		{dm_div_approx_f32(-1, 0x1.8p126f), -0.0f}, {dm_div_approx_f32(i, 0x1.8p126f), NAN},
		{dm_div_approx_f32(3, 2), 1.5f},
		{dm_div_approx_f32(1, 0), i}, {dm_div_approx_f32(0, 0), NAN}, {dm_div_approx_f32(1, i), 0},
		{dm_div_full_f32(1, 0x1.8p126f), 0x1.555558p-127f}, {(float)dm_rcp_approx_ftz_f64(-0.0), -i},
		{(float)dm_rcp_approx_ftz_f64(0x1p-1030), i}, {(float)dm_rcp_approx_ftz_f64(-i), -0.0f},
		{(float)dm_rcp_approx_ftz_f64(-0x1p1023), -0.0f}, {(float)dm_rsqrt_approx_ftz_f64(-0x1p-1050), -i},
		{(float)dm_rsqrt_approx_ftz_f64(-i), NAN}, {(float)dm_rsqrt_approx_ftz_f64(i), 0},
	};
	for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
		uint32_t g = softfp_bits_f32(t[k].got), w = softfp_bits_f32(t[k].want);
		if (t[k].want != t[k].want)
			ck_assert(t[k].got != t[k].got);
		else
			ck_assert_msg(g == w, "row %u: %a not %a", k, t[k].got, t[k].want);
	}
	ck_assert_uint_eq(softfp_bits_f32(dm_div_approx_f32(0, 0)), SOFTFP_NAN32);
	ck_assert_uint_eq(softfp_bits_f64(dm_rcp_approx_ftz_f64(NAN)), UINT64_C(0x7fffffff00000000));
}
END_TEST

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

// The same bits from every compiler, optimisation level and CPU: one number for all functions over many arguments,
// recorded once. A deliberate change of any function changes it.
START_TEST(bits_never_change)
{
	uint64_t h = 0;
	state = 1;
	for (unsigned k = 0; k < N_FN; k++) {
		for (int i = 0; i < 400; i++) {
			double x = between(-4, 4), y = between(-4, 4);
			if (i & 1)
				x = softfp_f64(rnd64());
			if (i & 2)
				y = softfp_f64(rnd64());
			double r = fns[k].d1 ? fns[k].d1(x) : fns[k].d2(x, y);
			float f = fns[k].f1 ? fns[k].f1((float)x) : fns[k].f2((float)x, (float)y);
			h = mix(mix(h, softfp_bits_f64(r)), softfp_bits_f32(f));
		}
	}
	ck_assert_uint_eq(h, UINT64_C(7198228582788257465));
}
END_TEST

// The lane functions as the executor uses them: 32 at a time, vectorised for whatever the CPU has.
#define LANES_HASH(name, attributes)                                                                          \
	attributes static uint64_t name(void)                                                                 \
	{                                                                                                     \
		uint64_t h = 0;                                                                               \
		_Alignas(64) float a[32], b[32], c[32], r[16][32];                                            \
		_Alignas(64) uint16_t p[32], q[32], s[32], w[6][32];                                          \
		state = 2;                                                                                    \
		for (int n = 0; n < 2000; n++) {                                                              \
			for (int i = 0; i < 32; i++) {                                                        \
				uint64_t u = rnd64(), v = rnd64();                                            \
				a[i] = n & 1 ? softfp_f32((uint32_t)u) : (float)((int32_t)u * 0x1p-27);       \
				b[i] = n & 2 ? softfp_f32((uint32_t)(u >> 32)) : (float)((int32_t)(u >> 32)); \
				c[i] = n & 4 ? softfp_f32((uint32_t)v) : -a[i] * b[i];                        \
				p[i] = (uint16_t)(v >> 32);                                                   \
				q[i] = (uint16_t)(v >> 48);                                                   \
				s[i] = (uint16_t)v;                                                           \
			}                                                                                     \
			for (int i = 0; i < 32; i++) {                                                        \
				r[0][i] = dm_ex2_approx_f32(a[i]);                                            \
				r[1][i] = dm_lg2_approx_f32(a[i]);                                            \
				r[2][i] = dm_sin_approx_f32(a[i]);                                            \
				r[3][i] = dm_cos_approx_f32(a[i]);                                            \
				r[4][i] = dm_tanh_approx_f32(a[i]);                                           \
				r[5][i] = dm_rcp_approx_f32(a[i]);                                            \
				r[6][i] = dm_rsqrt_approx_f32(a[i]);                                          \
				r[7][i] = dm_sqrt_approx_f32(a[i]);                                           \
				r[8][i] = dm_div_approx_f32(a[i], b[i]);                                      \
				r[9][i] = dm_div_full_f32(a[i], b[i]);                                        \
				r[10][i] = softfp_fma_f32(a[i], b[i], c[i], ROUND_RN);                          \
				r[11][i] = softfp_fma_f32(a[i], b[i], c[i], ROUND_RM);                          \
				r[12][i] = softfp_add_f32(a[i], b[i], ROUND_RP);                                \
				r[13][i] = softfp_integral_f32(a[i], ROUND_RN);                                 \
				r[14][i] = softfp_f16_to_f32(p[i]);                                           \
				r[15][i] = softfp_f32((uint32_t)softfp_f32_to_s32_rz(b[i]));                  \
			}                                                                                     \
			for (int i = 0; i < 32; i++) {                                                        \
				w[0][i] = softfp_f32_to_f16(c[i]);                                            \
				w[1][i] = softfp_f32_to_bf16(c[i]);                                           \
				w[2][i] = softfp_fma_f16(p[i], q[i], s[i]);                                   \
				w[3][i] = softfp_fma_bf16(p[i], q[i], s[i]);                                  \
				w[4][i] = softfp_mul_f16(p[i], q[i]);                                         \
				w[5][i] = softfp_add_f16(p[i], q[i]);                                         \
			}                                                                                     \
			for (int i = 0; i < 32; i++) {                                                        \
				for (int k = 0; k < 16; k++)                                                  \
					h = mix(h, softfp_bits_f32(r[k][i]));                                 \
				for (int k = 0; k < 6; k++)                                                   \
					h = mix(h, w[k][i]);                                                  \
			}                                                                                     \
		}                                                                                             \
		return h;                                                                                     \
	}

#ifdef __clang__
#define AT(target_) __attribute__((noinline, target(target_)))
#else
#define AT(target_) __attribute__((noinline, target(target_), optimize("O3")))
#endif
LANES_HASH(lanes_plain, __attribute__((noinline)))
#ifdef __x86_64__
LANES_HASH(lanes_avx2, AT("avx2,fma,f16c,bmi2"))
LANES_HASH(lanes_avx512, AT("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c,bmi2"))
#endif

START_TEST(lanes_are_the_same_on_every_cpu)
{
	ck_assert_uint_eq(lanes_plain(), UINT64_C(11628056261565260914));
#ifdef __x86_64__
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		ck_assert_uint_eq(lanes_avx2(), UINT64_C(11628056261565260914));
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		ck_assert_uint_eq(lanes_avx512(), UINT64_C(11628056261565260914));
#endif
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dmath");
	TCase *t = tcase_create("dmath");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, values_agree_with_many_digits);
	tcase_add_test(t, values_agree_with_the_host);
	tcase_add_test(t, special_values);
	tcase_add_test(t, approximate_instructions);
	tcase_add_test(t, approximate_special_values);
	tcase_add_test(t, bits_never_change);
	tcase_add_test(t, lanes_are_the_same_on_every_cpu);
	suite_add_tcase(s, t);
	return check_main(s);
}
