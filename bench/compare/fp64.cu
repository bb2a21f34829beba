// Four chains of double-precision fused multiply-adds and one division per round. Measures the double-precision units.
// fp64 [BLOCKS] [ROUNDS]
#include "compare.h"

enum { THREADS = 128, STEPS = 8 };

// Also what the host checks with; with and without fusing the results differ in the last bits only.
__host__ __device__ inline double chains(double a, double k, int rounds)
{
	double b = a + 1, c = a + 2, d = a + 3, sum = 0;
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < STEPS; i++) {
			a = a * k + b;
			b = b * k + c;
			c = c * k + d;
			d = d * k + a;
		}
		sum += a / (b + 1);
	}
	return sum;
}

__global__ void fp64(double *out, double k, int rounds)
{
	out[blockIdx.x * THREADS + threadIdx.x] = chains(threadIdx.x, k, rounds);
}

int main(int argc, char **argv)
{
	int blocks = argument(argc, argv, 1, 160), rounds = argument(argc, argv, 2, 40), n = blocks * THREADS, bad = 0;
	double *got = host_alloc<double>(n), *out = device_alloc<double>(n);
	fp64<<<blocks, THREADS>>>(out, 0.25, rounds);
	finish_kernels();
	to_host(got, out, n);
	for (int i = 0; i < n; i++) {
		double want = chains(i % THREADS, 0.25, rounds), off = (got[i] - want) / want;
		bad += !(off > -1e-9 && off < 1e-9);
	}
	return verdict(bad);
}
