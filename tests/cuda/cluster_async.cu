// What blocks of a cluster send each other beside their threads: arrivals at mbarriers of other blocks and bytes that these expect,
// st.async, red.async, bulk copies from shared memory to that of another block, and from global memory to that of several.
// flags: -arch=sm_90
// twice
// env: GPGPUSIM_CONFIG=../../../../../configs/SM90_H100/gpgpusim.config
#include "cluster.h"

enum { THREADS = 64, WORDS = 256 };

static __device__ void init(u64 *b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
static __device__ void visible(void) { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
static __device__ void proxy(void) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
static __device__ void expect(u64 *b, unsigned bytes)
{
	u64 s;
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(s) : "r"(at(b)), "r"(bytes) : "memory");
	(void)s;
}

static __device__ void arrive_there(unsigned b, unsigned n)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" :: "r"(b), "r"(n) : "memory");
}

static __device__ void wait(u64 *b, unsigned parity)
{
	unsigned done = 0;
	while (!done)
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
		             : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
}

// Each block waits until all threads of the others have written to it and arrived; many phases.
static __global__ void arrivals(unsigned *wrong)
{
	enum { PHASES = 12 };
	__shared__ u64 full, spent;
	__shared__ unsigned from[16];
	const unsigned r = cluster_ctarank(), n = cluster_nctarank(), t = threadIdx.x;
	unsigned bad = 0;
	if (!t)
		init(&full, n), init(&spent, n), visible();
	cluster_sync();
	for (unsigned p = 0; p < PHASES; p++) {
		if (t < n) { // one thread for each of the others
			store(map(&from[r], t), 1000 * p + 10 * r + t);
			arrive_there(map(&full, t), 1);
		}
		wait(&full, p & 1);
		if (t < n)
			bad |= from[t] != 1000 * p + 10 * t + r;
		__syncthreads();
		if (t < n) // all may be written again
			arrive_there(map(&spent, t), 1);
		wait(&spent, p & 1);
	}
	atomicOr(wrong, bad ? 1u : 0u);
	cluster_sync();
}

// Every thread stores 4, 8 and 16 bytes into the next block, and reduces there; that waits for the bytes alone.
enum { SUMS = 8 };
static __global__ void stores(unsigned *wrong, unsigned *sums, u64 *big)
{
	__shared__ u64 bar, two[THREADS], total;
	__shared__ unsigned one[THREADS], sum[SUMS];
	__shared__ __align__(16) unsigned four[4 * THREADS], pair[2 * THREADS];
	const unsigned t = threadIdx.x, r = cluster_ctarank(), n = cluster_nctarank(), next = (r + 1) % n, last = (r + n - 1) % n;
	const unsigned v = 100 * r + t, u = 100 * last + t;
	unsigned bad = 0;
	if (!t) {
		init(&bar, 1);
		visible();
		expect(&bar, THREADS * (4 + 8 + 16 + 8 + SUMS * 4 + 8));
		total = 5;
	}
	if (t < SUMS)
		sum[t] = t < 4 ? 0 : t == 4 ? 1000 : 0x7fffffff;
	cluster_sync();
	const unsigned there = map(&bar, next);
#define ST "st.async.shared::cluster.mbarrier::complete_tx::bytes."
	asm volatile(ST "b32 [%0], %2, [%1];" :: "r"(map(&one[t], next)), "r"(there), "r"(v) : "memory");
	asm volatile(ST "b64 [%0], %2, [%1];" :: "r"(map(&two[t], next)), "r"(there), "l"((u64)v << 32 | t) : "memory");
	asm volatile(ST "v2.b32 [%0], {%2, %3}, [%1];" :: "r"(map(&pair[2 * t], next)), "r"(there), "r"(v), "r"(v + 7) : "memory");
	asm volatile(ST "v4.b32 [%0], {%2, %3, %4, %5}, [%1];"
	             :: "r"(map(&four[4 * t], next)), "r"(there), "r"(v), "r"(v + 1), "r"(v + 2), "r"(v + 3) : "memory");
#define RED(i, op, value) \
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." op " [%0], %1, [%2];" \
	             :: "r"(map(&sum[i], next)), "r"(value), "r"(there) : "memory")
	RED(0, "add.u32", v);
	RED(1, "max.u32", v);
	RED(2, "or.b32", 1u << t % 32);
	RED(3, "xor.b32", v);
	RED(4, "min.s32", -(int)v);
	RED(5, "and.b32", ~(1u << t % 7));
	RED(6, "inc.u32", 0x80000000u);
	RED(7, "dec.u32", 0x7fffffffu);
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
	             :: "r"(map(&total, next)), "l"((u64)v << 33), "r"(there) : "memory");
	wait(&bar, 0);
	bad |= one[t] != u ? 1 : 0;
	bad |= two[t] != ((u64)u << 32 | t) ? 2 : 0;
	bad |= pair[2 * t] != u || pair[2 * t + 1] != u + 7 ? 4 : 0;
	for (unsigned i = 0; i < 4; i++)
		bad |= four[4 * t + i] != u + i ? 8 : 0;
	atomicOr(wrong, bad);
	if (t < SUMS)
		sums[blockIdx.x * SUMS + t] = sum[t];
	if (!t)
		big[blockIdx.x] = total;
	cluster_sync();
}

static void check_stores(unsigned n, unsigned clusters)
{
	const unsigned blocks = n * clusters;
	unsigned zero = 0, *d = to_device(&zero, 1), *s = device_alloc<unsigned>(blocks * SUMS), *h = new unsigned[blocks * SUMS], wrong;
	u64 *b = device_alloc<u64>(blocks), *big = new u64[blocks];
	OK(launch(stores, dim3(blocks), dim3(THREADS), dim3(n), 0, d, s, b));
	LAUNCHED();
	to_host(&wrong, d, 1);
	to_host(h, s, blocks * SUMS);
	to_host(big, b, blocks);
	CHECK(wrong == 0, "(cluster of %u: 0x%x)", n, wrong);
	for (unsigned k = 0; k < blocks; k++) {
		const unsigned last = (k % n + n - 1) % n;
		unsigned want[SUMS] = {0, 0, 0, 0, 1000, 0x7fffffff, THREADS - 2, 0x7fffffff - THREADS};
		u64 total = 5;
		for (unsigned t = 0; t < THREADS; t++) {
			const unsigned v = 100 * last + t;
			want[0] += v;
			want[1] = v > want[1] ? v : want[1];
			want[2] |= 1u << t % 32;
			want[3] ^= v;
			want[4] = -(int)v < (int)want[4] ? -(int)v : want[4];
			want[5] &= ~(1u << t % 7);
			total += (u64)v << 33;
		}
		for (unsigned i = 0; i < SUMS; i++)
			CHECK(h[k * SUMS + i] == want[i], "(cluster of %u, block %u, sum %u: 0x%x, want 0x%x)", n, k, i, h[k * SUMS + i], want[i]);
		CHECK(big[k] == total);
	}
	delete[] h;
	delete[] big;
	OK(cudaFree(d));
	OK(cudaFree(s));
	OK(cudaFree(b));
}

// One thread copies the block's words to each of the others; and the first block of the cluster copies from global memory to those that
// `mask` names, at their own mbarriers.
static __global__ void copies(unsigned *wrong, const unsigned *from, unsigned mask)
{
	__shared__ __align__(16) unsigned own[WORDS], got[16 * WORDS], cast[2 * WORDS];
	__shared__ u64 bar[2];
	const unsigned t = threadIdx.x, r = cluster_ctarank(), n = cluster_nctarank();
	unsigned bad = 0;
	for (unsigned i = t; i < WORDS; i += blockDim.x)
		own[i] = 10000 * blockIdx.x + i, cast[i] = cast[WORDS + i] = ~0u;
	if (!t) {
		init(&bar[0], 1);
		init(&bar[1], 1);
		visible();
		expect(&bar[0], n * sizeof own);
		if (mask >> r & 1)
			expect(&bar[1], sizeof cast);
	}
	proxy();
	cluster_sync();
	if (t < n)
		asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		             :: "r"(map(&got[r * WORDS], t)), "r"(at(own)), "r"((unsigned)sizeof own), "r"(map(&bar[0], t)) : "memory");
	if (!r && t < 2)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
		             :: "r"(at(&cast[t * WORDS])), "l"(from + t * WORDS), "r"((unsigned)sizeof own), "r"(at(&bar[1])), "h"((unsigned short)mask)
		             : "memory");
	wait(&bar[0], 0);
	if (mask >> r & 1)
		wait(&bar[1], 0);
	for (unsigned k = 0; k < n; k++)
		for (unsigned i = t; i < WORDS; i += blockDim.x)
			bad |= got[k * WORDS + i] != 10000 * (blockIdx.x - r + k) + i ? 1 : 0;
	for (unsigned i = t; i < 2 * WORDS; i += blockDim.x)
		bad |= cast[i] != (mask >> r & 1 ? from[i] : ~0u) ? 2 : 0;
	atomicOr(wrong, bad);
	cluster_sync();
}

static void check_copies(unsigned n, unsigned clusters, unsigned mask)
{
	unsigned zero = 0, *d = to_device(&zero, 1), from[2 * WORDS], wrong;
	for (unsigned i = 0; i < 2 * WORDS; i++)
		from[i] = 7 * i + 3;
	unsigned *f = to_device(from, 2 * WORDS);
	OK(launch(copies, dim3(n * clusters), dim3(THREADS), dim3(n), 0, d, (const unsigned *)f, mask));
	LAUNCHED();
	to_host(&wrong, d, 1);
	CHECK(wrong == 0, "(cluster of %u, mask 0x%x: 0x%x)", n, mask, wrong);
	OK(cudaFree(d));
	OK(cudaFree(f));
}

static void check_arrivals(unsigned n, unsigned clusters)
{
	unsigned zero = 0, *d = to_device(&zero, 1), wrong;
	OK(launch(arrivals, dim3(n * clusters), dim3(THREADS), dim3(n), 0, d));
	LAUNCHED();
	to_host(&wrong, d, 1);
	CHECK(wrong == 0, "(cluster of %u)", n);
	OK(cudaFree(d));
}

int main(void)
{
	check_arrivals(1, 1);
	check_arrivals(2, 3);
	check_arrivals(8, 2);
	check_arrivals(16, 1);
	check_stores(1, 1);
	check_stores(2, 3);
	check_stores(7, 1);
	check_copies(1, 1, 1);
	check_copies(2, 3, 3);
	check_copies(4, 2, 0xa);
	check_copies(8, 1, 0xff);
	check_copies(8, 1, 1);
	check_copies(16, 1, 0x8421);
	return check_done();
}
