// flags: -O1
// skip: hostile timed sass-modern
// Kernels that wait for time to pass: without timing the simulated time of a loop that only reads a clock is passed by instead of
// executed. The waits here are seconds long.
#include "check.h"

typedef unsigned long long u64;

__device__ u64 globaltimer()
{
	u64 t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

// Each thread waits; waited[i]: how long, in nanoseconds.
__global__ void by_globaltimer(u64 ns, u64 *waited)
{
	const u64 begin = globaltimer();
	u64 now;
	do
		now = globaltimer();
	while (now - begin < ns);
	waited[blockIdx.x * blockDim.x + threadIdx.x] = now - begin;
}

__global__ void by_clock(long long cycles, long long *waited)
{
	const long long begin = clock64();
	while (clock64() - begin < cycles * (1 + threadIdx.x % 3)) // lanes leave at different times
		;
	waited[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - begin;
}

__global__ void asleep(u64 ns, u64 *waited)
{
	const u64 begin = globaltimer();
	while (globaltimer() - begin < ns) {
#if __CUDA_ARCH__ >= 700
		__nanosleep(1000);
#endif
	}
	waited[threadIdx.x] = globaltimer() - begin;
}

// One half of a warp waits in one loop, the other in another, and the warps after the first wait for them.
__global__ void apart(long long cycles, long long *waited)
{
	const long long begin = clock64();
	if (threadIdx.x < 16)
		while (clock64() - begin < cycles)
			;
	else if (threadIdx.x < 32)
		while (clock64() - begin < 2 * cycles)
			__threadfence_block();
	__syncthreads();
	waited[threadIdx.x] = clock64() - begin;
}

// Reads clocks very often, but waits for nothing.
__global__ void measures(int n, unsigned *most)
{
	unsigned long long sum = 0;
	for (int i = 0; i < n; i++) {
		const long long t = clock64();
		sum += clock64() - t;
	}
	*most = (unsigned)(sum / n);
}

// Block 0 waits for the time that block 1 says it is over, and gives up when time is up.
__global__ void for_block(volatile int *flag, long long limit, int *out)
{
	if (blockIdx.x == 1) {
		unsigned x = 1;
		for (int i = 0; i < 3000000; i++)
			x = x * 1664525u + 1013904223u;
		out[1] = (int)x;
		__threadfence();
		*flag = 1;
		return;
	}
	const long long begin = clock64();
	while (!*flag && clock64() - begin < limit)
		;
	out[0] = *flag;
}

int main()
{
	enum { N = 4 * 64 };
	u64 *d, h[N];
	int *out, flag[3];
	OK(cudaMalloc(&d, sizeof h));
	OK(cudaMalloc(&out, sizeof flag));

	const u64 ns = 4000000000ull;
	by_globaltimer<<<4, 64>>>(ns, d);
	OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(h[i] >= ns && h[i] < ns + ns / 14, "thread %d waited for %llu ns", i, h[i]);

	const long long cycles = 2000000000;
	by_clock<<<1, 64>>>(cycles, (long long *)d);
	OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++)
		CHECK(h[i] >= (u64)cycles * (1 + i % 3) && h[i] < (u64)cycles * 3 / 14 * 15, "thread %d waited for %llu cycles", i, h[i]);

	asleep<<<1, 32>>>(ns, d);
	OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	CHECK(h[0] >= ns && h[0] < ns + ns / 14, "%llu ns", h[0]);

	apart<<<1, 96>>>(cycles, (long long *)d);
	OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 96; i++)
		CHECK(h[i] >= 2 * (u64)cycles - 10000 && h[i] < (u64)cycles * 2 / 14 * 15, "thread %d waited for %llu cycles", i, h[i]);

	unsigned most;
	measures<<<1, 1>>>(200000, (unsigned *)out);
	OK(cudaMemcpy(&most, out, sizeof most, cudaMemcpyDeviceToHost));
	CHECK(most < 100, "%u cycles from one read of a clock to the next", most);

	OK(cudaMemset(out, 0, sizeof flag));
	for_block<<<2, 1>>>(out + 2, 1ll << 40, out);
	OK(cudaMemcpy(flag, out, sizeof flag, cudaMemcpyDeviceToHost));
	CHECK(flag[0] == 1, "the block gave up too early");
	return check_done();
}
