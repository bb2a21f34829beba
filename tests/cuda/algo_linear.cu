// Sparse matrix times vector, a warp to a row; Gaussian elimination; two-dimensional convolution with constant weights.
#include "check.h"

__global__ void spmv(const int *first, const int *column, const double *value, const double *x, double *y, int n)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (row >= n)
		return;
	double sum = 0;
	for (int i = first[row] + lane; i < first[row + 1]; i += 32)
		sum += value[i] * x[column[i]];
	for (int d = 16; d; d /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	if (lane == 0)
		y[row] = sum;
}

__global__ void eliminate(double *a, int n, int k)
{
	int row = blockIdx.x + k + 1, col = threadIdx.x + k;
	__shared__ double factor;
	if (threadIdx.x == 0)
		factor = a[row * (n + 1) + k] / a[k * (n + 1) + k];
	__syncthreads();
	if (col <= n)
		a[row * (n + 1) + col] -= factor * a[k * (n + 1) + col];
}

__constant__ int weights[5][5];

__global__ void convolve(int *out, const int *in, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
	if (x >= w || y >= h)
		return;
	for (int j = -2; j <= 2; j++)
		for (int i = -2; i <= 2; i++) {
			int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1);
			sum += weights[j + 2][i + 2] * in[yy * w + xx];
		}
	out[y * w + x] = sum;
}

int main()
{
	const int n = 300;
	static int first[n + 1], column[n * 60];
	static double value[n * 60], x[n], y[n];
	unsigned seed = 12;
	int m = 0;
	for (int r = 0; r < n; r++) {
		first[r] = m;
		x[r] = r % 9 - 4;
		for (int k = check_random(&seed) % 60; k > 0; k--) {
			column[m] = check_random(&seed) % n;
			value[m++] = (int)(check_random(&seed) % 17) - 8;
		}
	}
	first[n] = m;
	double *dy = device_alloc<double>(n);
	spmv<<<(n * 32 + 127) / 128, 128>>>(
		to_device(first, n + 1), to_device(column, m), to_device(value, m), to_device(x, n), dy, n);
	LAUNCHED();
	to_host(y, dy, n);
	for (int r = 0; r < n; r++) {
		double sum = 0;
		for (int i = first[r]; i < first[r + 1]; i++)
			sum += value[i] * x[column[i]];
		CHECK(y[r] == sum, "row %d: %g, not %g", r, y[r], sum);
	}

	const int g = 40;
	static double a[g][g + 1];
	for (int i = 0; i < g; i++) {
		a[i][g] = 0;
		for (int j = 0; j < g; j++) {
			a[i][j] = i == j ? 50 : (i * 7 + j * 3) % 5 - 2;
			a[i][g] += a[i][j] * (j + 1);
		}
	}
	double *da = to_device(a[0], g * (g + 1));
	for (int k = 0; k < g - 1; k++)
		eliminate<<<g - 1 - k, 64>>>(da, g, k);
	LAUNCHED();
	to_host(a[0], da, g * (g + 1));
	double solution[g];
	for (int i = g - 1; i >= 0; i--) {
		solution[i] = a[i][g];
		for (int j = i + 1; j < g; j++)
			solution[i] -= a[i][j] * solution[j];
		solution[i] /= a[i][i];
		CHECK(fabs(solution[i] - (i + 1)) < 1e-9, "unknown %d: %g", i, solution[i]);
	}

	const int w = 70, h = 45;
	int wt[5][5];
	static int in[h][w], out[h][w];
	for (int i = 0; i < 25; i++)
		wt[i / 5][i % 5] = i * 5 % 11 - 4;
	for (int i = 0; i < w * h; i++)
		in[0][i] = i * 31 % 256;
	OK(cudaMemcpyToSymbol(weights, wt, sizeof(wt)));
	int *dout = device_alloc<int>(w * h);
	convolve<<<dim3(5, 6), dim3(16, 8)>>>(dout, to_device(in[0], w * h), w, h);
	LAUNCHED();
	to_host(out[0], dout, w * h);
	for (int v = 0; v < h; v++)
		for (int u = 0; u < w; u++) {
			int sum = 0;
			for (int j = 0; j < 5; j++)
				for (int i = 0; i < 5; i++) {
					int uu = u + i - 2, vv = v + j - 2;
					uu = uu < 0 ? 0 : uu >= w ? w - 1 : uu;
					vv = vv < 0 ? 0 : vv >= h ? h - 1 : vv;
					sum += wt[j][i] * in[vv][uu];
				}
			CHECK(out[v][u] == sum, "at %d %d: %d, not %d", u, v, out[v][u], sum);
		}
	return check_done();
}
