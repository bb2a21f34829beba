// A load through a null pointer: cudaErrorIllegalAddress.
#include "fatal.h"

__global__ void load(int *p, const int *q)
{
	p[threadIdx.x] = q[threadIdx.x];
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	load<<<1, 32>>>(d, 0);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
