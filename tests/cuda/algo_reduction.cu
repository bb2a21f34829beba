// Sum, minimum and maximum of an array: a tree in shared memory, shuffles, and one atomic a block.
// twice
#include "check.h"

__device__ int total, least = 2147483647, most = -2147483647;

__global__ void reduce(const int *v, int n)
{
	__shared__ int sums[32];
	__shared__ int tree[256];
	int sum = 0, lo = 2147483647, hi = -2147483647;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		sum += v[i];
		lo = min(lo, v[i]);
		hi = max(hi, v[i]);
	}
	for (int d = 16; d; d /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = sum;
	tree[threadIdx.x] = lo;
	__syncthreads();
	for (int d = blockDim.x / 2; d; d /= 2) {
		if (threadIdx.x < d)
			tree[threadIdx.x] = min(tree[threadIdx.x], tree[threadIdx.x + d]);
		__syncthreads();
	}
	if (threadIdx.x < 32) {
		sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
		for (int d = 16; d; d /= 2)
			sum += __shfl_xor_sync(0xffffffffu, sum, d);
		if (threadIdx.x == 0) {
			atomicAdd(&total, sum);
			atomicMin(&least, tree[0]);
		}
	}
	atomicMax(&most, hi);
}

int main()
{
	const int n = 20011;
	static int v[n];
	unsigned seed = 9;
	int sum = 0, lo = 2147483647, hi = -2147483647, got;
	for (int i = 0; i < n; i++) {
		v[i] = (int)(check_random(&seed) % 20001) - 10000;
		sum += v[i];
		lo = v[i] < lo ? v[i] : lo;
		hi = v[i] > hi ? v[i] : hi;
	}
	reduce<<<12, 256>>>(to_device(v, n), n);
	LAUNCHED();
	OK(cudaMemcpyFromSymbol(&got, total, sizeof(int)));
	CHECK(got == sum, "%d, not %d", got, sum);
	OK(cudaMemcpyFromSymbol(&got, least, sizeof(int)));
	CHECK(got == lo, "%d, not %d", got, lo);
	OK(cudaMemcpyFromSymbol(&got, most, sizeof(int)));
	CHECK(got == hi, "%d, not %d", got, hi);
	return check_done();
}
