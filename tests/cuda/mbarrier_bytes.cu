// mbarrier as sm_90 has it: try_wait, bytes that a phase waits for, scopes, more than one arrival at a time, sinks.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_90
#include "check.h"

#include <cstdint>

typedef unsigned long long u64;

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void init(u64 *b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }

#define ARRIVE(name, text) \
	static __device__ u64 name(u64 *b, unsigned n) \
	{ \
		u64 s; \
		asm volatile("mbarrier." text " %0, [%1], %2;" : "=l"(s) : "r"(at(b)), "r"(n) : "memory"); \
		return s; \
	}
ARRIVE(arrive, "arrive.shared::cta.b64")
ARRIVE(arrive_relaxed, "arrive.relaxed.cta.shared::cta.b64")
ARRIVE(arrive_cluster, "arrive.release.cluster.shared::cta.b64")
ARRIVE(arrive_expect, "arrive.expect_tx.shared::cta.b64")
ARRIVE(drop, "arrive_drop.release.cta.shared.b64")
ARRIVE(drop_expect, "arrive_drop.expect_tx.shared.b64")

#define SINK(name, text) \
	static __device__ void name(u64 *b, unsigned n) { asm volatile("mbarrier." text ", %1;" :: "r"(at(b)), "r"(n) : "memory"); }
SINK(expect, "expect_tx.relaxed.cta.shared::cta.b64 [%0]")
SINK(expect_any, "expect_tx.relaxed.cluster.shared::cluster.b64 [%0]")
SINK(complete, "complete_tx.relaxed.cta.shared::cta.b64 [%0]")
SINK(complete_any, "complete_tx.relaxed.cluster.shared::cluster.b64 [%0]")
SINK(arrive_sink, "arrive.shared::cta.b64 _, [%0]")
SINK(arrive_any, "arrive.release.cluster.shared::cluster.b64 _, [%0]")
SINK(arrive_expect_any, "arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0]")

#define TRY(name, text, type, letter) \
	static __device__ bool name(u64 *b, type s) \
	{ \
		unsigned p; \
		asm volatile("{\n.reg .pred p;\nmbarrier." text ";\nselp.u32 %0, 1, 0, p;\n}" : "=r"(p) : "r"(at(b)), letter(s) : "memory"); \
		return p; \
	}
TRY(test, "test_wait.shared::cta.b64 p, [%1], %2", u64, "l")
TRY(test_cluster, "test_wait.acquire.cluster.shared::cta.b64 p, [%1], %2", u64, "l")
TRY(test_parity, "test_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2", unsigned, "r")
TRY(try_state, "try_wait.shared::cta.b64 p, [%1], %2", u64, "l")
TRY(try_limit, "try_wait.shared::cta.b64 p, [%1], %2, 1000", u64, "l")
TRY(try_parity, "try_wait.parity.shared::cta.b64 p, [%1], %2", unsigned, "r")
TRY(try_parity_limit, "try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2, 0x989680", unsigned, "r")

static __device__ unsigned pending(u64 s)
{
	unsigned n;
	asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(s));
	return n;
}

enum { FACTS = 23 };
__global__ void states(unsigned *out)
{
	__shared__ u64 b;
	unsigned n = 0;
	init(&b, 4);
	u64 s = arrive_expect(&b, 100);
	out[n++] = pending(s); // 4
	out[n++] = pending(arrive(&b, 2)); // 3
	out[n++] = pending(arrive_relaxed(&b, 1)); // 1
	out[n++] = test(&b, s); // 0: 100 bytes
	complete(&b, 60);
	out[n++] = try_limit(&b, s); // 0
	complete_any(&b, 40);
	out[n++] = test(&b, s); // 1
	out[n++] = try_state(&b, s); // 1
	out[n++] = test_parity(&b, 0); // 1
	out[n++] = try_parity(&b, 1); // 0, after a while
	expect(&b, 1000);
	expect_any(&b, 24);
	out[n++] = pending(arrive_cluster(&b, 3)); // 4
	complete(&b, 1024);
	out[n++] = test_parity(&b, 1); // 0: an arrival
	arrive_sink(&b, 1);
	out[n++] = test_parity(&b, 1); // 1
	out[n++] = pending(drop(&b, 2)); // 4
	out[n++] = pending(drop_expect(&b, 8)); // 2
	arrive_any(&b, 1);
	out[n++] = test_parity(&b, 0); // 0
	complete(&b, 8);
	out[n++] = test_parity(&b, 0); // 1
	s = arrive(&b, 1);
	out[n++] = pending(s); // 1
	out[n++] = test_cluster(&b, s); // 1
	arrive_expect_any(&b, 16);
	out[n++] = test_parity(&b, 0); // 0
	complete(&b, 16);
	out[n++] = test_parity(&b, 0); // 1
	// Bytes before anybody expects them hold the phase too.
	complete(&b, 16);
	s = arrive(&b, 1);
	out[n++] = test(&b, s); // 0
	expect(&b, 16);
	out[n++] = test(&b, s); // 1
	out[n++] = try_parity_limit(&b, 1); // 1
}
static const unsigned facts[FACTS] = { 4, 3, 1, 0, 0, 1, 1, 1, 0, 4, 0, 1, 4, 2, 0, 1, 1, 1, 0, 1, 0, 1, 1 };

// Warp specialisation: lane 0 of each warp but the first waits for its stage and sends the next one on; other lanes wait by try_wait
// for their own warp's barrier. Waiting lanes are in different branches at different barriers.
enum { WARPS = 6, ROUNDS = 30 };
__global__ void relay(int *out)
{
	__shared__ u64 stage[WARPS], own[WARPS];
	__shared__ int token[WARPS];
	const int w = threadIdx.x / 32, i = threadIdx.x % 32;
	if (i == 0) {
		init(&stage[w], 1);
		init(&own[w], 1);
		token[w] = 0;
	}
	__syncthreads();
	int sum = 0;
	for (int k = 0; k < ROUNDS; k++) {
		if (i == 0) {
			if (w || k)
				while (!try_parity(&stage[w], (w ? k : k - 1) & 1))
					;
			token[(w + 1) % WARPS] = token[w] + 1;
			arrive_sink(&stage[(w + 1) % WARPS], 1);
			arrive_sink(&own[w], 1);
		} else {
			while (!try_parity_limit(&own[w], k & 1))
				;
		}
		__syncwarp();
		sum = sum * 3 + token[(w + 1) % WARPS] + i;
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}

// A wait that nothing ends but its limit: the answer is no, and the kernel goes on.
__global__ void limits(int *out)
{
	__shared__ u64 b;
	__shared__ volatile int stop;
	if (threadIdx.x == 0) {
		init(&b, 1);
		stop = 0;
	}
	__syncthreads();
	int tries = 0;
	if (threadIdx.x < 32) {
		while (!try_parity_limit(&b, 0) && !stop)
			tries++;
		out[threadIdx.x] = stop;
	} else {
		for (int k = 0; k < 300; k++)
			out[32] = k;
		stop = 1;
	}
}

int main(void)
{
	static unsigned got[FACTS];
	static int sums[WARPS * 32];
	unsigned *d;
	int *out;
	OK(cudaMalloc(&d, sizeof got));
	OK(cudaMalloc(&out, sizeof sums));
	states<<<1, 1>>>(d);
	LAUNCHED();
	OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
	for (int k = 0; k < FACTS; k++)
		CHECK(got[k] == facts[k], "fact %d: %u, not %u", k, got[k], facts[k]);

	relay<<<3, WARPS * 32>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
	static int sum[WARPS * 32];
	for (int k = 0, token[WARPS] = {0}; k < ROUNDS; k++)
		for (int w = 0; w < WARPS; w++) {
			token[(w + 1) % WARPS] = token[w] + 1;
			for (int i = 0; i < 32; i++)
				sum[w * 32 + i] = (int)((unsigned)sum[w * 32 + i] * 3u + (unsigned)(token[(w + 1) % WARPS] + i));
		}
	for (int i = 0; i < WARPS * 32; i++)
		CHECK(sums[i] == sum[i], "relay, thread %d: %d, not %d", i, sums[i], sum[i]);

	limits<<<1, 64>>>(out);
	LAUNCHED();
	OK(cudaMemcpy(sums, out, 33 * sizeof *sums, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		CHECK(sums[i] == 1, "limits, thread %d: %d", i, sums[i]);
	CHECK(sums[32] == 299);
	return check_done();
}
