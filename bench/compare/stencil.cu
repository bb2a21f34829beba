// Five-point stencil on a square, one launch per step. Measures neighbour reuse in the L1 and many short kernels.
// stencil [WIDTH] [STEPS]
#include "compare.h"

__global__ void step(float *to, const float *from, int w)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= w)
		return;
	int i = y * w + x;
	if (x == 0 || y == 0 || x == w - 1 || y == w - 1)
		to[i] = from[i];
	else
		to[i] = 0.5f * from[i] + 0.125f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w]);
}

static void step_on_host(float *to, const float *from, int w)
{
	for (int y = 0; y < w; y++)
		for (int x = 0; x < w; x++) {
			int i = y * w + x;
			if (x == 0 || y == 0 || x == w - 1 || y == w - 1)
				to[i] = from[i];
			else
				to[i] = 0.5f * from[i] + 0.125f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w]);
		}
}

int main(int argc, char **argv)
{
	int w = argument(argc, argv, 1, 256), steps = argument(argc, argv, 2, 16), n = w * w;
	float *a = host_alloc<float>(n), *b = host_alloc<float>(n), *got = host_alloc<float>(n);
	for (int i = 0; i < n; i++)
		a[i] = i * 37 % 101;
	float *da = device_alloc<float>(n), *db = device_alloc<float>(n);
	to_device(da, a, n);
	dim3 block(32, 8), grid((w + 31) / 32, (w + 7) / 8);
	for (int s = 0; s < steps; s++) {
		step<<<grid, block>>>(db, da, w);
		step_on_host(b, a, w);
		float *t = da;
		da = db;
		db = t;
		t = a;
		a = b;
		b = t;
	}
	finish_kernels();
	to_host(got, da, n);
	int bad = 0;
	for (int i = 0; i < n; i++) {
		float off = got[i] - a[i];
		bad += !(off > -1e-3f && off < 1e-3f);
	}
	return verdict(bad);
}
