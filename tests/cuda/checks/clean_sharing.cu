// Threads share memory by all the means that there are, as they should: nothing is reported.
// check: --leak-check full
// expect: ========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
// expect: ========= LEAK SUMMARY: 0 bytes leaked in 0 allocations
// errors: 0
#include "checks.h"

enum { THREADS = 128 };

__global__ void barriers(int *v)
{
	__shared__ int s[THREADS], flag;
	int x = threadIdx.x;
	for (int i = 0; i < 3; i++) {
		s[x] = v[x];
		flag = 7; /* all write the same */
		__syncthreads();
		v[x] = s[THREADS - 1 - x] + flag;
		__syncthreads();
	}
	for (int n = THREADS / 2; n >= 32; n /= 2) { /* a tree, whose last steps a warp does alone */
		if (x < n)
			s[x] += s[x + n];
		__syncthreads();
	}
	for (int n = 16; n && x < 32; n /= 2) {
		int t = s[x + n];
		__syncwarp();
		s[x] += t;
		__syncwarp();
	}
	if (x == 0)
		v[0] = s[0];
}

__global__ void returns_early(int *v, int n)
{
	__shared__ int s[THREADS];
	int x = threadIdx.x;
	if (x >= n)
		return;
	s[x] = v[x];
	__syncthreads();
	v[x] = s[n - 1 - x];
}

__global__ void tiles(int *v)
{
	__shared__ int s[THREADS];
	int x = threadIdx.x;
	unsigned half = 0xffffu << (x & 16);
	s[x] = v[x];
	__syncwarp(half);
	v[x] += s[x ^ 8];
	__syncwarp();
	if (x % 32 < 8) { /* a part of a warp, in a branch of its own */
		s[x] = 5 * x;
		__syncwarp(0xff);
		v[x] += s[x ^ 7];
	}
}

/* Two warps hand a buffer to two others and get it back. */
__global__ void producers(int *v)
{
	__shared__ int s[64];
	int x = threadIdx.x % 64;
	for (int i = 0; i < 4; i++) {
		if (threadIdx.x < 64) {
			if (i)
				asm volatile("bar.sync 2, 128;" ::: "memory");
			s[x] = v[x] + i;
			asm volatile("bar.arrive 1, 128;" ::: "memory");
		} else {
			asm volatile("bar.sync 1, 128;" ::: "memory");
			v[threadIdx.x] += s[63 - x];
			if (i < 3)
				asm volatile("bar.arrive 2, 128;" ::: "memory");
		}
	}
}

__global__ void counters(int *v, double *sum)
{
	__shared__ int bins[8];
	__shared__ double total;
	int x = threadIdx.x;
	if (x < 8)
		bins[x] = 0;
	if (x == 8)
		total = 0;
	__syncthreads();
	atomicAdd(&bins[x % 8], 1);
	unsigned long long *at = (unsigned long long *)&total, old = *at, seen; /* the loop of the programming guide */
	do {
		seen = old;
		old = atomicCAS(at, seen, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)seen) + 1.0));
	} while (seen != old);
	__syncthreads();
	if (x < 8)
		v[x] = bins[x];
	if (x == 9)
		*sum = total;
}

/* Warp 0 tells warp 1 by a flag. */
__global__ void flags(int *v)
{
	__shared__ int data[32], flag;
	int lane = threadIdx.x % 32;
	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x < 32) {
		data[lane] = v[lane] + 1;
		__syncwarp();
		__threadfence_block();
		if (lane == 0)
			atomicExch(&flag, 1);
	} else if (threadIdx.x < 64) {
		if (lane == 0)
			while (atomicAdd(&flag, 0) == 0)
				;
		__threadfence_block();
		__syncwarp();
		v[32 + lane] = data[31 - lane];
	}
}

__global__ void bytes(unsigned char *v)
{
	__shared__ unsigned char s[THREADS];
	__shared__ short t[THREADS];
	int x = threadIdx.x;
	s[x] = v[x];
	t[x] = s[x] + 1;
	s[x] = t[x];
	__syncthreads();
	v[x] = s[x ^ 64];
}

int main()
{
	int *v;
	double *sum;
	cudaMalloc(&v, THREADS * sizeof *v);
	cudaMalloc(&sum, sizeof *sum);
	cudaMemset(v, 0, THREADS * sizeof *v);
	barriers<<<2, THREADS>>>(v);
	returns_early<<<1, THREADS>>>(v, 50);
	tiles<<<1, THREADS>>>(v);
	producers<<<1, THREADS>>>(v);
	counters<<<1, THREADS>>>(v, sum);
	flags<<<1, THREADS>>>(v);
	bytes<<<1, THREADS>>>((unsigned char *)v);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	cudaFree(v);
	cudaFree(sum);
	return 0;
}
