// cp.async.bulk and cp.reduce.async.bulk in every direction, with mbarriers and with groups; st.async and red.async. One CTA.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_90
#include "check.h"

#include <cstdint>

typedef unsigned long long u64;
enum { N = 1024, THREADS = 64 };

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void init(u64 *b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
static __device__ void expect(u64 *b, unsigned n)
{
	asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1;\n}" :: "r"(at(b)), "r"(n) : "memory");
}
static __device__ void wait(u64 *b, unsigned parity)
{
	unsigned p;
	do
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
			: "=r"(p) : "r"(at(b)), "r"(parity) : "memory");
	while (!p);
}
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

// Through shared memory and back, in four pieces.
__global__ void around(const uint32_t *from, uint32_t *to)
{
	__shared__ __align__(128) uint32_t s[2][N];
	__shared__ u64 b[3];
	const int i = threadIdx.x;
	if (i == 0) {
		init(&b[0], 1);
		init(&b[1], 1);
		init(&b[2], 1);
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncthreads();
	if (i == 0) {
		expect(&b[0], N * 4);
		asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(from), "r"(N * 4));
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
			:: "r"(at(s[0])), "l"(from), "r"(N), "r"(at(&b[0])) : "memory");
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
			:: "r"(at(s[0]) + N), "l"((const char *)from + N), "r"(N), "r"(at(&b[0])), "h"((short)1) : "memory");
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
			:: "r"(at(s[0]) + 2 * N), "l"((const char *)from + 2 * N), "r"(2 * N), "r"(at(&b[0])), "l"(0x14f0000000000000ull) : "memory");
	}
	wait(&b[0], 0);
	for (int k = i; k < N; k += THREADS)
		s[1][k] = s[0][N - 1 - k] * 3;
	FENCE();
	__syncthreads();
	if (i == 0) {
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(to), "r"(at(s[1])), "r"(N * 2) : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;"
			:: "l"(to + N / 2), "r"(at(s[1] + N / 2)), "r"(N * 2), "l"(0x14f0000000000000ull) : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
		// Shared memory to itself, by the cluster's addresses.
		expect(&b[1], 256);
		asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
			:: "r"(at(s[0])), "r"(at(s[1] + 64)), "r"(256), "r"(at(&b[1])) : "memory");
		expect(&b[2], 128);
		asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];"
			:: "r"(at(s[0] + 128)), "r"(at(s[1])), "r"(128), "r"(at(&b[2])) : "memory");
	}
	wait(&b[1], 0);
	wait(&b[2], 0);
	to[N + i] = s[0][i];
	if (i < 32)
		to[N + THREADS + i] = s[0][128 + i];
}

#define REDUCE(name, text) \
	static __device__ void name(void *g, unsigned s, unsigned bytes) \
	{ \
		asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." text " [%0], [%1], %2;" :: "l"(g), "r"(s), "r"(bytes) : "memory"); \
	}
REDUCE(add_u32, "add.u32")
REDUCE(add_s32, "add.s32")
REDUCE(add_u64, "add.u64")
REDUCE(min_u32, "min.u32")
REDUCE(min_s32, "min.s32")
REDUCE(max_u32, "max.u32")
REDUCE(max_s32, "max.s32")
REDUCE(min_u64, "min.u64")
REDUCE(min_s64, "min.s64")
REDUCE(max_u64, "max.u64")
REDUCE(max_s64, "max.s64")
REDUCE(inc_u32, "inc.u32")
REDUCE(dec_u32, "dec.u32")
REDUCE(and_b32, "and.b32")
REDUCE(or_b32, "or.b32")
REDUCE(xor_b32, "xor.b32")
REDUCE(and_b64, "and.b64")
REDUCE(or_b64, "or.b64")
REDUCE(xor_b64, "xor.b64")
REDUCE(add_f32, "add.f32")
REDUCE(add_f64, "add.f64")
REDUCE(add_f16, "add.noftz.f16")
REDUCE(add_bf16, "add.noftz.bf16")
REDUCE(min_f16, "min.f16")
REDUCE(max_bf16, "max.bf16")

enum { FORMS = 25, BYTES = 64 };
// Form f reduces slot f.
__global__ void reductions(const uint8_t *from, uint8_t *to)
{
	__shared__ __align__(16) uint8_t s[BYTES];
	for (int k = 0; k < BYTES; k++)
		s[k] = from[k];
	FENCE();
	static void (*const unused)(void *, unsigned, unsigned) = 0;
	(void)unused;
	int f = 0;
#define DO(name) name(to + f++ * BYTES, at(s), BYTES);
	DO(add_u32) DO(add_s32) DO(add_u64) DO(min_u32) DO(min_s32) DO(max_u32) DO(max_s32) DO(min_u64) DO(min_s64) DO(max_u64) DO(max_s64)
	DO(inc_u32) DO(dec_u32) DO(and_b32) DO(or_b32) DO(xor_b32) DO(and_b64) DO(or_b64) DO(xor_b64)
	DO(add_f32) DO(add_f64) DO(add_f16) DO(add_bf16) DO(min_f16) DO(max_bf16)
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <class T> static T combine(int op, T o, T b)
{
	switch (op) {
	case 0: return (T)((u64)o + (u64)b);
	case 1: return b < o ? b : o;
	case 2: return b > o ? b : o;
	case 3: return o >= b ? 0 : (T)(o + 1);
	case 4: return o == 0 || o > b ? b : (T)(o - 1);
	case 5: return (T)((u64)o & (u64)b);
	case 6: return (T)((u64)o | (u64)b);
	default: return (T)((u64)o ^ (u64)b);
	}
}

template <class T> static void integers(const char *name, int op, const uint8_t *was, const uint8_t *by, const uint8_t *is)
{
	for (unsigned k = 0; k < BYTES / sizeof(T); k++) {
		T o, b, r;
		memcpy(&o, was + k * sizeof(T), sizeof o);
		memcpy(&b, by + k * sizeof(T), sizeof b);
		memcpy(&r, is + k * sizeof(T), sizeof r);
		CHECK(r == combine(op, o, b), "%s, element %u: %llx", name, k, (u64)r);
	}
}

// Remote stores and reductions to the own CTA.
__global__ void remote(uint32_t *to)
{
	__shared__ __align__(16) uint32_t s[32];
	__shared__ u64 b;
	const int i = threadIdx.x;
	s[i] = i * 16;
	if (i == 0)
		init(&b, 1);
	__syncthreads();
	if (i == 0)
		expect(&b, 4 + 8 + 16 + 8 + 5 * 4 + 8);
	__syncthreads();
	const unsigned a = at(s), m = at(&b);
	if (i == 0) {
		asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(a), "r"(77), "r"(m) : "memory");
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" :: "r"(a + 8), "l"(0x500000004ull), "r"(m) : "memory");
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];"
			:: "r"(a + 16), "r"(1), "r"(2), "r"(3), "r"(4), "r"(m) : "memory");
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];"
			:: "r"(a + 32), "r"(8), "r"(9), "r"(m) : "memory");
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(a + 64), "r"(5), "r"(m) : "memory");
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%0], %1, [%2];" :: "r"(a + 68), "r"(5000), "r"(m) : "memory");
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%0], %1, [%2];" :: "r"(a + 72), "r"(-3), "r"(m) : "memory");
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%0], %1, [%2];" :: "r"(a + 76), "r"(0xff), "r"(m) : "memory");
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, [%2];" :: "r"(a + 80), "r"(-1), "r"(m) : "memory");
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" :: "r"(a + 88), "l"(0x100000001ull), "r"(m) : "memory");
	}
	wait(&b, 0);
	to[i] = s[i];
}

int main(void)
{
	static uint32_t from[N], got[N + THREADS + 32];
	static uint8_t was[FORMS * BYTES], is[FORMS * BYTES], by[BYTES];
	uint32_t *d, *out;
	unsigned seed = 5;
	for (int k = 0; k < N; k++)
		from[k] = k * 2654435761u + 12345;
	d = device_alloc<uint32_t>(N);
	out = device_alloc<uint32_t>(N + THREADS + 32);
	OK(cudaMemcpy(d, from, sizeof from, cudaMemcpyHostToDevice));
	around<<<1, THREADS>>>(d, out);
	LAUNCHED();
	OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	for (int k = 0; k < N; k++)
		CHECK(got[k] == from[N - 1 - k] * 3, "around, word %d: %x, not %x", k, got[k], from[N - 1 - k] * 3);
	for (int i = 0; i < THREADS; i++)
		CHECK(got[N + i] == from[N - 1 - 64 - i] * 3, "within, word %d", i);
	for (int i = 0; i < 32; i++)
		CHECK(got[N + THREADS + i] == from[128 + i] + from[N - 1 - i] * 3, "sum, word %d", i);

	for (int k = 0; k < FORMS * BYTES; k++)
		was[k] = (uint8_t)check_random(&seed);
	for (int k = 0; k < BYTES; k++)
		by[k] = (uint8_t)check_random(&seed);
	// Floating point: numbers, of which the sums are exact.
	for (int f = 19; f < FORMS; f++)
		for (int k = 0; k < BYTES; k += 2) {
			uint16_t v = (uint16_t)(f == 22 || f == 24 ? 0x4000 + k : 0x4000 + 16 * k);
			memcpy(was + f * BYTES + k, &v, 2);
		}
	uint8_t *w = device_alloc<uint8_t>(sizeof was), *b = device_alloc<uint8_t>(sizeof by);
	OK(cudaMemcpy(w, was, sizeof was, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(b, by, sizeof by, cudaMemcpyHostToDevice));
	reductions<<<1, 1>>>(b, w);
	LAUNCHED();
	OK(cudaMemcpy(is, w, sizeof is, cudaMemcpyDeviceToHost));
#define AT(f) was + (f) * BYTES, by, is + (f) * BYTES
	integers<uint32_t>("add.u32", 0, AT(0));
	integers<uint32_t>("add.s32", 0, AT(1));
	integers<u64>("add.u64", 0, AT(2));
	integers<uint32_t>("min.u32", 1, AT(3));
	integers<int32_t>("min.s32", 1, AT(4));
	integers<uint32_t>("max.u32", 2, AT(5));
	integers<int32_t>("max.s32", 2, AT(6));
	integers<u64>("min.u64", 1, AT(7));
	integers<int64_t>("min.s64", 1, AT(8));
	integers<u64>("max.u64", 2, AT(9));
	integers<int64_t>("max.s64", 2, AT(10));
	integers<uint32_t>("inc.u32", 3, AT(11));
	integers<uint32_t>("dec.u32", 4, AT(12));
	integers<uint32_t>("and.b32", 5, AT(13));
	integers<uint32_t>("or.b32", 6, AT(14));
	integers<uint32_t>("xor.b32", 7, AT(15));
	integers<u64>("and.b64", 5, AT(16));
	integers<u64>("or.b64", 6, AT(17));
	integers<u64>("xor.b64", 7, AT(18));
	for (unsigned k = 0; k < BYTES / 4; k++) {
		float o, v, r;
		memcpy(&o, was + 19 * BYTES + 4 * k, 4);
		memcpy(&v, by + 4 * k, 4);
		memcpy(&r, is + 19 * BYTES + 4 * k, 4);
		if (fabsf(v) > 1e-37f)
			CHECK(r == o + v || r != r, "add.f32, element %u: %g, not %g", k, r, o + v);
	}
	for (unsigned k = 0; k < BYTES / 8; k++) {
		double o, v, r;
		memcpy(&o, was + 20 * BYTES + 8 * k, 8);
		memcpy(&v, by + 8 * k, 8);
		memcpy(&r, is + 20 * BYTES + 8 * k, 8);
		CHECK(r == o + v || r != r, "add.f64, element %u: %g, not %g", k, r, o + v);
	}
	// The same numbers by half and bf16 twice over: 2.x + 2.x.
	for (unsigned k = 0; k < BYTES / 2; k++) {
		uint16_t r, o, v;
		memcpy(&o, was + 23 * BYTES + 2 * k, 2);
		memcpy(&v, by + 2 * k, 2);
		memcpy(&r, is + 23 * BYTES + 2 * k, 2);
		const bool nan = (v & 0x7fff) > 0x7c00, less = v >> 15 || v < o;
		CHECK(r == (!nan && less ? v : o), "min.f16, element %u: %x of %x, %x", k, r, o, v);
		memcpy(&o, was + 24 * BYTES + 2 * k, 2);
		memcpy(&r, is + 24 * BYTES + 2 * k, 2);
		const bool none = (v & 0x7fff) > 0x7f80, more = !(v >> 15) && v > o;
		CHECK(r == (!none && more ? v : o), "max.bf16, element %u: %x of %x, %x", k, r, o, v);
	}
	remote<<<1, 32>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(got, out, 32 * 4, cudaMemcpyDeviceToHost));
	static const uint32_t want[32] = {77, 16, 4, 5, 1, 2, 3, 4, 8, 9, 160, 176, 192, 208, 224, 240, 261, 273, (uint32_t)-3, 304 ^ 0xff, (uint32_t)-1,
	                                  336, 353, 369, 384, 400, 416, 432, 448, 464, 480, 496};
	for (int k = 0; k < 32; k++)
		CHECK(got[k] == want[k], "remote, word %d: %u, not %u", k, got[k], want[k]);
	return check_done();
}
