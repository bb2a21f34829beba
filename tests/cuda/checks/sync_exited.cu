// The mask of __syncwarp names lanes that have exited.
// Where lanes are together anyway, compilers leave nothing of the mask in machine code.
// tool: synccheck
// code: ptx
// expect: ========= Barrier error detected. Invalid arguments.
// expect: =========     by thread (0,0,0) in block (0,0,0)
// expect: =========     Its mask 0x00ffffff names lanes that have exited: 20 to 23
// errors: 1
#include "checks.h"

__global__ void swap(int *v, unsigned mask, int n)
{
	__shared__ int s[32];
	if (threadIdx.x >= n)
		return;
	s[threadIdx.x] = v[threadIdx.x];
	__syncwarp(mask);
	v[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
	int *v;
	cudaMalloc(&v, 32 * sizeof *v);
	cudaMemset(v, 0, 32 * sizeof *v);
	swap<<<1, 32>>>(v, 0xffffff, 20);
	cudaDeviceSynchronize();
	return 0;
}
