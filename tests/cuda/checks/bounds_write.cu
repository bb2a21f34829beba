// Written one element behind the end of an allocation.
// tool: memcheck
// expect: ========= Invalid __global__ write of size 4 bytes
// expect: =========     at fill(int*, int) in bounds_write.cu:@HERE@
// expect: =========     by thread (36,0,0) in block (1,0,0)
// expect: =========     Access to 0x7e9000000190 is out of bounds
// expect: =========     and is 1 bytes after the nearest allocation at 0x7e9000000000 of size 400 bytes
// expect: ========= Program hit cudaErrorIllegalAddress (error 700) due to "an illegal memory access was encountered" on CUDA API call to cudaDeviceSynchronize.
// errors: 2
#include "checks.h"

__global__ void fill(int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i <= n)
		to[i] = i; // HERE
}

int main()
{
	int *p;
	cudaMalloc(&p, 400);
	fill<<<2, 64>>>(p, 100);
	cudaDeviceSynchronize();
	return 0;
}
