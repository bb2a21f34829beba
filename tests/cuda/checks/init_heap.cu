// What malloc gives a kernel is not zero.
// tool: initcheck
// expect: ========= Uninitialized __global__ memory read of size 4 bytes
// expect: =========     at sum(int*, int*) in init_heap.cu:@HERE@
// errors: 1
#include "checks.h"

__global__ void sum(int *n, int *to)
{
	volatile int *p = (volatile int *)malloc(*n);
	p[0] = 1;
	*to = p[0] + p[1]; // HERE
	free((void *)p);
}

int main()
{
	int *n;
	cudaMallocManaged(&n, 2 * sizeof *n);
	*n = 64;
	sum<<<1, 1>>>(n, n + 1);
	cudaDeviceSynchronize();
	return 0;
}
