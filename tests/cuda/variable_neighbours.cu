// Variables of a section lie side by side: a kernel that strays from one into the next is not stopped, as on a GPU; one
// that leaves the section is. Copies keep to their variable.
#include "fatal.h"

__device__ int a[4], b[4];
__constant__ int table[4];

__global__ void store(long long at)
{
	a[at + threadIdx.x] = 10 + b[threadIdx.x] + table[threadIdx.x];
}

int main()
{
	int *pa, *pb, h[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	size_t size;
	OK(cudaGetSymbolAddress((void **)&pa, a));
	OK(cudaGetSymbolAddress((void **)&pb, b));
	OK(cudaGetSymbolSize(&size, a));
	CHECK(pb == pa + 4 && size == sizeof a, "%p %p %zu", (void *)pa, (void *)pb, size);
	EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(a, h, sizeof h));
	EXPECT(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaMemcpyToSymbol(b, h, sizeof b));
	store<<<1, 4>>>(4);
	OK(cudaMemcpyFromSymbol(h, b, sizeof b));
	for (int i = 0; i < 4; i++)
		CHECK(h[i] == 10 + i, "%d: %d", i, h[i]);
	store<<<1, 4>>>(1 << 28);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
	return check_done();
}
