// Arrays and structures on the stack, indexed by data, passed by address and by value through several calls.
#include "check.h"

struct matrix {
	int v[4][4];
};

__device__ __noinline__ matrix multiply(matrix a, const matrix &b)
{
	matrix c;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			c.v[i][j] = 0;
			for (int k = 0; k < 4; k++)
				c.v[i][j] += a.v[i][k] * b.v[k][j];
		}
	return c;
}

__device__ __noinline__ void sort(int *p, int n)
{
	for (int i = 1; i < n; i++) {
		int x = p[i], j = i;
		for (; j > 0 && p[j - 1] > x; j--)
			p[j] = p[j - 1];
		p[j] = x;
	}
}

__global__ void run(int *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, keys[24];
	for (int i = 0; i < n; i++)
		keys[i] = (t * 37 + i * i * 11) % 101;
	sort(keys, n);
	matrix a, p;
	for (int i = 0; i < 16; i++) {
		a.v[i / 4][i % 4] = (i * 7 + t) % 5 - 2;
		p.v[i / 4][i % 4] = i % 5 == 0;
	}
	for (int i = 0; i < 5; i++)
		p = multiply(p, a);
	char bytes[40];
	for (int i = 0; i < 40; i++)
		bytes[(i * 3 + t) % 40] = i;
	int *o = out + t * 3;
	o[0] = keys[t % n] * 1000 + keys[n - 1 - t % n];
	o[1] = p.v[t & 3][t >> 2 & 3];
	o[2] = bytes[t % 40] + 100 * bytes[(t * t) % 40];
}

int main()
{
	const int threads = 256, n = 24;
	int *d = device_alloc<int>(threads * 3), h[threads][3];
	run<<<2, threads / 2>>>(d, n);
	LAUNCHED();
	to_host(h[0], d, threads * 3);
	for (int t = 0; t < threads; t++) {
		int count[101] = {0}, keys[n], k = 0;
		for (int i = 0; i < n; i++)
			count[(t * 37 + i * i * 11) % 101]++;
		for (int v = 0; v < 101; v++)
			while (count[v]--)
				keys[k++] = v;
		CHECK(h[t][0] == keys[t % n] * 1000 + keys[n - 1 - t % n], "thread %d: %d", t, h[t][0]);
		int p[4][4], q[4][4];
		for (int i = 0; i < 16; i++)
			p[i / 4][i % 4] = i % 5 == 0;
		for (int step = 0; step < 5; step++) {
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++) {
					q[i][j] = 0;
					for (int m = 0; m < 4; m++)
						q[i][j] += p[i][m] * (((m * 4 + j) * 7 + t) % 5 - 2);
				}
			memcpy(p, q, sizeof(p));
		}
		CHECK(h[t][1] == p[t & 3][t >> 2 & 3], "thread %d: %d", t, h[t][1]);
		char bytes[40];
		for (int i = 0; i < 40; i++)
			bytes[(i * 3 + t) % 40] = i;
		CHECK(h[t][2] == bytes[t % 40] + 100 * bytes[(t * t) % 40], "thread %d: %d", t, h[t][2]);
	}
	return check_done();
}
