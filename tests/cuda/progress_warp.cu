// Threads of one warp wait for each other: a spin lock taken by every lane, a chain of flags from lane to lane.
#include "check.h"

__global__ void locked(int *lock, volatile int *counter)
{
	bool done = false;
	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			*counter = *counter + 1;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}

/* The naive form, which needs that each thread makes progress on its own. */
__global__ void naive(int *lock, volatile int *counter)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	*counter = *counter + 1;
	__threadfence();
	atomicExch(lock, 0);
}

__global__ void chain(volatile int *flags)
{
	int t = threadIdx.x;
	if (t != 20) {
		while (flags[(t + 1) % 32] == 0)
			;
	}
	flags[t] = flags[(t + 1) % 32] + 1;
}

int main()
{
	int *d = device_alloc<int>(40), h[32];
	OK(cudaMemset(d, 0, 40 * sizeof(int)));
	locked<<<3, 64>>>(d, d + 1);
	LAUNCHED();
	to_host(h, d, 2);
	CHECK(h[0] == 0 && h[1] == 192, "%d %d", h[0], h[1]);
	naive<<<2, 64>>>(d, d + 1);
	LAUNCHED();
	to_host(h, d, 2);
	CHECK(h[0] == 0 && h[1] == 192 + 128, "%d %d", h[0], h[1]);
	chain<<<1, 32>>>(d + 8);
	LAUNCHED();
	to_host(h, d + 8, 32);
	for (int k = 0; k < 32; k++)
		CHECK(h[(20 - k + 32) % 32] == k + 1, "step %d: %d", k, h[(20 - k + 32) % 32]);
	return check_done();
}
