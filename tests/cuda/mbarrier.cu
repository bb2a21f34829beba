// mbarrier as sm_80 has it: states and counts of arrivals, dropping out, waiting by state and by parity, copies that arrive, groups of
// lanes at barriers of their own.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_80
#include "check.h"

#include <cstdint>

typedef unsigned long long u64;

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void init(u64 *b, unsigned n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
static __device__ void inval(u64 *b) { asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at(b)) : "memory"); }

static __device__ u64 arrive(u64 *b)
{
	u64 s;
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
	return s;
}

static __device__ u64 arrive_generic(u64 *b)
{
	u64 s;
	asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(s) : "l"(b) : "memory");
	return s;
}

static __device__ u64 arrive_only(u64 *b, unsigned n)
{
	u64 s;
	asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(s) : "r"(at(b)), "r"(n) : "memory");
	return s;
}

static __device__ u64 drop(u64 *b)
{
	u64 s;
	asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
	return s;
}

static __device__ u64 drop_only(u64 *b, unsigned n)
{
	u64 s;
	asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], %2;" : "=l"(s) : "r"(at(b)), "r"(n) : "memory");
	return s;
}

static __device__ unsigned pending(u64 s)
{
	unsigned n;
	asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(s));
	return n;
}

static __device__ bool test(u64 *b, u64 s)
{
	unsigned p;
	asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(p) : "r"(at(b)), "l"(s) : "memory");
	return p;
}

static __device__ bool test_parity(u64 *b, unsigned parity)
{
	unsigned p;
	asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
		: "=r"(p) : "r"(at(b)), "r"(parity) : "memory");
	return p;
}

static __device__ void wait(u64 *b, unsigned parity)
{
	while (!test_parity(b, parity))
		;
}

// One thread goes through what states tell.
enum { FACTS = 24 };
static __global__ void states(unsigned *out)
{
	__shared__ u64 b[2];
	unsigned n = 0;
	init(&b[0], 7);
	u64 s = arrive(&b[0]);
	out[n++] = pending(s); // 7
	out[n++] = test(&b[0], s); // 0
	u64 t = arrive_only(&b[0], 3);
	out[n++] = pending(t); // 6
	t = arrive_generic(&b[0]);
	out[n++] = pending(t); // 3
	out[n++] = test_parity(&b[0], 0); // 0
	out[n++] = test_parity(&b[0], 1); // 1: the phase before the first counts as complete
	t = drop(&b[0]);
	out[n++] = pending(t); // 2
	t = arrive(&b[0]);
	out[n++] = pending(t); // 1
	out[n++] = test(&b[0], s); // 1
	out[n++] = test_parity(&b[0], 0); // 1
	out[n++] = test_parity(&b[0], 1); // 0
	t = arrive(&b[0]);
	out[n++] = pending(t); // 6: one dropped out
	out[n++] = test(&b[0], t); // 0
	u64 u = drop_only(&b[0], 2);
	out[n++] = pending(u); // 5
	u = arrive_only(&b[0], 2);
	out[n++] = pending(u); // 3
	u = arrive(&b[0]);
	out[n++] = pending(u); // 1
	out[n++] = test(&b[0], t); // 1
	u = arrive(&b[0]);
	out[n++] = pending(u); // 4
	inval(&b[0]);
	init(&b[0], 1048575);
	out[n++] = pending(arrive(&b[0])); // 1048575
	out[n++] = pending(arrive_only(&b[0], 1000000)); // 1048574
	out[n++] = pending(arrive(&b[0])); // 48574
	init(&b[1], 1);
	for (int k = 0; k < 3; k++)
		out[n++] = test(&b[1], arrive(&b[1])); // 1
}
static const unsigned facts[FACTS] = { 7, 0, 6, 3, 0, 1, 2, 1, 1, 1, 0, 6, 0, 5, 3, 1, 1, 4, 1048575, 1048574, 48574, 1, 1, 1 };

// All threads of a block, many times, each lane counts.
enum { THREADS = 160, ROUNDS = 20 };
static __global__ void rounds(int *out)
{
	__shared__ u64 b;
	__shared__ int data[2][THREADS];
	const int i = threadIdx.x;
	int sum = i;
	if (i == 0)
		init(&b, THREADS);
	__syncthreads();
	for (int k = 0; k < ROUNDS; k++) {
		data[k & 1][i] = sum + k;
		u64 s = arrive(&b);
		while (!test(&b, s))
			;
		sum = sum * 3 + data[k & 1][(i * 7 + k) % THREADS];
	}
	out[i] = sum;
}

// Lanes of a warp that part and wait for each other, each at a barrier of its own: lane k lets lane k - 1 go.
static __global__ void chain(int *out)
{
	__shared__ u64 b[32];
	__shared__ int order;
	const int i = threadIdx.x;
	init(&b[i], 1);
	order = 0;
	__syncwarp();
	if (i != 31)
		wait(&b[i], 0);
	out[i] = atomicAdd(&order, 1);
	if (i)
		arrive(&b[i - 1]);
}

// A producer warp and consumers through buffers, by full and empty barriers.
enum { BUFFERS = 3, WARPS = 4, ITEMS = 40 };
static __global__ void pipeline(const int *from, int *out)
{
	__shared__ u64 full[BUFFERS], empty[BUFFERS];
	__shared__ int data[BUFFERS][32];
	const int i = threadIdx.x % 32, w = threadIdx.x / 32;
	if (threadIdx.x < BUFFERS) {
		init(&full[i], 32);
		init(&empty[i], 32 * (WARPS - 1));
	}
	__syncthreads();
	int sum = 0;
	for (int k = 0; k < ITEMS; k++) {
		const int s = k % BUFFERS, phase = k / BUFFERS & 1;
		if (w == 0) {
			if (k >= BUFFERS)
				wait(&empty[s], phase ^ 1);
			asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(&data[s][i])), "l"(from + k * 32 + i) : "memory");
			if (k & 1) {
				asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at(&full[s])) : "memory");
			} else {
				asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(at(&full[s])) : "memory");
				arrive(&full[s]);
			}
		} else {
			wait(&full[s], phase);
			sum = sum * 5 + data[s][31 - i] * w;
			arrive(&empty[s]);
		}
	}
	out[threadIdx.x] = sum;
	inval(&empty[0]); // all of them, while others still arrive, as destructors do
}

int main(void)
{
	static unsigned got[FACTS];
	static int from[ITEMS * 32], sums[THREADS > WARPS * 32 ? THREADS : WARPS * 32];
	unsigned *d;
	int *in, *out;
	OK(cudaMalloc(&d, sizeof got));
	OK(cudaMalloc(&in, sizeof from));
	OK(cudaMalloc(&out, sizeof sums));
	states<<<1, 1>>>(d);
	LAUNCHED();
	OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
	for (int k = 0; k < FACTS; k++)
		CHECK(got[k] == facts[k], "fact %d: %u, not %u", k, got[k], facts[k]);

	rounds<<<2, THREADS>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(sums, out, THREADS * sizeof *sums, cudaMemcpyDeviceToHost));
	static int sum[THREADS], data[THREADS];
	for (int i = 0; i < THREADS; i++)
		sum[i] = i;
	for (int k = 0; k < ROUNDS; k++) {
		for (int i = 0; i < THREADS; i++)
			data[i] = sum[i] + k;
		for (int i = 0; i < THREADS; i++)
			sum[i] = (int)((unsigned)sum[i] * 3u + (unsigned)data[(i * 7 + k) % THREADS]);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK(sums[i] == sum[i], "rounds, thread %d: %d, not %d", i, sums[i], sum[i]);

	chain<<<1, 32>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(sums, out, 32 * sizeof *sums, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		CHECK(sums[i] == 31 - i, "chain, lane %d is number %d", i, sums[i]);

	for (int k = 0; k < ITEMS * 32; k++)
		from[k] = k * 77 + 5;
	OK(cudaMemcpy(in, from, sizeof from, cudaMemcpyHostToDevice));
	pipeline<<<2, WARPS * 32>>>(in, out);
	LAUNCHED();
	OK(cudaMemcpy(sums, out, WARPS * 32 * sizeof *sums, cudaMemcpyDeviceToHost));
	for (int i = 0; i < WARPS * 32; i++) {
		unsigned want = 0;
		for (int k = 0; k < ITEMS && i >= 32; k++)
			want = want * 5 + (unsigned)(from[k * 32 + 31 - i % 32] * (i / 32));
		CHECK(sums[i] == (int)want, "pipeline, thread %d: %d, not %d", i, sums[i], (int)want);
	}
	return check_done();
}
