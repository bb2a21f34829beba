// Kernels of many shapes: part-filled warps, every block size, large grids, no arguments, many arguments, templates.
#include "check.h"

__device__ unsigned long long sum;

__global__ void nothing()
{
}

__global__ void add_one()
{
	atomicAdd(&sum, 1ull);
}

template <class T, int K> __global__ void scaled(T *out, T a, T b)
{
	out[threadIdx.x] = a * (T)threadIdx.x + b * (T)K;
}

__global__ void many(int *out, char a, short b, int c, long long d, float e, double f, unsigned char g, int3 h, bool i,
	int *j, unsigned short k)
{
	*out = a + b + c + (int)d + (int)e + (int)f + g + h.x + h.y + h.z + i + *j + k;
}

int main()
{
	nothing<<<1, 1>>>();
	nothing<<<1000, 1024>>>();
	LAUNCHED();
	unsigned long long expect = 0, got;
	for (int n = 1; n <= 1024; n += n < 70 ? 1 : 97) {
		add_one<<<2, n>>>();
		expect += 2 * n;
	}
	add_one<<<dim3(7, 5, 3), dim3(3, 5, 7)>>>();
	expect += 105 * 105;
	add_one<<<70000, 1>>>();
	expect += 70000;
	add_one<<<dim3(1, 3, 300), 2>>>();
	expect += 1800;
	LAUNCHED();
	OK(cudaMemcpyFromSymbol(&got, sum, sizeof(got)));
	CHECK(got == expect, "%llu, not %llu", got, expect);

	int *di = device_alloc<int>(40), hi[40];
	double *dd = device_alloc<double>(40), hd[40];
	scaled<int, 5><<<1, 40>>>(di, 3, -2);
	scaled<double, 7><<<1, 40>>>(dd, 0.5, 2.25);
	LAUNCHED();
	to_host(hi, di, 40);
	to_host(hd, dd, 40);
	for (int i = 0; i < 40; i++)
		CHECK(hi[i] == 3 * i - 10 && hd[i] == 0.5 * i + 15.75, "at %d: %d %g", i, hi[i], hd[i]);
	many<<<1, 1>>>(di, -1, -200, 30000, 4ll, 5.5f, 6.5, 250, make_int3(1, 2, 3), true, di + 5, 60000);
	LAUNCHED();
	to_host(hi, di, 1);
	CHECK(hi[0] == -1 - 200 + 30000 + 4 + 5 + 6 + 250 + 6 + 1 + 5 + 60000, "%d", hi[0]);
	return check_done();
}
