// Memory that was freed, though other memory has been allocated since.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __global__ read of size 4 bytes
// expect: =========     at copy(int const*, int*) in freed.cu:@HERE@
// expect: =========     by thread (0,0,0) in block (0,0,0)
// expect: =========     Access to 0x7e9000000000 is out of bounds
// expect: =========     and is 0 bytes inside the freed allocation at 0x7e9000000000 of size 128 bytes
// expect: =========     Saved host backtrace up to driver entry point at free time
// expect: =========         Host Frame: release(int*) in freed
// expect: =========     Saved host backtrace up to driver entry point at allocation time
// expect: =========         Host Frame: main in freed
// errors: 1
#include "checks.h"

__global__ void copy(const int *from, int *to)
{
	to[threadIdx.x] = from[threadIdx.x]; // HERE
}

__attribute__((noinline)) static void release(int *p)
{
	cudaFree(p);
	fflush(stdout); // so that it is no jump to cudaFree
}

int main()
{
	int *from, *to;
	cudaMalloc(&from, 128);
	cudaMemset(from, 0, 128);
	release(from);
	cudaMalloc(&to, 128);
	copy<<<1, 32>>>(from, to);
	cudaDeviceSynchronize();
	return 0;
}
