// A store far outside shared memory: an error, not a crash.
#include "fatal.h"

__global__ void store(int *p, int offset)
{
	__shared__ int s[32];
	s[threadIdx.x + (threadIdx.x == 3 ? offset : 0)] = 1;
	__syncthreads();
	p[threadIdx.x] = s[31 - threadIdx.x];
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	store<<<1, 32>>>(d, 1 << 26);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress || e == cudaErrorLaunchFailure, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
