// Each barrier keeps reads of a shared variable, whose address nobody takes, behind the other thread's write.
#include "check.h"

enum barrier { THREADS, COUNT, AND, OR, WARP, BARRIERS };
static const char *const names[] = { "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__syncwarp" };

template <int B> static __device__ int meet(int n)
{
	switch (B) {
	case THREADS: __syncthreads(); return 32;
	case COUNT: return __syncthreads_count(n & 1) * 2;
	case AND: return __syncthreads_and(n >= 0) * 32;
	case OR: return __syncthreads_or(n == 31) * 32;
	default: ::__syncwarp(); return 32;
	}
}

/* Thread r says r squared in round r, and all add it up. */
template <int B> static __global__ void rounds(int *sums)
{
	__shared__ int said;
	int sum = 0;
	for (int r = 0; r < 32; r++) {
		if (threadIdx.x == r)
			said = r * r;
		int met = meet<B>(threadIdx.x);
		sum += said + (met - 32) * 100000;
		meet<B>(threadIdx.x);
	}
	sums[threadIdx.x] = sum;
}

template <int B> static void test(int *sums)
{
	for (int t = 0; t < 32; t++)
		sums[t] = -1;
	rounds<B><<<1, 32>>>(sums);
	OK(cudaDeviceSynchronize());
	for (int t = 0; t < 32; t++)
		CHECK(sums[t] == 31 * 32 * 63 / 6, "%s: thread %d has %d", names[B], t, sums[t]);
}

int main()
{
	int *sums;
	OK(cudaMallocManaged(&sums, 32 * sizeof *sums));
	test<THREADS>(sums);
	test<COUNT>(sums);
	test<AND>(sums);
	test<OR>(sums);
	test<WARP>(sums);
	return check_done();
}
