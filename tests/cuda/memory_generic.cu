// Generic pointers to global, shared, local and constant memory; which space an address lies in; conversions both ways.
#include "check.h"

__device__ int global_value = 10;
__constant__ int constant_value = 40;

__device__ __noinline__ int load(const int *p)
{
	return *p;
}

__device__ __noinline__ void store(int *p, int v)
{
	*p = v;
}

__device__ __noinline__ int spaces(const void *p)
{
	int r = 0, t;
#define SPACE(bit, name) \
	asm("{ .reg .pred p; isspacep." name " p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(t) : "l"(p)); \
	r |= t << bit;
	SPACE(0, "global")
	SPACE(1, "shared")
	SPACE(2, "local")
	SPACE(3, "const")
	return r;
}

__global__ void run(int *out, int k)
{
	__shared__ int shared_value[32];
	int local_value[4];
	int i = threadIdx.x;
	for (int j = 0; j < 4; j++)
		store(&local_value[j], 100 * i + j);
	store(&shared_value[i], i + 1000);
	__syncthreads();
	int *choice[] = {&global_value, &shared_value[31 - i], &local_value[k & 3]};
	int *q = choice[(i + k) % 3];
	int *o = out + i * 12;
	o[0] = load(&global_value);
	o[1] = load(&shared_value[31 - i]);
	o[2] = load(&local_value[k & 3]);
	o[3] = load(&constant_value);
	o[4] = load(q); /* lanes in three spaces at once */
	o[5] = spaces(&global_value);
	o[6] = spaces(&shared_value[i]);
	o[7] = spaces(&local_value[i & 3]);
	o[8] = spaces(&constant_value) & 10;
	unsigned s;
	asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(s) : "l"(&shared_value[i]));
	asm volatile("ld.shared.s32 %0, [%1];" : "=r"(o[9]) : "r"(s));
	unsigned long long back;
	asm("{ .reg .u64 t; cvt.u64.u32 t, %1; cvta.shared.u64 %0, t; }" : "=l"(back) : "r"(s));
	o[10] = back == (unsigned long long)&shared_value[i];
	__syncthreads();
	atomicAdd((i & 1) ? &shared_value[0] : out + 32 * 12, 1);
	__syncthreads();
	o[11] = shared_value[0];
}

// The same by the functions of CUDA, each bit of the result one of them.
__global__ void convert(unsigned *out)
{
	__shared__ int shared_value[32];
	int local_value[4];
	store(&shared_value[3], 5);
	store(&local_value[3], 6);
	__syncwarp();
	size_t s = __cvta_generic_to_shared(&shared_value[3]), l = __cvta_generic_to_local(&local_value[3]);
	size_t g = __cvta_generic_to_global(out), c = __cvta_generic_to_constant(&constant_value);
	*out = (s - __cvta_generic_to_shared(&shared_value[0]) == 12) | (load((int *)__cvta_shared_to_generic(s)) == 5) << 1 |
	       (load((int *)__cvta_local_to_generic(l)) == 6) << 2 | (__cvta_global_to_generic(g) == out) << 3 |
	       (*(const int *)__cvta_constant_to_generic(c) == 40) << 4 | (s < 1 << 24 && l < 1 << 24) << 5 |
	       (__isShared(&shared_value[3]) && !__isShared(out)) << 6 | (__isGlobal(out) && !__isGlobal(local_value)) << 7 |
	       (__isLocal(local_value) && !__isLocal(out)) << 8;
}

int main()
{
	unsigned *bits = device_alloc<unsigned>(1), got;
	convert<<<1, 1>>>(bits);
	LAUNCHED();
	to_host(&got, bits, 1);
	CHECK(got == 0x1ff, "0x%x", got);
	int *d = device_alloc<int>(32 * 12 + 1), h[32][12], n;
	OK(cudaMemset(d, 0, (32 * 12 + 1) * sizeof(int)));
	run<<<1, 32>>>(d, 2);
	LAUNCHED();
	to_host(h[0], d, 32 * 12);
	to_host(&n, d + 32 * 12, 1);
	CHECK(n == 16, "%d", n);
	for (int i = 0; i < 32; i++) {
		int shared = 1000 + 31 - i, local = 100 * i + 2;
		int e[12] = {10, shared, local, 40, (i + 2) % 3 == 0 ? 10 : (i + 2) % 3 == 1 ? shared : local, 1, 2, 4, 8, 1000 + i, 1, 1016};
		for (int k = 0; k < 12; k++)
			CHECK(h[i][k] == e[k], "thread %d value %d: %d, not %d", i, k, h[i][k], e[k]);
	}
	return check_done();
}
