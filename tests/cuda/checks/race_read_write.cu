// A barrier is missing between what all threads write and one of another warp reads.
// tool: racecheck
// expect: ========= Error: Race reported between Write access at sum(int*) in race_read_write.cu:@WRITES@
// expect: =========     and Read access at sum(int*) in race_read_write.cu:@READS@ [380 hazards]
// ptx-expect: =========     first as read after write by thread (0,0,0) and thread (95,0,0) in block (0,0,0) at __shared__ 0x0
// expect: ========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
// errors: 1
#include "checks.h"

__global__ void sum(int *to)
{
	__shared__ int s[96];
	s[threadIdx.x] = threadIdx.x; // WRITES
	if (threadIdx.x == 95) {
		int n = 0;
#pragma unroll 1
		for (int i = 0; i < 96; i++)
			n += s[i]; // READS
		*to = n;
	}
}

int main()
{
	int *to;
	cudaMalloc(&to, sizeof *to);
	sum<<<1, 96>>>(to);
	cudaDeviceSynchronize();
	return 0;
}
