// Tiled matrix product, 16 x 16 tiles in shared memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;
	for (int k = 0; k < n; k += TILE) {
		ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
		tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 256;
	size_t bytes = (size_t)n * n * sizeof(float);
	std::vector<float> a(n * n), b(n * n), c(n * n);
	for (int i = 0; i < n * n; i++) {
		a[i] = (float)(i * 7 % 11) - 5;
		b[i] = (float)(i * 5 % 13) - 6;
	}
	float *da, *db, *dc;
	cudaMalloc((void **)&da, bytes);
	cudaMalloc((void **)&db, bytes);
	cudaMalloc((void **)&dc, bytes);
	cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
	matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
	cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
	int bad = 0;
	for (int t = 0; t < 500; t++) {
		int r = t * 7919 % n, q = t * 104729 % n;
		double want = 0;
		for (int k = 0; k < n; k++)
			want += (double)a[r * n + k] * b[k * n + q];
		bad += fabs(want - c[r * n + q]) > 1e-3 * (1 + fabs(want));
	}
	puts(bad ? "FAIL" : "PASS");
	return bad != 0;
}
