// A barrier waits for more threads than there are.
// tool: synccheck
// check: --report-api-errors no
// expect: ========= Barrier error detected. Threads wait for others that will not come.
// expect: =========     in meet(int*)
// errors: 1
#include "checks.h"

__global__ void meet(int *v)
{
	asm volatile("bar.sync 1, 96;" ::: "memory");
	v[threadIdx.x] = 1;
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	meet<<<1, 64>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
