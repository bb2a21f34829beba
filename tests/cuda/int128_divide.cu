// 128-bit / and % with and without sign: nvcc writes them out in additions and subtractions that share the carry flag.
// needs: nvcc
#include "check.h"

typedef unsigned __int128 u128;

struct result {
	u128 quotient, remainder;
	__int128 signed_quotient, signed_remainder;
};

__global__ void divide(const u128 *a, const u128 *b, result *out)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i].quotient = a[i] / b[i];
	out[i].remainder = a[i] % b[i];
	out[i].signed_quotient = (__int128)a[i] / (__int128)b[i];
	out[i].signed_remainder = (__int128)a[i] % (__int128)b[i];
}

// A number of any length; every fourth is made of zeroes and ones at the ends of words.
static u128 some(unsigned *seed)
{
	u128 v = 0;
	for (int i = 0; i < 8; i++)
		v = v << 16 ^ check_random(seed);
	if (check_random(seed) % 4 == 0) {
		v = 0;
		for (int i = 0; i < 4; i++)
			v = v << 32 | (check_random(seed) % 3 == 0 ? 0xffffffffu : check_random(seed) % 2 ? 0 : check_random(seed) % 3);
	}
	return v >> check_random(seed) % 128;
}

static unsigned long long half(u128 v, bool high) { return (unsigned long long)(high ? v >> 64 : v); }

int main()
{
	enum { BLOCKS = 64, THREADS = 128, N = BLOCKS * THREADS };
	static u128 a[N], b[N];
	static result got[N];
	unsigned seed = 9;
	for (int i = 0; i < N; i++) {
		a[i] = i == 0 ? 0 : some(&seed);
		b[i] = i == 0 ? 1 : some(&seed);
		if (!b[i])
			b[i] = 1;
		if (i % 8 == 1) // a multiple of b or one less, where a wrong estimate of a digit shows
			a[i] = (u128)(unsigned)a[i] * (b[i] >> 32) - i % 16 / 8;
	}
	result *d = device_alloc<result>(N);
	divide<<<BLOCKS, THREADS>>>(to_device(a, N), to_device(b, N), d);
	LAUNCHED();
	to_host(got, d, N);
	for (int i = 0; i < N; i++) {
		const u128 q = a[i] / b[i], r = a[i] % b[i];
		CHECK(got[i].quotient == q && got[i].remainder == r, "%llx%016llx / %llx%016llx: %llx%016llx rest %llx%016llx",
		      half(a[i], true), half(a[i], false), half(b[i], true), half(b[i], false), half(got[i].quotient, true),
		      half(got[i].quotient, false), half(got[i].remainder, true), half(got[i].remainder, false));
		const bool overflow = a[i] == (u128)1 << 127 && b[i] == ~(u128)0; // undefined, and a trap on the host
		CHECK(overflow || (got[i].signed_quotient == (__int128)a[i] / (__int128)b[i] &&
		                   got[i].signed_remainder == (__int128)a[i] % (__int128)b[i]),
		      "signed %llx%016llx / %llx%016llx", half(a[i], true), half(a[i], false), half(b[i], true), half(b[i], false));
	}
	return check_done();
}
