// A pointer to ordinary host memory given to a kernel: cudaErrorIllegalAddress.
#include "fatal.h"

__global__ void load(int *p, const int *q)
{
	p[threadIdx.x] = q[threadIdx.x];
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	int *host = (int *)malloc(4096);
	load<<<1, 32>>>(d, host);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	free(host);
	return check_done();
}
