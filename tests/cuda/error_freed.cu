// A store to freed memory: cudaErrorIllegalAddress.
#include "fatal.h"

__global__ void store(int *p)
{
	p[threadIdx.x] = 1;
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	int *freed = device_alloc<int>(1 << 20);
	OK(cudaFree(freed));
	store<<<1, 32>>>(freed);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
