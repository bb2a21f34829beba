// Streams: order within one, the legacy default stream between them, flags, priorities, queries.
#include "check.h"

__global__ void append(int *log, int *n, int value)
{
	log[atomicAdd(n, 1)] = value;
}

__global__ void scale(int *p, int k)
{
	p[threadIdx.x] = p[threadIdx.x] * k + 1;
}

int main()
{
	cudaStream_t s, t;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	unsigned flags;
	OK(cudaStreamGetFlags(t, &flags));
	CHECK(flags == cudaStreamNonBlocking);
	OK(cudaStreamGetFlags(s, &flags));
	CHECK(flags == cudaStreamDefault);
	int least, greatest, priority;
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(greatest <= least);
	cudaStream_t q;
	OK(cudaStreamCreateWithPriority(&q, cudaStreamNonBlocking, greatest));
	OK(cudaStreamGetPriority(q, &priority));
	CHECK(priority == greatest);

	/* Fifty steps in one stream, each depending on the one before. */
	int h[32], *d = device_alloc<int>(32), expect = 0;
	OK(cudaMemsetAsync(d, 0, sizeof(h), s));
	for (int i = 0; i < 50; i++) {
		scale<<<1, 32, 0, s>>>(d, i % 3);
		expect = expect * (i % 3) + 1;
	}
	OK(cudaMemcpyAsync(h, d, sizeof(h), cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaStreamQuery(s));
	for (int i = 0; i < 32; i++)
		CHECK(h[i] == expect, "%d, not %d", h[i], expect);

	/* The legacy default stream waits for s, and s for it. */
	int *log = device_alloc<int>(8), *n = device_alloc<int>(1), got[8];
	OK(cudaMemset(n, 0, sizeof(int)));
	append<<<1, 1, 0, s>>>(log, n, 1);
	append<<<1, 1>>>(log, n, 2);
	append<<<1, 1, 0, s>>>(log, n, 3);
	append<<<1, 1, 0, cudaStreamLegacy>>>(log, n, 4);
	LAUNCHED();
	to_host(got, log, 4);
	for (int i = 0; i < 4; i++)
		CHECK(got[i] == i + 1, "at %d: %d", i, got[i]);
	append<<<1, 1, 0, cudaStreamPerThread>>>(log, n, 5);
	OK(cudaStreamSynchronize(cudaStreamPerThread));
	to_host(got, log, 5);
	CHECK(got[4] == 5);

	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	OK(cudaStreamDestroy(q));
	return check_done();
}
