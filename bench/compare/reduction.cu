// Sum of integers: a strided sum per thread, then a tree in shared memory; partial sums are summed by further launches.
// Measures barriers, shrinking warps and streaming loads.
// reduction [ELEMENTS] [ROUNDS]
#include "compare.h"

enum { THREADS = 256 };

__global__ void reduce(unsigned *out, const unsigned *in, int n)
{
	__shared__ unsigned s[THREADS];
	int t = threadIdx.x, stride = gridDim.x * THREADS;
	unsigned sum = 0;
	for (int i = blockIdx.x * THREADS + t; i < n; i += stride)
		sum += in[i];
	s[t] = sum;
	__syncthreads();
	for (int half = THREADS / 2; half; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 1 << 18), rounds = argument(argc, argv, 2, 7), blocks = 256;
	unsigned *in = host_alloc<unsigned>(n), seed = 1, want = 0, got = 0, bad = 0;
	for (int i = 0; i < n; i++)
		want += in[i] = next_random(&seed);
	unsigned *din = device_alloc<unsigned>(n), *part = device_alloc<unsigned>(blocks), *sum = device_alloc<unsigned>(1);
	to_device(din, in, n);
	for (int r = 0; r < rounds; r++) {
		reduce<<<blocks, THREADS>>>(part, din, n);
		reduce<<<1, THREADS>>>(sum, part, blocks);
	}
	finish_kernels();
	to_host(&got, sum, 1);
	bad += got != want;
	return verdict(bad);
}
