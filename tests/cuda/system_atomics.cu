// Host threads and a kernel change the same words at once, with every atomic of system scope: no operation is lost, on
// managed, pinned and registered memory, in functional mode and with the timing model of both cores.
// nvcc-flags: -arch=sm_90
// skip: sass timed hostile (compiled code that compares and swaps takes uneven turns, and sums must stay small; short turns lose nearly all swaps)
#include "child.h"

#include <cstdint>
#include <pthread.h>

typedef unsigned long long u64;
__extension__ typedef unsigned __int128 u128;

// The device's half of each case; i counts the threads of a block that change this word, 16 or 64.
#define ATOM(name, word, con, inst, operand)                                                          \
	struct name {                                                                                 \
		static __device__ void gpu(word *p, unsigned i)                                       \
		{                                                                                     \
			word old, b = (word)(operand);                                                \
			asm volatile("atom." inst " %0, [%1], %2;" : "=" con(old) : "l"(p), con(b) : "memory"); \
		}                                                                                     \
	};
#define RED(name, word, con, inst, operand)                                                           \
	struct name {                                                                                 \
		static __device__ void gpu(word *p, unsigned i)                                       \
		{                                                                                     \
			word b = (word)(operand);                                                     \
			asm volatile("red." inst " [%0], %1;" : : "l"(p), con(b) : "memory");         \
		}                                                                                     \
	};

// What the host does to a word, and what the word then is: after `gpu` operations of the device, `cpu` of the host.
// Integers: the host counts in the upper half.
struct host32 {
	typedef uint32_t word;
	static void cpu(word *p, unsigned) { __atomic_fetch_add(p, 1u << 16, __ATOMIC_SEQ_CST); }
	static word host(u64 n) { return (word)n << 16; }
};
struct host64 {
	typedef uint64_t word;
	static void cpu(word *p, unsigned) { __atomic_fetch_add(p, (word)1 << 32, __ATOMIC_SEQ_CST); }
	static word host(u64 n) { return (word)n << 32; }
};
struct host16 {
	typedef uint16_t word;
	static void cpu(word *p, unsigned) { __atomic_fetch_add(p, (word)256, __ATOMIC_SEQ_CST); }
	static word host(u64 n) { return (word)(n << 8); }
};
template <class H, class G, int add> struct counts : H, G { // the device adds `add` each time
	typedef typename H::word word;
	static word start() { return 0; }
	static bool right(word v, u64 gpu, u64 cpu) { return v == (word)(H::host(cpu) + gpu * (u64)(int64_t)add); }
};
// The device's operation leaves nothing of `from` but `to`, in the lower half.
template <class H, class G, unsigned from, unsigned to> struct bits : H, G {
	typedef typename H::word word;
	static word start() { return from; }
	static bool right(word v, u64, u64 cpu) { return v == (word)(H::host(cpu) + to); }
};

#define INTEGERS(op, type, n)                                                                          \
	ATOM(atom_##op##_##type, uint##n##_t, C##n, "sys.global." #op "." #type, V_##op)              \
	RED(red_##op##_##type, uint##n##_t, C##n, "sys." #op "." #type, V_##op)
#define C32 "r"
#define C64 "l"
#define V_add 1
#define V_inc 0xffffffffu
#define V_dec 0xffffffffu
#define V_and ~((u64)1 << (i & 7))
#define V_or  1u << (i & 7)
#define V_xor 1u << (i & 7)
INTEGERS(add, u32, 32)
INTEGERS(add, s32, 32)
INTEGERS(add, u64, 64)
INTEGERS(inc, u32, 32)
INTEGERS(dec, u32, 32)
INTEGERS(and, b32, 32)
INTEGERS(and, b64, 64)
INTEGERS(or, b32, 32)
INTEGERS(or, b64, 64)
INTEGERS(xor, b32, 32)
INTEGERS(xor, b64, 64)
// min and max that change nothing: what they write back must be what is there by then.
#define V_min 0xffffffffffffffffull
#define V_max 0
INTEGERS(min, u32, 32)
INTEGERS(max, u32, 32)
INTEGERS(min, u64, 64)
INTEGERS(max, u64, 64)
#undef V_min
#undef V_max
#define V_min (sizeof b == 4 ? 0x7fffffff : 0x7fffffffffffffff)
#define V_max (sizeof b == 4 ? 0x80000000 : 0x8000000000000000)
INTEGERS(min, s32, 32)
INTEGERS(max, s32, 32)
INTEGERS(min, s64, 64)
INTEGERS(max, s64, 64)

// Compare and swap in a loop, which adds 1.
#define CAS(n, con)                                                                                   \
	struct cas_b##n {                                                                             \
		static __device__ void gpu(uint##n##_t *p, unsigned)                                  \
		{                                                                                     \
			uint##n##_t now = *(volatile uint##n##_t *)p, seen;                           \
			do {                                                                          \
				seen = now;                                                           \
				uint##n##_t next = (uint##n##_t)(seen + 1);                           \
				asm volatile("atom.acq_rel.sys.cas.b" #n " %0, [%1], %2, %3;"         \
				             : "=" con(now) : "l"(p), con(seen), con(next) : "memory"); \
			} while (now != seen);                                                        \
		}                                                                                     \
	};
CAS(16, "h")
CAS(32, "r")
CAS(64, "l")

// Floats: the host adds 1 and takes it away in turns.
template <class T, class B> static void host_add(B *p, T x)
{
	B seen = __atomic_load_n(p, __ATOMIC_RELAXED), next;
	T v;
	do {
		memcpy(&v, &seen, sizeof v);
		v += x;
		memcpy(&next, &v, sizeof v);
	} while (!__atomic_compare_exchange_n(p, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}
template <class T, class B, class G> struct floats : G {
	typedef B word;
	static word start() { return 0; }
	static void cpu(word *p, unsigned n) { host_add<T>(p, n & 1 ? (T)-1 : (T)1); }
	static bool right(word v, u64 gpu, u64)
	{
		T x;
		memcpy(&x, &v, sizeof x);
		return x == (T)gpu;
	}
};
ATOM(atom_add_f32, uint32_t, "r", "sys.global.add.f32", 0x3f800000u)
RED(red_add_f32, uint32_t, "r", "sys.add.f32", 0x3f800000u)
ATOM(atom_add_f64, uint64_t, "l", "sys.add.f64", 0x3ff0000000000000ull)
RED(red_add_f64, uint64_t, "l", "sys.global.add.f64", 0x3ff0000000000000ull)

// Pairs of halves: four lanes add 1 to the lower one, the next four take it away; the host counts in ten bits of the upper one.
template <class G> struct pairs : G {
	typedef uint32_t word;
	static word start() { return 0x40000000u; }
	static void cpu(word *p, unsigned)
	{
		word seen = __atomic_load_n(p, __ATOMIC_RELAXED), next;
		do
			next = (seen & 0xfc00ffffu) | ((seen + 0x10000u) & 0x03ff0000u);
		while (!__atomic_compare_exchange_n(p, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	}
	static bool right(word v, u64, u64 cpu) { return v == (0x40000000u | (word)(cpu & 1023) << 16); }
};
ATOM(atom_add_f16x2, uint32_t, "r", "sys.global.add.noftz.f16x2", i & 4 ? 0xbc00u : 0x3c00u)
RED(red_add_f16x2, uint32_t, "r", "sys.global.add.noftz.f16x2", i & 4 ? 0xbc00u : 0x3c00u)
ATOM(atom_add_bf16x2, uint32_t, "r", "sys.global.add.noftz.bf16x2", i & 4 ? 0xbf80u : 0x3f80u)
RED(red_add_bf16x2, uint32_t, "r", "sys.global.add.noftz.bf16x2", i & 4 ? 0xbf80u : 0x3f80u)

// One half: the host adds 1 and takes it away in turns too. Sums are whole numbers from -40 to 40.
template <class G, bool brain> struct halves : G {
	typedef uint16_t word;
	static word of(int n)
	{
		float f = (float)n;
		uint32_t v;
		memcpy(&v, &f, sizeof v);
		return brain || !n ? (word)(v >> 16) : (word)(v >> 31 << 15 | ((v >> 23 & 255) - 112) << 10 | (v >> 13 & 1023));
	}
	static int number(word v)
	{
		for (int n = -40; n <= 40; n++)
			if (of(n) == v)
				return n;
		return v << 1 & 0xffff ? -1000 : 0;
	}
	static word start() { return 0; }
	static void cpu(word *p, unsigned n)
	{
		word seen = __atomic_load_n(p, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(p, &seen, of(number(seen) + (n & 1 ? -1 : 1)), false, __ATOMIC_SEQ_CST,
		                                    __ATOMIC_SEQ_CST))
			;
	}
	static bool right(word v, u64, u64) { return number(v) == 0; }
};
ATOM(atom_add_f16, uint16_t, "h", "sys.global.add.noftz.f16", i & 4 ? 0xbc00u : 0x3c00u)
RED(red_add_f16, uint16_t, "h", "sys.add.noftz.f16", i & 4 ? 0xbc00u : 0x3c00u)
ATOM(atom_add_bf16, uint16_t, "h", "sys.global.add.noftz.bf16", i & 4 ? 0xbf80u : 0x3f80u)
RED(red_add_bf16, uint16_t, "h", "sys.add.noftz.bf16", i & 4 ? 0xbf80u : 0x3f80u)

// A vector: each element is atomic for itself.
struct red_v2_f32 {
	typedef uint64_t word;
	static __device__ void gpu(word *p, unsigned)
	{
		asm volatile("red.sys.global.add.v2.f32 [%0], {%1, %2};" : : "l"(p), "f"(1.0f), "f"(2.0f) : "memory");
	}
	static word start() { return 0; }
	static void cpu(word *p, unsigned n)
	{
		for (int k = 0; k < 2; k++)
			host_add<float>((uint32_t *)p + k, n & 1 ? -1.0f : 1.0f);
	}
	static bool right(word v, u64 gpu, u64)
	{
		float x[2];
		memcpy(x, &v, sizeof x);
		return x[0] == (float)gpu && x[1] == 2 * (float)gpu;
	}
};

// 128 bits: the host counts in the upper half, the device in the lower one.
struct cas_b128 {
	typedef u128 word;
	static __device__ void gpu(word *p, unsigned)
	{
		uint64_t lo = ((volatile uint64_t *)p)[0], hi = ((volatile uint64_t *)p)[1], was_lo, was_hi;
		do {
			was_lo = lo;
			was_hi = hi;
			asm volatile("{ .reg .b128 b, c, d; mov.b128 b, {%3, %4}; mov.b128 c, {%5, %4};\n"
			             "atom.sys.global.cas.b128 d, [%2], b, c; mov.b128 {%0, %1}, d; }"
			             : "=l"(lo), "=l"(hi) : "l"(p), "l"(was_lo), "l"(was_hi), "l"(was_lo + 1) : "memory");
		} while (lo != was_lo || hi != was_hi);
	}
	static word start() { return 0; }
	static bool swap(word *p, word seen, word next)
	{
		uint64_t lo = (uint64_t)seen, hi = (uint64_t)(seen >> 64);
		bool same;
		asm volatile("lock cmpxchg16b %1" : "=@ccz"(same), "+m"(*p), "+a"(lo), "+d"(hi)
		             : "b"((uint64_t)next), "c"((uint64_t)(next >> 64)) : "memory");
		return same;
	}
	static void cpu(word *p, unsigned)
	{
		word seen;
		do
			seen = *(volatile word *)p;
		while (!swap(p, seen, seen + ((word)1 << 64)));
	}
	static bool right(word v, u64 gpu, u64 cpu) { return (uint64_t)v == gpu && (uint64_t)(v >> 64) == cpu; }
};

enum {
	WORDS = 4,
	THREADS = 64,
	HOST_THREADS = 2,
	HOST_MOST = 1000000, // operations, after which a kernel that compares and swaps has the word for itself
};

static volatile int at_work; // host threads that have begun

static void begin(pthread_t *thread, void *(*run)(void *), void *work)
{
	int before = at_work;
	pthread_create(thread, 0, run, work);
	while (at_work == before)
		;
}

template <class C> __global__ void device(typename C::word *p, unsigned words, unsigned rounds)
{
	for (unsigned k = 0; k < rounds; k++)
		C::gpu(p + threadIdx.x % words, threadIdx.x / words);
}

template <class W> struct host_work {
	pthread_t thread;
	W *p;
	unsigned words;
	const volatile bool *stop;
	void (*cpu)(W *, unsigned);
	u64 n; // operations on each word
};

template <class W> static void *host(void *argument)
{
	host_work<W> *h = (host_work<W> *)argument;
	unsigned n = 0;
	at_work = at_work + 1;
	for (; (!*h->stop && n < HOST_MOST) || n & 1; n++)
		for (unsigned k = 0; k < h->words; k++)
			h->cpu(h->p + k, n);
	h->n = n;
	return 0;
}

static unsigned rounds, blocks; // for each thread of the device

template <class C> static void one(const char *name, void *memory, unsigned words)
{
	typedef typename C::word word;
	word *p = (word *)memory;
	volatile bool stop = false;
	host_work<word> h[HOST_THREADS];
	for (unsigned k = 0; k < words; k++)
		p[k] = C::start();
	for (int k = 0; k < HOST_THREADS; k++) {
		h[k] = {0, p, words, &stop, C::cpu, 0};
		begin(&h[k].thread, host<word>, &h[k]);
	}
	device<C><<<blocks, THREADS>>>(p, words, rounds);
	LAUNCHED();
	stop = true;
	u64 cpu = 0, gpu = (u64)blocks * THREADS / words * rounds;
	for (int k = 0; k < HOST_THREADS; k++) {
		pthread_join(h[k].thread, 0);
		cpu += h[k].n;
	}
	for (unsigned k = 0; k < words; k++)
		CHECK(C::right(p[k], gpu, cpu), "%s: word %u of %u is 0x%llx after %llu operations of the device, %llu of the host",
		      name, k, words, (u64)p[k], gpu, cpu);
}

// Exchange: what is put in comes out again, or is there in the end.
template <class W> static __device__ W exchange(W *p, W v);
template <> __device__ uint32_t exchange(uint32_t *p, uint32_t v) { return atomicExch_system(p, v); }
template <> __device__ uint64_t exchange(uint64_t *p, uint64_t v)
{
	return atomicExch_system((unsigned long long *)p, (unsigned long long)v);
}
template <> __device__ u128 exchange(u128 *p, u128 v)
{
	uint64_t lo, hi;
	asm volatile("{ .reg .b128 b, d; mov.b128 b, {%3, %4}; atom.sys.exch.b128 d, [%2], b; mov.b128 {%0, %1}, d; }"
	             : "=l"(lo), "=l"(hi) : "l"(p), "l"((uint64_t)v), "l"((uint64_t)(v >> 64)) : "memory");
	return (u128)hi << 64 | lo;
}
template <class W> static W token(uint64_t n)
{
	return sizeof(W) == 16 ? (W)((u128)~n << 64 | n) : (W)n;
}
template <class W> __host__ __device__ static bool whole(W v)
{
	return sizeof(W) < 16 || (uint64_t)v == ~(uint64_t)((u128)v >> 64);
}
template <class W> __global__ void exchanging(W *p, u64 *put, u64 *got, unsigned rounds)
{
	u64 in = 0, out = 0, me = blockIdx.x * blockDim.x + threadIdx.x + 1;
	for (unsigned k = 0; k < rounds; k++) {
		uint64_t n = me << 32 | (k + 1);
		W v = sizeof(W) == 16 ? (W)((u128)~n << 64 | n) : (W)(n ^ n >> 32);
		in += (u64)v;
		v = exchange(p, v);
		out += whole(v) ? (u64)v : 12345678;
	}
	atomicAdd(put, in);
	atomicAdd(got, out);
}
template <class W> static W host_exchange(W *p, W v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }
template <> u128 host_exchange(u128 *p, u128 v)
{
	u128 seen;
	do
		seen = *(volatile u128 *)p;
	while (!cas_b128::swap(p, seen, v));
	return seen;
}
template <class W> struct exchange_work {
	pthread_t thread;
	W *p;
	const volatile bool *stop;
	u64 put, got;
};
template <class W> static void *host_exchanging(void *argument)
{
	exchange_work<W> *h = (exchange_work<W> *)argument;
	at_work = at_work + 1;
	for (uint64_t n = 1; !*h->stop && n < HOST_MOST; n++) {
		W v = token<W>(n * 3);
		h->put += (u64)v;
		v = host_exchange(h->p, v);
		h->got += whole(v) ? (u64)v : 12345678;
	}
	return 0;
}
template <class W> static void exchanges(const char *name, void *memory)
{
	W *p = (W *)memory;
	volatile bool stop = false;
	exchange_work<W> h[HOST_THREADS];
	u64 *sum;
	OK(cudaMallocManaged(&sum, 2 * sizeof *sum));
	sum[0] = sum[1] = 0;
	*p = token<W>(0);
	for (int k = 0; k < HOST_THREADS; k++) {
		h[k] = {0, p, &stop, 0, 0};
		begin(&h[k].thread, host_exchanging<W>, &h[k]);
	}
	exchanging<<<blocks, THREADS>>>(p, sum, sum + 1, rounds);
	LAUNCHED();
	stop = true;
	u64 in = sum[0], out = sum[1];
	for (int k = 0; k < HOST_THREADS; k++) {
		pthread_join(h[k].thread, 0);
		in += h[k].put;
		out += h[k].got;
	}
	out += (u64)*p; // token 0 was there first
	CHECK((W)in == (W)out, "%s: 0x%llx put in, 0x%llx come out", name, in, out);
	OK(cudaFree(sum));
}

static void everything(bool functional)
{
	// The memory that host and device share, in turn.
	void *place[3], *own = 0;
	OK(cudaMallocManaged(&place[0], 4096));
	OK(cudaHostAlloc(&place[1], 4096, cudaHostAllocMapped));
	if (posix_memalign(&own, 4096, 4096))
		abort();
	OK(cudaHostRegister(own, 4096, cudaHostRegisterMapped));
	OK(cudaHostGetDevicePointer(&place[2], own, 0));
	CHECK(place[2] == own);
	unsigned turn = 0;
#define ONE(...)                                                          \
	one<__VA_ARGS__>(#__VA_ARGS__, place[turn++ % 3], 1);             \
	if (functional)                                                   \
		one<__VA_ARGS__>(#__VA_ARGS__, place[turn % 3], WORDS);
#define BOTH(kind, host, op, ...) ONE(kind<host, atom_##op, __VA_ARGS__>) ONE(kind<host, red_##op, __VA_ARGS__>)
	BOTH(counts, host32, add_u32, 1)
	BOTH(counts, host32, add_s32, 1)
	BOTH(counts, host64, add_u64, 1)
	BOTH(counts, host32, inc_u32, 1)
	BOTH(counts, host32, dec_u32, -1)
	BOTH(counts, host32, min_u32, 0)
	BOTH(counts, host32, max_u32, 0)
	BOTH(counts, host32, min_s32, 0)
	BOTH(counts, host32, max_s32, 0)
	BOTH(counts, host64, min_u64, 0)
	BOTH(counts, host64, max_u64, 0)
	BOTH(counts, host64, min_s64, 0)
	BOTH(counts, host64, max_s64, 0)
	BOTH(bits, host32, or_b32, 0, 255)
	BOTH(bits, host64, or_b64, 0, 255)
	BOTH(bits, host32, and_b32, 255, 0)
	BOTH(bits, host64, and_b64, 255, 0)
	BOTH(bits, host32, xor_b32, 0x5a, 0x5a)
	BOTH(bits, host64, xor_b64, 0x5a, 0x5a)
	ONE(counts<host16, cas_b16, 1>)
	ONE(counts<host32, cas_b32, 1>)
	ONE(counts<host64, cas_b64, 1>)
	ONE(cas_b128)
	ONE(floats<float, uint32_t, atom_add_f32>)
	ONE(floats<float, uint32_t, red_add_f32>)
	ONE(floats<double, uint64_t, atom_add_f64>)
	ONE(floats<double, uint64_t, red_add_f64>)
	ONE(pairs<atom_add_f16x2>)
	ONE(pairs<red_add_f16x2>)
	ONE(pairs<atom_add_bf16x2>)
	ONE(pairs<red_add_bf16x2>)
	ONE(halves<atom_add_f16, false>)
	ONE(halves<red_add_f16, false>)
	ONE(halves<atom_add_bf16, true>)
	ONE(halves<red_add_bf16, true>)
	ONE(red_v2_f32)
	for (int k = 0; k < 3; k++) {
		exchanges<uint32_t>("exch.b32", place[k]);
		exchanges<uint64_t>("exch.b64", place[k]);
		exchanges<u128>("exch.b128", place[k]);
	}
	OK(cudaHostUnregister(own));
	free(own);
	OK(cudaFreeHost(place[1]));
	OK(cudaFree(place[0]));
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		bool functional = !strcmp(argv[1], "functional");
		blocks = functional ? 16 : 1; // 102400 operations each, or 512
		rounds = functional ? 100 : 8;
		everything(functional);
		return check_done();
	}
	static const char *const mode[][2] = {
		{"functional", ""}, {"timed", ""}, {"modern", "-core modern"},
	};
	for (auto &m : mode) {
		setenv("PTX_SIM_MODE_FUNC", m == mode[0] ? "1" : "0", 1);
		child_result r = run_child(m[0], std::string("-stats_file stats.txt ") + m[1]);
		CHECK(r.exited(0) && ends_with(r.out, "PASS\n"), "%s: status %d\n%s%s", m[0], r.status, r.out.c_str(), r.err.c_str());
	}
	return check_done();
}
