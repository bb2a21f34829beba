// The barrier of a cluster: many phases, arrivals long before the wait, threads that exit instead of coming, each phase's writes seen
// behind it by all blocks.
// flags: -arch=sm_90
// twice
// env: GPGPUSIM_CONFIG=../../../../../configs/SM90_H100/gpgpusim.config
#include "cluster.h"

// Without .aligned, each thread for itself.
static __device__ void arrive_alone(void) { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
static __device__ void wait_alone(void) { asm volatile("barrier.cluster.wait;" ::: "memory"); }

enum { THREADS = 64, PHASES = 40 };

// A value goes around the cluster: in each phase every thread takes that of the same thread in the block before, and adds one. Without
// a barrier between, somebody would see an old value or one too new.
static __global__ void around(unsigned *out, bool split)
{
	__shared__ unsigned now[2][THREADS];
	const unsigned t = threadIdx.x, n = cluster_nctarank(), last = (cluster_ctarank() + n - 1) % n;
	now[0][t] = blockIdx.x * 1000 + t;
	cluster_sync();
	for (unsigned p = 0; p < PHASES; p++) {
		now[(p + 1) % 2][t] = load(map(&now[p % 2][t], last)) + 1;
		if (split) {
			cluster_arrive();
			if (t % 3 == p % 3) // work of some threads between
				atomicAdd(&out[gridDim.x * THREADS], 1u);
			cluster_wait();
		} else {
			arrive_alone();
			wait_alone();
		}
	}
	out[blockIdx.x * THREADS + t] = now[PHASES % 2][t];
	cluster_sync();
}

static void check_around(unsigned n, unsigned clusters, bool split)
{
	const unsigned blocks = n * clusters, words = blocks * THREADS + 1;
	unsigned *d = device_alloc<unsigned>(words), *h = new unsigned[words], work = 0;
	OK(cudaMemset(d, 0, words * sizeof *d));
	OK(launch(around, dim3(blocks), dim3(THREADS), dim3(n), 0, d, split));
	LAUNCHED();
	to_host(h, d, words);
	for (unsigned b = 0; b < blocks; b++) {
		const unsigned from = b / n * n + (b % n + n * PHASES - PHASES % n) % n;
		for (unsigned t = 0; t < THREADS; t++)
			CHECK(h[b * THREADS + t] == from * 1000 + t + PHASES, "(cluster of %u, block %u, thread %u: %u)", n, b, t, h[b * THREADS + t]);
	}
	for (unsigned p = 0; p < PHASES; p++)
		for (unsigned t = 0; t < THREADS; t++)
			work += t % 3 == p % 3;
	CHECK(h[words - 1] == (split ? work * blocks : 0), "(cluster of %u: %u)", n, h[words - 1]);
	delete[] h;
	OK(cudaFree(d));
}

// Threads leave one by one, whole warps and whole blocks: before phase p those of which the number in the cluster is p modulo LEAVE. Those
// that are left see all others come. The first block stays to the end.
enum { LEAVE = 7 };
static __global__ void leaving(unsigned *seen)
{
	__shared__ unsigned count;
	const unsigned r = cluster_ctarank(), n = cluster_nctarank(), warp = threadIdx.x / 32, id = r * (THREADS / 32) + warp;
	if (!r && !threadIdx.x)
		count = 0;
	cluster_sync();
	for (unsigned p = 0; p < LEAVE; p++) {
		if (r && id % LEAVE == p)
			return;
		asm volatile("red.shared::cluster.add.u32 [%0], 1;" :: "r"(map(&count, 0)) : "memory");
		cluster_sync();
		if (!r && !threadIdx.x) {
			seen[blockIdx.x / n * LEAVE + p] = count;
			count = 0;
		}
		cluster_sync();
	}
}

static void check_leaving(unsigned n, unsigned clusters)
{
	unsigned *d = device_alloc<unsigned>(clusters * LEAVE), *h = new unsigned[clusters * LEAVE];
	OK(launch(leaving, dim3(n * clusters), dim3(THREADS), dim3(n), 0, d));
	LAUNCHED();
	to_host(h, d, clusters * LEAVE);
	for (unsigned p = 0; p < LEAVE; p++) {
		unsigned want = 0;
		for (unsigned id = 0; id < n * (THREADS / 32); id++)
			want += id < THREADS / 32 || id % LEAVE > p ? 32 : 0;
		for (unsigned c = 0; c < clusters; c++)
			CHECK(h[c * LEAVE + p] == want, "(cluster of %u, phase %u: %u, want %u)", n, p, h[c * LEAVE + p], want);
	}
	delete[] h;
	OK(cudaFree(d));
}

// Arrived, and gone without waiting: nobody waits for it in that phase or in later ones. The others are held until it arrives.
static __global__ void late(unsigned *out)
{
	__shared__ unsigned value;
	const unsigned r = cluster_ctarank();
	if (!threadIdx.x)
		value = 0;
	cluster_sync();
	if (r == 1) {
		__nanosleep(2000);
		if (!threadIdx.x)
			store(map(&value, 0), 42);
		cluster_arrive();
		return;
	}
	cluster_sync();
	if (!r)
		out[threadIdx.x] = value;
	cluster_sync();
}

static void check_late(unsigned n)
{
	unsigned *d = device_alloc<unsigned>(THREADS), h[THREADS];
	OK(launch(late, dim3(n), dim3(THREADS), dim3(n), 0, d));
	LAUNCHED();
	to_host(h, d, THREADS);
	for (unsigned t = 0; t < THREADS; t++)
		CHECK(h[t] == 42, "(cluster of %u, thread %u: %u)", n, t, h[t]);
	OK(cudaFree(d));
}

// Without a cluster the barrier is that of the block.
static __global__ void alone(unsigned *out)
{
	__shared__ unsigned x[THREADS];
	x[threadIdx.x] = threadIdx.x;
	cluster_sync();
	out[threadIdx.x] = x[THREADS - 1 - threadIdx.x];
}

static void check_alone(void)
{
	unsigned *d = device_alloc<unsigned>(THREADS), h[THREADS];
	alone<<<1, THREADS>>>(d);
	LAUNCHED();
	to_host(h, d, THREADS);
	for (unsigned t = 0; t < THREADS; t++)
		CHECK(h[t] == THREADS - 1 - t);
	OK(cudaFree(d));
}

int main(void)
{
	for (unsigned n = 1; n <= 8; n += n == 4 ? 4 : 1)
		for (int split = 0; split < 2; split++)
			check_around(n, 3, split);
	check_around(16, 1, true);
	check_leaving(2, 3);
	check_leaving(8, 2);
	check_late(2);
	check_late(8);
	check_alone();
	return check_done();
}
