// needs: nvcc
// alloca() in device code: of sizes that differ by thread, in a loop, in functions that call others, up to what the stack holds;
// beyond that the launch fails.
#include "check.h"

#include <alloca.h>

__device__ __noinline__ int weigh(const int *in, int n, int deep)
{
	int *copy = (int *)alloca(n * sizeof(int));
	for (int i = 0; i < n; i++)
		copy[i] = in[n - 1 - i] + deep;
	int below = deep ? weigh(copy, n > 1 ? n - 1 : 1, deep - 1) : 0, sum = below;
	for (int i = 0; i < n; i++)
		sum = sum * 3 + copy[i];
	return sum;
}

__global__ void run(int *out, const int *in, int n)
{
	int mine = in[threadIdx.x] % n + 1, sum = 0;
	int *first = (int *)alloca(mine * sizeof(int));
	for (int i = 0; i < mine; i++)
		first[i] = in[i] ^ threadIdx.x;
	for (int k = 1; k < 4; k++) {
		int *more = (int *)alloca(k * mine * sizeof(int));
		for (int i = 0; i < k * mine; i++)
			more[i] = first[i / k] + i;
		sum = sum * 5 + more[k * mine - 1] + (threadIdx.x % 3 ? weigh(more, mine, k) : 0);
	}
	for (int i = 0; i < mine; i++)
		sum = sum * 7 + first[i];
	out[threadIdx.x] = sum;
}

__global__ void take(int *out, int bytes)
{
	volatile char *p = (volatile char *)alloca(bytes);
	p[0] = (char)threadIdx.x;
	p[bytes - 1] = 1;
	out[threadIdx.x] = p[0] + p[bytes - 1];
}

static int host_weigh(const int *in, int n, int deep)
{
	int copy[64];
	for (int i = 0; i < n; i++)
		copy[i] = in[n - 1 - i] + deep;
	int sum = deep ? host_weigh(copy, n > 1 ? n - 1 : 1, deep - 1) : 0;
	for (int i = 0; i < n; i++)
		sum = (int)((unsigned)sum * 3 + copy[i]);
	return sum;
}

static int expected(const int *in, int n, int t)
{
	int mine = in[t] % n + 1, first[64], more[256];
	unsigned sum = 0;
	for (int i = 0; i < mine; i++)
		first[i] = in[i] ^ t;
	for (int k = 1; k < 4; k++) {
		for (int i = 0; i < k * mine; i++)
			more[i] = first[i / k] + i;
		sum = sum * 5 + more[k * mine - 1] + (t % 3 ? host_weigh(more, mine, k) : 0);
	}
	for (int i = 0; i < mine; i++)
		sum = sum * 7 + first[i];
	return (int)sum;
}

int main()
{
	const int n = 64, most = 20;
	int in[n], out[n];
	unsigned seed = 5;
	for (int i = 0; i < n; i++)
		in[i] = check_random(&seed) % 1000;
	OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
	int *d = device_alloc<int>(n);
	run<<<1, n>>>(d, to_device(in, n), most);
	LAUNCHED();
	to_host(out, d, n);
	for (int i = 0; i < n; i++)
		CHECK(out[i] == expected(in, most, i), "thread %d: %d not %d", i, out[i], expected(in, most, i));
	take<<<1, n>>>(d, 8000);
	LAUNCHED();
	to_host(out, d, n);
	for (int i = 0; i < n; i++)
		CHECK(out[i] == i + 1, "thread %d: %d", i, out[i]);
	take<<<1, n>>>(d, 1 << 20);
	CHECK(cudaDeviceSynchronize() != cudaSuccess, "more than the stack");
	return check_done();
}
