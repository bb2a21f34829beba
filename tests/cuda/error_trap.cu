// trap ends the kernel: cudaErrorLaunchFailure.
#include "fatal.h"

__global__ void stop(int *p)
{
	if (threadIdx.x == 40)
		__trap();
	p[threadIdx.x] = 1;
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	stop<<<1, 64>>>(d);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorLaunchFailure, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
