// A barrier that half of a warp comes to.
// tool: synccheck
// expect: ========= Barrier error detected. Divergent thread(s) in warp.
// expect: =========     at half(int*) in sync_lanes.cu:@HERE@
// errors: 1
#include "checks.h"

__global__ void half(int *v)
{
	__shared__ int s[32];
	s[threadIdx.x] = v[threadIdx.x];
	if (v[threadIdx.x] < 16) {
		s[threadIdx.x]++;
		__syncthreads(); // HERE
	}
	v[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
	int h[32], *v;
	for (int i = 0; i < 32; i++)
		h[i] = i;
	cudaMalloc(&v, sizeof h);
	cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
	half<<<1, 32>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
