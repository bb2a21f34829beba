// dp4a and dp2a in their signs; additions, subtractions and multiplications that pass a carry.
#include "check.h"

struct result {
	int dot[4], dot2[4];
	unsigned sum[4], difference[4], product[4];
};

__global__ void run(const unsigned *v, int n, result *out)
{
	const unsigned *p = v + blockIdx.x, *q = v + threadIdx.x;
	unsigned a = p[0], b = q[0];
	result r;
	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r.dot[0]) : "r"(a), "r"(b), "r"(100));
	asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r.dot[1]) : "r"(a), "r"(b), "r"(100));
	asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r.dot[2]) : "r"(a), "r"(b), "r"(100));
	asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r.dot[3]) : "r"(a), "r"(b), "r"(100));
	asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r.dot2[0]) : "r"(a), "r"(b), "r"(-5));
	asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(r.dot2[1]) : "r"(a), "r"(b), "r"(-5));
	asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r.dot2[2]) : "r"(a), "r"(b), "r"(-5));
	asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(r.dot2[3]) : "r"(a), "r"(b), "r"(-5));
	asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
		: "=&r"(r.sum[0]), "=&r"(r.sum[1]), "=&r"(r.sum[2]), "=&r"(r.sum[3])
		: "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]));
	asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\tsubc.cc.u32 %2, %6, %10;\n\tsubc.u32 %3, %7, %11;"
		: "=&r"(r.difference[0]), "=&r"(r.difference[1]), "=&r"(r.difference[2]), "=&r"(r.difference[3])
		: "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]));
	/* 64 by 64 to 128 bits. */
	asm("mul.lo.u32 %0, %4, %6;\n\tmul.hi.u32 %1, %4, %6;\n\tmad.lo.cc.u32 %1, %4, %7, %1;\n\tmadc.hi.u32 %2, %4, %7, 0;\n\t"
		"mad.lo.cc.u32 %1, %5, %6, %1;\n\tmadc.hi.cc.u32 %2, %5, %6, %2;\n\taddc.u32 %3, 0, 0;\n\t"
		"mad.lo.cc.u32 %2, %5, %7, %2;\n\tmadc.hi.u32 %3, %5, %7, %3;"
		: "=&r"(r.product[0]), "=&r"(r.product[1]), "=&r"(r.product[2]), "=&r"(r.product[3])
		: "r"(p[0]), "r"(p[1]), "r"(q[0]), "r"(q[1]));
	out[blockIdx.x * n + threadIdx.x] = r;
}

static int part(unsigned v, int i, int bits, bool sign)
{
	unsigned m = (1u << bits) - 1, x = v >> (i * bits) & m;
	return sign && x >> (bits - 1) ? (int)(x | ~m) : (int)x;
}

static int dot4(unsigned a, unsigned b, int c, bool sa, bool sb)
{
	for (int i = 0; i < 4; i++)
		c += part(a, i, 8, sa) * part(b, i, 8, sb);
	return c;
}

static int dot2(unsigned a, unsigned b, int c, bool sa, bool sb, bool high)
{
	for (int i = 0; i < 2; i++)
		c += (int)((unsigned)part(a, i, 16, sa) * (unsigned)part(b, i + 2 * high, 8, sb));
	return c;
}

static unsigned __int128 joined(const unsigned *p)
{
	unsigned __int128 v = 0;
	for (int i = 3; i >= 0; i--)
		v = v << 32 | p[i];
	return v;
}

int main()
{
	const int n = 24;
	unsigned v[n + 3], seed = 5;
	for (int i = 0; i < n + 3; i++)
		v[i] = i % 5 == 0 ? 0xffffffffu : i % 7 == 0 ? 0x80000000u : check_random(&seed) << 8 ^ check_random(&seed);
	static result all[n][n];
	result *d = device_alloc<result>(n * n);
	run<<<n, n>>>(to_device(v, n + 3), n, d);
	LAUNCHED();
	to_host(all[0], d, n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			const result &r = all[i][j];
			for (int k = 0; k < 4; k++)
				CHECK(r.dot[k] == dot4(v[i], v[j], 100, k < 2, k % 2 == 0), "%d: %x %x: %d", k, v[i], v[j], r.dot[k]);
			CHECK(r.dot2[0] == dot2(v[i], v[j], -5, true, true, false), "%x %x: %d", v[i], v[j], r.dot2[0]);
			CHECK(r.dot2[1] == dot2(v[i], v[j], -5, true, false, true), "%x %x: %d", v[i], v[j], r.dot2[1]);
			CHECK(r.dot2[2] == dot2(v[i], v[j], -5, false, false, false), "%x %x: %d", v[i], v[j], r.dot2[2]);
			CHECK(r.dot2[3] == dot2(v[i], v[j], -5, false, true, true), "%x %x: %d", v[i], v[j], r.dot2[3]);
			CHECK(joined(r.sum) == joined(v + i) + joined(v + j), "%d %d", i, j);
			CHECK(joined(r.difference) == joined(v + i) - joined(v + j), "%d %d", i, j);
			unsigned __int128 a = joined(v + i) << 64 >> 64, b = joined(v + j) << 64 >> 64;
			CHECK(joined(r.product) == a * b, "%d %d", i, j);
		}
	return check_done();
}
