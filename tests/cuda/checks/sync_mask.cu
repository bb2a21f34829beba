// A lane comes to __syncwarp with a mask that does not name it.
// Where lanes are together anyway, compilers leave nothing of the mask in machine code.
// tool: synccheck
// code: ptx
// expect: ========= Barrier error detected. Invalid arguments.
// expect: =========     by thread (16,0,0) in block (0,0,0)
// expect: =========     Its mask 0x0000ffff does not name its own lane 16
// inlined-expect: =========     Device Frame: swap(int*, unsigned int) in sync_mask.cu:@HERE@
// errors: 1
#include "checks.h"

__global__ void swap(int *v, unsigned mask)
{
	__shared__ int s[32];
	if (threadIdx.x <= 16) {
		s[threadIdx.x] = v[threadIdx.x];
		__syncwarp(mask); // HERE
		v[threadIdx.x] = s[threadIdx.x ^ 1];
	}
}

int main()
{
	int *v;
	cudaMalloc(&v, 32 * sizeof *v);
	cudaMemset(v, 0, 32 * sizeof *v);
	swap<<<1, 32>>>(v, 0xffff);
	cudaDeviceSynchronize();
	return 0;
}
