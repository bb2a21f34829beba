// Inline PTX: scopes with their own registers and labels, branches, predicated instructions, a loop, a branch table,
// calls through a prototype, local variables, vector moves.
#include "check.h"

__device__ __noinline__ unsigned triple(unsigned v)
{
	return v * 3;
}

__device__ unsigned (*function)(unsigned) = triple;

__global__ void run(unsigned *out, int n)
{
	unsigned t = threadIdx.x, *o = out + 8 * t;
	unsigned r;
	/* Collatz steps in a loop written by hand. */
	asm volatile("{\n\t"
		".reg .u32 x, b, c;\n\t"
		".reg .pred odd, one;\n\t"
		"add.u32 x, %1, 1;\n\t"
		"mov.u32 c, 0;\n"
		"again:\n\t"
		"setp.eq.u32 one, x, 1;\n\t"
		"@one bra.uni done;\n\t"
		"and.b32 b, x, 1;\n\t"
		"setp.ne.u32 odd, b, 0;\n\t"
		"@!odd shr.u32 x, x, 1;\n\t"
		"@odd mad.lo.u32 x, x, 3, 1;\n\t"
		"add.u32 c, c, 1;\n\t"
		"bra again;\n"
		"done:\n\t"
		"mov.u32 %0, c;\n\t"
		"}" : "=r"(r) : "r"(t));
	o[0] = r;
	/* The same names again, in nested scopes. */
	asm("{ .reg .u32 x; add.u32 x, %1, 5; { .reg .u32 x; mul.lo.u32 x, %1, 7; mov.u32 %0, x; } add.u32 %0, %0, x; }"
		: "=&r"(r) : "r"(t));
	o[1] = r;
	asm("{ .reg .u32 x; add.u32 x, %1, 9; mov.u32 %0, x; }" : "=r"(r) : "r"(t));
	o[2] = r;
	asm volatile("{\n\t"
		".reg .u32 k;\n\t"
		"rem.u32 k, %1, 3;\n\t"
		"table: .branchtargets zero, one, two;\n\t"
		"brx.idx k, table;\n"
		"zero: mov.u32 %0, 100;\n\t"
		"bra.uni end;\n"
		"one: mov.u32 %0, 200;\n\t"
		"bra.uni end;\n"
		"two: mov.u32 %0, 300;\n"
		"end:\n\t"
		"}" : "=r"(r) : "r"(t));
	o[3] = r;
	o[4] = n ? function(t) : 0;
	asm volatile("{\n\t"
		".local .align 8 .b8 buffer[16];\n\t"
		".reg .u64 p;\n\t"
		"mov.u64 p, buffer;\n\t"
		"st.local.v2.u32 [p], {%1, %2};\n\t"
		"ld.local.u32 %0, [p+4];\n\t"
		"}" : "=r"(r) : "r"(t), "r"(t * 11) : "memory");
	o[5] = r;
	unsigned long long w;
	unsigned lo, hi;
	asm("mov.b64 %0, {%1, %2};" : "=l"(w) : "r"(t), "r"(~t));
	asm("{ .reg .b16 a, b, c, d; mov.b64 {a, b, c, d}, %2; mov.b32 %0, {d, c}; mov.b32 %1, {b, a}; }" : "=r"(lo), "=r"(hi) : "l"(w));
	o[6] = lo;
	o[7] = hi;
}

int main()
{
	unsigned *d = device_alloc<unsigned>(64 * 8), h[64][8];
	run<<<1, 64>>>(d, 1);
	LAUNCHED();
	to_host(h[0], d, 64 * 8);
	for (unsigned t = 0; t < 64; t++) {
		unsigned c = 0, x = t + 1;
		for (; x != 1; c++)
			x = x & 1 ? 3 * x + 1 : x / 2;
		unsigned not_t = ~t;
		unsigned e[8] = {
			c, t * 7 + t + 5, t + 9, 100 * (t % 3 + 1), t * 3, t * 11, not_t >> 16 | not_t << 16, t << 16 | t >> 16};
		for (int k = 0; k < 8; k++)
			CHECK(h[t][k] == e[k], "thread %u value %d: %x, not %x", t, k, h[t][k], e[k]);
	}
	return check_done();
}
