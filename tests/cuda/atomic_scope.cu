// Atomics and reductions with block, device and system scope and with memory ordering; 16-bit compare and swap.
#include "check.h"

__global__ void run(int *v, unsigned long long *w, unsigned short *s)
{
	__shared__ int block;
	if (threadIdx.x == 0)
		block = 0;
	__syncthreads();
	atomicAdd_block(&block, 2);
	atomicMax_block(&v[0], (int)threadIdx.x);
	atomicAdd_system(&v[1], 1);
	atomicOr_system(&v[2], 1 << (threadIdx.x & 15));
	atomicExch_block(&v[3], 9);
	atomicAdd_system(&w[0], 1ull);
	asm volatile("{ .reg .s32 t; atom.acq_rel.gpu.global.add.s32 t, [%0], 1; }" :: "l"(v + 4) : "memory");
	asm volatile("{ .reg .s32 t; atom.relaxed.cta.global.min.s32 t, [%0], %1; }" :: "l"(v + 5), "r"(-(int)threadIdx.x)
		: "memory");
	asm volatile("red.release.sys.global.add.u64 [%0], %1;" :: "l"(w + 1), "l"(3ull) : "memory");
	asm volatile("red.global.max.s32 [%0], %1;" :: "l"(v + 6), "r"((int)(blockIdx.x * 100 + threadIdx.x)) : "memory");
	asm volatile("red.global.inc.u32 [%0], %1;" :: "l"(v + 7), "r"(6) : "memory");
	unsigned short now = *(volatile unsigned short *)s, seen;
	do {
		seen = now;
		asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(now) : "l"(s), "h"(seen), "h"((unsigned short)(seen + 3))
			: "memory");
	} while (now != seen);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(&v[8], block);
}

int main()
{
	int v[9] = {0}, *dv = to_device(v, 9);
	unsigned long long w[2] = {0}, *dw = to_device(w, 2);
	unsigned short s[2] = {10, 777}, *ds = to_device(s, 2);
	run<<<3, 80>>>(dv, dw, ds);
	LAUNCHED();
	to_host(v, dv, 9);
	to_host(w, dw, 2);
	to_host(s, ds, 2);
	const int e[9] = {79, 240, 65535, 9, 240, -79, 279, 240 % 7, 480};
	for (int i = 0; i < 9; i++)
		CHECK(v[i] == e[i], "at %d: %d, not %d", i, v[i], e[i]);
	CHECK(w[0] == 240 && w[1] == 720, "%llu %llu", w[0], w[1]);
	CHECK(s[0] == 10 + 720 && s[1] == 777, "%u %u", s[0], s[1]);
	return check_done();
}
