// What Hopper added: products of warp groups, mbarriers, copies by the Tensor Memory Accelerator, clusters; and what orders
// warps and memory. Cycles are those of one CTA alone on the GPU unless a curve is one of bandwidth.
#include "micro.h"

#include <cstdint>

enum { GROUP = 128, MANY = 32, CHAIN = 16, TURNS = 3, SMS_MOST = 256 };
typedef unsigned long long u64;

extern __shared__ __align__(1024) unsigned char shared_bytes[];

static __device__ __forceinline__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
static __device__ __forceinline__ uint32_t now()
{
	uint32_t t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}

// --- products of warp groups

#define FOUR(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define SIXTEEN(c, i) FOUR(c, i), FOUR(c, i + 4), FOUR(c, i + 8), FOUR(c, i + 12)
#define OUT4(c) FOUR(c, 0)
#define OUT32(c) SIXTEEN(c, 0), SIXTEEN(c, 16)
#define OUT64(c) OUT32(c), SIXTEEN(c, 32), SIXTEEN(c, 48)
#define OUT128(c) OUT64(c), SIXTEEN(c, 64), SIXTEEN(c, 80), SIXTEEN(c, 96), SIXTEEN(c, 112)
#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"
#define LIST4 "%0,%1,%2,%3"
#define LIST30 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9," TEN(1) "," TEN(2)
#define LIST32 LIST30 ",%30,%31"
#define LIST60 LIST30 "," TEN(3) "," TEN(4) "," TEN(5)
#define LIST64 LIST60 ",%60,%61,%62,%63"
#define LIST128 LIST60 "," TEN(6) "," TEN(7) "," TEN(8) "," TEN(9) "," TEN(10) "," TEN(11) ",%120,%121,%122,%123,%124,%125,%126,%127"

// `times` products in a group. took[0]: until all are issued; took[1]: until they are complete. Of each warp group its own.
#define PRODUCTS(name, T, c, n, a_operand, text, tail)                                                                              \
	template <int times> __global__ void __launch_bounds__(2 * GROUP, 1) name(long long *took, T *out)                            \
	{                                                                                                                            \
		const uint64_t rows = (uint64_t)8 << 16 | (uint64_t)64 << 32, da = at(shared_bytes) / 16 | rows,                      \
			       db = (at(shared_bytes) + 16384) / 16 | rows;                                                          \
		uint32_t a0 = threadIdx.x >> 10, a1 = a0, a2 = a0, a3 = a0;                                                           \
		T d[n];                                                                                                              \
		for (int i = 0; i < n; i++)                                                                                          \
			d[i] = 0;                                                                                                    \
		for (int i = threadIdx.x; i < 65536 / 4; i += blockDim.x)                                                            \
			((uint32_t *)shared_bytes)[i] = 0;                                                                           \
		asm volatile("fence.proxy.async;" ::: "memory");                                                                     \
		for (int turn = 0; turn < TURNS; turn++) {                                                                           \
			__syncthreads();                                                                                             \
			asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                      \
			uint32_t t0 = now();                                                                                         \
			_Pragma("unroll") for (int i = 0; i < times; i++)                                                            \
				asm volatile("wgmma.mma_async.sync.aligned." text " {" LIST##n "}, " a_operand(n) tail               \
					     : OUT##n(c)                                                                             \
					     : "l"(da), "l"(db), "r"(a0), "r"(a1), "r"(a2), "r"(a3));                                 \
			asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                               \
			uint32_t t1 = now();                                                                                         \
			asm volatile("wgmma.wait_group.sync.aligned 0;" : OUT##n(c)::"memory");                                      \
			uint32_t t2 = now();                                                                                         \
			if (threadIdx.x % GROUP == 0)                                                                                \
				took[0] = t1 - t0, took[1 + threadIdx.x / GROUP] = t2 - t0;                                          \
		}                                                                                                                    \
		for (int i = 0; i < n; i++)                                                                                          \
			out[threadIdx.x] += d[i];                                                                                    \
	}
#define FROM_SHARED(n) FROM_SHARED_##n
#define FROM_SHARED_4 "%4, %5, 1"
#define FROM_SHARED_32 "%32, %33, 1"
#define FROM_SHARED_64 "%64, %65, 1"
#define FROM_SHARED_128 "%128, %129, 1"
#define FROM_REGISTERS(n) FROM_REGISTERS_##n
#define FROM_REGISTERS_32 "{%34, %35, %36, %37}, %33, 1"
#define FROM_REGISTERS_64 "{%66, %67, %68, %69}, %65, 1"
#define HALVES ", 1, 1, 0, 0;"
PRODUCTS(half_8, float, "+f", 4, FROM_SHARED, "m64n8k16.f32.f16.f16", HALVES)
PRODUCTS(half_64, float, "+f", 32, FROM_SHARED, "m64n64k16.f32.f16.f16", HALVES)
PRODUCTS(half_128, float, "+f", 64, FROM_SHARED, "m64n128k16.f32.f16.f16", HALVES)
PRODUCTS(half_256, float, "+f", 128, FROM_SHARED, "m64n256k16.f32.f16.f16", HALVES)
PRODUCTS(half_64_rs, float, "+f", 32, FROM_REGISTERS, "m64n64k16.f32.f16.f16", ", 1, 1, 0;")
PRODUCTS(half_128_rs, float, "+f", 64, FROM_REGISTERS, "m64n128k16.f32.f16.f16", ", 1, 1, 0;")
PRODUCTS(half_sums_256, uint32_t, "+r", 64, FROM_SHARED, "m64n256k16.f16.f16.f16", HALVES)
PRODUCTS(tf32_256, float, "+f", 128, FROM_SHARED, "m64n256k8.f32.tf32.tf32", ", 1, 1;")
PRODUCTS(e4m3_256, float, "+f", 128, FROM_SHARED, "m64n256k32.f32.e4m3.e4m3", ", 1, 1;")
PRODUCTS(s8_256, int, "+r", 128, FROM_SHARED, "m64n256k32.s32.s8.s8", ";")

template <typename T> static void group_products(const char *curve, double x, void (*alone)(long long *, T *), void (*many)(long long *, T *), long long *took)
{
	T *out = on_device<T>(2 * GROUP);
	char name[64];
	long long cycles[3];
	must(cudaFuncSetAttribute(alone, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536), "cudaFuncSetAttribute");
	must(cudaFuncSetAttribute(many, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536), "cudaFuncSetAttribute");
	alone<<<1, GROUP, 65536>>>(took, out);
	finish();
	must(cudaMemcpy(cycles, took, sizeof cycles, cudaMemcpyDeviceToHost), "cudaMemcpy");
	snprintf(name, sizeof name, "wgmma_alone%s", curve);
	point(name, x, cycles[1]);
	for (int groups = 1; groups <= 2; groups++) {
		many<<<1, groups * GROUP, 65536>>>(took, out);
		finish();
		must(cudaMemcpy(cycles, took, sizeof cycles, cudaMemcpyDeviceToHost), "cudaMemcpy");
		snprintf(name, sizeof name, "wgmma_each%s%s", groups == 2 ? "_of_two" : "", curve);
		point(name, x, (double)(groups == 2 && cycles[2] > cycles[1] ? cycles[2] : cycles[1]) / (MANY * groups));
		if (groups == 1) {
			snprintf(name, sizeof name, "wgmma_issue%s", curve);
			point(name, x, (double)cycles[0] / MANY);
		}
	}
	cudaFree(out);
}

// --- products of warps, matrices from shared memory

#define MMA(text, A, B) \
	asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, " A ", " B ", {%0,%1,%2,%3};" \
		     : "+r"(d[i % chains][0]), "+r"(d[i % chains][1]), "+r"(d[i % chains][2]), "+r"(d[i % chains][3]) : "r"(a), "r"(b))
#define MMA_KERNEL(name, ...)                                                                                             \
	template <int chains> __global__ void name(unsigned seed, long long *took, unsigned *out)                          \
	{                                                                                                                 \
		unsigned d[chains][4] = {}, a = seed, b = seed;                                                           \
		for (int turn = 0; turn < TURNS; turn++) {                                                                \
			__syncthreads();                                                                                  \
			uint32_t start = now();                                                                           \
			_Pragma("unroll") for (int i = 0; i < 2 * CHAIN; i++)                                             \
				__VA_ARGS__;                                                                              \
			__syncthreads();                                                                                  \
			took[0] = now() - start;                                                                          \
		}                                                                                                         \
		for (int c = 0; c < chains; c++)                                                                          \
			out[threadIdx.x] += d[c][0] ^ d[c][1] ^ d[c][2] ^ d[c][3];                                        \
	}
#define REGS4 "{%4,%4,%4,%4}"
#define REGS2 "{%5,%5}"
MMA_KERNEL(mma_f16, MMA("m16n8k16.row.col.f32.f16.f16.f32", REGS4, REGS2))
MMA_KERNEL(mma_bf16, MMA("m16n8k16.row.col.f32.bf16.bf16.f32", REGS4, REGS2))
MMA_KERNEL(mma_f16_k8, MMA("m16n8k8.row.col.f32.f16.f16.f32", "{%4,%4}", "{%5}"))
MMA_KERNEL(mma_tf32, MMA("m16n8k8.row.col.f32.tf32.tf32.f32", REGS4, REGS2))
MMA_KERNEL(mma_s8, MMA("m16n8k32.row.col.s32.s8.s8.s32", REGS4, REGS2))
MMA_KERNEL(mma_e4m3, MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32", REGS4, REGS2))
MMA_KERNEL(mma_f16_sums, asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2,%2,%2}, {%3,%3}, {%0,%1};"
				      : "+r"(d[i % chains][0]), "+r"(d[i % chains][1]) : "r"(a), "r"(b)))
MMA_KERNEL(mma_sparse, asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
				    "{%5,%5,%5,%5}, {%0,%1,%2,%3}, %6, 0;"
				    : "+r"(d[i % chains][0]), "+r"(d[i % chains][1]), "+r"(d[i % chains][2]), "+r"(d[i % chains][3])
				    : "r"(a), "r"(b), "r"(0x44444444)))
MMA_KERNEL(mma_f64, asm volatile("{ .reg .b64 x, y, z, w; mov.b64 x, {%0,%1}; mov.b64 y, {%2,%3}; mov.b64 z, {%4,%4}; mov.b64 w, {%5,%5};\n"
				 "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {x,y}, {z}, {w}, {x,y}; mov.b64 {%0,%1}, x; mov.b64 {%2,%3}, y; }"
				 : "+r"(d[i % chains][0]), "+r"(d[i % chains][1]), "+r"(d[i % chains][2]), "+r"(d[i % chains][3]) : "r"(a), "r"(b)))
MMA_KERNEL(mma_f64_k16, asm volatile(
	"{ .reg .b64 x, y, z, w, u, v; mov.b64 x, {%0,%1}; mov.b64 y, {%2,%3}; mov.b64 u, {%0,%1}; mov.b64 v, {%2,%3}; mov.b64 z, {%4,%4}; mov.b64 w, {%5,%5};\n"
	"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {x,y,u,v}, {z,z,z,z,z,z,z,z}, {w,w,w,w}, {x,y,u,v}; mov.b64 {%0,%1}, x; mov.b64 {%2,%3}, y; }"
	: "+r"(d[i % chains][0]), "+r"(d[i % chains][1]), "+r"(d[i % chains][2]), "+r"(d[i % chains][3]) : "r"(a), "r"(b)))

// Matrices are read so that the next address needs the last word.
#define LDMATRIX(name, number, list, words)                                                                                     \
	__global__ void name(long long *took, unsigned *out)                                                               \
	{                                                                                                                  \
		unsigned v[4] = {}, from = at(shared_bytes) + threadIdx.x % 32 * 16;                                       \
		for (int i = threadIdx.x; i < 4096; i += blockDim.x)                                                       \
			((uint32_t *)shared_bytes)[i] = 0;                                                                 \
		for (int turn = 0; turn < TURNS; turn++) {                                                                 \
			__syncthreads();                                                                                   \
			uint32_t start = now();                                                                            \
			_Pragma("unroll") for (int i = 0; i < CHAIN; i++) {                                                \
				asm volatile("ldmatrix.sync.aligned.m8n8." number ".shared.b16 " list ", [%4];"                 \
					     : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : "r"(from) : "memory");         \
				from += v[words - 1];                                                                      \
			}                                                                                                  \
			uint32_t end = now();                                                                              \
			if (threadIdx.x == 0)                                                                              \
				took[0] = end - start;                                                                     \
		}                                                                                                          \
		out[threadIdx.x] = from;                                                                                   \
	}
LDMATRIX(ldmatrix_1, "x1", "{%0}", 1)
LDMATRIX(ldmatrix_2, "x2", "{%0,%1}", 2)
LDMATRIX(ldmatrix_4, "x4", "{%0,%1,%2,%3}", 4)

// --- what orders warps and memory

__global__ void barriers(long long *took)
{
	for (int turn = 0; turn < TURNS; turn++) {
		__syncthreads();
		uint32_t start = now();
#pragma unroll
		for (int i = 0; i < CHAIN; i++)
			asm volatile("bar.sync 0;" ::: "memory");
		uint32_t end = now();
		if (threadIdx.x == 0)
			took[0] = end - start;
	}
}

// A fence after a store by each of its threads, if there is one; 0: nothing, 1: to shared memory, 2: to global memory.
#define FENCE(name, text)                                                                                                  \
	template <int store> __global__ void name(long long *took, unsigned *to)                                          \
	{                                                                                                                  \
		for (int turn = 0; turn < TURNS; turn++) {                                                                 \
			__syncthreads();                                                                                   \
			uint32_t start = now();                                                                            \
			_Pragma("unroll") for (int i = 0; i < CHAIN; i++) {                                                \
				if (store == 1)                                                                            \
					((volatile unsigned *)shared_bytes)[threadIdx.x] = i;                              \
				if (store == 2)                                                                            \
					((volatile unsigned *)to)[threadIdx.x] = i;                                        \
				asm volatile(text ";" ::: "memory");                                                       \
			}                                                                                                  \
			uint32_t end = now();                                                                              \
			if (threadIdx.x == 0)                                                                              \
				took[0] = end - start;                                                                     \
		}                                                                                                          \
	}
FENCE(fence_cta, "membar.cta")
FENCE(fence_gl, "membar.gl")
FENCE(fence_sys, "membar.sys")
FENCE(fence_sc_cta, "fence.sc.cta")
FENCE(fence_acq_rel_gpu, "fence.acq_rel.gpu")
FENCE(fence_proxy, "fence.proxy.async")

template <typename K> static void fence(const char *name, K plain, K shared, K global, long long *took, unsigned *to)
{
	char curve[64];
	K of[] = {plain, shared, global};
	static const char *const after[] = {"", "_shared", "_global"};
	for (int i = 0; i < 3; i++)
		for (int warps = 1; warps <= 8; warps *= 8) {
			of[i]<<<1, 32 * warps, 16384>>>(took, to);
			finish();
			snprintf(curve, sizeof curve, "fence_%s%s", name, after[i]);
			point(curve, warps, slowest(took, 1) / CHAIN);
		}
}

__global__ void mbarriers(long long *took, u64 *out)
{
	__shared__ u64 bar;
	u64 sum = 0;
	uint32_t passed = 0;
	asm volatile("mbarrier.init.shared.b64 [%0], 1048575;" ::"r"(at(&bar)) : "memory");
	for (int turn = 0; turn < TURNS; turn++) {
		uint32_t t0 = now();
#pragma unroll
		for (int i = 0; i < CHAIN; i++) {
			u64 state;
			asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
			sum += state;
		}
		uint32_t t1 = now();
#pragma unroll
		for (int i = 0; i < CHAIN; i++) {
			uint32_t done;
			asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }"
				     : "=r"(done) : "r"(at(&bar) + passed) : "memory");
			passed += done - 1;
		}
		uint32_t t2 = now();
		took[0] = t1 - t0, took[1] = t2 - t1;
	}
	out[threadIdx.x] = sum + passed;
}

// --- copies

static __device__ __forceinline__ void init(const u64 *bar, unsigned count)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;\nfence.proxy.async;" ::"r"(at(bar)), "r"(count) : "memory");
}
static __device__ __forceinline__ void expect(const u64 *bar, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void wait(const u64 *bar, unsigned parity)
{
	asm volatile("{ .reg .pred p;\nL: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra L; }" ::"r"(at(bar)), "r"(parity) : "memory");
}
static __device__ __forceinline__ void load(void *to, const void *from, unsigned bytes, const u64 *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes),
		     "r"(at(bar)) : "memory");
}

// `n` copies of `bytes` at once. took[0]: of the first turn, took[1]: of a later one.
__global__ void loads(const char *from, unsigned bytes, unsigned n, long long *took)
{
	__shared__ u64 bar;
	init(&bar, 1);
	for (int turn = 0; turn < TURNS; turn++) {
		uint32_t start = now();
		expect(&bar, bytes * n);
		for (unsigned i = 0; i < n; i++)
			load(shared_bytes + i * bytes, from + i * bytes, bytes, &bar);
		wait(&bar, turn & 1);
		took[turn != 0] = now() - start;
	}
}

__global__ void stores(char *to, unsigned bytes, long long *took)
{
	for (int turn = 0; turn < TURNS; turn++) {
		uint32_t start = now();
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(to),
			     "r"(at(shared_bytes)), "r"(bytes) : "memory");
		took[0] = now() - start;
	}
}

// A warp's copies of 16 bytes a thread past its registers, until they are there.
__global__ void cp_async(const char *from, long long *took)
{
	for (int turn = 0; turn < TURNS; turn++) {
		uint32_t start = now();
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;" ::"r"(at(shared_bytes) + threadIdx.x * 16),
			     "l"(from + threadIdx.x * 16) : "memory");
		took[0] = now() - start;
	}
}

// Every CTA copies `times` pieces of its own; a set of `set` bytes is gone through again and again.
__global__ void stream(const char *from, unsigned bytes, unsigned times, u64 set, long long *took)
{
	__shared__ u64 bar;
	init(&bar, 1);
	u64 place = (u64)blockIdx.x * bytes;
	long long start = clock64();
	for (unsigned i = 0; i < times; i++) {
		expect(&bar, bytes);
		load(shared_bytes, from + place % set, bytes, &bar);
		wait(&bar, i & 1);
		place += (u64)gridDim.x * bytes;
	}
	took[blockIdx.x] = clock64() - start;
}

// --- clusters

// Loads from shared memory of the CTA that is `away` ranks further, each of which the next one needs.
__global__ void remote_loads(unsigned away, long long *took)
{
	__shared__ unsigned zero[32];
	unsigned rank, size, there, v = 0;
	zero[threadIdx.x] = 0;
	asm volatile("mov.u32 %0, %%cluster_ctarank;\nmov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(size));
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(zero)), "r"((rank + away) % size));
	for (int turn = 0; turn < TURNS; turn++) {
		asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
		if (rank == 0) {
			uint32_t start = now();
#pragma unroll
			for (int i = 0; i < CHAIN; i++)
				asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there + v) : "memory");
			took[0] = now() - start + (v == 77);
		}
	}
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// Alone, or with the release that orders memory, which is the default.
template <bool relaxed> __global__ void cluster_barriers(long long *took)
{
	for (int turn = 0; turn < TURNS; turn++) {
		uint32_t start = now();
#pragma unroll
		for (int i = 0; i < CHAIN; i++)
			if (relaxed)
				asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
			else
				asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
		uint32_t end = now();
		if (blockIdx.x == 0 && threadIdx.x == 0)
			took[0] = end - start;
	}
}

// How far a line of L2 is from every SM: took[SM], cycles of CHAIN loads one after the other.
__global__ void from_every_sm(const unsigned *from, long long *took)
{
	unsigned sm, v = 0;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	for (int turn = 0; turn < TURNS; turn++) {
		uint32_t start = now();
#pragma unroll
		for (int i = 0; i < CHAIN; i++)
			asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from + v) : "memory");
		took[sm] = now() - start + (v == 77);
	}
}

// Every CTA reads a neighbour's shared memory, 16 bytes a thread. `zero` is what the compiler does not know, so that no two loads are one.
__global__ void __launch_bounds__(1024) remote_stream(unsigned times, unsigned zero, long long *took, unsigned *out)
{
	unsigned rank, size, there, sum = 0;
	for (int i = threadIdx.x; i < 4096; i += blockDim.x)
		((uint32_t *)shared_bytes)[i] = 0;
	asm volatile("mov.u32 %0, %%cluster_ctarank;\nmov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(size));
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(shared_bytes) + threadIdx.x * 16), "r"((rank + 1) % size));
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
	long long start = clock64();
#pragma unroll 8
	for (unsigned i = 0; i < times; i++) {
		unsigned x, y, z, w;
		asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(there += zero) : "memory");
		sum += x ^ y ^ z ^ w;
	}
	if (sum)
		out[threadIdx.x] = sum;
	__syncthreads();
	took[blockIdx.x] = clock64() - start;
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

template <typename... P, typename... A> static bool in_clusters(void (*kernel)(P...), int blocks, int size, int threads, size_t shared, A... a)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute;
	must(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim = {(unsigned)size, 1, 1};
	config.gridDim = blocks, config.blockDim = threads, config.dynamicSmemBytes = shared, config.attrs = &attribute, config.numAttrs = 1;
	if (cudaLaunchKernelEx(&config, kernel, P(a)...) != cudaSuccess) {
		cudaGetLastError();
		return false;
	}
	finish();
	return true;
}

int main(int argc, char **argv)
{
	const unsigned times = argc > 1 ? atoi(argv[1]) : 512;
	const size_t far = (size_t)(argc > 2 ? atoi(argv[2]) : 1024) << 20; // a set that L2 does not hold
	const int sms = sm_count();
	long long *took = on_device<long long>(SMS_MOST * 8), two[2];
	unsigned *out = on_device<unsigned>(1024);
	char *memory = on_device<char>(far + (1 << 20));

#define GROUPS_OF(curve, x, kernel) group_products(curve, x, kernel<1>, kernel<MANY>, took)
	GROUPS_OF("", 8, half_8);
	GROUPS_OF("", 64, half_64);
	GROUPS_OF("", 128, half_128);
	GROUPS_OF("", 256, half_256);
	GROUPS_OF("_rs", 64, half_64_rs);
	GROUPS_OF("_rs", 128, half_128_rs);
	GROUPS_OF("_half_sums", 256, half_sums_256);
	GROUPS_OF("_tf32", 256, tf32_256);
	GROUPS_OF("_e4m3", 256, e4m3_256);
	GROUPS_OF("_s8", 256, s8_256);

#define PRODUCTS_OF(name)                                                                   \
	do {                                                                                \
		name<1><<<1, 32>>>(0, took, out);                                           \
		finish();                                                                   \
		point("latency_" #name, 1, slowest(took, 1) / (2 * CHAIN));                 \
		for (int warps = 1; warps <= 16; warps *= 2) {                              \
			name<4><<<1, 32 * warps>>>(0, took, out);                           \
			finish();                                                           \
			point("each_" #name, warps, slowest(took, 1) / (2 * CHAIN * warps)); \
		}                                                                           \
	} while (0)
	PRODUCTS_OF(mma_f16);
	PRODUCTS_OF(mma_bf16);
	PRODUCTS_OF(mma_f16_k8);
	PRODUCTS_OF(mma_f16_sums);
	PRODUCTS_OF(mma_tf32);
	PRODUCTS_OF(mma_s8);
	PRODUCTS_OF(mma_e4m3);
	PRODUCTS_OF(mma_sparse);
	PRODUCTS_OF(mma_f64);
	PRODUCTS_OF(mma_f64_k16);

	void (*const matrices[])(long long *, unsigned *) = {ldmatrix_1, ldmatrix_2, ldmatrix_4};
	for (int i = 0; i < 3; i++)
		for (int warps = 1; warps <= 16; warps *= 16) {
			matrices[i]<<<1, 32 * warps, 16384>>>(took, out);
			finish();
			point(warps == 1 ? "ldmatrix" : "ldmatrix_16_warps", 1 << i, slowest(took, 1) / CHAIN);
		}

	for (int warps = 1; warps <= 32; warps *= 2) {
		barriers<<<1, 32 * warps>>>(took);
		finish();
		point("barrier", warps, slowest(took, 1) / CHAIN);
	}
#define FENCE_OF(name) fence(#name, fence_##name<0>, fence_##name<1>, fence_##name<2>, took, out)
	FENCE_OF(cta);
	FENCE_OF(gl);
	FENCE_OF(sys);
	FENCE_OF(sc_cta);
	FENCE_OF(acq_rel_gpu);
	FENCE_OF(proxy);
	mbarriers<<<1, 1>>>(took, (u64 *)out);
	finish();
	must(cudaMemcpy(two, took, sizeof two, cudaMemcpyDeviceToHost), "cudaMemcpy");
	point("mbarrier_arrive", 1, (double)two[0] / CHAIN);
	point("mbarrier_try_wait", 1, (double)two[1] / CHAIN);

	must(cudaFuncSetAttribute(loads, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072), "cudaFuncSetAttribute");
	must(cudaFuncSetAttribute(stores, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072), "cudaFuncSetAttribute");
	must(cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072), "cudaFuncSetAttribute");
	must(cudaFuncSetAttribute(from_every_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072), "cudaFuncSetAttribute");
	for (unsigned bytes = 16; bytes <= 65536; bytes *= bytes < 256 ? 16 : 4) {
		for (int i = 0; i < 2; i++)
			loads<<<1, 1, 65536>>>(memory, bytes, 1, took);
		finish();
		must(cudaMemcpy(two, took, sizeof two, cudaMemcpyDeviceToHost), "cudaMemcpy");
		point("tma_first", bytes, two[0]);
		point("tma_load", bytes, two[1]);
		stores<<<1, 1, 65536>>>(memory, bytes, took);
		finish();
		point("tma_store", bytes, slowest(took, 1));
	}
	for (unsigned n = 1; n <= 16; n *= 2) {
		loads<<<1, 1, 65536>>>(memory, 128, n, took);
		finish();
		must(cudaMemcpy(two, took, sizeof two, cudaMemcpyDeviceToHost), "cudaMemcpy");
		point("tma_loads_of_128", n, two[1]);
	}
	for (unsigned n = 1; n <= 8; n *= 2) {
		loads<<<1, 1, 131072>>>(memory, 16384, n, took);
		finish();
		must(cudaMemcpy(two, took, sizeof two, cudaMemcpyDeviceToHost), "cudaMemcpy");
		point("tma_loads_of_16384", n, two[1]);
	}
	cp_async<<<1, 32, 16384>>>(memory, took);
	finish();
	point("cp_async", 1, slowest(took, 1));
	for (unsigned ctas = 1; ctas <= 8; ctas *= 2) {
		const unsigned bytes = 16384, runs = times / ctas;
		for (int i = 0; i < 2; i++)
			stream<<<sms * ctas, 1, bytes>>>(memory, bytes, runs, (u64)8 << 20, took);
		finish();
		point("tma_l2", ctas, (double)bytes * runs * sms * ctas / slowest(took, sms * ctas));
		stream<<<sms * ctas, 1, bytes>>>(memory, bytes, runs, far, took);
		finish();
		point("tma_dram", ctas, (double)bytes * runs * sms * ctas / slowest(took, sms * ctas));
	}

	for (int line = 0; line < 4; line++) {
		must(cudaMemset(took, 0, SMS_MOST * 8), "cudaMemset");
		from_every_sm<<<sms, 1, 131072>>>((const unsigned *)(memory + line * 4224), took);
		finish();
		for (int sm = 0; sm < sms; sm++) {
			char name[64];
			snprintf(name, sizeof name, "l2_from_sm_%d", line);
			must(cudaMemcpy(two, took + sm, sizeof *two, cudaMemcpyDeviceToHost), "cudaMemcpy");
			if (two[0])
				point(name, sm, (double)two[0] / CHAIN);
		}
	}

	for (int size = 1; size <= 16; size *= 2) {
		if (size > 1)
			for (int away = 1; away < size; away++)
				if (in_clusters(remote_loads, size, size, 32, 0, (unsigned)away, took)) {
					char name[64];
					snprintf(name, sizeof name, "remote_load_of_%d", size);
					point(name, away, slowest(took, 1) / CHAIN);
				}
		if (in_clusters(cluster_barriers<false>, size, size, 32, 0, took))
			point("cluster_barrier", size, slowest(took, 1) / CHAIN);
		if (in_clusters(cluster_barriers<false>, size, size, 256, 0, took))
			point("cluster_barrier_8_warps", size, slowest(took, 1) / CHAIN);
		if (in_clusters(cluster_barriers<true>, size, size, 32, 0, took))
			point("relaxed_cluster_barrier", size, slowest(took, 1) / CHAIN);
		const int blocks = sms / 2 / size * size;
		if (in_clusters(remote_stream, blocks, size, 1024, 16384, 64u, 0u, took, out))
			point("remote_bytes", size, 64.0 * 16 * 1024 / slowest(took, blocks));
	}
}
