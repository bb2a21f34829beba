// A cooperative launch: all blocks meet, over and over, at a count in the workspace that the launch gives them, whose
// address nvcc's cooperative_groups reads from two environment registers.
#include "check.h"

__device__ unsigned long long workspace()
{
	unsigned high, low;
	asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
	asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
	return (unsigned long long)high << 32 | low;
}

/* Blocks arrive by counting up; whoever waits leaves once `round` times all blocks have come. */
__device__ void meet(unsigned round)
{
	volatile unsigned *count = (unsigned *)workspace() + 1;
	__syncthreads();
	if (!threadIdx.x) {
		__threadfence();
		atomicAdd((unsigned *)count, 1u);
		while (*count < round * gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
}

__global__ void rotate(int *a, int *b, int n, unsigned rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (unsigned r = 1; r <= rounds; r++) {
		b[(i + 1) % n] = a[i];
		meet(r);
		int *t = a;
		a = b;
		b = t;
	}
}

__global__ void has_workspace(int *out)
{
	*out = workspace() != 0;
}

int main()
{
	const int blocks = 24, threads = 96, n = blocks * threads;
	unsigned rounds = 7;
	static int host[n];
	int *a, *b, *out, count = n, have = 1;
	for (int i = 0; i < n; i++)
		host[i] = i;
	OK(cudaMalloc(&a, sizeof host));
	OK(cudaMalloc(&b, sizeof host));
	OK(cudaMalloc(&out, sizeof *out));
	OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
	void *args[] = {&a, &b, &count, &rounds};
	/* The count starts at 0 each time: an even number of launches with an odd number of rounds. */
	for (int k = 0; k < 4; k++) {
		OK(cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), args, 0, 0));
		int *t = a;
		a = b;
		b = t;
	}
	LAUNCHED();
	OK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		CHECK(host[i] == (i - 28 + n) % n, "host[%d] = %d", i, host[i]);

	/* An ordinary launch has none. */
	has_workspace<<<1, 1>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(&have, out, sizeof have, cudaMemcpyDeviceToHost));
	CHECK(!have);
	return check_done();
}
