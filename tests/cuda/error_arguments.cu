// Calls with bad arguments: the code of each.
#include "check.h"

int main()
{
	char *d = device_alloc<char>(1000), h[2000];
	void *p;
	EXPECT(cudaErrorInvalidValue, cudaMalloc((void **)0, 10));
	EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 50));
	EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&p, ~(size_t)0));
	EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, 0, 10, cudaMemcpyHostToDevice));
	EXPECT(cudaErrorInvalidValue, cudaMemcpy(0, h, 10, cudaMemcpyHostToDevice));
	EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d, h, 10, (cudaMemcpyKind)17));
	/* Past the end of the allocation, to and from. */
	EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, h, 2000, cudaMemcpyHostToDevice));
	EXPECT(cudaErrorInvalidValue, cudaMemcpy(h, d + 900, 200, cudaMemcpyDeviceToHost));
	EXPECT(cudaErrorInvalidValue, cudaMemset(d, 0, 100000));
	/* A host pointer where a device pointer belongs. */
	EXPECT(cudaErrorInvalidValue, cudaMemset(h, 0, 10));
	EXPECT(cudaErrorInvalidValue, cudaMemcpy(h, h + 1000, 10, cudaMemcpyDeviceToHost));
	EXPECT(cudaErrorInvalidValue, cudaFree(h));
	EXPECT(cudaErrorInvalidValue, cudaFree(d + 8));
	OK(cudaFree(d));
	EXPECT(cudaErrorInvalidValue, cudaFree(d));
	EXPECT(cudaErrorInvalidValue, cudaMemset(d, 0, 10));

	EXPECT(cudaErrorInvalidValue, cudaGetDeviceCount(0));
	EXPECT(cudaErrorInvalidValue, cudaStreamCreate(0));
	EXPECT(cudaErrorInvalidValue, cudaEventCreate((cudaEvent_t *)0));
	EXPECT(cudaErrorInvalidResourceHandle, cudaEventRecord(0, 0));
	EXPECT(cudaErrorInvalidResourceHandle, cudaEventSynchronize(0));
	EXPECT(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
	cudaStream_t s;
	EXPECT(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&s, 0xff00));
	/* The last error is the last, and none of this sticks. */
	EXPECT(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaGetLastError());
	d = device_alloc<char>(10);
	OK(cudaMemset(d, 0, 10));
	OK(cudaFree(d));
	OK(cudaDeviceSynchronize());
	return check_done();
}
