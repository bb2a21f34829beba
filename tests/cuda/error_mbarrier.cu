// A phase of an mbarrier that never completes, whatever loop waits for it: cudaErrorLaunchTimeout, where a GPU would hang.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_90
#include "fatal.h"

#include <cstdint>

typedef unsigned long long u64;

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

template <int HOW> static __device__ bool ask(u64 *b, unsigned parity)
{
	unsigned p;
	if (HOW == 0)
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
			: "=r"(p) : "r"(at(b)), "r"(parity) : "memory");
	if (HOW == 1)
		asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
			: "=r"(p) : "r"(at(b)), "r"(parity) : "memory");
	if (HOW == 2)
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2, 1000;\nselp.u32 %0, 1, 0, p;\n}"
			: "=r"(p) : "r"(at(b)), "r"(parity) : "memory");
	return p;
}

// Thread 0 does not arrive; some of the others wait for the phase, some for all threads.
template <int HOW> static __global__ void stuck(int *p)
{
	__shared__ u64 b;
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(&b)), "r"(64) : "memory");
	__syncthreads();
	if (threadIdx.x) {
		asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared.b64 s, [%0];\n}" :: "r"(at(&b)) : "memory");
		if (threadIdx.x < 50)
			while (!ask<HOW>(&b, 0))
				;
	}
	__syncthreads();
	p[threadIdx.x] = 1;
}

template <int HOW> static void test(void)
{
	int *d = device_alloc<int>(64);
	stuck<HOW><<<2, 64>>>(d);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorLaunchTimeout, "%d: %s", HOW, cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
}

int main()
{
	test<0>();
	test<1>();
	test<2>();
	return check_done();
}
