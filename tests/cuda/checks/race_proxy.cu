// Stores that a bulk copy reads without a fence of the asynchronous proxy; with one there is nothing to report.
// tool: racecheck
// code: sass-90
// errors: 1
// expect: ========= Error: Race reported between Write access at copy(int*, int) in race_proxy.cu:@WRITES@
// expect: =========     and asynchronous Read access at copy(int*, int) in race_proxy.cu:@READS@ [256 hazards]
// ptx-expect: =========     first by thread (0,0,0) and thread (0,0,0) in block (0,0,0) at __shared__ 0x0
// sass-expect: =========     first by thread (0,0,0) and thread (0,0,0) in block (0,0,0) at __shared__ 0x400
// expect: =========     Neither of them has executed fence.proxy.async between
#include "checks.h"

enum { THREADS = 64 };

__global__ void copy(int *out, int fenced)
{
	__shared__ __align__(16) int s[THREADS];
	s[threadIdx.x] = threadIdx.x; // WRITES
	if (fenced == 1 || (fenced == 2 && threadIdx.x >= 32))
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (fenced == 2)
		asm volatile("fence.proxy.async;" ::: "memory");
	if (threadIdx.x == 0) {
		const unsigned from = (unsigned)__cvta_generic_to_shared(s);
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" :: "l"(out), "r"(from) : "memory"); // READS
		asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
	}
}

int main(void)
{
	int *out;
	cudaMalloc(&out, THREADS * sizeof *out);
	for (int fenced = 0; fenced < 3; fenced++)
		copy<<<1, THREADS>>>(out, fenced);
	cudaDeviceSynchronize();
	return 0;
}
