// Launch configurations that cannot be: the code of each, and that nothing sticks.
#include "check.h"

__global__ void mark(int *p)
{
	*p = 1;
}

static void refused(cudaError_t expect, dim3 grid, dim3 block, size_t shared, int *d)
{
	mark<<<grid, block, shared>>>(d);
	cudaError_t e = cudaGetLastError();
	CHECK(e == expect, "grid %u %u %u block %u %u %u shared %zu gave %s", grid.x, grid.y, grid.z, block.x, block.y,
		block.z, shared, cudaGetErrorName(e));
	OK(cudaGetLastError());
	OK(cudaDeviceSynchronize());
}

int main()
{
	int *d = device_alloc<int>(1), h = -1;
	OK(cudaMemset(d, 0, sizeof(int)));
	refused(cudaErrorInvalidConfiguration, dim3(1), dim3(1025), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(1), dim3(33, 32), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(1), dim3(1, 1, 65), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(1), dim3(0), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(1), dim3(1, 0), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(0), dim3(1), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(1, 65536), dim3(1), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(1, 1, 65536), dim3(1), 0, d);
	refused(cudaErrorInvalidConfiguration, dim3(0x80000000u), dim3(1), 0, d);
	refused(cudaErrorInvalidValue, dim3(1), dim3(1), 1 << 20, d);
	to_host(&h, d, 1);
	CHECK(h == 0, "a refused kernel ran");
	mark<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(d);
	LAUNCHED();
	to_host(&h, d, 1);
	CHECK(h == 1);
	return check_done();
}
