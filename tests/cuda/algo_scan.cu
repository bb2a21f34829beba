// Prefix sums of a long array: within warps, within blocks, then over the blocks.
#include "check.h"

__global__ void scan_block(int *v, int *block_sums, int n)
{
	__shared__ int warps[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
	int x = i < n ? v[i] : 0;
	for (int d = 1; d < 32; d *= 2) {
		int y = __shfl_up_sync(0xffffffffu, x, d);
		if (lane >= d)
			x += y;
	}
	if (lane == 31)
		warps[w] = x;
	__syncthreads();
	if (w == 0) {
		int s = lane < blockDim.x / 32 ? warps[lane] : 0;
		for (int d = 1; d < 32; d *= 2) {
			int y = __shfl_up_sync(0xffffffffu, s, d);
			if (lane >= d)
				s += y;
		}
		warps[lane] = s;
	}
	__syncthreads();
	if (w)
		x += warps[w - 1];
	if (i < n)
		v[i] = x;
	if (block_sums && threadIdx.x == blockDim.x - 1)
		block_sums[blockIdx.x] = x;
}

__global__ void add_before(int *v, const int *block_sums, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (blockIdx.x && i < n)
		v[i] += block_sums[blockIdx.x - 1];
}

int main()
{
	const int n = 30000, size = 256, blocks = (n + size - 1) / size;
	static int v[n], h[n];
	unsigned seed = 4;
	for (int i = 0; i < n; i++)
		v[i] = check_random(&seed) % 1000;
	int *d = to_device(v, n), *sums = device_alloc<int>(blocks);
	scan_block<<<blocks, size>>>(d, sums, n);
	scan_block<<<1, 128>>>(sums, 0, blocks);
	add_before<<<blocks, size>>>(d, sums, n);
	LAUNCHED();
	to_host(h, d, n);
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += v[i];
		CHECK(h[i] == sum, "at %d: %d, not %d", i, h[i], sum);
	}
	return check_done();
}
