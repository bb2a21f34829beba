// cudaPointerGetAttributes for every kind of memory.
#include "check.h"

__device__ int variable[10];

static cudaPointerAttributes about(const void *p)
{
	cudaPointerAttributes a;
	memset(&a, 0xee, sizeof(a));
	OK(cudaPointerGetAttributes(&a, p));
	return a;
}

int main()
{
	char *d = device_alloc<char>(100), *h;
	OK(cudaMallocHost((void **)&h, 100));
	cudaPointerAttributes a = about(d + 50);
	CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == d + 50 && a.hostPointer == 0);
	a = about(h + 7);
	CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == h + 7 && a.devicePointer != 0);
	int local;
	a = about(&local);
	CHECK(a.type == cudaMemoryTypeUnregistered);
	void *address;
	OK(cudaGetSymbolAddress(&address, variable));
	a = about(address);
	CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == address);
	EXPECT(cudaErrorInvalidValue, cudaPointerGetAttributes(0, d));
	cudaGetLastError();
	OK(cudaFreeHost(h));
	return check_done();
}
