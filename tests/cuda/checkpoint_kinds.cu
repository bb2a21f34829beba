// All kinds of memory that a checkpoint keeps, used before and behind it (tests/run checkpoint): constants, variables, arrays, the heap of
// kernels, managed, pinned and registered memory; streams, events and a graph.
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { N = 9 };

__constant__ int factor[4];
__device__ int total;

__global__ void first(int **keep, int n, int *pinned)
{
	if (threadIdx.x == 0 && blockIdx.x == 0) {
		keep[n] = (int *)malloc(64 + 100 * n);
		*keep[n] = n * 7 + factor[n & 3];
		pinned[n] = n + 1;
	}
	atomicAdd(&total, factor[1]);
}

__global__ void second(int **keep, int n, const int *pinned, int *own, int *seen)
{
	if (threadIdx.x)
		return;
	seen[n & 3] = *keep[n] + total;
	own[n] = pinned[n] * 10;
	free(keep[n]);
}

static int *own;

static void use_own(int n) { own[N + n] = own[n]; } // the program's writes stand beside the kernels'

int main()
{
	int **keep = device_alloc<int *>(N), c[4] = {3, 5, 7, 9}, *pinned, *seen;
	OK(cudaMallocManaged((void **)&seen, 4 * sizeof *seen));
	OK(cudaMemcpyToSymbol(factor, c, sizeof c));
	OK(cudaHostAlloc((void **)&pinned, N * sizeof *pinned, cudaHostAllocMapped));
	own = (int *)aligned_alloc(4096, 4096); // where it lies in its page shows in L2
	memset(own, 0, 4096);
	OK(cudaHostRegister(own, 2 * N * sizeof *own, cudaHostRegisterMapped));
	cudaStream_t s[3];
	for (int i = 0; i < 3; i++)
		OK(cudaStreamCreate(&s[i]));
	cudaEvent_t begin, end;
	OK(cudaEventCreate(&begin));
	OK(cudaEventCreate(&end));
	OK(cudaEventRecord(begin, s[0]));
	for (int i = 0; i < N; i++) {
		first<<<2, 32, 0, s[i % 3]>>>(keep, i, pinned);
		if (i % 3 == 2)
			OK(cudaDeviceSynchronize());
	}
	OK(cudaEventRecord(end, s[0]));
	OK(cudaEventSynchronize(end));
	float ms;
	OK(cudaEventElapsedTime(&ms, begin, end));
	CHECK(ms > 0, "%g ms", ms);
	for (int i = 0; i < N; i++)
		CHECK(pinned[i] == i + 1, "pinned[%d] is %d", i, pinned[i]);
	const int sum = N * 64 * c[1];
	for (int i = 0; i < N; i++) {
		second<<<1, 32, 0, s[i % 3]>>>(keep, i, pinned, own, seen);
		OK(cudaDeviceSynchronize());
		use_own(i);
		CHECK(seen[i & 3] == i * 7 + c[i & 3] + sum, "seen[%d] is %d", i & 3, seen[i & 3]);
	}
	for (int i = 0; i < N; i++)
		CHECK(own[i] == 10 * (i + 1) && own[N + i] == own[i], "own: %d and %d", own[i], own[N + i]);
	int found;
	OK(cudaMemcpyFromSymbol(&found, total, sizeof found));
	CHECK(found == sum, "%d, not %d", found, sum);
	OK(cudaHostUnregister(own));
	return check_done();
}
