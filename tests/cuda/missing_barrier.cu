// Programs that lack a barrier, though no GPU shows it: warps of a block stay close together, so what all read right
// after a barrier is read before the first warp overwrites it.
#include "missing_barrier.h"

// The sum over the block, for every thread. The next call writes smem[0] while others may still have to read it here.
static __device__ int block_sum(int v)
{
	__shared__ int smem[32];
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	for (int d = 16; d; d /= 2)
		v += __shfl_down_sync(0xffffffff, v, d);
	if (lane == 0)
		smem[warp] = v;
	__syncthreads();
	if (warp == 0) {
		v = lane < blockDim.x / 32 ? smem[lane] : 0;
		for (int d = 16; d; d /= 2)
			v += __shfl_down_sync(0xffffffff, v, d);
		if (lane == 0)
			smem[0] = v;
	}
	__syncthreads();
	return smem[0];
}

__global__ void sums(int *out)
{
	int total = 0;
	for (int i = 0; i < CALLS; i++)
		total += block_sum(threadIdx.x + i) * (i + 1);
	out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

int main()
{
	int *d = device_alloc<int>(BLOCKS * THREADS), want = 0;
	for (int i = 0; i < CALLS; i++)
		want += (THREADS * (THREADS - 1) / 2 + THREADS * i) * (i + 1);
	sums<<<BLOCKS, THREADS>>>(d);
	check("sums", d, want);
	return check_done();
}
