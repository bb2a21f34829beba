// Warps wait at two barriers for each other.
// tool: synccheck
// expect: ========= Barrier error detected. Divergent thread(s) in block.
// errors: 1
#include "checks.h"

__global__ void two(int *v)
{
	__shared__ int s[64];
	if (threadIdx.x < 32) {
		s[threadIdx.x] = v[threadIdx.x];
		__syncthreads(); // FIRST
		v[threadIdx.x] = s[threadIdx.x + 32];
	} else {
		s[threadIdx.x] = v[threadIdx.x] + 1;
		__syncthreads(); // SECOND
		v[threadIdx.x] = s[threadIdx.x - 32] * 3;
	}
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	cudaMemset(v, 0, 64 * sizeof *v);
	two<<<1, 64>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
