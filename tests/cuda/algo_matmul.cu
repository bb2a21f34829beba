// Tiled matrix product through shared memory, with sizes that do not divide by the tile.
// twice
#include "check.h"

template <int T> __global__ void matmul(float *c, const float *a, const float *b, int n, int m, int k)
{
	__shared__ float sa[T][T], sb[T][T];
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	float sum = 0;
	for (int t = 0; t < k; t += T) {
		sa[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
		sb[threadIdx.y][threadIdx.x] = col < m && t + threadIdx.y < k ? b[(t + threadIdx.y) * m + col] : 0;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < T; i++)
			sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
		__syncthreads();
	}
	if (row < n && col < m)
		c[row * m + col] = sum;
}

int main()
{
	const int n = 70, m = 53, k = 41;
	static float a[n * k], b[k * m], c[n * m];
	for (int i = 0; i < n * k; i++)
		a[i] = i % 13 - 6;
	for (int i = 0; i < k * m; i++)
		b[i] = i % 7 - 3;
	float *da = to_device(a, n * k), *db = to_device(b, k * m), *dc = device_alloc<float>(n * m);
	for (int tile = 0; tile < 2; tile++) {
		if (tile)
			matmul<16><<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(dc, da, db, n, m, k);
		else
			matmul<8><<<dim3((m + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(dc, da, db, n, m, k);
		LAUNCHED();
		to_host(c, dc, n * m);
		for (int i = 0; i < n; i++)
			for (int j = 0; j < m; j++) {
				int sum = 0;
				for (int x = 0; x < k; x++)
					sum += ((i * k + x) % 13 - 6) * ((x * m + j) % 7 - 3);
				CHECK(c[i * m + j] == sum, "at %d %d: %g, not %d", i, j, c[i * m + j], sum);
			}
	}
	return check_done();
}
