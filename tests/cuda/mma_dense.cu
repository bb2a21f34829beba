// mma.sync of every type and shape, on numbers whose sums are exact: fragments lie where the PTX ISA's figures have them.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_80
// skip: sass-modern-86 the published rule of HMMA is slower than what ptxas counts on
#include "check.h"
#include "fragments.h"

#define KERNEL_F4(name, text, lists, ...) \
	static __global__ void name(operands *o) \
	{ \
		float d[4]; \
		asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, " lists ";" \
			: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : __VA_ARGS__); \
		for (int r = 0; r < 4; r++) \
			o->d.word[threadIdx.x][r] = __float_as_uint(d[r]); \
	}
#define KERNEL_R(name, n, dlist, outs, text, lists, ...) \
	static __global__ void name(operands *o) \
	{ \
		uint32_t d[n]; \
		asm volatile("mma.sync.aligned." text " " dlist ", " lists ";" : outs : __VA_ARGS__); \
		for (int r = 0; r < n; r++) \
			o->d.word[threadIdx.x][r] = d[r]; \
	}
#define KERNEL_D(name, n, dlist, outs, text, lists, ...) \
	static __global__ void name(operands *o) \
	{ \
		double d[n]; \
		asm volatile("mma.sync.aligned." text " " dlist ", " lists ";" : outs : __VA_ARGS__); \
		for (int r = 0; r < n; r++) \
			o->d.word[threadIdx.x][r] = __double_as_longlong(d[r]); \
	}
#define L4_2_4 "{%4, %5}, {%6}, {%7, %8, %9, %10}"
#define L4_4_4 "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}"
#define L2_2_2 "{%2, %3}, {%4}, {%5, %6}"
#define L2_4_2 "{%2, %3, %4, %5}, {%6, %7}, {%8, %9}"
#define L2_1_2 "{%2}, {%3}, {%4, %5}"

// Floating point with f32 sums.
#define SMALL_F32(name, text) KERNEL_F4(name, text, L4_2_4, IN2(a), IN1(b), INF4(c))
#define LARGE_F32(name, text) KERNEL_F4(name, text, L4_4_4, IN4(a), IN2(b), INF4(c))
SMALL_F32(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32")
LARGE_F32(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32")
SMALL_F32(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32")
LARGE_F32(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32")
SMALL_F32(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32")
LARGE_F32(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32")
// The same with sums of halves.
#define SMALL_F16(name, text) KERNEL_R(name, 2, "{%0, %1}", OUT2, text, L2_2_2, IN2(a), IN1(b), IN2(c))
#define LARGE_F16(name, text) KERNEL_R(name, 2, "{%0, %1}", OUT2, text, L2_4_2, IN4(a), IN2(b), IN2(c))
SMALL_F16(f16_k8_f16, "m16n8k8.row.col.f16.f16.f16.f16")
LARGE_F16(f16_k16_f16, "m16n8k16.row.col.f16.f16.f16.f16")
// Integers and single bits.
#define EIGHT_S32(name, text) KERNEL_R(name, 2, "{%0, %1}", OUT2, text, L2_1_2, IN1(a), IN1(b), IN2(c))
#define SMALL_S32(name, text) KERNEL_R(name, 4, "{%0, %1, %2, %3}", OUT4, text, L4_2_4, IN2(a), IN1(b), IN4(c))
#define LARGE_S32(name, text) KERNEL_R(name, 4, "{%0, %1, %2, %3}", OUT4, text, L4_4_4, IN4(a), IN2(b), IN4(c))
EIGHT_S32(s8_8, "m8n8k16.row.col.s32.s8.s8.s32")
SMALL_S32(s8_k16, "m16n8k16.row.col.s32.s8.s8.s32")
LARGE_S32(s8_k32, "m16n8k32.row.col.satfinite.s32.s8.s8.s32")
LARGE_S32(s8u8_k32, "m16n8k32.row.col.s32.s8.u8.s32")
LARGE_S32(u8_k32, "m16n8k32.row.col.s32.u8.u8.s32")
EIGHT_S32(s4_8, "m8n8k32.row.col.s32.s4.s4.s32")
SMALL_S32(u4s4_k32, "m16n8k32.row.col.s32.u4.s4.s32")
LARGE_S32(s4_k64, "m16n8k64.row.col.s32.s4.s4.s32")
EIGHT_S32(xor_8, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
SMALL_S32(and_k128, "m16n8k128.row.col.s32.b1.b1.s32.and.popc")
LARGE_S32(xor_k256, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
LARGE_S32(and_k256, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
// f64.
KERNEL_D(f64_8, 2, "{%0, %1}", OUTD2, "m8n8k4.row.col.f64.f64.f64.f64", L2_1_2, IND1(a), IND1(b), IND2(c))
// In a direction: 1 and four times 2^-54, of which nothing is left but towards above.
KERNEL_D(f64_rz, 2, "{%0, %1}", OUTD2, "m8n8k4.row.col.rz.f64.f64.f64.f64", L2_1_2, IND1(a), IND1(b), IND2(c))
KERNEL_D(f64_rp, 2, "{%0, %1}", OUTD2, "m8n8k4.row.col.rp.f64.f64.f64.f64", L2_1_2, IND1(a), IND1(b), IND2(c))
KERNEL_D(f64_rm, 2, "{%0, %1}", OUTD2, "m8n8k4.row.col.rm.f64.f64.f64.f64", L2_1_2, IND1(a), IND1(b), IND2(c))

// These are of sm_89.
#if defined(__clang__) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
LARGE_F32(e4m3_k32, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
LARGE_F32(e4m3_e5m2_k32, "m16n8k32.row.col.f32.e4m3.e5m2.f32")
SMALL_F32(e5m2_k16, "m16n8k16.row.col.f32.e5m2.e4m3.f32")
#else
static __global__ void e4m3_k32(operands *o) { o->skipped = 1; }
static __global__ void e4m3_e5m2_k32(operands *o) { o->skipped = 1; }
static __global__ void e5m2_k16(operands *o) { o->skipped = 1; }
#endif
// These are of sm_90; clang hands over what it doesn't know.
#if defined(__clang__) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
KERNEL_D(f64_k4, 4, "{%0, %1, %2, %3}", OUTD4, "m16n8k4.row.col.f64.f64.f64.f64", L4_2_4, IND2(a), IND1(b), IND4(c))
KERNEL_D(f64_k8, 4, "{%0, %1, %2, %3}", OUTD4, "m16n8k8.row.col.f64.f64.f64.f64", L4_4_4, IND4(a), IND2(b), IND4(c))
KERNEL_D(f64_k16, 4, "{%0, %1, %2, %3}", OUTD4, "m16n8k16.row.col.f64.f64.f64.f64",
	"{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19}", IND8(a), IND4(b), IND4(c))
#else
static __global__ void f64_k4(operands *o) { o->skipped = 1; }
static __global__ void f64_k8(operands *o) { o->skipped = 1; }
static __global__ void f64_k16(operands *o) { o->skipped = 1; }
#endif

static const struct form {
	const char *name;
	kernel *run;
	int m, k;
	type a, b, d;
	char bits; // 'x' or '&' of single bits
} forms[] = {
#define ROW(name, m, k, ...) { #name, name, m, k, __VA_ARGS__ }
	ROW(f16_k8, 16, 8, F16, F16, F32), ROW(f16_k16, 16, 16, F16, F16, F32),
	ROW(bf16_k8, 16, 8, BF16, BF16, F32), ROW(bf16_k16, 16, 16, BF16, BF16, F32),
	ROW(tf32_k4, 16, 4, TF32, TF32, F32), ROW(tf32_k8, 16, 8, TF32, TF32, F32),
	ROW(f16_k8_f16, 16, 8, F16, F16, F16), ROW(f16_k16_f16, 16, 16, F16, F16, F16),
	ROW(s8_8, 8, 16, S8, S8, S32), ROW(s8_k16, 16, 16, S8, S8, S32), ROW(s8_k32, 16, 32, S8, S8, S32),
	ROW(s8u8_k32, 16, 32, S8, U8, S32), ROW(u8_k32, 16, 32, U8, U8, S32),
	ROW(s4_8, 8, 32, S4, S4, S32), ROW(u4s4_k32, 16, 32, U4, S4, S32), ROW(s4_k64, 16, 64, S4, S4, S32),
	ROW(xor_8, 8, 128, B1, B1, S32, 'x'), ROW(and_k128, 16, 128, B1, B1, S32, '&'),
	ROW(xor_k256, 16, 256, B1, B1, S32, 'x'), ROW(and_k256, 16, 256, B1, B1, S32, '&'),
	ROW(e4m3_k32, 16, 32, E4M3, E4M3, F32), ROW(e4m3_e5m2_k32, 16, 32, E4M3, E5M2, F32), ROW(e5m2_k16, 16, 16, E5M2, E4M3, F32),
	ROW(f64_8, 8, 4, F64, F64, F64), ROW(f64_k4, 16, 4, F64, F64, F64),
	ROW(f64_k8, 16, 8, F64, F64, F64), ROW(f64_k16, 16, 16, F64, F64, F64),
};

static void test(const form &f, operands *o, unsigned *state)
{
	static int a[16][256], b[8][256], c[16][8];
	int shift;
	memset(o, 0, sizeof *o);
	for (int i = 0; i < f.m; i++)
		for (int k = 0; k < f.k; k++)
			put(&o->a, f.a, f.m / 8, i, k, encode(f.a, a[i][k] = range(f.a, state)));
	for (int j = 0; j < 8; j++)
		for (int k = 0; k < f.k; k++)
			put(&o->b, f.b, 1, j, k, encode(f.b, b[j][k] = range(f.b, state)));
	for (int i = 0; i < f.m; i++)
		for (int j = 0; j < 8; j++) {
			uint64_t *w = place(&o->c, f.d, i, j, &shift);
			*w |= encode(f.d, c[i][j] = range(f.d, state)) << shift;
		}
	f.run<<<1, 32>>>(o);
	LAUNCHED();
	for (int i = 0; i < f.m && !o->skipped; i++)
		for (int j = 0; j < 8; j++) {
			int sum = c[i][j];
			for (int k = 0; k < f.k; k++)
				sum += f.bits == 'x' ? a[i][k] ^ b[j][k] : a[i][k] * b[j][k];
			uint64_t w = *place(&o->d, f.d, i, j, &shift) >> shift;
			double got = decode(f.d, f.d == F16 ? w & 0xffff : w);
			CHECK(got == sum, "%s: (%d, %d) is %g, not %d", f.name, i, j, got, sum);
		}
}

static uint64_t f64_bits(double d)
{
	uint64_t w;
	memcpy(&w, &d, 8);
	return w;
}

// All of A, B and C the same; D too then.
static void same(const char *name, kernel *run, operands *o, uint64_t a, uint64_t b, uint64_t c, uint64_t want)
{
	memset(o, 0, sizeof *o);
	for (int lane = 0; lane < 32; lane++)
		for (int r = 0; r < 8; r++)
			o->a.word[lane][r] = a, o->b.word[lane][r] = b, o->c.word[lane][r] = c;
	run<<<1, 32>>>(o);
	LAUNCHED();
	for (int lane = 0; lane < 32; lane++)
		CHECK(o->d.word[lane][1] == want, "%s: lane %d has %llx", name, lane, (unsigned long long)o->d.word[lane][1]);
}

// What small whole numbers do not show: directions of rounding, and sums that do not fit.
static void ends(operands *o)
{
	const uint64_t small = f64_bits(0x1p-27), one = f64_bits(1), minus = f64_bits(-1);
	same("rz", f64_rz, o, small, small, one, one);
	same("rp", f64_rp, o, small, small, one, f64_bits(1 + 4 * 0x1p-52));
	same("rm", f64_rm, o, small, small, one, one);
	same("rz of -1", f64_rz, o, small, small, minus, f64_bits(-1 + 4 * 0x1p-53));
	same("rm of -1", f64_rm, o, small, small, minus, minus);
	same("satfinite", s8_k32, o, 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffff00, 0x7fffffff);
	same("satfinite below", s8_k32, o, 0x80808080, 0x7f7f7f7f, 0x80000100, 0x80000000);
	same("wraps", s8u8_k32, o, 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffff00, (uint32_t)(0x7fffff00u + 32 * 127 * 127));
}

int main()
{
	unsigned state = 7;
	operands *o;
	OK(cudaMallocManaged(&o, sizeof *o));
	for (const form &f : forms)
		for (int times = 0; times < 3; times++)
			test(f, o, &state);
	ends(o);
	return check_done();
}
