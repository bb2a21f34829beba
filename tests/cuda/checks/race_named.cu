// Warps 0 and 1 meet at a barrier of their own; warp 2 reads what they wrote all the same.
// tool: racecheck
// expect: ========= Error: Race reported between Write access at some(int*) in race_named.cu:@WRITES@
// expect: =========     and Read access at some(int*) in race_named.cu:@READS@ [128 hazards]
// errors: 1
#include "checks.h"

__global__ void some(int *v)
{
	__shared__ int s[96];
	s[threadIdx.x] = v[threadIdx.x]; // WRITES
	if (threadIdx.x < 64) {
		asm volatile("bar.sync 1, 64;" ::: "memory");
		v[threadIdx.x] = s[63 - threadIdx.x];
	} else {
		v[threadIdx.x] = 3 * s[threadIdx.x - 64]; // READS
	}
}

int main()
{
	int *v;
	cudaMalloc(&v, 96 * sizeof *v);
	cudaMemset(v, 0, 96 * sizeof *v);
	some<<<1, 96>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
