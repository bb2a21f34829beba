// Host and kernel wait for each other while the kernel runs: each polls a flag that the other one sets, in managed, pinned
// and registered memory, in functional mode and with the timing model of both cores. What was written before a flag is
// there when the flag is. 128-bit loads and stores are seen whole.
// nvcc-flags: -arch=sm_90
// skip: timed
#include "child.h"

#include <cstdint>
#include <pthread.h>

typedef unsigned long long u64;
enum { DATA = 64, PINGS = 50, BOXES = 4 };

struct box {
	unsigned to_device, to_host;
	unsigned data[DATA], answer[DATA];
};

// The ways to look at a flag and to set it.
enum way { VOLATILE, ACQUIRE, RELAXED, ATOMIC, MMIO, N_WAYS };

static __device__ unsigned look(unsigned *flag, int way)
{
	unsigned v;
	switch (way) {
	case VOLATILE: return *(volatile unsigned *)flag;
	case ACQUIRE: asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory"); return v;
	case RELAXED: asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory"); return v;
	case MMIO: asm volatile("ld.mmio.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory"); return v;
	default: return atomicAdd_system(flag, 0);
	}
}

static __device__ void set(unsigned *flag, unsigned v, int way)
{
	switch (way) {
	case VOLATILE: __threadfence_system(); *(volatile unsigned *)flag = v; break;
	case ACQUIRE: asm volatile("st.release.sys.u32 [%0], %1;" : : "l"(flag), "r"(v) : "memory"); break;
	case RELAXED: asm volatile("fence.sc.sys; st.relaxed.sys.global.u32 [%0], %1;" : : "l"(flag), "r"(v) : "memory"); break;
	case MMIO: asm volatile("fence.acq_rel.sys; st.mmio.relaxed.sys.global.u32 [%0], %1;" : : "l"(flag), "r"(v) : "memory"); break;
	default: __threadfence_system(); atomicExch_system(flag, v);
	}
}

// A block for each box: its first thread waits and tells, all of them work.
__global__ void answer(box *boxes, int pings)
{
	box *b = boxes + blockIdx.x;
	for (int n = 1; n <= pings; n++) {
		int way = (n + blockIdx.x) % N_WAYS;
		if (threadIdx.x == 0) {
			while (look(&b->to_device, way) != (unsigned)n)
				;
			__threadfence_system();
		}
		__syncthreads();
		b->answer[threadIdx.x] = ((volatile unsigned *)b->data)[threadIdx.x] * 3 + 1;
		__syncthreads();
		if (threadIdx.x == 0)
			set(&b->to_host, n, way);
	}
}

static void ping(box *b)
{
	memset((void *)b, 0, BOXES * sizeof *b);
	answer<<<BOXES, DATA>>>(b, PINGS);
	if (cudaError_t e = cudaGetLastError()) { // nobody would answer
		OK(e);
		return;
	}
	for (unsigned n = 1; n <= PINGS; n++) {
		for (unsigned k = 0; k < BOXES; k++) {
			for (unsigned i = 0; i < DATA; i++)
				b[k].data[i] = n * 1000 + k * 100 + i;
			__atomic_store_n(&b[k].to_device, n, __ATOMIC_RELEASE);
		}
		for (unsigned k = 0; k < BOXES; k++) {
			while (__atomic_load_n(&b[k].to_host, __ATOMIC_ACQUIRE) != n)
				;
			for (unsigned i = 0; i < DATA; i++)
				CHECK(b[k].answer[i] == (n * 1000 + k * 100 + i) * 3 + 1, "ping %u, box %u, at %u: %u", n, k, i,
				      b[k].answer[i]);
		}
	}
	OK(cudaDeviceSynchronize());
}

// All threads of a block poll the same flag, as do other blocks that find no room before these end.
__global__ void wait_all(volatile unsigned *flag, unsigned *count)
{
	while (!*flag)
		;
	atomicAdd(count, *flag);
}

static void *set_later(void *flag)
{
	struct timespec t = {0, 3000000};
	nanosleep(&t, 0);
	__atomic_store_n((unsigned *)flag, 7u, __ATOMIC_RELEASE);
	return 0;
}

// The flag is set by a copy in another stream.
static void by_copy(unsigned *count)
{
	unsigned *flag, *seven;
	cudaStream_t s, t;
	OK(cudaMalloc(&flag, sizeof *flag));
	OK(cudaMemset(flag, 0, sizeof *flag));
	OK(cudaMallocHost(&seven, sizeof *seven));
	*seven = 7;
	*count = 0;
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	wait_all<<<2, 40, 0, s>>>(flag, count);
	OK(cudaMemcpyAsync(flag, seven, sizeof *flag, cudaMemcpyHostToDevice, t));
	OK(cudaStreamSynchronize(t));
	OK(cudaStreamSynchronize(s));
	CHECK(*count == 2 * 40 * 7, "%u", *count);
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	OK(cudaFree(flag));
	OK(cudaFreeHost(seven));
}

// Two words that are always each other's complement, written by the device as 128 bits and by the host too.
struct alignas(16) pair {
	uint64_t lo, hi;
};
__global__ void whole(pair *from_host, pair *to_host, unsigned *stop, u64 *torn, unsigned rounds)
{
	u64 bad = 0;
	for (unsigned k = 0; k < rounds || !*(volatile unsigned *)stop; k++) {
		uint64_t lo, hi, n = k;
		asm volatile("{ .reg .b128 v; ld.relaxed.sys.global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
		             : "=l"(lo), "=l"(hi) : "l"(from_host) : "memory");
		bad += lo != ~hi;
		asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.sys.global.b128 [%0], v; }"
		             : : "l"(to_host), "l"(n), "l"(~n) : "memory");
	}
	*torn = bad;
}

static pair load_whole(pair *p)
{
	pair v = {0, 0};
	asm volatile("lock cmpxchg16b %0" : "+m"(*p), "+a"(v.lo), "+d"(v.hi) : "b"(v.lo), "c"(v.hi) : "cc", "memory");
	return v;
}

static void store_whole(pair *p, pair v)
{
	pair seen = {0, 0};
	bool done;
	do
		asm volatile("lock cmpxchg16b %1" : "=@ccz"(done), "+m"(*p), "+a"(seen.lo), "+d"(seen.hi) : "b"(v.lo), "c"(v.hi)
		             : "memory");
	while (!done);
}

static void whole_pairs(unsigned rounds)
{
	struct shared {
		pair from_host, to_host;
		u64 torn;
		unsigned stop;
	} *m;
	OK(cudaMallocManaged(&m, sizeof *m));
	m->from_host = m->to_host = {0, ~(uint64_t)0};
	m->stop = 0;
	whole<<<1, 1>>>(&m->from_host, &m->to_host, &m->stop, &m->torn, rounds);
	OK(cudaGetLastError());
	for (uint64_t n = 0; n < rounds * 100ull; n++) {
		pair v = load_whole(&m->to_host);
		CHECK(v.lo == ~v.hi, "%llx %llx", (u64)v.lo, (u64)v.hi);
		store_whole(&m->from_host, {n * 0x100000001ull, ~(n * 0x100000001ull)});
	}
	__atomic_store_n(&m->stop, 1u, __ATOMIC_RELEASE);
	OK(cudaDeviceSynchronize());
	CHECK(m->torn == 0, "%llu", m->torn);
	OK(cudaFree(m));
}

static void everything(unsigned rounds)
{
	box *place[3];
	unsigned *flag, *count;
	void *own = 0;
	OK(cudaMallocManaged(&place[0], BOXES * sizeof(box)));
	OK(cudaHostAlloc(&place[1], BOXES * sizeof(box), cudaHostAllocMapped));
	if (posix_memalign(&own, 4096, 4096))
		abort();
	OK(cudaHostRegister(own, 4096, cudaHostRegisterMapped));
	place[2] = (box *)own;
	OK(cudaMallocManaged(&flag, 2 * sizeof *flag));
	count = flag + 1;
	for (box *b : place)
		ping(b);
	for (unsigned blocks = 1; blocks <= 4096; blocks *= 64) {
		pthread_t t;
		*flag = *count = 0;
		pthread_create(&t, 0, set_later, flag);
		wait_all<<<blocks, 64>>>(flag, count);
		LAUNCHED();
		pthread_join(t, 0);
		CHECK(*count == blocks * 64 * 7, "%u blocks: %u", blocks, *count);
	}
	by_copy(count);
	whole_pairs(rounds);
	OK(cudaHostUnregister(own));
	free(own);
	OK(cudaFreeHost(place[1]));
	OK(cudaFree(place[0]));
	OK(cudaFree(flag));
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		everything(!strcmp(argv[1], "functional") ? 20000 : 500);
		return check_done();
	}
	static const char *const mode[][2] = {
		{"functional", ""}, {"timed", ""}, {"modern", "-core modern"},
	};
	for (auto &m : mode) {
		setenv("PTX_SIM_MODE_FUNC", m == mode[0] ? "1" : "0", 1);
		child_result r = run_child(m[0], std::string("-stats_file stats.txt ") + m[1]);
		CHECK(r.exited(0) && ends_with(r.out, "PASS\n"), "%s: status %d\n%s%s", m[0], r.status, r.out.c_str(), r.err.c_str());
		/* Where there are cycles, they are said to depend on the host. */
		CHECK(count(r.err, "so cycle counts may differ from run to run") == (m != mode[0]), "%s:\n%s", m[0], r.err.c_str());
	}
	return check_done();
}
