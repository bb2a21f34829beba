// Conversions and functions of small types whose operand is a constant, which machine code has inside the instruction: they give
// what they give for a value that is known at run time only.
// nvcc-flags: -arch=sm_90
// needs: nvcc
#include "check.h"

enum { MOST = 64 };

/* By `name` of constant c, and of v, which is the same. */
#define SAME(to, name, type, c, v)                                   \
	asm volatile(name " %0, %1;" : "=h"(to[0]) : type(c));       \
	asm volatile(name " %0, %1;" : "=h"(to[1]) : type(v));       \
	to += 2
#define SAME_PAIR(to, name, type, c, v)                              \
	{                                                            \
		unsigned x, y;                                       \
		asm volatile(name " %0, %1;" : "=r"(x) : type(c));   \
		asm volatile(name " %0, %1;" : "=r"(y) : type(v));   \
		to[0] = (unsigned short)x;                           \
		to[1] = (unsigned short)y;                           \
		to[2] = (unsigned short)(x >> 16);                   \
		to[3] = (unsigned short)(y >> 16);                   \
		to += 4;                                             \
	}

__global__ void run(const unsigned *v, unsigned short *out, int *n)
{
	unsigned short *to = out, bf = (unsigned short)v[0], half = (unsigned short)v[1], bytes = (unsigned short)v[3];
	SAME(to, "tanh.approx.bf16", "h", (unsigned short)0x3f49, bf);
	SAME(to, "tanh.approx.f16", "h", (unsigned short)0x3a48, half);
	SAME(to, "ex2.approx.ftz.bf16", "h", (unsigned short)0x3f49, bf);
	SAME(to, "ex2.approx.f16", "h", (unsigned short)0x3a48, half);
	SAME(to, "cvt.rn.satfinite.e4m3x2.f16x2", "r", 0xc1003c00u, v[2]);
	SAME(to, "cvt.rn.satfinite.e5m2x2.f16x2", "r", 0xc1003c00u, v[2]);
	SAME(to, "cvt.rn.satfinite.relu.e5m2x2.f16x2", "r", 0xc1003c00u, v[2]);
	SAME_PAIR(to, "cvt.rn.f16x2.e4m3x2", "h", (unsigned short)0xb83a, bytes);
	SAME_PAIR(to, "cvt.rn.f16x2.e5m2x2", "h", (unsigned short)0xb83a, bytes);
	*n = (int)(to - out);
}

int main()
{
	const unsigned v[] = {0x3f49, 0x3a48, 0xc1003c00, 0xb83a};
	unsigned *in;
	unsigned short *out, host[MOST];
	int *n, count;
	OK(cudaMalloc(&in, sizeof v));
	OK(cudaMalloc(&out, sizeof host));
	OK(cudaMalloc(&n, sizeof *n));
	OK(cudaMemcpy(in, v, sizeof v, cudaMemcpyHostToDevice));
	run<<<1, 1>>>(in, out, n);
	LAUNCHED();
	OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(&count, n, sizeof count, cudaMemcpyDeviceToHost));
	CHECK(count == 22, "%d", count);
	for (int i = 0; i < count; i += 2)
		CHECK(host[i] == host[i + 1], "number %d: %04x and %04x", i / 2, host[i], host[i + 1]);
	CHECK(host[8] == 0xc238, "1.0 and -2.5 as e4m3: %04x", host[8]);
	CHECK(host[10] == 0xc13c, "1.0 and -2.5 as e5m2: %04x", host[10]);
	CHECK(host[12] == 0x003c, "not below 0: %04x", host[12]);
	return check_done();
}
