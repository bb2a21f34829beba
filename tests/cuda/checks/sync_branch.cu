// A barrier that one warp of two comes to.
// tool: synccheck
// expect: ========= Barrier error detected. Divergent thread(s) in block.
// expect: =========     at some(int*) in sync_branch.cu:@HERE@
// expect: =========     by thread (0,0,0) in block (0,0,0)
// errors: 1
#include "checks.h"

__global__ void some(int *v)
{
	__shared__ int s[64];
	s[threadIdx.x] = v[threadIdx.x];
	if (threadIdx.x < 32) {
		s[threadIdx.x]++;
		__syncthreads(); // HERE
	}
	v[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	cudaMemset(v, 0, 64 * sizeof *v);
	some<<<1, 64>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
