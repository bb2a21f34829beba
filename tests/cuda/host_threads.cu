// Several host threads allocate, launch and copy at once; the last error belongs to each thread.
// skip: timed threads checkpoint
#include "check.h"
#include <pthread.h>

__global__ void fill(int *p, int v)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] = v + threadIdx.x;
}

static void *work(void *argument)
{
	int id = *(int *)argument, h[256];
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	for (int round = 0; round < 5; round++) {
		int *d = device_alloc<int>(256);
		fill<<<2, 128, 0, s>>>(d, id * 1000 + round);
		OK(cudaMemcpyAsync(h, d, sizeof(h), cudaMemcpyDeviceToHost, s));
		OK(cudaStreamSynchronize(s));
		for (int i = 0; i < 256; i++)
			CHECK(h[i] == id * 1000 + round + i % 128, "thread %d at %d", id, i);
		OK(cudaFree(d));
	}
	if (id == 2)
		cudaSetDevice(1000);
	EXPECT(id == 2 ? cudaErrorInvalidDevice : cudaSuccess, cudaGetLastError());
	OK(cudaStreamDestroy(s));
	return 0;
}

int main()
{
	pthread_t t[4];
	int id[4];
	for (int i = 0; i < 4; i++) {
		id[i] = i;
		pthread_create(&t[i], 0, work, &id[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	OK(cudaGetLastError());
	return check_done();
}
