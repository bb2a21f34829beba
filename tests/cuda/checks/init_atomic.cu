// A counter that nobody set to zero.
// tool: initcheck
// expect: ========= Uninitialized __global__ memory read of size 4 bytes
// errors: 1
#include "checks.h"

__global__ void count(int *n)
{
	atomicAdd(n, 1);
}

int main()
{
	int *n;
	cudaMalloc(&n, sizeof *n);
	count<<<1, 32>>>(n);
	cudaDeviceSynchronize();
	return 0;
}
