// Kernels in different streams run at once: one waits for what another stream's kernel writes.
// skip: hostile
#include "check.h"

__global__ void wait_for(volatile int *flag, int *out)
{
	while (*flag == 0)
		;
	*out = *flag + 1;
}

__global__ void set(volatile int *flag, int v)
{
	*flag = v;
}

int main()
{
	cudaStream_t s, t;
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	int *d = device_alloc<int>(2), h = 0;
	OK(cudaMemset(d, 0, 2 * sizeof(int)));
	OK(cudaDeviceSynchronize());
	wait_for<<<1, 1, 0, s>>>(d, d + 1);
	OK(cudaGetLastError());
	set<<<1, 1, 0, t>>>(d, 41);
	OK(cudaStreamSynchronize(t));
	OK(cudaStreamSynchronize(s));
	to_host(&h, d + 1, 1);
	CHECK(h == 42, "%d", h);

	/* The host's store to pinned memory reaches a kernel that waits for it. */
	volatile int *flag;
	int *dflag;
	OK(cudaHostAlloc((void **)&flag, sizeof(int), cudaHostAllocMapped));
	OK(cudaHostGetDevicePointer((void **)&dflag, (void *)flag, 0));
	*flag = 0;
	wait_for<<<1, 1, 0, s>>>(dflag, d + 1);
	OK(cudaGetLastError());
	*flag = 99;
	OK(cudaStreamSynchronize(s));
	to_host(&h, d + 1, 1);
	CHECK(h == 100, "%d", h);
	return check_done();
}
