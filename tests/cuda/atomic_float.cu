// Atomic addition and exchange of float, double and packed half, on global and shared memory.
#include "check.h"

__global__ void run(float *f, double *d, unsigned *h)
{
	__shared__ float sf;
	__shared__ double sd;
	if (threadIdx.x == 0) {
		sf = 0;
		sd = 0;
	}
	__syncthreads();
	/* Multiples of a power of two: the order of additions does not matter. */
	float v = (threadIdx.x % 8) * 0.25f;
	atomicAdd(&sf, v);
	atomicAdd(&sd, (double)v * 3);
	atomicAdd(&f[threadIdx.x % 4], v);
	atomicAdd(&d[threadIdx.x % 4], -(double)v);
	/* {1, 0.5} as two halves */
	asm volatile("{ .reg .b32 t; atom.global.add.noftz.f16x2 t, [%0], %1; }" :: "l"(h), "r"(0x38003c00u) : "memory");
	asm volatile("red.global.add.f32 [%0], %1;" :: "l"(f + 5), "f"(v) : "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(&f[4], sf);
		atomicAdd(&d[4], sd);
		float old = atomicExch(&sf, -1.0f);
		f[6 + blockIdx.x] = old + *(volatile float *)&sf;
	}
}

int main()
{
	float f[8];
	double d[5];
	unsigned h = 0;
	float *df = device_alloc<float>(8);
	double *dd = device_alloc<double>(5);
	unsigned *dh = to_device(&h, 1);
	OK(cudaMemset(df, 0, sizeof(f)));
	OK(cudaMemset(dd, 0, sizeof(d)));
	run<<<2, 96>>>(df, dd, dh);
	LAUNCHED();
	to_host(f, df, 8);
	to_host(d, dd, 5);
	to_host(&h, dh, 1);
	float e[4] = {0};
	for (int i = 0; i < 192; i++)
		e[i % 96 % 4] += i % 96 % 8 * 0.25f;
	float all = e[0] + e[1] + e[2] + e[3];
	for (int i = 0; i < 4; i++)
		CHECK(f[i] == e[i] && d[i] == -e[i], "at %d: %g %g, not %g", i, f[i], d[i], e[i]);
	CHECK(f[4] == all && f[5] == all && d[4] == all * 3.0, "%g %g %g", f[4], f[5], d[4]);
	CHECK(f[6] == all / 2 - 1 && f[7] == all / 2 - 1, "%g", f[6]);
	/* 192 and 96 in half precision */
	CHECK(h == (0x5600u << 16 | 0x5a00u), "%x", h);
	return check_done();
}
