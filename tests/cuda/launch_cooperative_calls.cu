// A cooperative launch whose blocks wait for each other by the calls of the device runtime, as numba's kernels do: all threads of the
// grid in one call, or one thread for its block. Handle, size and ranks, and what calls without a handle answer.
// nvcc-flags: -rdc=true -lcudadevrt
#include "check.h"

#ifdef __clang__
typedef int cudaCGScope;
#endif
extern "C" __device__ unsigned long long cudaCGGetIntrinsicHandle(cudaCGScope scope);
extern "C" __device__ cudaError_t cudaCGSynchronize(unsigned long long handle, unsigned flags);
extern "C" __device__ cudaError_t cudaCGSynchronizeGrid(unsigned long long handle, unsigned flags);
extern "C" __device__ cudaError_t cudaCGGetSize(unsigned *threads, unsigned *grids, unsigned long long handle);
extern "C" __device__ cudaError_t cudaCGGetRank(unsigned *thread, unsigned *grid, unsigned long long handle);

__device__ int place()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Each value moves on by a place a round. With `part` some lanes of a warp come by another call than the others. */
__global__ void rotate(int *a, int *b, int n, int rounds, int how)
{
	unsigned long long grid = cudaCGGetIntrinsicHandle((cudaCGScope)1);
	int i = place();
	for (int r = 0; r < rounds; r++) {
		b[(i + 1) % n] = a[i];
		__threadfence();
		if (how == 0) {
			cudaCGSynchronize(grid, 0);
		} else if (how == 1) {
			cudaCGSynchronizeGrid(grid, 0);
		} else if (threadIdx.x % 3 == r % 3) {
			cudaCGSynchronize(grid, 0);
		} else {
			for (volatile int k = 0; k < (int)threadIdx.x; k++)
				;
			cudaCGSynchronize(grid, 0);
		}
		int *t = a;
		a = b;
		b = t;
	}
}

/* A meeting of all blocks orders shared memory too. */
__global__ void through_shared(int *out)
{
	__shared__ int s[128];
	s[threadIdx.x] = place();
	cudaCGSynchronize(cudaCGGetIntrinsicHandle((cudaCGScope)1), 0);
	out[place()] = s[blockDim.x - 1 - threadIdx.x];
}

/* The others wait for threads that have exited no longer. */
__global__ void some_leave(int *count, int *out)
{
	unsigned long long grid = cudaCGGetIntrinsicHandle((cudaCGScope)1);
	if (threadIdx.x >= 40)
		return;
	atomicAdd(count, 1);
	__threadfence();
	cudaCGSynchronize(grid, 0);
	out[blockIdx.x * 40 + threadIdx.x] = *(volatile int *)count;
}

__global__ void who(unsigned *out)
{
	unsigned long long grid = cudaCGGetIntrinsicHandle((cudaCGScope)1);
	unsigned size[2] = {7, 7}, rank[2] = {7, 7};
	int e = cudaCGGetSize(&size[0], &size[1], grid) | cudaCGGetRank(&rank[0], &rank[1], grid);
	unsigned *to = out + 6 * place();
	to[0] = e;
	to[1] = size[0];
	to[2] = size[1];
	to[3] = rank[0];
	to[4] = rank[1];
	to[5] = grid != 0;
}

__global__ void without(int *out)
{
	unsigned n = 7;
	out[0] = cudaCGGetIntrinsicHandle((cudaCGScope)1) != 0;
	out[1] = cudaCGGetIntrinsicHandle((cudaCGScope)0) != 0;
	out[2] = cudaCGSynchronize(0, 0);
	out[3] = cudaCGGetSize(&n, 0, 0);
	out[4] = n;
}

int main()
{
	const int blocks = 9, threads = 70, n = blocks * threads;
	static int host[n];
	int *a, *b;
	OK(cudaMalloc(&a, sizeof host));
	OK(cudaMalloc(&b, sizeof host));
	for (int how = 0; how < 3; how++) {
		int count = n, rounds = 5 + how;
		for (int i = 0; i < n; i++)
			host[i] = i;
		OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
		void *args[] = {&a, &b, &count, &rounds, &how};
		OK(cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), args, 0, 0));
		LAUNCHED();
		OK(cudaMemcpy(host, rounds % 2 ? b : a, sizeof host, cudaMemcpyDeviceToHost));
		for (int i = 0; i < n; i++)
			CHECK(host[i] == (i - rounds + n) % n, "way %d, host[%d] = %d", how, i, host[i]);
	}

	void *shared[] = {&a};
	OK(cudaLaunchCooperativeKernel((void *)through_shared, dim3(blocks), dim3(threads), shared, 0, 0));
	LAUNCHED();
	OK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		CHECK(host[i] == i / threads * threads + threads - 1 - i % threads, "host[%d] = %d", i, host[i]);

	OK(cudaMemset(a, 0, sizeof *a));
	void *leave[] = {&a, &b};
	OK(cudaLaunchCooperativeKernel((void *)some_leave, dim3(blocks), dim3(threads), leave, 0, 0));
	LAUNCHED();
	OK(cudaMemcpy(host, b, blocks * 40 * sizeof *host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < blocks * 40; i++)
		CHECK(host[i] == blocks * 40, "host[%d] = %d", i, host[i]);

	unsigned told[6 * n], *out;
	OK(cudaMalloc(&out, sizeof told));
	void *ask[] = {&out};
	OK(cudaLaunchCooperativeKernel((void *)who, dim3(blocks), dim3(threads), ask, 0, 0));
	LAUNCHED();
	OK(cudaMemcpy(told, out, sizeof told, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++) {
		const unsigned want[6] = {0, (unsigned)n, 1, (unsigned)i, 0, 1};
		for (int k = 0; k < 6; k++)
			CHECK(told[6 * i + k] == want[k], "thread %d: %d is %u", i, k, told[6 * i + k]);
	}

	without<<<1, 1>>>(a);
	LAUNCHED();
	OK(cudaMemcpy(host, a, 5 * sizeof *host, cudaMemcpyDeviceToHost));
	CHECK(!host[0] && !host[1] && host[2] == 999 && host[3] == 999 && !host[4], "%d %d %d %d %d", host[0], host[1], host[2], host[3], host[4]);
	return check_done();
}
