#include "cuda-sim/numbers/softfp.h"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>

// Host arithmetic in each rounding mode is the reference; volatile keeps the compiler from doing it beforehand.
static const struct {
	enum rounding rnd;
	int host;
} modes[4] = {{ROUND_RN, FE_TONEAREST}, {ROUND_RZ, FE_TOWARDZERO}, {ROUND_RM, FE_DOWNWARD}, {ROUND_RP, FE_UPWARD}};

static uint64_t state;

static uint64_t rnd64(void)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = state;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

// Any bit pattern, often with few significant bits, near exponents, near limits.
static double any_f64(void)
{
	uint64_t r = rnd64(), u = rnd64();
	if (r & 1)
		u = (u & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1023 - 60 + (r >> 8) % 120) << 52;
	if (r & 2)
		u &= ~UINT64_C(0) << (r >> 32) % 53;
	if ((r & 0x3c) == 0)
		u = (u & (UINT64_C(1) << 63)) | (rnd64() >> (12 + (r >> 40) % 50)); // subnormal or small
	if ((r & 0x3c0) == 0)
		u = (u & (UINT64_C(1) << 63)) | (UINT64_C(0x7ff0000000000000) - (r >> 60));
	return softfp_f64(u);
}

static float any_f32(void)
{
	uint64_t r = rnd64();
	uint32_t u = (uint32_t)rnd64();
	if (r & 1)
		u = (u & 0x807fffff) | (uint32_t)(127 - 30 + (r >> 8) % 60) << 23;
	if (r & 2)
		u &= ~0u << (r >> 32) % 24;
	if ((r & 0x3c) == 0)
		u = (u & 0x80000000) | (u & 0x7fffffff) >> (8 + (r >> 40) % 22);
	if ((r & 0x3c0) == 0)
		u = (u & 0x80000000) | (0x7f800000 - (uint32_t)(r >> 60));
	return softfp_f32(u);
}

static bool same64(double a, double b)
{
	return (a != a && b != b && softfp_bits_f64(a) == SOFTFP_NAN64) || softfp_bits_f64(a) == softfp_bits_f64(b);
}

static bool same32(float a, float b)
{
	return (a != a && b != b && softfp_bits_f32(a) == SOFTFP_NAN32) || softfp_bits_f32(a) == softfp_bits_f32(b);
}

#define SAME64(a, b, ...) ck_assert_msg(same64(a, b), __VA_ARGS__)
#define SAME32(a, b, ...) ck_assert_msg(same32(a, b), __VA_ARGS__)
#define TRUTH(cond) ck_assert_msg(cond, "%s", #cond)
#define EQUAL(a, b) \
	ck_assert_msg((a) == (b), "%s is %llx, not %llx", #a, (unsigned long long)(a), (unsigned long long)(b))

START_TEST(f64_arithmetic_in_every_mode)
{
	enum rounding rnd = modes[_i].rnd;
	for (int i = 0; i < 40000; i++) {
		volatile double a = any_f64(), b = any_f64(), c = any_f64(), sum, prod, quot, root, f;
		if (i % 3 == 0)
			c = -a * b; // cancellation
		fesetround(modes[_i].host);
		sum = a + b;
		prod = a * b;
		quot = a / b;
		root = sqrt(a);
		f = fma(a, b, c);
		fesetround(FE_TONEAREST);
		SAME64(softfp_add_f64(a, b, rnd), sum, "%a + %a", a, b);
		SAME64(softfp_mul_f64(a, b, rnd), prod, "%a * %a", a, b);
		SAME64(softfp_div_f64(a, b, rnd), quot, "%a / %a", a, b);
		SAME64(softfp_sqrt_f64(a, rnd), root, "sqrt %a", a);
		SAME64(softfp_fma_f64(a, b, c, rnd), f, "%a * %a + %a", a, b, c);
		uint64_t slow = softfp_fma(SOFTFP_F64, softfp_bits_f64(a), softfp_bits_f64(b), softfp_bits_f64(c), rnd);
		SAME64(softfp_f64(slow), f, "%a * %a + %a", a, b, c);
	}
}
END_TEST

START_TEST(f32_arithmetic_in_every_mode)
{
	enum rounding rnd = modes[_i].rnd;
	for (int i = 0; i < 100000; i++) {
		volatile float a = any_f32(), b = any_f32(), c = any_f32(), sum, prod, quot, root, f, got;
		if (i % 3 == 0)
			c = -a * b;
		fesetround(modes[_i].host);
		sum = a + b;
		prod = a * b;
		quot = a / b;
		root = sqrtf(a);
		f = fmaf(a, b, c);
		fesetround(FE_TONEAREST);
		SAME32(softfp_add_f32(a, b, rnd), sum, "%a + %a", a, b);
		SAME32(softfp_mul_f32(a, b, rnd), prod, "%a * %a", a, b);
		SAME32(softfp_div_f32(a, b, rnd), quot, "%a / %a", a, b);
		SAME32(softfp_sqrt_f32(a, rnd), root, "sqrt %a", a);
		got = softfp_fma_f32(a, b, c, rnd);
		SAME32(got, f, "%a * %a + %a = %a, not %a", a, b, c, f, got);
		uint32_t slow = (uint32_t)softfp_fma(SOFTFP_F32, softfp_bits_f32(a), softfp_bits_f32(b),
		                                     softfp_bits_f32(c), rnd);
		SAME32(softfp_f32(slow), f, "%a * %a + %a", a, b, c);
	}
}
END_TEST

START_TEST(conversions_between_f64_f32_and_integers)
{
	enum rounding rnd = modes[_i].rnd;
	for (int i = 0; i < 100000; i++) {
		volatile double a = any_f64(), whole;
		volatile float f, g;
		volatile int64_t s = (int64_t)(rnd64() >> rnd64() % 64);
		volatile uint64_t u = rnd64() >> rnd64() % 64 | 1; // clang converts 0 to -0 when rounding down
		volatile double ds, du;
		volatile float fs, fu;
		if (rnd64() & 1)
			s = -s;
		fesetround(modes[_i].host);
		f = (float)a;
		ds = (double)s;
		fs = (float)s;
		du = (double)u;
		fu = (float)u;
		whole = nearbyint(a);
		fesetround(FE_TONEAREST);
		SAME32(softfp_f64_to_f32(a, rnd), f, "(float)%a", a);
		g = softfp_f32((uint32_t)softfp_convert(SOFTFP_F32, SOFTFP_F64, softfp_bits_f64(a), rnd, false));
		SAME32(g, f, "(float)%a", a);
		SAME64(softfp_integral_f64(a, rnd), whole, "integral %a", a);
		SAME64(softfp_f64(softfp_from_sint(SOFTFP_F64, s, rnd)), ds, "(double)%ld", (long)s);
		SAME64(softfp_f64(softfp_from_uint(SOFTFP_F64, u, rnd)), du, "(double)%lu", (unsigned long)u);
		SAME32(softfp_f32((uint32_t)softfp_from_sint(SOFTFP_F32, s, rnd)), fs, "(float)%ld", (long)s);
		SAME32(softfp_f32((uint32_t)softfp_from_uint(SOFTFP_F32, u, rnd)), fu, "(float)%lu", (unsigned long)u);
		for (unsigned bits = 8; bits <= 64; bits *= 2) {
			__int128 lim = (__int128)1 << (bits - 1), v;
			v = (__int128)(whole >= 0x1p100 ? 0x1p100 : whole <= -0x1p100 ? -0x1p100 : a != a ? 0 : whole);
			__int128 si = v >= lim ? lim - 1 : v < -lim ? -lim : v;
			__int128 ui = v >= 2 * lim ? 2 * lim - 1 : v < 0 ? 0 : v;
			uint64_t mask = (uint64_t)(2 * lim - 1), nan = 77;
			if (a != a)
				si = ui = nan;
			ck_assert_msg(softfp_f64_to_sint(a, rnd, bits, nan) == ((uint64_t)si & mask), "s%u %a", bits, a);
			ck_assert_msg(softfp_f64_to_uint(a, rnd, bits, nan) == (uint64_t)ui, "u%u %a", bits, a);
		}
		if (rnd == ROUND_RZ) {
			float x = any_f32();
			EQUAL((uint32_t)softfp_f32_to_s32_rz(x), softfp_f64_to_sint(x, rnd, 32, 0));
			EQUAL(softfp_f32_to_u32_rz(x), softfp_f64_to_uint(x, rnd, 32, 0));
		}
	}
}
END_TEST

START_TEST(nan_of_cvt_follows_the_isa)
{
	EQUAL(softfp_cvt_nan(32, 32), 0);
	EQUAL(softfp_cvt_nan(16, 8), 0);
	EQUAL(softfp_cvt_nan(64, 32), 0x80000000);
	EQUAL(softfp_cvt_nan(32, 64), UINT64_C(1) << 63);
}
END_TEST

// What a format's pattern means, by its definition; fraction bits m, exponent bias b.
static double meaning(uint32_t u, int bits, int m, int b)
{
	uint32_t sign = u >> (bits - 1), e = u >> m & ((1u << (bits - 1 - m)) - 1), f = u & ((1u << m) - 1);
	double v = e ? ldexp((double)((1u << m) | f), (int)e - b - m) : ldexp(f, 1 - b - m);
	return sign ? -v : v;
}

static const struct {
	enum softfp_fmt fmt;
	int bits, m, b;
	uint32_t max, inf, nan;
} small[] = {
	{SOFTFP_F16, 16, 10, 15, 0x7bff, 0x7c00, 0x7fff},
	{SOFTFP_BF16, 16, 7, 127, 0x7f7f, 0x7f80, 0x7fff},
	{SOFTFP_E4M3, 8, 3, 7, 0x7e, 0x7f, 0x7f},
	{SOFTFP_E5M2, 8, 2, 15, 0x7b, 0x7c, 0x7f},
};

// Each value, each middle of two neighbours and each point just beside the middle, in every mode and both signs.
START_TEST(small_formats_exhaustively)
{
	enum softfp_fmt fmt = small[_i].fmt;
	uint32_t sign = 1u << (small[_i].bits - 1);
	for (uint32_t u = 0; u <= small[_i].max; u++) {
		double lo = meaning(u, small[_i].bits, small[_i].m, small[_i].b);
		double hi = meaning(u + 1, small[_i].bits, small[_i].m, small[_i].b); // of max: the next power of two
		if (fmt == SOFTFP_E4M3 && u == small[_i].max)
			hi = 480;
		TRUTH(softfp_f64(softfp_convert(SOFTFP_F64, fmt, u, ROUND_RN, false)) == lo);
		TRUTH(softfp_f64(softfp_convert(SOFTFP_F64, fmt, u | sign, ROUND_RN, false)) == -lo);
		double mid = (lo + hi) / 2, at[] = {lo, nextafter(mid, 0), mid, nextafter(mid, hi)};
		uint32_t near[] = {u, u, u + (u & 1), u + 1};
		for (int i = 0; i < 4; i++) {
			uint64_t p = softfp_bits_f64(at[i]), n = softfp_bits_f64(-at[i]);
			bool over = u == small[_i].max;
			uint32_t up = i ? u + 1 : u;
			EQUAL(softfp_convert(fmt, SOFTFP_F64, p, ROUND_RN, false), near[i]);
			EQUAL(softfp_convert(fmt, SOFTFP_F64, n, ROUND_RN, false), near[i] | sign);
			EQUAL(softfp_convert(fmt, SOFTFP_F64, p, ROUND_RZ, false), u);
			EQUAL(softfp_convert(fmt, SOFTFP_F64, p, ROUND_RP, false), up);
			EQUAL(softfp_convert(fmt, SOFTFP_F64, p, ROUND_RM, false), u);
			EQUAL(softfp_convert(fmt, SOFTFP_F64, n, ROUND_RM, false), up | sign);
			EQUAL(softfp_convert(fmt, SOFTFP_F64, p, ROUND_RN, true), over ? u : near[i]);
		}
		float f = (float)lo, fmid = (float)mid;
		if (fmt == SOFTFP_F16) {
			EQUAL(softfp_f32_to_f16(f), u);
			EQUAL(softfp_f32_to_f16(-f), u | sign);
			TRUTH(softfp_f16_to_f32((uint16_t)u) == f && softfp_f16_to_f32((uint16_t)(u | sign)) == -f);
			EQUAL(softfp_f32_to_f16(nextafterf(fmid, 0)), u);
			EQUAL(softfp_f32_to_f16(fmid), near[2]);
			EQUAL(softfp_f32_to_f16(nextafterf(fmid, INFINITY)), u + 1);
		}
		if (fmt == SOFTFP_BF16 && u < 0x7f7f) {
			EQUAL(softfp_f32_to_bf16(f), u);
			TRUTH(softfp_bf16_to_f32((uint16_t)u) == f);
			EQUAL(softfp_f32_to_bf16(nextafterf(fmid, 0)), u);
			EQUAL(softfp_f32_to_bf16(fmid), near[2]);
			EQUAL(softfp_f32_to_bf16(nextafterf(fmid, INFINITY)), u + 1);
		}
	}
	uint64_t inf = softfp_bits_f64(INFINITY), nan = softfp_bits_f64(-NAN);
	EQUAL(softfp_convert(fmt, SOFTFP_F64, inf, ROUND_RZ, false), small[_i].inf);
	EQUAL(softfp_convert(fmt, SOFTFP_F64, inf, ROUND_RZ, true), small[_i].max);
	EQUAL(softfp_convert(fmt, SOFTFP_F64, nan, ROUND_RZ, true), small[_i].nan);
}
END_TEST

START_TEST(half_infinities_and_nans)
{
	EQUAL(softfp_f32_to_f16(INFINITY), 0x7c00);
	EQUAL(softfp_f32_to_f16(-1e30f), 0xfc00);
	EQUAL(softfp_f32_to_f16(-NAN), 0x7fff);
	EQUAL(softfp_f32_to_bf16(-NAN), 0x7fff);
	EQUAL(softfp_f32_to_bf16(0x1.fffffep127f), 0x7f80);
	EQUAL(softfp_bits_f32(softfp_f16_to_f32(0xfe01)), SOFTFP_NAN32);
	EQUAL(softfp_bits_f32(softfp_f16_to_f32(0xfc00)), 0xff800000);
	EQUAL(softfp_bits_f32(softfp_bf16_to_f32(0xff81)), SOFTFP_NAN32);
	EQUAL(softfp_bits_f32(softfp_bf16_to_f32(0xff80)), 0xff800000);
	EQUAL(softfp_bits_f32(softfp_ftz_f32(-0x1p-130f)), 0x80000000);
	EQUAL(softfp_bits_f32(softfp_ftz_f32(NAN)), softfp_bits_f32(NAN));
}
END_TEST

// Fast half arithmetic against the general functions, and f16's fma against an exact __float128.
START_TEST(half_arithmetic)
{
	for (int i = 0; i < 300000; i++) {
		uint64_t r = rnd64();
		uint16_t a = (uint16_t)r, b = (uint16_t)(r >> 16), c = (uint16_t)(r >> 32);
		if (r >> 63) { // comparable sizes
			b = (uint16_t)((b & 0x83ff) | 0x3c00);
			c = (uint16_t)((a ^ 0x8000) ^ (c & 0x0c3f));
		}
		EQUAL(softfp_add_f16(a, b), softfp_add(SOFTFP_F16, a, b, ROUND_RN));
		EQUAL(softfp_sub_f16(a, b), softfp_add(SOFTFP_F16, a, b ^ 0x8000, ROUND_RN));
		EQUAL(softfp_mul_f16(a, b), softfp_mul(SOFTFP_F16, a, b, ROUND_RN));
		EQUAL(softfp_fma_f16(a, b, c), softfp_fma(SOFTFP_F16, a, b, c, ROUND_RN));
		EQUAL(softfp_add_bf16(a, b), softfp_add(SOFTFP_BF16, a, b, ROUND_RN));
		EQUAL(softfp_sub_bf16(a, b), softfp_add(SOFTFP_BF16, a, b ^ 0x8000, ROUND_RN));
		EQUAL(softfp_mul_bf16(a, b), softfp_mul(SOFTFP_BF16, a, b, ROUND_RN));
		EQUAL(softfp_fma_bf16(a, b, c), softfp_fma(SOFTFP_BF16, a, b, c, ROUND_RN));
		uint16_t f = softfp_fma_f16(a, b, c);
		__float128 exact = (__float128)softfp_f16_to_f32(a) * softfp_f16_to_f32(b) + softfp_f16_to_f32(c);
		if ((f & 0x7c00) != 0x7c00 && (f & 0x7fff)) {
			__float128 d = exact - softfp_f16_to_f32(f), up = softfp_f16_to_f32(f + 1) - exact;
			__float128 down = exact - softfp_f16_to_f32(f - 1);
			d = d < 0 ? -d : d;
			up = up < 0 ? -up : up;
			down = down < 0 ? -down : down;
			ck_assert_msg(d <= up && d <= down, "%04x * %04x + %04x", a, b, c);
			TRUTH(!(d == up || d == down) || !(f & 1));
		}
	}
}
END_TEST

START_TEST(tf32_rounding)
{
	for (int i = 0; i < 100000; i++) {
		float x = any_f32();
		uint32_t u = softfp_bits_f32(x);
		EQUAL(softfp_f32_to_tf32_rna(x),
		      x != x ? u & 0xffffe000 : softfp_convert(SOFTFP_TF32, SOFTFP_F32, u, ROUND_RNA, false));
		uint32_t rz = (uint32_t)softfp_convert(SOFTFP_TF32, SOFTFP_F32, u, ROUND_RZ, false);
		EQUAL(rz, x != x ? SOFTFP_NAN32 : u & 0xffffe000);
	}
	EQUAL(softfp_convert(SOFTFP_TF32, SOFTFP_F32, 0x3f801000, ROUND_RN, false), 0x3f800000);
	EQUAL(softfp_convert(SOFTFP_TF32, SOFTFP_F32, 0x3f803000, ROUND_RN, false), 0x3f804000);
}
END_TEST

START_TEST(ties_away_when_rounding_to_integral)
{
	TRUTH(softfp_integral_f64(0.5, ROUND_RNA) == 1);
	TRUTH(softfp_integral_f64(-2.5, ROUND_RNA) == -3);
	TRUTH(softfp_integral_f64(0x1.fffffffffffffp-2, ROUND_RNA) == 0);
	TRUTH(signbit(softfp_integral_f64(-0.25, ROUND_RN)));
	TRUTH(softfp_integral_f64(0x1p52 + 1, ROUND_RP) == 0x1p52 + 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("softfp");
	TCase *t = tcase_create("softfp");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, f64_arithmetic_in_every_mode, 0, 4);
	tcase_add_loop_test(t, f32_arithmetic_in_every_mode, 0, 4);
	tcase_add_loop_test(t, conversions_between_f64_f32_and_integers, 0, 4);
	tcase_add_test(t, nan_of_cvt_follows_the_isa);
	tcase_add_loop_test(t, small_formats_exhaustively, 0, 4);
	tcase_add_test(t, half_infinities_and_nans);
	tcase_add_test(t, half_arithmetic);
	tcase_add_test(t, tf32_rounding);
	tcase_add_test(t, ties_away_when_rounding_to_integral);
	suite_add_tcase(s, t);
	return check_main(s);
}
