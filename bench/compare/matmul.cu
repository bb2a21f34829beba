// Matrix product with 16x16 tiles in shared memory. Measures shared memory, barriers and latency hiding together.
// matmul [WIDTH, a multiple of 16]
#include "compare.h"

enum { TILE = 16 };

__global__ void matmul(float *c, const float *a, const float *b, int w)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
	float sum = 0;
	for (int k = 0; k < w; k += TILE) {
		ta[ty][tx] = a[y * w + k + tx];
		tb[ty][tx] = b[(k + ty) * w + x];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += ta[ty][i] * tb[i][tx];
		__syncthreads();
	}
	c[y * w + x] = sum;
}

int main(int argc, char **argv)
{
	int w = argument(argc, argv, 1, 256), n = w * w;
	float *a = host_alloc<float>(n), *b = host_alloc<float>(n), *c = host_alloc<float>(n);
	for (int i = 0; i < n; i++) {
		a[i] = i % 7 - 3;
		b[i] = i % 5 - 2;
	}
	float *da = device_alloc<float>(n), *db = device_alloc<float>(n), *dc = device_alloc<float>(n);
	to_device(da, a, n);
	to_device(db, b, n);
	matmul<<<dim3(w / TILE, w / TILE), dim3(TILE, TILE)>>>(dc, da, db, w);
	finish_kernels();
	to_host(c, dc, n);
	int bad = 0;
	for (int y = 0; y < w; y++)
		for (int x = 0; x < w; x++) {
			float sum = 0; // small integers: exact in any order
			for (int k = 0; k < w; k++)
				sum += a[y * w + k] * b[k * w + x];
			bad += c[y * w + x] != sum;
		}
	return verdict(bad);
}
