// Streaming: the vector triad a = b + s * c, each element touched once. Measures DRAM bandwidth and coalescing.
// triad [ELEMENTS]
#include "compare.h"

__global__ void triad(float *a, const float *b, const float *c, float s, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i] = b[i] + s * c[i];
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 21 << 16);
	float *a = host_alloc<float>(n), *b = host_alloc<float>(n), *c = host_alloc<float>(n);
	for (int i = 0; i < n; i++) {
		b[i] = i % 1024;
		c[i] = i % 511;
	}
	float *da = device_alloc<float>(n), *db = device_alloc<float>(n), *dc = device_alloc<float>(n);
	to_device(db, b, n);
	to_device(dc, c, n);
	triad<<<(n + 255) / 256, 256>>>(da, db, dc, 3.0f, n);
	finish_kernels();
	to_host(a, da, n);
	int bad = 0;
	for (int i = 0; i < n; i++)
		bad += a[i] != b[i] + 3.0f * c[i];
	return verdict(bad);
}
