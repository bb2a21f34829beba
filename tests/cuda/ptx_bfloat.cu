// bf16: conversion, fused multiply-add, minimum and maximum, single and packed.
// flags: -arch=sm_80
#include "check.h"

typedef unsigned short bf16;

struct result {
	bf16 narrow, truncated, fma, mn, mx, neg;
	unsigned pair, pair_fma;
};

__global__ void run(const float *v, int n, result *out)
{
	float a = v[blockIdx.x], b = v[threadIdx.x];
	result r;
	bf16 x, y;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(x) : "f"(a));
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(b));
	asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(r.truncated) : "f"(a));
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r.pair) : "f"(a), "f"(b));
	asm("fma.rn.bf16 %0, %1, %2, %1;" : "=h"(r.fma) : "h"(x), "h"(y));
	asm("fma.rn.bf16x2 %0, %1, %2, %1;" : "=r"(r.pair_fma) : "r"(x | (unsigned)y << 16), "r"(y | (unsigned)x << 16));
	asm("min.bf16 %0, %1, %2;" : "=h"(r.mn) : "h"(x), "h"(y));
	asm("max.bf16 %0, %1, %2;" : "=h"(r.mx) : "h"(x), "h"(y));
	asm("neg.bf16 %0, %1;" : "=h"(r.neg) : "h"(x));
	r.narrow = x;
	out[blockIdx.x * n + threadIdx.x] = r;
}

static float value(bf16 h)
{
	unsigned b = (unsigned)h << 16;
	float f;
	memcpy(&f, &b, 4);
	return f;
}

/* The sum of a product and a third, of the values below, is exact in double, so this rounds once. */
static bf16 rounded(double v)
{
	if (v != v)
		return 0x7fff;
	if (std::isinf(v) || v == 0)
		return (std::signbit(v) ? 0x8000 : 0) | (v == 0 ? 0 : 0x7f80);
	int e;
	double m = frexp(fabs(v), &e);
	if (e < -125)
		m = ldexp(m, e + 125), e = -125;
	double k = nearbyint(ldexp(m, 8)), a = ldexp(k, e - 8);
	float f = a >= ldexp(1, 128) ? INFINITY : (float)a;
	unsigned b;
	memcpy(&b, &f, 4);
	return (b >> 16) | (std::signbit(v) ? 0x8000 : 0);
}

static bool same(bf16 a, bf16 b)
{
	return a == b || ((a & 0x7fff) > 0x7f80 && (b & 0x7fff) > 0x7f80);
}

int main()
{
	const float v[] = {
		0.0f, 1, -1, 3.14159f, -0.1f, 1e6f, -1e-6f, 255.5f, 256.5f, 1.00390625f, 1.01171875f, INFINITY, NAN, 2.5f, -7};
	const int n = sizeof(v) / sizeof(v[0]);
	static result all[n][n];
	result *d = device_alloc<result>(n * n);
	run<<<n, n>>>(to_device(v, n), n, d);
	LAUNCHED();
	to_host(all[0], d, n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			const result &r = all[i][j];
			bf16 x = rounded(v[i]), y = rounded(v[j]);
			double a = value(x), b = value(y);
			bf16 ab = rounded(a * b + a), ba = rounded(a * b + b);
			unsigned bits;
			memcpy(&bits, &v[i], 4);
			CHECK(same(r.narrow, x), "%g: %x, not %x", v[i], r.narrow, x);
			CHECK(same(r.truncated, bits >> 16), "%g: %x", v[i], r.truncated);
			CHECK(same(r.pair >> 16, x) && same(r.pair & 0xffff, y), "%g %g: %x", v[i], v[j], r.pair);
			CHECK(same(r.fma, ab), "%g %g: %x, not %x", v[i], v[j], r.fma, ab);
			CHECK(same(r.pair_fma & 0xffff, ab) && same(r.pair_fma >> 16, ba), "%g %g: %x", v[i], v[j], r.pair_fma);
			bf16 mn = a != a ? y : b != b ? x : a < b ? x : y, mx = a != a ? y : b != b ? x : a > b ? x : y;
			CHECK(same(r.mn, mn) && same(r.mx, mx), "%g %g", v[i], v[j]);
			CHECK(same(r.neg, x ^ 0x8000), "%g: %x", v[i], r.neg);
		}
	return check_done();
}
