// Game of life, all shortest paths, clustering by nearest mean, and a simulation by random numbers.
// twice
#include "check.h"

__global__ void life(unsigned char *to, const unsigned char *from, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, count = 0;
	if (x >= n || y >= n)
		return;
	for (int j = n - 1; j <= n + 1; j++)
		for (int i = n - 1; i <= n + 1; i++)
			count += from[(y + j) % n * n + (x + i) % n];
	unsigned char me = from[y * n + x];
	to[y * n + x] = count == 3 || (count == 4 && me);
}

__global__ void paths(int *d, int n, int k)
{
	int i = blockIdx.x, j = threadIdx.x;
	int via = d[i * n + k] + d[k * n + j];
	if (via < d[i * n + j])
		d[i * n + j] = via;
}

__global__ void assign(const int2 *p, int n, const int2 *mean, int k, int *sum, int *which)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int best = 0, distance = 2147483647;
	for (int c = 0; c < k; c++) {
		int dx = p[i].x - mean[c].x, dy = p[i].y - mean[c].y, d = dx * dx + dy * dy;
		if (d < distance) {
			distance = d;
			best = c;
		}
	}
	which[i] = best;
	atomicAdd(&sum[best * 3], p[i].x);
	atomicAdd(&sum[best * 3 + 1], p[i].y);
	atomicAdd(&sum[best * 3 + 2], 1);
}

static __host__ __device__ unsigned inside(unsigned seed, int rounds)
{
	unsigned hits = 0;
	for (int i = 0; i < rounds; i++) {
		seed = seed * 1664525u + 1013904223u;
		unsigned x = seed >> 16;
		seed = seed * 1664525u + 1013904223u;
		unsigned y = seed >> 16;
		hits += (unsigned long long)x * x + (unsigned long long)y * y < 1ull << 32;
	}
	return hits;
}

__global__ void monte_carlo(unsigned long long *hits, int rounds)
{
	unsigned n = inside(blockIdx.x * blockDim.x + threadIdx.x, rounds);
	atomicAdd(hits, (unsigned long long)n);
}

int main()
{
	const int n = 64;
	static unsigned char a[n][n], b[n][n], got[n][n];
	for (int i = 0; i < n * n; i++)
		a[0][i] = i * i % 7 < 3 && i % 5;
	unsigned char *d = to_device(a[0], n * n), *e = device_alloc<unsigned char>(n * n);
	for (int s = 0; s < 8; s++) {
		life<<<dim3(4, 8), dim3(16, 8)>>>(e, d, n);
		unsigned char *t = d;
		d = e;
		e = t;
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				int c = -a[y][x];
				for (int k = 0; k < 9; k++)
					c += a[(y + k / 3 + n - 1) % n][(x + k % 3 + n - 1) % n];
				b[y][x] = c == 3 || (c == 2 && a[y][x]);
			}
		memcpy(a, b, sizeof(a));
	}
	LAUNCHED();
	to_host(got[0], d, n * n);
	CHECK(memcmp(a, got, sizeof(a)) == 0, "life");

	const int v = 48;
	static int dist[v][v], back[v][v];
	unsigned seed = 7;
	for (int i = 0; i < v; i++)
		for (int j = 0; j < v; j++)
			dist[i][j] = i == j ? 0 : check_random(&seed) % 6 ? 1000000 : 1 + check_random(&seed) % 100;
	int *dd = to_device(dist[0], v * v);
	for (int k = 0; k < v; k++)
		paths<<<v, v>>>(dd, v, k);
	LAUNCHED();
	to_host(back[0], dd, v * v);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < v; i++)
			for (int j = 0; j < v; j++)
				for (int k = 0; k < v; k++)
					if (dist[i][k] + dist[k][j] < dist[i][j]) {
						dist[i][j] = dist[i][k] + dist[k][j];
						changed = true;
					}
	}
	CHECK(memcmp(dist, back, sizeof(dist)) == 0, "paths");

	const int points = 1000, k = 5;
	static int2 p[points], mean[k];
	static int which[points], sum[k * 3];
	for (int i = 0; i < points; i++) {
		p[i].x = (i % k) * 200 + check_random(&seed) % 150;
		p[i].y = (i % k) * (i % k) * 50 + check_random(&seed) % 150;
	}
	for (int c = 0; c < k; c++)
		mean[c] = p[c * 7];
	int2 *dp = to_device(p, points);
	int *dsum = device_alloc<int>(k * 3), *dwhich = device_alloc<int>(points);
	for (int round = 0; round < 5; round++) {
		int2 *dmean = to_device(mean, k);
		OK(cudaMemset(dsum, 0, sizeof(sum)));
		assign<<<8, 128>>>(dp, points, dmean, k, dsum, dwhich);
		LAUNCHED();
		to_host(which, dwhich, points);
		to_host(sum, dsum, k * 3);
		int expect[k * 3] = {0};
		for (int i = 0; i < points; i++) {
			int best = 0;
			double least = 1e300;
			for (int c = 0; c < k; c++) {
				double r = pow(p[i].x - mean[c].x, 2) + pow(p[i].y - mean[c].y, 2);
				if (r < least) {
					least = r;
					best = c;
				}
			}
			CHECK(which[i] == best, "point %d: %d, not %d", i, which[i], best);
			expect[best * 3] += p[i].x;
			expect[best * 3 + 1] += p[i].y;
			expect[best * 3 + 2]++;
		}
		CHECK(memcmp(sum, expect, sizeof(sum)) == 0, "round %d", round);
		for (int c = 0; c < k; c++)
			if (sum[c * 3 + 2]) {
				mean[c].x = sum[c * 3] / sum[c * 3 + 2];
				mean[c].y = sum[c * 3 + 1] / sum[c * 3 + 2];
			}
		OK(cudaFree(dmean));
	}

	unsigned long long hits = 0, expect = 0, *dh = to_device(&hits, 1);
	monte_carlo<<<8, 64>>>(dh, 100);
	LAUNCHED();
	to_host(&hits, dh, 1);
	for (unsigned t = 0; t < 512; t++)
		expect += inside(t, 100);
	CHECK(hits == expect, "%llu, not %llu", hits, expect);
	return check_done();
}
