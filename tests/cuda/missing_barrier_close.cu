// skip: sass-modern
// The same as missing_barrier.cu, with nothing between read and write that takes time: in machine code they stand four cycles
// apart. A core that lets a warp go on as long as it can (greedy, then youngest) then writes before the oldest warp of the
// sub-core has read. The functional mode lets all read first.
#include "missing_barrier.h"

// One warp, a different one each time, clears what all have just read. `slow` is how much it does in between.
__global__ void cleared(int *out, int slow)
{
	__shared__ volatile int found;
	int total = 0;
	for (int i = 0; i < CALLS; i++) {
		const int writer = i * 96 % THREADS;
		if (threadIdx.x == writer)
			found = i + 1;
		__syncthreads();
		total += found;
		if (threadIdx.x == writer) {
			for (int k = 0; k < slow; k++)
				asm volatile("");
			found = -1000;
		}
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

// By an atomic, and in global memory, which a barrier orders for the block.
__global__ void counted(int *out, int *count)
{
	__shared__ int n;
	int total = 0;
	for (int i = 0; i < CALLS; i++) {
		if (threadIdx.x == 0)
			n = count[blockIdx.x] = 0;
		__syncthreads();
		atomicAdd(&n, 1);
		atomicAdd(&count[blockIdx.x], 2);
		__syncthreads();
		total += n + *(volatile int *)&count[blockIdx.x];
		atomicAdd(&n, 1);
		atomicAdd(&count[blockIdx.x], 1);
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

int main()
{
	int *d = device_alloc<int>(BLOCKS * THREADS), *count = device_alloc<int>(BLOCKS);
	for (int slow = 0; slow <= 10; slow += 5) {
		cleared<<<BLOCKS, THREADS>>>(d, slow);
		check("cleared", d, CALLS * (CALLS + 1) / 2);
	}
	counted<<<BLOCKS, THREADS>>>(d, count);
	check("counted", d, 3 * THREADS * CALLS);
	return check_done();
}
