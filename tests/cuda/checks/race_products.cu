// Registers of wgmma products that are touched too early, or without a fence; one fault in each kernel but `right`.
// tool: racecheck
// code: ptx
// arch: 90a
// errors: 9
// expect: ========= Error: Race reported between wgmma.mma_async at reads(unsigned long) in race_products.cu:@A@
// expect: =========     and Read access of its accumulator at reads(unsigned long) in race_products.cu:@READS@ [512 hazards]
// expect: =========     first by thread (0,0,0) in block (0,0,0)
// expect: =========     No wgmma.wait_group has waited for its group between
// expect: =========     and Write access of its accumulator at sets(unsigned long) in race_products.cu:@SETS@ [512 hazards]
// expect: =========     and Write access of its register of A at changes(unsigned long) in race_products.cu:@CHANGES@ [512 hazards]
// expect: =========     and Read access of its accumulator at multiplies(unsigned long) in race_products.cu:@MULTIPLIES@ [512 hazards]
// expect: =========     and Read access of its accumulator at open(unsigned long) in race_products.cu:@OPEN@ [512 hazards]
// expect: =========     No wgmma.commit_group has closed its group, so no wgmma.wait_group waits for it
// expect: ========= Error: Race reported between Write access of at adds(unsigned long, float) in race_products.cu:@ADDS@
// expect: =========     and wgmma.mma_async at adds(unsigned long, float) in race_products.cu:@UNFENCED@ [512 hazards]
// expect: =========     The warp has not executed wgmma.fence between
// expect: ========= Error: Race reported between Write access of at factors(unsigned long) in race_products.cu:@FACTORS@
// expect: ========= Error: Race reported between wgmma.mma_async of another shape in at shapes(unsigned long) in race_products.cu:@SMALL@
// expect: ========= Error: No wgmma.fence before wgmma.mma_async at never(unsigned long) in race_products.cu:@NEVER@ [512 hazards]
#include "checks.h"

typedef unsigned long u64;
enum { THREADS = 128 };

static __device__ float out[THREADS];

#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
#define SHARED(d, a, b)                                                                                                                  \
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"                         \
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b))
#define HALVES(d, a, b)                                                                                                                  \
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, 1, 1, 1;"                              \
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b))
#define REGISTERS(d, a, b)                                                                                                               \
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"              \
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]) : "l"(b))
// A is what another product adds up.
#define SUMS(d, a, b)                                                                                                                    \
	asm volatile("{ .reg .b32 %%a1; mov.b32 %%a1, %4; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, "           \
	             "{%%a1, %5, %5, %5}, %6, 1, 1, 1, 0; }"                                                                             \
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "f"(a[0]), "r"(0), "l"(b))

// The first group is waited for while the second is under way; both add up in the same registers. Constants and moves may stand anywhere.
static __global__ void right(u64 m)
{
	float d[4] = {0}, e[4] = {0};
	unsigned a[4] = {threadIdx.x, 1, 2, 3};
	for (int i = 0; i < 3; i++) {
		FENCE;
		SHARED(d, m, m);
		SHARED(d, m, m);
		COMMIT;
		REGISTERS(e, a, m);
		COMMIT;
		WAIT(1);
		out[threadIdx.x] += d[1];
	}
	WAIT(0);
	a[0]++;
	e[3] += a[0];
	FENCE;
	REGISTERS(e, a, m);
	COMMIT;
	WAIT(0);
	out[threadIdx.x] += e[0] + e[3];
}

static __global__ void reads(u64 m)
{
	float d[4] = {0};
	FENCE;
	SHARED(d, m, m); // A
	COMMIT;
	WAIT(1);
	out[threadIdx.x] = d[1]; // READS
	WAIT(0);
}

static __global__ void sets(u64 m)
{
	float d[4] = {0};
	FENCE;
	SHARED(d, m, m);
	COMMIT;
	asm volatile("mov.f32 %0, 0f3f800000;" : "+f"(d[2])); // SETS
	WAIT(0);
	out[threadIdx.x] = d[2];
}

static __global__ void changes(u64 m)
{
	float d[4] = {0};
	unsigned a[4] = {threadIdx.x, 1, 2, 3};
	FENCE;
	REGISTERS(d, a, m);
	COMMIT;
	asm volatile("add.u32 %0, %0, 5;" : "+r"(a[0])); // CHANGES
	WAIT(0);
	out[threadIdx.x] = d[2] + a[0];
}

static __global__ void multiplies(u64 m)
{
	float d[4] = {0}, e[4] = {0};
	FENCE;
	SHARED(d, m, m);
	COMMIT;
	SUMS(e, d, m); // MULTIPLIES
	COMMIT;
	WAIT(0);
	out[threadIdx.x] = e[2];
}

static __global__ void open(u64 m)
{
	float d[4] = {0};
	FENCE;
	SHARED(d, m, m);
	WAIT(0);
	out[threadIdx.x] = d[1]; // OPEN
	COMMIT;
	WAIT(0);
}

static __global__ void adds(u64 m, float x)
{
	float d[4] = {0};
	FENCE;
	d[3] = x + threadIdx.x; // ADDS
	SHARED(d, m, m); // UNFENCED
	COMMIT;
	WAIT(0);
	out[threadIdx.x] = d[1];
}

static __global__ void factors(u64 m)
{
	float d[4] = {0};
	unsigned a[4] = {0, 1, 2, 3};
	FENCE;
	asm volatile("add.u32 %0, %1, 5;" : "=r"(a[2]) : "r"(threadIdx.x)); // FACTORS
	REGISTERS(d, a, m);
	COMMIT;
	WAIT(0);
	out[threadIdx.x] = d[1];
}

static __global__ void shapes(u64 m)
{
	float d[4] = {0};
	FENCE;
	SHARED(d, m, m); // SMALL
	HALVES(d, m, m);
	COMMIT;
	WAIT(0);
	out[threadIdx.x] = d[1];
}

static __global__ void never(u64 m)
{
	float d[4] = {0};
	SHARED(d, m, m); // NEVER
	COMMIT;
	WAIT(0);
	out[threadIdx.x] = d[1];
}

int main(void)
{
	const u64 m = (u64)8 << 16 | (u64)16 << 32; // nothing but zeroes
	right<<<1, THREADS, 8192>>>(m);
	reads<<<1, THREADS, 8192>>>(m);
	sets<<<1, THREADS, 8192>>>(m);
	changes<<<1, THREADS, 8192>>>(m);
	multiplies<<<1, THREADS, 8192>>>(m);
	open<<<1, THREADS, 8192>>>(m);
	adds<<<1, THREADS, 8192>>>(m, 3);
	factors<<<1, THREADS, 8192>>>(m);
	shapes<<<1, THREADS, 8192>>>(m);
	never<<<1, THREADS, 8192>>>(m);
	cudaDeviceSynchronize();
	return 0;
}
