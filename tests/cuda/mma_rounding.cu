// How products of matrices add up where ptxas makes other instructions of them than the PTX says: mma of 8-bit floats and mma.m8n8k4 of
// f16. What a sum comes out as tells the instructions apart, and has to be the same from PTX as from ptxas's code.
// env: GPGPUSIM_CONFIG=../../../../../configs/SM90_H100/gpgpusim.config
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_75
// skip: sass-modern-86 sass-modern-89 sass-modern-120 the published rule of HMMA and QMMA is slower than what ptxas counts on
#include "check.h"
#include "fragments.h"

#define D8 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "
#define LF8(x) INF4(x), "f"(FLOAT(x, 4)), "f"(FLOAT(x, 5)), "f"(FLOAT(x, 6)), "f"(FLOAT(x, 7))

static __global__ void quarters_f32(operands *o)
{
	float d[8];
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 " D8 "{%12, %13, %14, %15, %16, %17, %18, %19};"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7]) : IN2(a), IN2(b), LF8(c));
	o->d.word[threadIdx.x][0] = __float_as_uint(d[0]);
}

static __global__ void quarters_f16(operands *o)
{
	uint32_t d[4];
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};"
		: OUT4 : IN2(a), IN2(b), IN4(c));
	o->d.word[threadIdx.x][0] = d[0] & 0xffff;
}

// These are of sm_89; clang hands over what it doesn't know.
#if defined(__clang__) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
#define EIGHT_BITS(...) __VA_ARGS__
#else
#define EIGHT_BITS(...) o->skipped = 1
#endif

static __global__ void eight_f32(operands *o)
{
	EIGHT_BITS(float d[4];
	asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : IN4(a), IN2(b), INF4(c));
	o->d.word[threadIdx.x][0] = __float_as_uint(d[0]));
}

static __global__ void eight_f16(operands *o)
{
	EIGHT_BITS(uint32_t d[2];
	asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
		: OUT2 : IN4(a), IN2(b), IN2(c));
	o->d.word[threadIdx.x][0] = d[0] & 0xffff);
}

static __global__ void short_f32(operands *o)
{
	EIGHT_BITS(float d[4];
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : IN2(a), IN1(b), INF4(c));
	o->d.word[threadIdx.x][0] = __float_as_uint(d[0]));
}

static __global__ void sparse_f32(operands *o)
{
	EIGHT_BITS(float d[4];
	asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
		"{%8, %9, %10, %11}, {%12, %13, %14, %15}, %16, 0;"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : IN4(a), IN4(b), INF4(c), IN1(e));
	o->d.word[threadIdx.x][0] = __float_as_uint(d[0]));
}

// Row 0 of A by column 0 of B, and one element of C; what comes out from sm_70, 75, 80, 89, 90 and 120 on.
static const struct row {
	const char *name;
	kernel *run;
	bool quarters, sparse;
	type a, b, c;
	struct { int k; double a, b; } product[4]; // k counts stored elements of A; a 0 behind the last
	double sum;
	double want[6];
} rows[] = {
#define P(e) ldexp(1, e)
	// Below the last place of 1: 1 and 1/2 of it, cut or added up first and rounded.
	{"quarters f32", quarters_f32, true, false, F16, F16, F32, {{0, P(-12), P(-12)}, {3, P(-12), P(-13)}}, 1,
		{1, 1, 1 + P(-23), 1 + P(-23), 1 + P(-23), 1 + P(-23)}},
	// Half the last place of a half, and a little more.
	{"quarters f16", quarters_f16, true, false, F16, F16, F16, {{0, P(-5), P(-6)}, {3, P(-12), P(-12)}}, 1, {1, 1 + P(-10), 1, 1, 1, 1}},
	// 14 bits below 1, where products of 8-bit floats keep 13 on sm_89.
	{"e4m3", eight_f32, false, false, E4M3, E4M3, F32, {{0, 1, 1}, {1, P(-7), P(-7)}}, 0, {0, 0, 0, 1, 1 + P(-14), 1 + P(-14)}},
	// C comes last, and the sum is rounded: 64 and 1.5 of its last place.
	{"e4m3, C last", eight_f32, false, false, E4M3, E4M3, F32, {{0, P(-9), P(-9)}, {1, P(-9), P(-8)}}, 64,
		{0, 0, 0, 64, 64 + P(-16), 64 + P(-17)}},
	// Halves: 2048 and 1 of the lower two of four columns are rounded to 2048 before 1 of the upper two is added; and 1 twice of the lower ones.
	{"e4m3 f16", eight_f16, false, false, E4M3, E4M3, F16, {{4, 64, 32}, {0, 1, 1}, {2, 1, 1}}, 0, {0, 0, 0, 2050, 2048, 2050}},
	{"e4m3 f16, lower two", eight_f16, false, false, E4M3, E4M3, F16, {{4, 64, 32}, {0, 1, 1}, {1, 1, 1}}, 0, {0, 0, 0, 2050, 2050, 2050}},
	{"e5m2 by e4m3", short_f32, false, false, E5M2, E4M3, F32, {{5, 1, 1}, {3, P(-7), P(-7)}}, 0, {0, 0, 0, 1, 1 + P(-14), 1 + P(-14)}},
	{"sparse e4m3", sparse_f32, false, true, E4M3, E4M3, F32, {{0, 1, 1}, {3, P(-7), P(-7)}}, 0, {0, 0, 0, 1, 1 + P(-14), 1 + P(-14)}},
};

static uint64_t encoded(type t, double v)
{
	if (t == F32) {
		float f = (float)v;
		uint32_t w;
		memcpy(&w, &f, sizeof w);
		return w;
	}
	const int mantissa = t == F16 ? 10 : t == E4M3 ? 3 : 2, bias = t == E4M3 ? 7 : 15;
	if (!v)
		return 0;
	int e;
	frexp(v, &e);
	e = e - 1 < 1 - bias ? 1 - bias : e - 1;
	const uint64_t m = (uint64_t)ldexp(v, mantissa - e);
	return m + ((uint64_t)(e + bias - 1) << mantissa);
}

static double decoded(type t, uint64_t w)
{
	if (t == F32) {
		const uint32_t bits = (uint32_t)w;
		float f;
		memcpy(&f, &bits, sizeof f);
		return f;
	}
	const int e = w >> 10 & 31;
	return ldexp(e ? 1024 + (int)(w & 1023) : (int)(w & 1023), (e ? e : 1) - 25);
}

static void test(const row &r, operands *o, int generation)
{
	memset(o, 0, sizeof *o);
	for (int p = 0; p < 4 && r.product[p].a; p++) {
		const int k = r.product[p].k, place = r.sparse ? k / 2 * 4 + k % 2 : k; // metadata: the first two of every four
		const uint64_t a = encoded(r.a, r.product[p].a), b = encoded(r.b, r.product[p].b);
		if (r.quarters) {
			o->a.word[0][k / 2] |= a << k % 2 * 16;
			o->b.word[0][k / 2] |= b << k % 2 * 16;
		} else {
			put(&o->a, r.a, 2, 0, k, a);
			put(&o->b, r.b, 1, 0, place, b);
		}
	}
	for (int lane = 0; r.sparse && lane < 32; lane++)
		o->e.word[lane][0] = 0x44444444;
	o->c.word[0][0] = encoded(r.c, r.sum);
	r.run<<<1, 32>>>(o);
	LAUNCHED();
	if (o->skipped)
		return;
	const double got = decoded(r.c, o->d.word[0][0]);
	CHECK(got == r.want[generation], "%s: %a, not %a", r.name, got, r.want[generation]);
}

int main()
{
	static const int first[] = {70, 75, 80, 89, 90, 120};
	cudaDeviceProp p;
	operands *o;
	OK(cudaGetDeviceProperties(&p, 0));
	int generation = 0;
	while (generation + 1 < 6 && first[generation + 1] <= p.major * 10 + p.minor)
		generation++;
	OK(cudaMallocManaged(&o, sizeof *o));
	for (const row &r : rows)
		if (generation >= 3 || r.quarters)
			test(r, o, generation);
	return check_done();
}
