// Recursion without end runs off the stack: an error, not a crash.
#include "fatal.h"

__device__ __noinline__ int forever(volatile int *p, int n)
{
	int here[16];
	for (int i = 0; i < 16; i++)
		here[i] = n + p[i];
	int r = p[0] == 0 ? forever(p, n + 1) : 0;
	return r + here[r & 15];
}

__global__ void run(int *p)
{
	p[threadIdx.x + 32] = forever(p, threadIdx.x);
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	run<<<1, 32>>>(d);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress || e == cudaErrorHardwareStackError || e == cudaErrorLaunchFailure, "%s",
		cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
