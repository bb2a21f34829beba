// The second barrier of a loop is missing: some write the next values while others may still read the last ones.
// tool: racecheck
// expect: ========= Error: Race reported between Read access at turn(int*, int) in race_write_read.cu:@READS@
// expect: =========     and Write access at turn(int*, int) in race_write_read.cu:@WRITES@ [256 hazards]
// errors: 1
#include "checks.h"

__global__ void turn(int *v, int rounds)
{
	__shared__ int s[64];
	int x = v[threadIdx.x];
#pragma unroll 1
	for (int i = 0; i < rounds; i++) {
		s[threadIdx.x] = x; // WRITES
		__syncthreads();
		x = s[63 - threadIdx.x] + 1; // READS
	}
	v[threadIdx.x] = x;
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	cudaMemset(v, 0, 64 * sizeof *v);
	turn<<<1, 64>>>(v, 2);
	cudaDeviceSynchronize();
	return 0;
}
