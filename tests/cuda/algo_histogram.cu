// Histogram of bytes: private counters in shared memory, merged by atomics.
// twice
#include "check.h"

__global__ void histogram(const unsigned char *v, int n, unsigned *bins)
{
	__shared__ unsigned local[256];
	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		atomicAdd(&local[v[i]], 1);
	__syncthreads();
	if (local[threadIdx.x])
		atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main()
{
	const int n = 50000;
	static unsigned char v[n];
	unsigned e[256] = {0}, h[256], seed = 1;
	for (int i = 0; i < n; i++) {
		unsigned r = check_random(&seed);
		v[i] = i % 3 ? r % 256 & r >> 8 : 7;
		e[v[i]]++;
	}
	unsigned *d = device_alloc<unsigned>(256);
	OK(cudaMemset(d, 0, sizeof(h)));
	histogram<<<7, 256>>>(to_device(v, n), n, d);
	LAUNCHED();
	to_host(h, d, 256);
	for (int i = 0; i < 256; i++)
		CHECK(h[i] == e[i], "bin %d: %u, not %u", i, h[i], e[i]);
	return check_done();
}
