// Static and dynamic shared memory together, several types in one dynamic block, templates with their own static
// arrays.
#include "check.h"

template <class T, int N> __device__ T reversed(T v)
{
	__shared__ T buffer[N];
	buffer[threadIdx.x] = v;
	__syncthreads();
	T r = buffer[N - 1 - threadIdx.x];
	__syncthreads();
	return r;
}

__global__ void run(double *out, int n)
{
	extern __shared__ double dynamic[];
	__shared__ int counter;
	__shared__ char letters[3][64];
	double *d = dynamic;
	float *f = (float *)(d + n);
	short *s = (short *)(f + n);
	int i = threadIdx.x;
	if (i == 0)
		counter = 0;
	d[i] = i * 1.5;
	f[i] = i * 0.25f;
	s[i] = -i;
	letters[i % 3][i] = i;
	__syncthreads();
	atomicAdd(&counter, s[n - 1 - i]);
	__syncthreads();
	double v = d[n - 1 - i] + f[(i + 1) % n] + letters[i % 3][i] + counter;
	out[blockIdx.x * n + i] = v + reversed<int, 64>(i) * 1000 + reversed<double, 64>(i * 0.5) + reversed<char, 64>(i);
}

int main()
{
	const int n = 64, blocks = 5;
	double *d = device_alloc<double>(n * blocks), h[blocks][n];
	run<<<blocks, n, n * (8 + 4 + 2)>>>(d, n);
	LAUNCHED();
	to_host(h[0], d, n * blocks);
	for (int b = 0; b < blocks; b++)
		for (int i = 0; i < n; i++) {
			int j = n - 1 - i;
			double e = j * 1.5 + (i + 1) % n * 0.25 + i - n * (n - 1) / 2 + j * 1000 + j * 0.5 + j;
			CHECK(h[b][i] == e, "block %d thread %d: %g, not %g", b, i, h[b][i], e);
		}
	return check_done();
}
