// Shared memory: the time of a load that the next one waits for, and cycles of a load of a warp by the stride between
// its threads, which is by how many of them want the same bank.
#include "micro.h"

enum { STEPS = 512, WORDS = 2048, LOADS = 256, WARPS = 8 };

__global__ void chase(long long *took, unsigned *last)
{
	__shared__ unsigned next[WORDS];
	for (int i = 0; i < WORDS; i++)
		next[i] = (i + 37) % WORDS;
	unsigned at = 0;
	long long start = clock64();
#pragma unroll 16
	for (int i = 0; i < STEPS; i++)
		at = next[at];
	*last = at;
	took[0] = clock64() - start + (at > WORDS);
}

__global__ void conflicts(int stride, long long *took, float *out)
{
	__shared__ volatile float words[WORDS];
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		words[i] = 0;
	int at = (threadIdx.x % 32) * stride % WORDS;
	float sum = 0;
	__syncthreads();
	long long start = clock64();
#pragma unroll 32
	for (int i = 0; i < LOADS; i++)
		sum += words[at];
	if (sum == 1)
		out[0] = sum;
	__syncthreads();
	took[0] = clock64() - start;
}

int main()
{
	long long *took = on_device<long long>(1);
	float *out = on_device<float>(1);
	chase<<<1, 1>>>(took, (unsigned *)out);
	finish();
	point("shared_latency", 1, slowest(took, 1) / STEPS);
	for (int stride = 1; stride <= 32; stride *= 2) {
		conflicts<<<1, WARPS * 32>>>(stride, took, out);
		finish();
		point("shared_conflicts", stride, slowest(took, 1) / (LOADS * WARPS));
	}
}
