// fma.oob of halves and of bf16: 0 where a factor is what copies by tensor maps write outside of a tensor, whatever its sign; a NaN of
// another kind, and the addend, count as ever.
// flags: -arch=sm_90
#include "check.h"

#define ONE(type) \
	asm("fma.rn.oob." #type " %0, %1, %2, %3;" : "=h"(d) : "h"((unsigned short)a), "h"((unsigned short)b), "h"((unsigned short)c)); \
	out[0] = d; \
	asm("fma.rn.oob.relu." #type " %0, %1, %2, %3;" : "=h"(d) : "h"((unsigned short)a), "h"((unsigned short)b), "h"((unsigned short)c)); \
	out[1] = d; \
	asm("fma.rn.oob." #type "x2 %0, %1, %2, %3;" : "=r"(out[2]) : "r"(a << 16 | b), "r"(b << 16 | a), "r"(c << 16 | c)); \
	asm("fma.rn.oob.relu." #type "x2 %0, %1, %2, %3;" : "=r"(out[3]) : "r"(a << 16 | b), "r"(b << 16 | a), "r"(c << 16 | c));

__global__ void halves(unsigned a, unsigned b, unsigned c, unsigned *out)
{
	unsigned short d;
	ONE(f16)
}

__global__ void brains(unsigned a, unsigned b, unsigned c, unsigned *out)
{
	unsigned short d;
	ONE(bf16)
}

static const struct row {
	unsigned a, b, c, half, brain;
} rows[] = {
	// 1 * 2 + 1 and 1 * 2 - 4, of halves; bf16 have these numbers elsewhere
	{0x3c00, 0x4000, 0x3c00, 0x4200, 0}, {0x3c00, 0x4000, 0xc400, 0xc000, 0}, {0x3f80, 0x4000, 0x3f80, 0, 0x4040}, {0x3f80, 0x4000, 0xc080, 0, 0xc000},
	// a subnormal number stays
	{0x8000, 0, 1, 1, 1},
	// outside: of a, of b, of either sign, by infinity and by 0, under any addend
	{0x7ff7, 0x4000, 0x3c00, 0, 0}, {0x4000, 0x7ff7, 0xc400, 0, 0}, {0xfff7, 0x4000, 0x3c00, 0, 0}, {0xfff7, 0x7ff7, 0x7fff, 0, 0},
	{0x7ff7, 0x7fff, 0, 0, 0}, {0, 0xfff7, 0x7c00, 0, 0},
	// other NaNs, and the same as an addend
	{0x7ff6, 0x4000, 0x3c00, 0x7fff, 0x7fff}, {0x7fff, 0x4000, 0x3c00, 0x7fff, 0x7fff}, {0xffff, 0x4000, 0x3c00, 0x7fff, 0x7fff},
	{0x4000, 0x4000, 0x7ff7, 0x7fff, 0x7fff},
};

static void test(const char *type, const row &r, void (*run)(unsigned, unsigned, unsigned, unsigned *), unsigned want, unsigned *out)
{
	const unsigned relu = want & 0x8000 ? 0 : want;
	run<<<1, 1>>>(r.a, r.b, r.c, out);
	LAUNCHED();
	CHECK(out[0] == want, "%s: %x * %x + %x is %x, not %x", type, r.a, r.b, r.c, out[0], want);
	CHECK(out[1] == relu, "%s.relu: %x * %x + %x is %x, not %x", type, r.a, r.b, r.c, out[1], relu);
	CHECK(out[2] == (want << 16 | want), "%sx2: %x * %x + %x is %x, not twice %x", type, r.a, r.b, r.c, out[2], want);
	CHECK(out[3] == (relu << 16 | relu), "%sx2.relu: %x * %x + %x is %x, not twice %x", type, r.a, r.b, r.c, out[3], relu);
}

int main()
{
	unsigned *out;
	OK(cudaMallocManaged(&out, 4 * sizeof *out));
	for (const row &r : rows) {
		const bool both = r.half == r.brain;
		if (both || r.half)
			test("f16", r, halves, r.half, out);
		if (both || r.brain)
			test("bf16", r, brains, r.brain, out);
	}
	return check_done();
}
