// A product is that of its whole warp group: it reads what all four warps wrote before wgmma.fence, and after wgmma.wait_group any warp
// may write over its operands, without a barrier of the block. CUTLASS's tutorial of wgmma with cp.async counts on both.
// flags: -arch=sm_90a
#include "check.h"

#include <cstdint>

enum { THREADS = 256, STEPS = 12 };

// Each group has matrices of its own, of ones but for B, which is the number of the step in row w * 4 for warp w.
__global__ void one_after_the_other(float *out)
{
	__shared__ __align__(128) uint16_t a[2][64 * 16], b[2][16 * 8];
	const unsigned group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
	const uint64_t strides = (uint64_t)(1024 / 16) << 16 | (uint64_t)(128 / 16) << 32, b_strides = (uint64_t)(128 / 16) << 16 | (uint64_t)8 << 32;
	const uint64_t da = strides | __cvta_generic_to_shared(a[group]) / 16, db = b_strides | __cvta_generic_to_shared(b[group]) / 16;
	float d[4] = {0};
	for (int step = 1; step <= STEPS; step++) {
		if ((unsigned)step % 4 == warp) // the others are long past
			for (int i = 0; i < 20; i++)
				asm volatile("nanosleep.u32 10;");
		for (unsigned i = 0; i < 8; i++)
			a[group][warp * 256 + lane * 8 + i] = 0x3c00;
		b[group][warp * 32 + lane] = (uint16_t)(0x3c00 + step); // 1 + step / 1024
		asm volatile("fence.proxy.async;" ::: "memory");
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
		             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db) : "memory");
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) :: "memory");
		b[group][warp * 32 + lane] = 0;
	}
	for (int i = 0; i < 4; i++)
		out[threadIdx.x * 4 + i] = d[i];
}

int main()
{
	float *out = device_alloc<float>(THREADS * 4), host[THREADS * 4];
	one_after_the_other<<<1, THREADS>>>(out);
	LAUNCHED();
	to_host(host, out, THREADS * 4);
	const float want = 16.0f * STEPS + 16.0f * (STEPS * (STEPS + 1) / 2) / 1024;
	for (int i = 0; i < THREADS * 4; i++)
		CHECK(host[i] == want, "element %d is %g, not %g", i, host[i], want);
	return check_done();
}
