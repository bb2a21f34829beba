// Loads and stores by width: cycles that an SM takes for a warp's instruction when so many warps issue nothing else, from L1,
// from shared memory, to both; and what one load takes whose address the next one needs.
#include "micro.h"

#include <cstdint>

enum { TIMES = 32, TURNS = 3 };

static __device__ __forceinline__ uint32_t now()
{
	uint32_t t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}

// Instructions of one width; `a` is an address of the space, words come and go in four registers.
#define WIDTH(bits, words, list)                                                                                           \
	struct from_global_##bits { static __device__ void one(u64 g, uint32_t, uint32_t *v) {                                       \
		asm volatile("ld.global" words " " list ", [%4];" : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : "l"(g) : "memory"); } }; \
	struct from_shared_##bits { static __device__ void one(u64, uint32_t s, uint32_t *v) {                                       \
		asm volatile("ld.shared" words " " list ", [%4];" : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : "r"(s) : "memory"); } }; \
	struct to_global_##bits { static __device__ void one(u64 g, uint32_t, uint32_t *v) {                                         \
		asm volatile("st.global" words " [%4], " list ";" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "l"(g) : "memory"); } };  \
	struct to_shared_##bits { static __device__ void one(u64, uint32_t s, uint32_t *v) {                                         \
		asm volatile("st.shared" words " [%4], " list ";" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(s) : "memory"); } };
typedef unsigned long long u64;
WIDTH(32, ".b32", "%0")
WIDTH(64, ".v2.b32", "{%0,%1}")
WIDTH(128, ".v4.b32", "{%0,%1,%2,%3}")

// Lane by lane, each warp in a piece of its own. `zero` is what the compiler does not know, so that no two instructions are one.
template <typename I> __global__ void many(unsigned bytes, unsigned zero, char *global, long long *took, uint32_t *out)
{
	__shared__ __align__(16) char shared[16384];
	__shared__ uint32_t first;
	uint32_t v[TIMES][4] = {}, sum = 0;
	u64 g = (u64)(global + threadIdx.x * bytes);
	uint32_t s = (uint32_t)__cvta_generic_to_shared(shared + threadIdx.x * bytes % sizeof shared);
	for (unsigned i = threadIdx.x; i < sizeof shared / 4; i += blockDim.x)
		((uint32_t *)shared)[i] = 0;
	for (int turn = 0; turn < TURNS; turn++) {
		first = ~0u;
		__syncthreads();
		uint32_t start = now();
#pragma unroll
		for (int i = 0; i < TIMES; i++)
			I::one(g += zero, s += zero, v[i]);
#pragma unroll
		for (int i = 0; i < TIMES; i++)
			sum += v[i][0] ^ v[i][1] ^ v[i][2] ^ v[i][3];
		if (sum == 1)
			out[0] = sum;
		out[threadIdx.x] = ((volatile uint32_t *)shared)[threadIdx.x]; // comes behind stores to shared memory
		__syncthreads();
		uint32_t end = now();
		atomicMin(&first, start); // a warp can be the last to leave the barrier
		__syncthreads();
		if (threadIdx.x == 0)
			took[0] = end - first;
	}
	out[threadIdx.x] = sum;
}

template <typename I> __global__ void chain(char *global, long long *took, uint32_t *out)
{
	__shared__ __align__(16) char shared[1024];
	uint32_t v[4] = {}, s = (uint32_t)__cvta_generic_to_shared(shared + threadIdx.x * 16);
	u64 g = (u64)(global + threadIdx.x * 16);
	for (unsigned i = threadIdx.x; i < sizeof shared / 4; i += blockDim.x)
		((uint32_t *)shared)[i] = 0;
	for (int turn = 0; turn < TURNS; turn++) {
		__syncthreads();
		uint32_t start = now();
#pragma unroll
		for (int i = 0; i < TIMES; i++) {
			I::one(g, s, v);
			g += v[0], s += v[0];
		}
		uint32_t end = now();
		if (threadIdx.x == 0)
			took[0] = end - start;
	}
	out[threadIdx.x] = s + (uint32_t)g;
}

template <typename I> static void rate(const char *name, unsigned bytes, char *global, long long *took, uint32_t *out)
{
	char curve[64];
	for (int warps = 4; warps <= 32; warps *= 2) {
		many<I><<<1, 32 * warps>>>(bytes, 0, global, took, out);
		finish();
		snprintf(curve, sizeof curve, "each_%s_%u", name, bytes * 8);
		point(curve, warps, slowest(took, 1) / (TIMES * warps));
	}
}

// Words of L1 that lie `bytes` apart.
static void strides(char *global, long long *took, uint32_t *out)
{
	for (unsigned bytes = 4; bytes <= 128; bytes *= 2) {
		for (int i = 0; i < 2; i++)
			many<from_global_32><<<1, 512>>>(bytes, 0, global, took, out);
		finish();
		point("each_load_l1_apart", bytes, slowest(took, 1) / (TIMES * 16));
	}
}

template <typename I> static void latency(const char *name, unsigned bytes, char *global, long long *took, uint32_t *out)
{
	chain<I><<<1, 32>>>(global, took, out);
	finish();
	point(name, bytes * 8, slowest(took, 1) / TIMES);
}

int main()
{
	long long *took = on_device<long long>(1);
	uint32_t *out = on_device<uint32_t>(1024);
	char *global = on_device<char>(1 << 16);
#define ALL(bits)                                                                         \
	latency<from_global_##bits>("latency_load_l1", bits / 8, global, took, out);       \
	latency<from_shared_##bits>("latency_load_shared", bits / 8, global, took, out);   \
	rate<from_global_##bits>("load_l1", bits / 8, global, took, out);                  \
	rate<from_shared_##bits>("load_shared", bits / 8, global, took, out);              \
	rate<to_global_##bits>("store_global", bits / 8, global, took, out);               \
	rate<to_shared_##bits>("store_shared", bits / 8, global, took, out);
	ALL(32)
	ALL(64)
	ALL(128)
	strides(global, took, out);
}
