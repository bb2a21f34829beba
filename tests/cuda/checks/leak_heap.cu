// A kernel allocates, and nobody frees.
// tool: memcheck
// check: --leak-check full
// expect: ========= Leaked 40 bytes at 0x7e9000000400 on the device heap
// expect: ========= LEAK SUMMARY: 40 bytes leaked in 1 allocations
// errors: 1
#include "checks.h"

__global__ void make(int **to)
{
	*to = (int *)malloc(40);
}

int main()
{
	int **to;
	cudaMalloc(&to, sizeof *to);
	make<<<1, 1>>>(to);
	cudaDeviceSynchronize();
	cudaFree(to);
	return 0;
}
