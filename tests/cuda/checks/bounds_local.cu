// An array of the thread's own, left far behind.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __local__ write of size 4 bytes
// expect: =========     at keep(int*, int) in bounds_local.cu:@HERE@
// expect: =========     by thread (0,0,0) in block (0,0,0)
// errors: 1
#include "checks.h"

__global__ void keep(int *v, int at)
{
	int own[64];
#pragma unroll 1
	for (int i = 0; i < 64; i++)
		own[(i * 7 + at) & 63] = v[i];
	own[at] = 5; // HERE
	v[threadIdx.x] = own[v[0] & 63];
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	cudaMemset(v, 0, 64 * sizeof *v);
	keep<<<1, 1>>>(v, 1 << 20);
	cudaDeviceSynchronize();
	return 0;
}
