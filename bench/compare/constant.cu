// Polynomials with coefficients in constant memory: the same address for a whole warp, then one per lane. Measures the
// constant cache, broadcast and serialised.
// constant [BLOCKS] [ROUNDS]
#include "compare.h"

enum { TERMS = 1024, THREADS = 128, UNIFORM = 32, SPREAD = 4 };

__constant__ int term[TERMS];

__global__ void polynomial(int *out, int rounds)
{
	int i = blockIdx.x * THREADS + threadIdx.x, x = i & 15, y = 0;
	for (int r = 0; r < rounds; r++) {
		int from = r * UNIFORM & (TERMS - 1);
#pragma unroll
		for (int k = 0; k < UNIFORM; k++)
			y = y * x + term[from + k];
#pragma unroll
		for (int k = 0; k < SPREAD; k++)
			y += term[(i * (k + 1) + r) & (TERMS - 1)];
	}
	out[i] = y;
}

int main(int argc, char **argv)
{
	int blocks = argument(argc, argv, 1, 160), rounds = argument(argc, argv, 2, 44), n = blocks * THREADS;
	int host[TERMS], *got = host_alloc<int>(n), *out = device_alloc<int>(n);
	unsigned seed = 5;
	for (int i = 0; i < TERMS; i++)
		host[i] = (int)(next_random(&seed) & 1023) - 512;
	must(cudaMemcpyToSymbol(term, host, sizeof(host)), "cudaMemcpyToSymbol");
	polynomial<<<blocks, THREADS>>>(out, rounds);
	finish_kernels();
	to_host(got, out, n);
	int bad = 0;
	for (int i = 0; i < n; i++) {
		unsigned x = i & 15, y = 0;
		for (int r = 0; r < rounds; r++) {
			for (int k = 0; k < UNIFORM; k++)
				y = y * x + host[(r * UNIFORM & (TERMS - 1)) + k];
			for (int k = 0; k < SPREAD; k++)
				y += host[(i * (k + 1) + r) & (TERMS - 1)];
		}
		bad += got[i] != (int)y;
	}
	return verdict(bad);
}
