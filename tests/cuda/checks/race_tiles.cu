// Each half of a warp meets with itself, and then reads what the other half wrote.
// tool: racecheck
// code: ptx
// expect: ========= Warning: Race reported between Write access at halves(int*) in race_tiles.cu:@WRITES@
// expect: =========     and Read access at halves(int*) in race_tiles.cu:@READS@ [128 hazards]
// errors: 1
#include "checks.h"

__global__ void halves(int *v)
{
	__shared__ int s[32];
	s[threadIdx.x] = v[threadIdx.x]; // WRITES
	__syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
	v[threadIdx.x] = s[threadIdx.x ^ 16]; // READS
}

int main()
{
	int *v;
	cudaMalloc(&v, 32 * sizeof *v);
	cudaMemset(v, 0, 32 * sizeof *v);
	halves<<<1, 32>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
