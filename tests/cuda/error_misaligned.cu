// A four-byte load from an odd address: cudaErrorMisalignedAddress.
#include "fatal.h"

__global__ void load(int *p, const char *q)
{
	p[threadIdx.x] = *(const int *)(q + (threadIdx.x == 5 ? 2 : 0));
}

int main()
{
	int *d = device_alloc<int>(64);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	load<<<1, 32>>>(d, (const char *)d);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorMisalignedAddress, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
