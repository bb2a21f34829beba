// Counts of atomics are read without a barrier behind them.
// tool: racecheck
// expect: ========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
// errors: 1
#include "checks.h"

__global__ void count(const unsigned char *v, unsigned *to)
{
	__shared__ unsigned bins[16];
	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	__syncthreads();
	if (threadIdx.x < 32)
		atomicAdd(&bins[v[threadIdx.x] % 16], 1u);
	if (threadIdx.x >= 32 && threadIdx.x < 48)
		to[threadIdx.x - 32] = bins[threadIdx.x - 32];
}

int main()
{
	unsigned char v[64];
	void *d;
	unsigned *to;
	for (int i = 0; i < 64; i++)
		v[i] = i;
	cudaMalloc(&d, 64);
	cudaMalloc(&to, 64);
	cudaMemcpy(d, v, 64, cudaMemcpyHostToDevice);
	count<<<1, 64>>>((unsigned char *)d, to);
	cudaDeviceSynchronize();
	return 0;
}
