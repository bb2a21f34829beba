// Fences order a message before its flag; clocks go forward, and the global timer counts nanoseconds.
#include "check.h"

__device__ volatile int message[4], flag;

__global__ void pass_on(int *out)
{
	if (blockIdx.x == 1) {
		for (int i = 0; i < 4; i++)
			message[i] = 10 + i;
		__threadfence();
		flag = 1;
		__threadfence_system();
	} else {
		while (flag == 0)
			;
		__threadfence();
		for (int i = 0; i < 4; i++)
			out[i] = message[i];
	}
	asm volatile("fence.acq_rel.gpu;" ::: "memory");
	asm volatile("fence.sc.sys;" ::: "memory");
	asm volatile("membar.cta;" ::: "memory");
}

// More instructions than a warp executes in one turn.
enum { STEPS = 50000 };

__global__ void clocks(long long *out)
{
	unsigned low0 = clock(), low1;
	long long a = clock64(), b;
	unsigned long long g0, g1;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
	int x = threadIdx.x;
	for (int i = 0; i < STEPS; i++)
		x = (int)((unsigned)x * 3 + 1);
	__nanosleep(100);
	b = clock64();
	low1 = clock();
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
	long long *o = out + threadIdx.x * 4;
	o[0] = b - a;
	o[1] = (int)(low1 - low0);
	o[2] = (long long)(g1 - g0);
	o[3] = x;
}

// Some cycles, and their nanoseconds.
__global__ void time_of(long long *out)
{
	unsigned long long g0, g1;
	const long long a = clock64();
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
	long long b;
	do
		b = clock64();
	while (b - a < STEPS);
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
	out[0] = b - a;
	out[1] = (long long)(g1 - g0);
}

int main()
{
	int *d = device_alloc<int>(4), h[4];
	pass_on<<<2, 1>>>(d);
	LAUNCHED();
	to_host(h, d, 4);
	for (int i = 0; i < 4; i++)
		CHECK(h[i] == 10 + i, "at %d: %d", i, h[i]);
	long long *e = device_alloc<long long>(128), c[32][4];
	clocks<<<1, 32>>>(e);
	LAUNCHED();
	to_host(c[0], e, 128);
	for (int i = 0; i < 32; i++) {
		int x = i;
		for (int k = 0; k < STEPS; k++)
			x = (int)((unsigned)x * 3 + 1);
		CHECK(c[i][0] > 0 && c[i][1] > 0 && c[i][2] >= 0 && c[i][3] == x, "lane %d: %lld %lld %lld", i, c[i][0],
			c[i][1], c[i][2]);
	}
	time_of<<<1, 1>>>(e);
	LAUNCHED();
	long long t[2];
	to_host(t, e, 2);
	int khz;
	OK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
	const double expected = t[0] * 1e6 / khz;
	CHECK(t[1] > 0.99 * expected && t[1] < 1.01 * expected, "%lld ns, %lld cycles of %d kHz", t[1], t[0], khz);
	return check_done();
}
