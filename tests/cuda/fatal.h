/* For programs that end a kernel badly: the error must stay until the device is reset, and then all be well. */
#ifndef FATAL_H
#define FATAL_H

#include "check.h"

__global__ void fatal_good(int *p)
{
	*p = 4;
}

static inline void fatal_lasts_until_reset(cudaError_t e)
{
	int h = 0;
	void *p = 0;
	EXPECT(e, cudaGetLastError());
	EXPECT(e, cudaDeviceSynchronize());
	EXPECT(e, cudaMalloc(&p, 4));
	EXPECT(e, cudaMemGetInfo((size_t *)&p, (size_t *)&p));
	fatal_good<<<1, 1>>>((int *)p);
	EXPECT(e, cudaGetLastError());

	cudaDeviceReset();
	cudaGetLastError();
	int *d = device_alloc<int>(1);
	fatal_good<<<1, 1>>>(d);
	LAUNCHED();
	to_host(&h, d, 1);
	CHECK(h == 4);
}

#endif
