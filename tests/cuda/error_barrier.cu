// A barrier that can never complete: cudaErrorLaunchTimeout, where a GPU would hang.
#include "fatal.h"

__global__ void stuck(int *p)
{
	if (threadIdx.x < 32)
		asm volatile("bar.sync 1, 64;" ::: "memory");
	else
		asm volatile("bar.sync 2, 64;" ::: "memory");
	p[threadIdx.x] = 1;
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	stuck<<<1, 64>>>(d);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorLaunchTimeout, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
