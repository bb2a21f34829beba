// Memory of every kind, written by whoever may write it: nothing is reported.
// check: --leak-check full
// expect: ========= LEAK SUMMARY: 0 bytes leaked in 0 allocations
// errors: 0
#include "checks.h"

__device__ int counter;
__device__ int table[64];
__constant__ int factor[4];
#ifdef __clang__
__device__ int managed[32];
#else
__managed__ int managed[32];
#endif

struct record {
	char c;
	double d; /* behind seven bytes that nobody writes */
};

__global__ void copy(const record *from, record *to, int n)
{
	if (threadIdx.x < n)
		to[threadIdx.x] = from[threadIdx.x];
}

__global__ void use(int *v, int *pinned, const int *own, int *all)
{
	int x = threadIdx.x;
	v[x] = pinned[x] + own[x] + all[x] + table[x] + factor[x % 4] + managed[x];
	atomicAdd(&counter, v[x]);
}

__global__ void heap(int *v)
{
	int *p = (int *)malloc(32 * sizeof *p), sum = 0;
	for (int i = 0; i < 32; i++)
		p[i] = i;
	for (int i = 0; i < 32; i++)
		sum += p[i];
	free(p);
	v[threadIdx.x] = sum;
}

__global__ void rows(char *p, size_t pitch, int n)
{
	for (int y = 0; y < n; y++)
		p[y * pitch + threadIdx.x]++;
}

__global__ void tell(int *v)
{
	printf("%d %s\n", v[threadIdx.x], threadIdx.x ? "odd" : "even");
}

int main()
{
	enum { N = 32 };
	int *v, *pinned, *own = (int *)aligned_alloc(4096, 4096), *all, h[N], f[4] = {1, 2, 3, 4};
	char *p;
	size_t pitch;
	record r[N], *from, *to;
	for (int i = 0; i < N; i++) {
		r[i] = record{(char)i, 0.5 * i};
		h[i] = own[i] = i;
#ifndef __clang__
		managed[i] = i;
#endif
	}
	cudaMalloc(&v, sizeof h);
	cudaMalloc(&from, sizeof r);
	cudaMalloc(&to, sizeof r);
	cudaMallocHost(&pinned, sizeof h);
	cudaMallocManaged(&all, sizeof h);
	cudaHostRegister(own, 4096, cudaHostRegisterDefault);
	cudaMemcpyToSymbol(factor, f, sizeof f);
	for (int i = 0; i < N; i++)
		pinned[i] = all[i] = i;
	cudaMemcpy(from, r, sizeof r, cudaMemcpyHostToDevice);
	copy<<<1, N>>>(from, to, N);
	copy<<<1, N>>>(to, from, N - 1);
	use<<<1, N>>>(v, pinned, own, all);
	heap<<<1, N>>>(v);
	tell<<<1, 2>>>(v);
	cudaMallocPitch((void **)&p, &pitch, 20, 8);
	cudaMemset2D(p, pitch, 1, 20, 8);
	rows<<<1, 20>>>(p, pitch, 8);
	cudaMemcpy(h, v, sizeof h, cudaMemcpyDeviceToHost);
	cudaHostUnregister(own);
	cudaFree(p), cudaFree(v), cudaFree(from), cudaFree(to), cudaFree(all), cudaFreeHost(pinned);
	free(own);
	printf("%d %s\n", h[5], cudaGetErrorName(cudaGetLastError()));
	return 0;
}
