// f16 and packed f16x2 arithmetic, comparison and conversion against exact results rounded by the host.
#include "check.h"

typedef unsigned short half_bits;

struct result {
	half_bits add, sub, mul, fma, neg, abs, from_int, trunc;
	unsigned pair_add, pair_mul, pair_fma, packed;
	int less, equal, to_int;
	float wide;
};

__global__ void run(const half_bits *v, int n, result *out)
{
	half_bits a = v[blockIdx.x], b = v[threadIdx.x];
	unsigned p = a | (unsigned)b << 16, q = b | (unsigned)a << 16;
	result r;
	asm("add.rn.f16 %0, %1, %2;" : "=h"(r.add) : "h"(a), "h"(b));
	asm("sub.rn.f16 %0, %1, %2;" : "=h"(r.sub) : "h"(a), "h"(b));
	asm("mul.rn.f16 %0, %1, %2;" : "=h"(r.mul) : "h"(a), "h"(b));
	asm("fma.rn.f16 %0, %1, %2, %1;" : "=h"(r.fma) : "h"(a), "h"(b));
	asm("neg.f16 %0, %1;" : "=h"(r.neg) : "h"(a));
	asm("abs.f16 %0, %1;" : "=h"(r.abs) : "h"(a));
	asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r.pair_add) : "r"(p), "r"(q));
	asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(r.pair_mul) : "r"(p), "r"(q));
	asm("fma.rn.f16x2 %0, %1, %2, %1;" : "=r"(r.pair_fma) : "r"(p), "r"(q));
	asm("mov.b32 %0, {%1, %2};" : "=r"(r.packed) : "h"(b), "h"(a));
	asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(r.less) : "h"(a), "h"(b));
	asm("{ .reg .pred p; setp.eq.f16 p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(r.equal) : "h"(a), "h"(b));
	asm("cvt.f32.f16 %0, %1;" : "=f"(r.wide) : "h"(a));
	asm("cvt.rzi.s32.f16 %0, %1;" : "=r"(r.to_int) : "h"(a));
	asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r.from_int) : "r"((int)a - 30000));
	asm("cvt.rz.f16.f32 %0, %1;" : "=h"(r.trunc) : "f"(r.wide * 1.0009f));
	out[blockIdx.x * n + threadIdx.x] = r;
}

static double value(half_bits h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h >> 15 ? -v : v;
}

/* To nearest even, or toward zero. */
static half_bits rounded(double v, bool nearest = true)
{
	half_bits sign = std::signbit(v) ? 0x8000 : 0;
	double a = fabs(v);
	if (a != a)
		return 0x7fff;
	if (std::isinf(a))
		return sign | 0x7c00;
	int e;
	frexp(a, &e);
	if (e < -13)
		e = -13;
	double unit = ldexp(1, e - 11), k = nearest ? nearbyint(a / unit) : floor(a / unit);
	a = k * unit;
	if (a >= 65536)
		return sign | (nearest ? 0x7c00 : 0x7bff);
	if (a < ldexp(1, -14))
		return sign | (half_bits)(a * ldexp(1, 24));
	frexp(a, &e);
	return sign | (half_bits)((e + 14) << 10) | (half_bits)(ldexp(a, 11 - e) - 1024);
}

static bool same(half_bits a, half_bits b)
{
	return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00);
}

static bool same2(unsigned a, half_bits low, half_bits high)
{
	return same(a & 0xffff, low) && same(a >> 16, high);
}

int main()
{
	const half_bits v[] = {0, 0x8000, 0x3c00, 0xbc00, 0x3555, 0x4248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 1, 0x03ff,
		0x0400, 0x8401, 0x6400, 0x6401, 0xe3ff, 0x1234, 0x9abc, 0x4900, 0x3801};
	const int n = sizeof(v) / sizeof(v[0]);
	static result all[n][n];
	result *d = device_alloc<result>(n * n);
	run<<<n, n>>>(to_device(v, n), n, d);
	LAUNCHED();
	to_host(all[0], d, n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			const result &r = all[i][j];
			double a = value(v[i]), b = value(v[j]);
			half_bits sum = rounded(a + b), product = rounded(a * b), ab = rounded(a * b + a), ba = rounded(a * b + b);
			CHECK(same(r.add, sum) && same(r.sub, rounded(a - b)), "%x %x: %x %x", v[i], v[j], r.add, r.sub);
			CHECK(same(r.mul, product) && same(r.fma, ab), "%x %x: %x %x", v[i], v[j], r.mul, r.fma);
			CHECK(same(r.neg, v[i] ^ 0x8000) && same(r.abs, v[i] & 0x7fff), "%x", v[i]);
			CHECK(same2(r.pair_add, sum, sum) && same2(r.pair_mul, product, product), "%x %x", v[i], v[j]);
			CHECK(same2(r.pair_fma, ab, ba), "%x %x: %x", v[i], v[j], r.pair_fma);
			CHECK(r.packed == (v[j] | (unsigned)v[i] << 16), "%x", r.packed);
			CHECK(r.less == (a < b) && r.equal == (a == b), "%x %x", v[i], v[j]);
			CHECK(r.wide == a || (a != a && r.wide != r.wide), "%x: %g", v[i], r.wide);
			if (std::isfinite(a))
				CHECK(r.to_int == (int)a, "%x: %d", v[i], r.to_int);
			CHECK(r.from_int == rounded((int)v[i] - 30000), "%d: %x", v[i] - 30000, r.from_int);
			if (std::isfinite(a))
				CHECK(same(r.trunc, rounded((float)a * 1.0009f, false)), "%x: %x", v[i], r.trunc);
		}
	return check_done();
}
