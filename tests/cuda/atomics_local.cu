// Atomics on generic addresses that lie in local memory, as cuda::atomic and cuda::barrier have in a local variable: a load and a
// store of the thread's own memory. Lanes of a warp may be in global, shared and local memory at once. What is added differs by
// thread: ptxas has one lane add for all that add the same at one address, which is only right where the address is no local one.
// twice
#include "check.h"

#include <cstdint>

enum { THREADS = 64, WORDS = 8 };

struct out {
	uint32_t add, exch, cas, half;
	uint64_t sum, swapped;
	float real;
	uint32_t memory[WORDS];
};

static __device__ uint32_t in_global[THREADS];

__global__ void run(out *o, int where)
{
	__shared__ uint32_t in_shared[THREADS];
	const unsigned t = threadIdx.x;
	__align__(16) uint32_t own[WORDS];
	for (unsigned k = 0; k < WORDS; k++)
		own[k] = 1000 * t + k;
	in_shared[t] = 7 * t;
	in_global[t] = 9 * t;
	__syncthreads();
	// `where` is 3: whatever lies in local memory must stay there.
	uint32_t *mixed = t % 3 == 0 ? &in_global[t] : t % 3 == 1 ? &in_shared[t] : &own[where - 3];
	out &r = o[t];
	asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(r.add) : "l"(mixed), "r"(t + 1) : "memory");
	asm volatile("red.add.u32 [%0], %1;" :: "l"(mixed), "r"(5) : "memory");
	if (t % 3 == 0)
		own[0] = in_global[t];
	if (t % 3 == 1)
		own[0] = in_shared[t];
	asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(r.exch) : "l"(own + 1), "r"(t) : "memory");
	asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(r.cas) : "l"(own + 2), "r"(t % 2 ? 1000 * t + 2 : 0), "r"(77) : "memory");
	asm volatile("atom.add.u64 %0, [%1], %2;" : "=l"(r.sum) : "l"(own + 4), "l"((uint64_t)t << 32 | 0xffffffff) : "memory");
	asm volatile("atom.exch.b64 %0, [%1], %2;" : "=l"(r.swapped) : "l"(own + 6), "l"((uint64_t)t << 40 | 3) : "memory");
	float f;
	own[3] = __float_as_uint(1.5f * t);
	asm volatile("atom.add.f32 %0, [%1], %2;" : "=f"(f) : "l"(own + 3), "f"(0.25f) : "memory");
	r.real = f;
	uint16_t half;
	asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(half) : "l"((char *)(own + 1) + 2), "h"((uint16_t)0), "h"((uint16_t)0x1234) : "memory");
	r.half = half;
	for (unsigned k = 0; k < WORDS; k++)
		r.memory[k] = own[k];
}

int main()
{
	out *o;
	OK(cudaMallocManaged(&o, THREADS * sizeof *o));
	run<<<1, THREADS>>>(o, 3);
	LAUNCHED();
	for (uint32_t t = 0; t < THREADS; t++) {
		const out &r = o[t];
		const uint32_t first = t % 3 == 0 ? 9 * t : t % 3 == 1 ? 7 * t : 1000 * t;
		const uint64_t pair = (uint64_t)(1000 * t + 5) << 32 | (1000 * t + 4), sum = pair + ((uint64_t)t << 32 | 0xffffffff);
		const float real = 1.5f * t + 0.25f;
		uint32_t bits;
		memcpy(&bits, &real, sizeof bits);
		CHECK(r.add == first && r.memory[0] == first + t + 6, "thread %u: %u, %u", t, r.add, r.memory[0]);
		CHECK(r.exch == 1000 * t + 1 && r.half == 0 && r.memory[1] == (0x12340000 | t), "thread %u: %u, %#x", t, r.exch, r.memory[1]);
		CHECK(r.cas == 1000 * t + 2 && r.memory[2] == (t % 2 ? 77 : 1000 * t + 2), "thread %u: %u, %u", t, r.cas, r.memory[2]);
		CHECK(r.real == 1.5f * t && r.memory[3] == bits, "thread %u: %g, %#x", t, r.real, r.memory[3]);
		CHECK(r.sum == pair && r.memory[4] == (uint32_t)sum && r.memory[5] == sum >> 32, "thread %u: %u, %u", t, r.memory[4], r.memory[5]);
		CHECK(r.swapped == ((uint64_t)(1000 * t + 7) << 32 | (1000 * t + 6)) && r.memory[6] == 3 && r.memory[7] == t << 8,
			"thread %u: %u, %u", t, r.memory[6], r.memory[7]);
	}
	return check_done();
}
