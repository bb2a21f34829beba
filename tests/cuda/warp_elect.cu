// elect.sync chooses the first of the lanes that are there, and grids that wait for each other (griddepcontrol) run. Both
// are of sm_90; code for older GPUs looks for the first lane itself.
#include "check.h"

struct result {
	unsigned leader, leads, whole;
};

__device__ void elect(unsigned members, unsigned *leader, unsigned *leads)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("{\n.reg .pred p;\nelect.sync %0|p, %2;\nselp.u32 %1, 1, 0, p;\n}" : "=r"(*leader), "=r"(*leads) : "r"(members));
#else
	*leader = __ffs(members) - 1;
	*leads = *leader == threadIdx.x % 32;
#endif
}

__global__ void run(result *out)
{
	unsigned unused;
	result *r = &out[threadIdx.x];
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;");
#endif
	if (threadIdx.x % 3)
		elect(__activemask(), &r->leader, &r->leads);
	elect(0xffffffff, &unused, &r->whole);
#if __CUDA_ARCH__ >= 900
	asm volatile("fence.proxy.async;");
	asm volatile("griddepcontrol.launch_dependents;");
#endif
}

int main()
{
	enum { N = 64 };
	result h[N], *d = device_alloc<result>(N);
	run<<<1, N>>>(d);
	LAUNCHED();
	to_host(h, d, N);
	for (unsigned i = 0; i < N; i++) {
		CHECK(h[i].whole == (i % 32 == 0), "%u", i);
		unsigned first = i < 32 ? 1 : 0; // 0 is a multiple of 3, 32 is not
		if (i % 3)
			CHECK(h[i].leader == first && h[i].leads == (i % 32 == first), "%u: %u %u", i, h[i].leader, h[i].leads);
	}
	return check_done();
}
