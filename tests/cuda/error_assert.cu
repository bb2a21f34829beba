// A failed assertion on the device: cudaErrorAssert.
#include "fatal.h"
#include <cassert>

__global__ void check(int *p)
{
	assert(p[threadIdx.x] == 0);
	assert(blockIdx.x * blockDim.x + threadIdx.x != 37);
	p[threadIdx.x] = 0;
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	check<<<2, 32>>>(d);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorAssert, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
