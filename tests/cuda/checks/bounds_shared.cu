// Dynamic shared memory that is one element short.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __shared__ write of size 4 bytes
// expect: =========     at turn(int*) in bounds_shared.cu:@HERE@
// expect: =========     by thread (63,0,0) in block (0,0,0)
// ptx-expect: =========     Address 0xfc is out of bounds
// errors: 1
#include "checks.h"

__global__ void turn(int *v)
{
	extern __shared__ int s[];
	s[threadIdx.x] = v[threadIdx.x]; // HERE
	__syncthreads();
	v[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	cudaMemset(v, 0, 64 * sizeof *v);
	turn<<<1, 64, 63 * sizeof *v>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
