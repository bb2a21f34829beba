// An atomic behind the end.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __global__ atomic of size 4 bytes
// expect: =========     by thread (16,0,0) in block (0,0,0)
// expect: =========     and is 1 bytes after the nearest allocation at 0x7e9000000000 of size 64 bytes
// expect: =========     and so did 15 more threads
// inlined-expect: =========     Device Frame: count(unsigned int*, unsigned int) in bounds_atomic.cu:@HERE@
// errors: 1
#include "checks.h"

__global__ void count(unsigned *bins, unsigned n)
{
	atomicAdd(&bins[threadIdx.x % n], 1u); // HERE
}

int main()
{
	unsigned *bins;
	cudaMalloc(&bins, 64);
	cudaMemset(bins, 0, 64);
	count<<<1, 32>>>(bins, 64);
	cudaDeviceSynchronize();
	return 0;
}
