// Lanes of one warp exchange without __syncwarp.
// tool: racecheck
// expect: ========= Warning: Race reported between Write access at swap(int*) in race_warp.cu:@WRITES@
// expect: =========     and Read access at swap(int*) in race_warp.cu:@READS@ [128 hazards]
// expect: ========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)
// errors: 1
#include "checks.h"

__global__ void swap(int *v)
{
	__shared__ int s[32];
	s[threadIdx.x] = v[threadIdx.x]; // WRITES
	v[threadIdx.x] = s[threadIdx.x ^ 1]; // READS
}

int main()
{
	int *v;
	cudaMalloc(&v, 32 * sizeof *v);
	cudaMemset(v, 0, 32 * sizeof *v);
	swap<<<1, 32>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
