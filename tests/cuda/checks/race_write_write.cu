// Threads of two warps write different values to one place.
// tool: racecheck
// expect: ========= Error: Race reported between Write access at last(int*) in race_write_write.cu:@HERE@
// expect: =========     and Write access at last(int*) in race_write_write.cu:@HERE@ [4 hazards]
// ptx-expect: =========     first as write after write by thread (0,0,0) and thread (32,0,0) in block (0,0,0) at __shared__ 0x0
// errors: 1
#include "checks.h"

__global__ void last(int *to)
{
	__shared__ int s[4];
	if (threadIdx.x % 32 == 0)
		s[to[0]] = threadIdx.x; // HERE
	__syncthreads();
	to[threadIdx.x] = s[to[1]];
}

int main()
{
	int *to;
	cudaMalloc(&to, 64 * sizeof *to);
	cudaMemset(to, 0, 64 * sizeof *to);
	last<<<1, 64>>>(to);
	cudaDeviceSynchronize();
	return 0;
}
