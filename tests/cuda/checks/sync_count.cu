// A barrier is asked to wait for a number of threads that is none of warps.
// tool: synccheck
// code: ptx
// check: --report-api-errors no
// expect: ========= Barrier error detected. Invalid arguments.
// expect: =========     at meet(int*, int) in sync_count.cu:@HERE@
// expect: =========     by thread (0,0,0) in block (0,0,0)
// errors: 1
#include "checks.h"

__global__ void meet(int *v, int n)
{
	asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory"); // HERE
	v[threadIdx.x] = n;
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	meet<<<1, 64>>>(v, 40);
	cudaDeviceSynchronize();
	return 0;
}
