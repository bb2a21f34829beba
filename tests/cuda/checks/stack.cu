// Recursion without end.
// tool: memcheck
// check: --report-api-errors no
// ptx-expect: ========= Stack overflow
// sass-expect: ========= Invalid __local__ write of size 4 bytes
// errors: 1
#include "checks.h"

__device__ __noinline__ int deeper(volatile int *v, int n)
{
	volatile int keep[64];
	keep[n & 63] = n;
	return v[0] ? n : deeper(v, n + 1) + keep[(n + 1) & 63];
}

__global__ void dive(int *v)
{
	v[1] = deeper(v, 0);
}

int main()
{
	int *v;
	cudaMalloc(&v, 8);
	cudaMemset(v, 0, 8);
	dive<<<1, 1>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
