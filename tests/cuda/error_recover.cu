// Errors that end one call only leave kernels and memory as they were; a failed allocation can be followed by a good
// one.
#include "check.h"

__global__ void add(int *p, int v)
{
	p[threadIdx.x] += v;
}

int main()
{
	int *d = device_alloc<int>(32), h[32];
	OK(cudaMemset(d, 0, sizeof(h)));
	for (int i = 0; i < 20; i++) {
		void *p = &h;
		add<<<1, 32>>>(d, 1);
		EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 60));
		add<<<1, 5000>>>(d, 100);
		EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
		EXPECT(cudaErrorInvalidValue, cudaFree((void *)(size_t)12345));
		EXPECT(cudaErrorInvalidValue, cudaGetLastError());
	}
	LAUNCHED();
	to_host(h, d, 32);
	for (int i = 0; i < 32; i++)
		CHECK(h[i] == 20, "at %d: %d", i, h[i]);
	return check_done();
}
