// Function attributes, dynamic shared memory above 48 KB, cache preferences, direct cudaLaunchKernel.
#include "check.h"

__constant__ int constant_table[100];

__global__ void plain(int *out, int a, double b, char c)
{
	out[threadIdx.x] = a + (int)b + c + threadIdx.x + constant_table[threadIdx.x];
}

__global__ void __launch_bounds__(128) shared_user(int *out)
{
	__shared__ int s[500];
	for (int i = threadIdx.x; i < 500; i += blockDim.x)
		s[i] = i;
	__syncthreads();
	out[threadIdx.x] = s[499 - threadIdx.x];
}

__global__ void big_shared(int *out, int n)
{
	extern __shared__ int dynamic[];
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		dynamic[i] = i * 3;
	__syncthreads();
	int sum = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		sum += dynamic[n - 1 - i];
	atomicAdd(out, sum);
}

int main()
{
	cudaFuncAttributes fa;
	OK(cudaFuncGetAttributes(&fa, shared_user));
	CHECK(fa.sharedSizeBytes == 2000, "%zu", fa.sharedSizeBytes);
	CHECK(fa.maxThreadsPerBlock == 128, "%d", fa.maxThreadsPerBlock);
	CHECK(fa.numRegs > 0 && fa.numRegs <= 255);
	OK(cudaFuncGetAttributes(&fa, plain));
	CHECK(fa.sharedSizeBytes == 0 && fa.maxThreadsPerBlock == 1024);
	CHECK(fa.ptxVersion > 0 && fa.binaryVersion > 0);
	OK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1));
	OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));

	int *out = device_alloc<int>(128), h[128];
	int a = 100;
	double b = 20.5;
	char c = 3;
	void *args[] = {&out, &a, &b, &c};
	OK(cudaLaunchKernel((const void *)plain, dim3(1), dim3(100), args, 0, 0));
	OK(cudaDeviceSynchronize());
	to_host(h, out, 100);
	for (int i = 0; i < 100; i++)
		CHECK(h[i] == 123 + i, "at %d: %d", i, h[i]);
	shared_user<<<1, 128>>>(out);
	LAUNCHED();
	to_host(h, out, 128);
	for (int i = 0; i < 128; i++)
		CHECK(h[i] == 499 - i);
	shared_user<<<1, 256>>>(out);
	EXPECT(cudaErrorInvalidValue, cudaGetLastError()); // more threads than the launch bound

	int n = 60 * 1024 / 4, limit;
	OK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
	CHECK(limit >= n * 4);
	OK(cudaMemset(out, 0, 4));
	big_shared<<<1, 64, n * 4>>>(out, n);
	EXPECT(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4));
	big_shared<<<1, 64, n * 4>>>(out, n);
	LAUNCHED();
	to_host(h, out, 1);
	CHECK(h[0] == 3 * (n - 1) * n / 2, "%d", h[0]);
	OK(cudaFuncGetAttributes(&fa, big_shared));
	CHECK(fa.maxDynamicSharedSizeBytes == n * 4);
	EXPECT(cudaErrorInvalidValue,
		cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, limit + 1));
	EXPECT(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&fa, (const void *)main));
	EXPECT(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)main, dim3(1), dim3(1), args, 0, 0));
	cudaGetLastError();
	return check_done();
}
