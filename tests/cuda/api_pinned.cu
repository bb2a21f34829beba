// Page-locked host memory: cudaMallocHost, cudaHostAlloc, cudaHostRegister, and mapped pointers used by a kernel.
#include "check.h"

__global__ void square(int *out, const int *in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] * in[i];
}

int main()
{
	const int n = 777;
	int *a, *b, *da, *db;
	OK(cudaMallocHost((void **)&a, n * sizeof(int)));
	OK(cudaHostAlloc((void **)&b, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
	unsigned flags;
	OK(cudaHostGetFlags(&flags, b));
	CHECK(flags & cudaHostAllocMapped);
	for (int i = 0; i < n; i++)
		a[i] = i;
	OK(cudaHostGetDevicePointer((void **)&da, a, 0));
	OK(cudaHostGetDevicePointer((void **)&db, b, 0));
	square<<<4, 256>>>(db, da, n);
	LAUNCHED();
	for (int i = 0; i < n; i++)
		CHECK(b[i] == i * i, "at %d: %d", i, b[i]);

	/* Copies between pinned and device memory. */
	int *d = device_alloc<int>(n);
	OK(cudaMemcpyAsync(d, b, n * sizeof(int), cudaMemcpyHostToDevice));
	OK(cudaMemcpyAsync(a, d, n * sizeof(int), cudaMemcpyDeviceToHost));
	OK(cudaDeviceSynchronize());
	CHECK(memcmp(a, b, n * sizeof(int)) == 0);

	/* Memory of the program's own, made known later. */
	int *c = (int *)aligned_alloc(4096, 4096), *dc;
	for (int i = 0; i < 1024; i++)
		c[i] = -i;
	OK(cudaHostRegister(c, 4096, cudaHostRegisterMapped));
	EXPECT(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(c, 4096, cudaHostRegisterMapped));
	OK(cudaHostGetDevicePointer((void **)&dc, c, 0));
	square<<<4, 256>>>(dc, dc, 1024);
	EXPECT(cudaErrorHostMemoryAlreadyRegistered, cudaGetLastError());
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 1024; i++)
		CHECK(c[i] == i * i, "at %d: %d", i, c[i]);
	OK(cudaHostUnregister(c));
	EXPECT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(c));
	cudaGetLastError();
	free(c);
	OK(cudaFreeHost(a));
	OK(cudaFreeHost(b));
	OK(cudaFreeHost(0));
	EXPECT(cudaErrorInvalidValue, cudaFreeHost(&flags));
	OK(cudaFree(d));
	return check_done();
}
