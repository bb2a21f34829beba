// A kernel uses what it has freed.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __global__ write of size 4 bytes
// expect: =========     at late(int*) in heap_freed.cu:@HERE@
// expect: =========     and is 4 bytes inside the freed allocation at 0x7e9000000400 of size 64 bytes
// errors: 1
#include "checks.h"

__global__ void late(int *n)
{
	int *p = (int *)malloc(*n);
	p[0] = 1;
	free(p);
	*(volatile int *)(p + 1) = 2; // HERE
}

int main()
{
	int *n;
	cudaMalloc(&n, sizeof *n);
	int bytes = 64;
	cudaMemcpy(n, &bytes, sizeof bytes, cudaMemcpyHostToDevice);
	late<<<1, 1>>>(n);
	cudaDeviceSynchronize();
	return 0;
}
