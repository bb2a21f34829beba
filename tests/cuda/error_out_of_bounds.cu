// A store far outside every allocation: cudaErrorIllegalAddress.
#include "fatal.h"

__global__ void store(int *p, long long offset)
{
	p[threadIdx.x == 33 ? offset : threadIdx.x] = 1;
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	store<<<2, 64>>>(d, 1 << 28);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
