// Shared-memory reads with strides of 1 to 32 words: conflicts of 1 to 32 ways over 32 banks. Measures how the load-store
// unit serialises them.
// banks [BLOCKS] [ROUNDS]
#include "compare.h"

enum { THREADS = 128, WORDS = 4096 };

__global__ void banks(unsigned *out, int rounds)
{
	__shared__ unsigned s[WORDS];
	int t = threadIdx.x;
	for (int i = t; i < WORDS; i += THREADS)
		s[i] = i * 7;
	__syncthreads();
	unsigned sum = 0;
	for (int r = 0; r < rounds; r++)
#pragma unroll
		for (int stride = 1; stride <= 32; stride *= 2)
			sum = sum * 3 + s[(t * stride + r) & (WORDS - 1)];
	out[blockIdx.x * THREADS + t] = sum;
}

int main(int argc, char **argv)
{
	int blocks = argument(argc, argv, 1, 80), rounds = argument(argc, argv, 2, 80), n = blocks * THREADS, bad = 0;
	unsigned *got = host_alloc<unsigned>(n), *out = device_alloc<unsigned>(n);
	banks<<<blocks, THREADS>>>(out, rounds);
	finish_kernels();
	to_host(got, out, n);
	for (int i = 0; i < n; i++) {
		unsigned sum = 0;
		for (int r = 0; r < rounds; r++)
			for (int stride = 1; stride <= 32; stride *= 2)
				sum = sum * 3 + ((i % THREADS * stride + r) & (WORDS - 1)) * 7u;
		bad += got[i] != sum;
	}
	return verdict(bad);
}
