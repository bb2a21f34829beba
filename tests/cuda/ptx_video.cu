// Video instructions as image code uses them: sums of absolute differences, blends, saturated parts, comparisons by
// byte.
#include "check.h"

struct result {
	unsigned sad, average, brighter, low_sum, blend, count, scaled, shifted;
};

__global__ void run(const unsigned *v, int n, result *out)
{
	unsigned a = v[blockIdx.x], b = v[threadIdx.x], c = v[(blockIdx.x + threadIdx.x) % n];
	result r;
	asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r.sad) : "r"(a), "r"(b), "r"(7));
	asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r.average) : "r"(a), "r"(b), "r"(0));
	asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(r.brighter) : "r"(a), "r"(b), "r"(0));
	asm("vadd.s32.s32.u32.sat %0, %1.h0, %2.b3;" : "=r"(r.low_sum) : "r"(a), "r"(b));
	asm("{ .reg .u32 t; vmin2.s32.s32.s32 t.h0, %1.h10, %2.h31, %3; mov.b32 %0, t; }" : "=r"(r.blend) : "r"(a), "r"(b), "r"(c));
	asm("vset4.u32.u32.lt.add %0, %1, %2, %3;" : "=r"(r.count) : "r"(a), "r"(b), "r"(0));
	asm("vmad.s32.u32.u32.shr7 %0, %1.b0, %2.b1, %3;" : "=r"(r.scaled) : "r"(a), "r"(b), "r"(64));
	asm("{ .reg .u32 t; vshl.u32.u32.u32.sat.clamp t.b2, %1.b0, %2.b1, %3; mov.b32 %0, t; }"
		: "=r"(r.shifted) : "r"(a), "r"(b & 0x3ff), "r"(c));
	out[blockIdx.x * n + threadIdx.x] = r;
}

static unsigned byte(unsigned v, int i) { return v >> 8 * i & 255; }

static result expected(unsigned a, unsigned b, unsigned c)
{
	result r = {7, 0, 0, 0, 0, 0, 0, 0};
	for (int i = 0; i < 4; i++) {
		unsigned x = byte(a, i), y = byte(b, i);
		r.sad += x > y ? x - y : y - x;
		r.average |= (x + y + 1) / 2 << 8 * i;
		r.brighter |= (x + y > 255 ? 255 : x + y) << 8 * i;
		r.count += x < y;
	}
	r.low_sum = (unsigned)((short)a + (int)byte(b, 3));
	short low = (short)a, other = (short)(a >> 16); // half 1 of b:a
	r.blend = (c & 0xffff0000u) | (unsigned short)(low < other ? low : other);
	r.scaled = (byte(a, 0) * byte(b, 1) + 64) >> 7;
	unsigned wide = byte(a, 0) << byte(b & 0x3ff, 1);
	r.shifted = (c & 0xff00ffffu) | byte(wide, 0) << 16; // clamped to 32 bits, not to the byte
	return r;
}

int main()
{
	const int n = 32;
	unsigned v[n], seed = 11;
	for (int i = 0; i < n; i++)
		v[i] = i % 6 == 0 ? 0xff80007fu : check_random(&seed) << 16 ^ check_random(&seed);
	static result all[n][n];
	result *d = device_alloc<result>(n * n);
	run<<<n, n>>>(to_device(v, n), n, d);
	LAUNCHED();
	to_host(all[0], d, n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			result r = all[i][j], e = expected(v[i], v[j], v[(i + j) % n]);
			CHECK(!memcmp(&r, &e, sizeof r), "%x %x: %x %x %x %x %x %x %x %x", v[i], v[j], r.sad ^ e.sad,
				r.average ^ e.average, r.brighter ^ e.brighter, r.low_sum ^ e.low_sum, r.blend ^ e.blend,
				r.count ^ e.count, r.scaled ^ e.scaled, r.shifted ^ e.shifted);
		}
	return check_done();
}
