// Caches of constants and of instructions. Constants: the time of a load by the size of the set that a thread walks
// through. Instructions: cycles of an instruction in a loop, by the size of its body; each is 16 bytes from Volta on.
#include "micro.h"

enum { WORDS = 16384, APART = 16, STEPS = 256, ROUNDS = 3 };

__constant__ unsigned next[WORDS];

__global__ void constants(unsigned words, long long *took, unsigned *last)
{
	unsigned at = 0;
	for (unsigned i = 0; i < words / APART; i++)
		at = next[at] % words;
	long long start = clock64();
#pragma unroll 8
	for (int i = 0; i < STEPS; i++)
		at = next[at] % words;
	*last = at;
	took[0] = clock64() - start + (at > words);
}

// 64 instructions, of which every fourth needs the one before last: one a cycle where they are at hand.
#define EIGHT(a, b, c, d) \
	"fma.rn.f32 " a ", " a ", %4, %4;\nfma.rn.f32 " b ", " b ", %4, %4;\nfma.rn.f32 " c ", " c ", %4, %4;\n" \
	"fma.rn.f32 " d ", " d ", %4, %4;\nfma.rn.f32 " a ", " a ", %4, %4;\nfma.rn.f32 " b ", " b ", %4, %4;\n" \
	"fma.rn.f32 " c ", " c ", %4, %4;\nfma.rn.f32 " d ", " d ", %4, %4;\n"
#define SIXTEEN EIGHT("%0", "%1", "%2", "%3") EIGHT("%0", "%1", "%2", "%3")

template <int kilobytes> __global__ void code(float b, long long *took, float *out)
{
	float x = b, y = b, z = b, w = b;
#pragma unroll 1
	for (int round = 0; round < ROUNDS; round++) {
		long long start = clock64();
#pragma unroll
		for (int i = 0; i < kilobytes; i++)
			asm volatile(SIXTEEN SIXTEEN SIXTEEN SIXTEEN : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "f"(b));
		took[0] = clock64() - start;
	}
	out[threadIdx.x] = x + y + z + w;
}

template <int kilobytes> static void measure(long long *took, float *out)
{
	code<kilobytes><<<1, 32>>>(1, took, out);
	finish();
	point("instruction_cache", kilobytes, slowest(took, 1) / (kilobytes * 64));
}

int main()
{
	static unsigned host[WORDS];
	long long *took = on_device<long long>(1);
	float *out = on_device<float>(32);
	for (unsigned words = 128; words <= WORDS; words *= 2) {
		for (unsigned i = 0; i < WORDS; i++)
			host[i] = (i + APART) % words;
		must(cudaMemcpyToSymbol(next, host, sizeof host), "cudaMemcpyToSymbol");
		constants<<<1, 1>>>(words, took, (unsigned *)out);
		finish();
		point("constant_cache", words * 4 / 1024.0, slowest(took, 1) / STEPS);
	}
	measure<1>(took, out);
	measure<2>(took, out);
	measure<4>(took, out);
	measure<8>(took, out);
	measure<16>(took, out);
	measure<32>(took, out);
	measure<64>(took, out);
	measure<96>(took, out);
	measure<128>(took, out);
	measure<192>(took, out);
	measure<256>(took, out);
}
