// Tensor cores: cycles of a product of 16x16x16 in half precision (sums in single) whose sum the next one adds to,
// and multiply-adds a cycle on an SM by the number of warps on it.
#include "micro.h"

enum { CHAIN = 32, WIDE = 4, PRODUCT = 16 * 16 * 16 };

static __device__ __forceinline__ void product(float d[8], const unsigned a[8], const unsigned b[8])
{
	asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, "
		     "{%16,%17,%18,%19,%20,%21,%22,%23}, {%0,%1,%2,%3,%4,%5,%6,%7};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),
		       "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}

template <int chains> __global__ void products(unsigned seed, long long *took, float *out)
{
	unsigned a[8], b[8];
	float d[chains][8];
	for (int i = 0; i < 8; i++) {
		a[i] = b[i] = seed;
		for (int c = 0; c < chains; c++)
			d[c][i] = 0;
	}
	for (int round = 0; round < 2; round++) {
		__syncthreads();
		long long start = clock64();
#pragma unroll
		for (int i = 0; i < CHAIN; i++)
			product(d[i % chains], a, b);
		__syncthreads();
		took[0] = clock64() - start;
	}
	float sum = 0;
	for (int c = 0; c < chains; c++)
		for (int i = 0; i < 8; i++)
			sum += d[c][i];
	out[threadIdx.x] = sum;
}

int main()
{
	long long *took = on_device<long long>(1);
	float *out = on_device<float>(1024);
	products<1><<<1, 32>>>(0, took, out);
	finish();
	point("latency_wmma", 1, slowest(took, 1) / CHAIN);
	for (int warps = 4; warps <= 16; warps *= 2) {
		products<WIDE><<<1, warps * 32>>>(0, took, out);
		finish();
		point("rate_wmma", warps, (double)CHAIN * warps * PRODUCT / slowest(took, 1));
	}
}
