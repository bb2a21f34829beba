// Histogram by atomic additions to global memory, half of the input in a few hot bins. Measures atomics at the L2.
// histogram [ELEMENTS]
#include "compare.h"

enum { BINS = 256, BLOCKS = 80, THREADS = 256 };

__global__ void histogram(unsigned *bins, const unsigned char *in, int n)
{
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS)
		atomicAdd(&bins[in[i]], 1u);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 3 << 15);
	unsigned char *in = host_alloc<unsigned char>(n);
	unsigned want[BINS] = {0}, got[BINS], seed = 7;
	for (int i = 0; i < n; i++) {
		unsigned v = next_random(&seed);
		in[i] = v & 1 ? v >> 1 & 7 : v >> 1 & (BINS - 1);
		want[in[i]]++;
	}
	unsigned char *din = device_alloc<unsigned char>(n);
	unsigned *bins = device_alloc<unsigned>(BINS);
	to_device(din, in, n);
	must(cudaMemset(bins, 0, sizeof(got)), "cudaMemset");
	histogram<<<BLOCKS, THREADS>>>(bins, din, n);
	finish_kernels();
	to_host(got, bins, BINS);
	int bad = 0;
	for (int i = 0; i < BINS; i++)
		bad += got[i] != want[i];
	return verdict(bad);
}
