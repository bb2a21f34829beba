// mma.sp of every type and shape, with each selector, on numbers whose sums are exact. What of B is not named by the metadata is infinite
// where the type has infinities.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_80
// skip: sass-modern-86 the published rule of HMMA is slower than what ptxas counts on
#include "check.h"
#include "fragments.h"

#define KERNEL_F(name, text, lists, meta, selector, ...) \
	static __global__ void name(operands *o) \
	{ \
		float d[4]; \
		asm volatile(text " {%0, %1, %2, %3}, " lists ", " meta ", " selector ";" \
			: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : __VA_ARGS__, "r"(W(e, 0))); \
		for (int r = 0; r < 4; r++) \
			o->d.word[threadIdx.x][r] = __float_as_uint(d[r]); \
	}
#define KERNEL_R(name, n, dlist, outs, text, lists, meta, selector, ...) \
	static __global__ void name(operands *o) \
	{ \
		uint32_t d[n]; \
		asm volatile(text " " dlist ", " lists ", " meta ", " selector ";" : outs : __VA_ARGS__, "r"(W(e, 0))); \
		for (int r = 0; r < n; r++) \
			o->d.word[threadIdx.x][r] = d[r]; \
	}
#define SP "mma.sp.sync.aligned."
#define ORDERED "mma.sp::ordered_metadata.sync.aligned."
#define SMALL_F32(name, text, s) KERNEL_F(name, text, "{%4, %5}, {%6, %7}, {%8, %9, %10, %11}", "%12", s, IN2(a), IN2(b), INF4(c))
#define LARGE_F32(name, text, s) KERNEL_F(name, text, "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}", "%16", s, IN4(a), IN4(b), INF4(c))
#define SMALL_F16(name, text, s) KERNEL_R(name, 2, "{%0, %1}", OUT2, text, "{%2, %3}, {%4, %5}, {%6, %7}", "%8", s, IN2(a), IN2(b), IN2(c))
#define LARGE_F16(name, text, s) KERNEL_R(name, 2, "{%0, %1}", OUT2, text, "{%2, %3, %4, %5}, {%6, %7, %8, %9}, {%10, %11}", "%12", s, IN4(a), IN4(b), IN2(c))
#define SMALL_S32(name, text, s) KERNEL_R(name, 4, "{%0, %1, %2, %3}", OUT4, text, "{%4, %5}, {%6, %7}, {%8, %9, %10, %11}", "%12", s, IN2(a), IN2(b), IN4(c))
#define LARGE_S32(name, text, s) \
	KERNEL_R(name, 4, "{%0, %1, %2, %3}", OUT4, text, "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}", "%16", s, IN4(a), IN4(b), IN4(c))
SMALL_F32(f16_0, SP "m16n8k16.row.col.f32.f16.f16.f32", "0")
SMALL_F32(f16_1, SP "m16n8k16.row.col.f32.f16.f16.f32", "1")
SMALL_F32(f16_2, SP "m16n8k16.row.col.f32.f16.f16.f32", "2")
SMALL_F32(f16_3, ORDERED "m16n8k16.row.col.f32.f16.f16.f32", "3")
LARGE_F32(f16_k32_0, ORDERED "m16n8k32.row.col.f32.f16.f16.f32", "0")
LARGE_F32(f16_k32_1, SP "m16n8k32.row.col.f32.f16.f16.f32", "1")
SMALL_F16(h16, ORDERED "m16n8k16.row.col.f16.f16.f16.f16", "2")
LARGE_F16(h16_k32, SP "m16n8k32.row.col.f16.f16.f16.f16", "0")
SMALL_F32(bf16, SP "m16n8k16.row.col.f32.bf16.bf16.f32", "1")
LARGE_F32(bf16_k32, ORDERED "m16n8k32.row.col.f32.bf16.bf16.f32", "1")
SMALL_F32(tf32, SP "m16n8k8.row.col.f32.tf32.tf32.f32", "3")
LARGE_F32(tf32_k16, ORDERED "m16n8k16.row.col.f32.tf32.tf32.f32", "1")
SMALL_S32(s8_0, ORDERED "m16n8k32.row.col.s32.s8.s8.s32", "0")
SMALL_S32(s8_1, SP "m16n8k32.row.col.satfinite.s32.s8.u8.s32", "1")
LARGE_S32(u8_k64, SP "m16n8k64.row.col.s32.u8.u8.s32", "0")
SMALL_S32(s4_0, SP "m16n8k64.row.col.s32.s4.u4.s32", "0")
SMALL_S32(s4_1, ORDERED "m16n8k64.row.col.s32.s4.s4.s32", "1")
LARGE_S32(u4_k128, ORDERED "m16n8k128.row.col.s32.u4.s4.s32", "0")
// Of sm_89; clang hands over what it doesn't know.
#if defined(__clang__) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
LARGE_F32(fp8_k64, ORDERED "m16n8k64.row.col.f32.e4m3.e5m2.f32", "0")
#else
static __global__ void fp8_k64(operands *o) { o->skipped = 1; }
#endif

static const struct form {
	const char *name;
	kernel *run;
	int k, selector;
	type a, b, d;
} forms[] = {
#define ROW(name, ...) { #name, name, __VA_ARGS__ }
	ROW(f16_0, 16, 0, F16, F16, F32), ROW(f16_1, 16, 1, F16, F16, F32), ROW(f16_2, 16, 2, F16, F16, F32), ROW(f16_3, 16, 3, F16, F16, F32),
	ROW(f16_k32_0, 32, 0, F16, F16, F32), ROW(f16_k32_1, 32, 1, F16, F16, F32), ROW(h16, 16, 2, F16, F16, F16), ROW(h16_k32, 32, 0, F16, F16, F16),
	ROW(bf16, 16, 1, BF16, BF16, F32), ROW(bf16_k32, 32, 1, BF16, BF16, F32), ROW(tf32, 8, 3, TF32, TF32, F32), ROW(tf32_k16, 16, 1, TF32, TF32, F32),
	ROW(s8_0, 32, 0, S8, S8, S32), ROW(s8_1, 32, 1, S8, U8, S32), ROW(u8_k64, 64, 0, U8, U8, S32),
	ROW(s4_0, 64, 0, S4, U4, S32), ROW(s4_1, 64, 1, S4, S4, S32), ROW(u4_k128, 128, 0, U4, S4, S32), ROW(fp8_k64, 64, 0, E4M3, E5M2, F32),
};

// The word of the metadata in which 4 bits stand for group `g` of four places (tf32: two, 4-bit integers: eight) of row `row`, and where.
static uint32_t *metadata(const form &f, operands *o, int row, int g, int *shift)
{
	const int groups = f.k * bits_of[f.a] / (bits_of[f.a] >= 16 ? 64 : 32);
	int lane = row % 8 * 4;
	if (bits_of[f.a] >= 16) { // rows 0 to 7 in the lower halves of words, 8 to 15 in the upper ones
		lane += groups == 4 ? f.selector : 2 * f.selector + g / 4;
		*shift = g % 4 * 4 + row / 8 * 16;
	} else { // a word for each row
		lane += groups == 8 ? 2 * f.selector + row / 8 : g / 8 * 2 + row / 8;
		*shift = g % 8 * 4;
	}
	return (uint32_t *)&o->e.word[lane][0];
}

static uint64_t infinity(type t)
{
	switch (t) {
	case F16: return 0x7c00;
	case BF16: return 0x7f80;
	case TF32: return 0x7f800000;
	case E5M2: return 0x7c;
	default: return encode(t, 1);
	}
}

static void test(const form &f, operands *o, unsigned *state)
{
	static int a[16][128], b[8][128], c[16][8];
	const int pairs = bits_of[f.a] == 4, group = bits_of[f.a] == 32 ? 2 : pairs ? 8 : 4, unit = pairs ? 2 : 1;
	int shift;
	memset(o, 0, sizeof *o);
	memset(a, 0, sizeof a);
	bool needed[128] = {};
	// The same places in all rows, so that the rest of B can be infinite; in turn any places in each row.
	const bool alike = check_random(state) & 1;
	for (int i = 0; i < 16; i++)
		for (int g = 0; g < f.k / group; g++) {
			static int first[64], second[64];
			if (!i || !alike) {
				first[g] = check_random(state) % (group / unit == 2 ? 2 : 3);
				second[g] = first[g] + 1 + (group / unit == 2 ? 0 : check_random(state) % (3 - first[g]));
			}
			uint32_t *word = metadata(f, o, i, g, &shift);
			*word |= (uint32_t)(group == 2 ? (first[g] ? 0xe : 0x4) : first[g] | second[g] << 2) << shift;
			for (int e = 0; e < group / 2; e++) {
				const int at = group == 2 ? g * 2 + first[g] : g * group + (e / unit ? second[g] : first[g]) * unit + e % unit;
				needed[at] = true;
				put(&o->a, f.a, 2, i, g * group / 2 + e, encode(f.a, a[i][at] = range(f.a, state)));
			}
		}
	for (int j = 0; j < 8; j++)
		for (int k = 0; k < f.k; k++)
			if (needed[k])
				put(&o->b, f.b, 1, j, k, encode(f.b, b[j][k] = range(f.b, state)));
			else
				put(&o->b, f.b, 1, j, k, infinity(f.b)), b[j][k] = 0;
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 8; j++) {
			uint64_t *w = place(&o->c, f.d, i, j, &shift);
			*w |= encode(f.d, c[i][j] = range(f.d, state)) << shift;
		}
	f.run<<<1, 32>>>(o);
	LAUNCHED();
	for (int i = 0; i < 16 && !o->skipped; i++)
		for (int j = 0; j < 8; j++) {
			int sum = c[i][j];
			for (int k = 0; k < f.k; k++)
				sum += a[i][k] * b[j][k];
			uint64_t w = *place(&o->d, f.d, i, j, &shift) >> shift;
			double got = decode(f.d, f.d == F16 ? w & 0xffff : w);
			CHECK(got == sum, "%s: (%d, %d) is %g, not %d", f.name, i, j, got, sum);
		}
}

int main()
{
	unsigned state = 11;
	operands *o;
	OK(cudaMallocManaged(&o, sizeof *o));
	for (const form &f : forms)
		for (int times = 0; times < 6; times++)
			test(f, o, &state);
	return check_done();
}
