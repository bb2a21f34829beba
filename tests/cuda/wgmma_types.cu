// wgmma.mma_async of every type, from registers and from shared memory in all layouts, on numbers whose sums are exact.
// flags: -arch=sm_90a
#include "check.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

enum type { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1, F32, S32 };
static const unsigned bits_of[] = { 16, 16, 32, 8, 8, 8, 8, 1, 32, 32 };

enum { ROWS = 64, THREADS = 128, MOST = 128, IMAGE = 80 << 10, B_AT = 16 << 10 };

// What a block gets and gives back: registers by thread.
struct operands {
	uint64_t desc_a, desc_b; // without the place of the image
	uint32_t add, a[THREADS][4], meta[THREADS];
	uint32_t c[THREADS][MOST], d[THREADS][MOST];
};

typedef void kernel(operands *o, const uint4 *image);

extern __shared__ uint4 shared_image[];

// The image to shared memory, where the asynchronous proxy sees it.
static __device__ uint64_t place(const uint4 *image)
{
	uint32_t at = (uint32_t)__cvta_generic_to_shared(shared_image), up = (1024 - at % 1024) % 1024;
	for (unsigned i = threadIdx.x; i < IMAGE / 16; i += blockDim.x)
		shared_image[up / 16 + i] = image[i];
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	return (at + up) / 16;
}

#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define LIST2 "%0, %1"
#define LIST4 LIST2 ", %2, %3"
#define LIST8 LIST4 ", %4, %5, %6, %7"
#define LIST10 LIST8 ", %8, %9"
#define LIST16 LIST10 ", %10, %11, %12, %13, %14, %15"
#define LIST20 LIST10 ", " TEN(1)
#define LIST24 LIST20 ", %20, %21, %22, %23"
#define LIST128 LIST20 ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", " TEN(6) ", " TEN(7) ", " TEN(8) ", " TEN(9) ", " TEN(10) ", " \
	TEN(11) ", %120, %121, %122, %123, %124, %125, %126, %127"
#define OUT2(c, i) c(d[i]), c(d[i + 1])
#define OUT4(c, i) OUT2(c, i), OUT2(c, i + 2)
#define OUT8(c, i) OUT4(c, i), OUT4(c, i + 4)
#define OUT16(c, i) OUT8(c, i), OUT8(c, i + 8)
#define OUT20(c, i) OUT16(c, i), OUT4(c, i + 16)
#define OUT24(c, i) OUT16(c, i), OUT8(c, i + 16)
#define OUT32(c, i) OUT16(c, i), OUT16(c, i + 16)
#define OUT128(c, i) OUT32(c, i), OUT32(c, i + 32), OUT32(c, i + 64), OUT32(c, i + 96)

// Behind the accumulators: both descriptors, whether C counts, metadata, A.
#define SS(a, b, s, m, r0, r1, r2, r3) a ", " b ", p"
#define RS(a, b, s, m, r0, r1, r2, r3) "{" r0 ", " r1 ", " r2 ", " r3 "}, " b ", p"
#define SS_SP0(a, b, s, m, r0, r1, r2, r3) a ", " b ", " m ", 0, p"
#define SS_SP1(a, b, s, m, r0, r1, r2, r3) a ", " b ", " m ", 1, p"
#define RS_SP0(a, b, s, m, r0, r1, r2, r3) "{" r0 ", " r1 ", " r2 ", " r3 "}, " b ", " m ", 0, p"
#define RS_SP1(a, b, s, m, r0, r1, r2, r3) "{" r0 ", " r1 ", " r2 ", " r3 "}, " b ", " m ", 1, p"
#define INS2(how) how("%2", "%3", "%4", "%5", "%6", "%7", "%8", "%9")
#define INS4(how) how("%4", "%5", "%6", "%7", "%8", "%9", "%10", "%11")
#define INS8(how) how("%8", "%9", "%10", "%11", "%12", "%13", "%14", "%15")
#define INS16(how) how("%16", "%17", "%18", "%19", "%20", "%21", "%22", "%23")
#define INS20(how) how("%20", "%21", "%22", "%23", "%24", "%25", "%26", "%27")
#define INS24(how) how("%24", "%25", "%26", "%27", "%28", "%29", "%30", "%31")
#define INS128(how) how("%128", "%129", "%130", "%131", "%132", "%133", "%134", "%135")
#define SCALE2 "%4"
#define SCALE4 "%6"
#define SCALE8 "%10"
#define SCALE16 "%18"
#define SCALE20 "%22"
#define SCALE24 "%26"
#define SCALE128 "%130"

// D = A B + C, then D = A B + D, as two groups.
#define KERNEL(name, T, constraint, n, how, text, tail)                                                                                    \
	static __global__ void name(operands *o, const uint4 *image)                                                                       \
	{                                                                                                                                  \
		const uint64_t base = place(image), da = o->desc_a + base, db = o->desc_b + base;                                          \
		const unsigned t = threadIdx.x;                                                                                            \
		uint32_t a0 = o->a[t][0], a1 = o->a[t][1], a2 = o->a[t][2], a3 = o->a[t][3], meta = o->meta[t];                             \
		T d[n];                                                                                                                    \
		_Pragma("unroll") for (int r = 0; r < n; r++)                                                                              \
			d[r] = *(const T *)&o->c[t][r];                                                                                    \
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                                    \
		_Pragma("unroll") for (int i = 0; i < 2; i++) {                                                                            \
			asm volatile("{ .reg .pred p; setp.ne.b32 p, " SCALE##n ", 0; wgmma.mma_async" text " {" LIST##n "}, " INS##n(how) tail \
			             "; }"                                                                                                 \
			             : OUT##n(constraint, 0)                                                                               \
			             : "l"(da), "l"(db), "r"(i ? 1 : o->add), "r"(meta), "r"(a0), "r"(a1), "r"(a2), "r"(a3));             \
			asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                                    \
		}                                                                                                                          \
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");                                                            \
		asm volatile("wgmma.wait_group.sync.aligned 0;" : OUT##n(constraint, 0)::"memory");                                       \
		_Pragma("unroll") for (int r = 0; r < n; r++)                                                                              \
			*(T *)&o->d[t][r] = d[r];                                                                                          \
	}
#define FLOATS(name, n, how, text, tail) KERNEL(name, float, "+f", n, how, text, tail)
#define WORDS(name, n, how, text, tail) KERNEL(name, uint32_t, "+r", n, how, text, tail)
#define DENSE ".sync.aligned."
#define SPARSE ".sp.sync.aligned."

FLOATS(f16_n8, 4, SS, DENSE "m64n8k16.f32.f16.f16", ", 1, 1, 0, 0")
FLOATS(f16_n8_mn, 4, SS, DENSE "m64n8k16.f32.f16.f16", ", 1, 1, 1, 1")
FLOATS(f16_n48_b_mn, 24, SS, DENSE "m64n48k16.f32.f16.f16", ", 1, 1, 0, 1")
FLOATS(f16_n48_a_mn, 24, SS, DENSE "m64n48k16.f32.f16.f16", ", -1, 1, 1, 0")
FLOATS(f16_n256, 128, SS, DENSE "m64n256k16.f32.f16.f16", ", 1, 1, 0, 0")
FLOATS(f16_n256_mn, 128, SS, DENSE "m64n256k16.f32.f16.f16", ", 1, -1, 0, 1")
FLOATS(f16_n16_rs, 8, RS, DENSE "m64n16k16.f32.f16.f16", ", -1, -1, 0")
FLOATS(f16_n40_rs_mn, 20, RS, DENSE "m64n40k16.f32.f16.f16", ", 1, 1, 1")
WORDS(f16_f16_n16, 4, SS, DENSE "m64n16k16.f16.f16.f16", ", 1, 1, 0, 0")
WORDS(f16_f16_n96_rs, 24, RS, DENSE "m64n96k16.f16.f16.f16", ", -1, 1, 1")
FLOATS(bf16_n40, 20, SS, DENSE "m64n40k16.f32.bf16.bf16", ", 1, 1, 0, 1")
FLOATS(bf16_n16_rs, 8, RS, DENSE "m64n16k16.f32.bf16.bf16", ", 1, 1, 0")
FLOATS(tf32_n16, 8, SS, DENSE "m64n16k8.f32.tf32.tf32", ", 1, -1")
FLOATS(tf32_n8_rs, 4, RS, DENSE "m64n8k8.f32.tf32.tf32", ", 1, 1")
FLOATS(e4m3_n40, 20, SS, DENSE "m64n40k32.f32.e4m3.e4m3", ", 1, 1")
FLOATS(e4m3_e5m2_n8_rs, 4, RS, DENSE "m64n8k32.f32.e4m3.e5m2", ", 1, 1")
WORDS(e5m2_e4m3_n32, 8, SS, DENSE "m64n32k32.f16.e5m2.e4m3", ", -1, 1")
WORDS(e5m2_n8_rs, 2, RS, DENSE "m64n8k32.f16.e5m2.e5m2", ", 1, 1")
WORDS(s8_n48, 24, SS, DENSE "m64n48k32.s32.s8.s8", "")
WORDS(s8_u8_n8_rs, 4, RS, DENSE "m64n8k32.s32.s8.u8", "")
WORDS(u8_s8_n16, 8, SS, DENSE "m64n16k32.s32.u8.s8.satfinite", "")
WORDS(u8_n256, 128, SS, DENSE "m64n256k32.s32.u8.u8", "")
WORDS(b1_n16, 8, SS, DENSE "m64n16k256.s32.b1.b1.and.popc", "")
WORDS(b1_n32_rs, 16, RS, DENSE "m64n32k256.s32.b1.b1.and.popc", "")
FLOATS(f16_sp_n16, 8, SS_SP0, SPARSE "m64n16k32.f32.f16.f16", ", 1, 1, 0, 0")
FLOATS(f16_sp_n16_mn, 8, SS_SP1, SPARSE "m64n16k32.f32.f16.f16", ", 1, 1, 1, 1")
WORDS(f16_f16_sp_n32_rs, 8, RS_SP1, SPARSE "m64n32k32.f16.f16.f16", ", 1, -1, 0")
FLOATS(bf16_sp_n8_rs, 4, RS_SP0, SPARSE "m64n8k32.f32.bf16.bf16", ", 1, 1, 1")
FLOATS(tf32_sp_n16, 8, SS_SP1, SPARSE "m64n16k16.f32.tf32.tf32", ", 1, 1")
FLOATS(e4m3_sp_n40, 20, SS_SP0, SPARSE "m64n40k64.f32.e4m3.e4m3", ", 1, 1")
WORDS(s8_sp_n16_rs, 8, RS_SP0, SPARSE "m64n16k64.s32.s8.s8", "")

struct product {
	const char *name;
	kernel *fn;
	type a, b, d;
	unsigned n, k;
	bool shared, mn_a, mn_b, negative;
	int selector; // of a sparse product; -1: it is dense
};
#define P(name, a, b, d, n, k, shared, mn_a, mn_b, negative, selector) {#name, name, a, b, d, n, k, shared, mn_a, mn_b, negative, selector}
static const product products[] = {
	P(f16_n8, F16, F16, F32, 8, 16, true, false, false, false, -1), P(f16_n8_mn, F16, F16, F32, 8, 16, true, true, true, false, -1),
	P(f16_n48_b_mn, F16, F16, F32, 48, 16, true, false, true, false, -1), P(f16_n48_a_mn, F16, F16, F32, 48, 16, true, true, false, true, -1),
	P(f16_n256, F16, F16, F32, 256, 16, true, false, false, false, -1), P(f16_n256_mn, F16, F16, F32, 256, 16, true, false, true, true, -1),
	P(f16_n16_rs, F16, F16, F32, 16, 16, false, false, false, false, -1), P(f16_n40_rs_mn, F16, F16, F32, 40, 16, false, false, true, false, -1),
	P(f16_f16_n16, F16, F16, F16, 16, 16, true, false, false, false, -1), P(f16_f16_n96_rs, F16, F16, F16, 96, 16, false, false, true, true, -1),
	P(bf16_n40, BF16, BF16, F32, 40, 16, true, false, true, false, -1), P(bf16_n16_rs, BF16, BF16, F32, 16, 16, false, false, false, false, -1),
	P(tf32_n16, TF32, TF32, F32, 16, 8, true, false, false, true, -1), P(tf32_n8_rs, TF32, TF32, F32, 8, 8, false, false, false, false, -1),
	P(e4m3_n40, E4M3, E4M3, F32, 40, 32, true, false, false, false, -1), P(e4m3_e5m2_n8_rs, E4M3, E5M2, F32, 8, 32, false, false, false, false, -1),
	P(e5m2_e4m3_n32, E5M2, E4M3, F16, 32, 32, true, false, false, true, -1), P(e5m2_n8_rs, E5M2, E5M2, F16, 8, 32, false, false, false, false, -1),
	P(s8_n48, S8, S8, S32, 48, 32, true, false, false, false, -1), P(s8_u8_n8_rs, S8, U8, S32, 8, 32, false, false, false, false, -1),
	P(u8_s8_n16, U8, S8, S32, 16, 32, true, false, false, false, -1), P(u8_n256, U8, U8, S32, 256, 32, true, false, false, false, -1),
	P(b1_n16, B1, B1, S32, 16, 256, true, false, false, false, -1), P(b1_n32_rs, B1, B1, S32, 32, 256, false, false, false, false, -1),
	P(f16_sp_n16, F16, F16, F32, 16, 32, true, false, false, false, 0), P(f16_sp_n16_mn, F16, F16, F32, 16, 32, true, true, true, false, 1),
	P(f16_f16_sp_n32_rs, F16, F16, F16, 32, 32, false, false, false, true, 1), P(bf16_sp_n8_rs, BF16, BF16, F32, 8, 32, false, false, true, false, 0),
	P(tf32_sp_n16, TF32, TF32, F32, 16, 16, true, false, false, false, 1), P(e4m3_sp_n40, E4M3, E4M3, F32, 40, 64, true, false, false, false, 0),
	P(s8_sp_n16_rs, S8, S8, S32, 16, 64, false, false, false, false, 0),
};

static unsigned seed = 1;
static unsigned pick(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

// Small whole numbers as each type has them.
static uint32_t float_bits(int v, unsigned exponent, unsigned mantissa)
{
	if (!v)
		return 0;
	unsigned sign = v < 0, m = (unsigned)abs(v), e = 0;
	while (m >> (e + 1))
		e++;
	return sign << (exponent + mantissa) | (e + (1u << (exponent - 1)) - 1) << mantissa | (m << mantissa >> e & ((1u << mantissa) - 1));
}

static uint32_t bits(type t, int v)
{
	switch (t) {
	case F16: return float_bits(v, 5, 10);
	case BF16: return float_bits(v, 8, 7);
	case TF32: case F32: return float_bits(v, 8, 23);
	case E4M3: return float_bits(v, 4, 3);
	case E5M2: return float_bits(v, 5, 2);
	case S8: case U8: return (uint32_t)v & 0xff;
	default: return (uint32_t)v;
	}
}

static int small(type t) { return t == B1 ? (int)pick(2) : t == U8 ? (int)pick(8) : (int)pick(7) - 3; }

// CuTe's canonical layouts: the byte of element (i, k).
struct layout {
	bool mn_major;
	unsigned width, bits;
	uint32_t start, leading, stride;
};

static layout layout_of(bool mn_major, unsigned width, unsigned bits, unsigned mn, unsigned k, uint32_t start)
{
	const uint32_t pattern = 128 * width;
	layout l = {mn_major, width, bits, start, pattern, pattern};
	if (!mn_major)
		l.leading = pattern * (mn / 8);
	else if (width == 1)
		l.stride = pattern * (k / 8);
	else
		l.leading = pattern * (k / 8);
	return l;
}

static uint32_t byte_of(const layout &l, unsigned i, unsigned k)
{
	const unsigned wide = 128 * l.width / l.bits;
	uint32_t at;
	if (!l.mn_major)
		at = i % 8 * 16 * l.width + i / 8 * l.stride + k / wide * l.leading + k % wide * l.bits / 8;
	else if (l.width == 1)
		at = i % 8 * 2 + i / 8 * l.stride + k % 8 * 16 + k / 8 * l.leading;
	else
		at = i % wide * 2 + i / wide * l.leading + k % 8 * 16 * l.width + k / 8 * l.stride;
	at += l.start;
	return at ^ ((at >> 7 & (l.width - 1)) << 4);
}

static uint64_t descriptor(const layout &l)
{
	const uint64_t mode = l.width == 8 ? 1 : l.width == 4 ? 2 : l.width == 2 ? 3 : 0;
	return l.start / 16 | (uint64_t)(l.leading / 16) << 16 | (uint64_t)(l.stride / 16) << 32 | mode << 62;
}

static void put(std::vector<uint8_t> &image, const layout &l, unsigned i, unsigned k, uint32_t v)
{
	const uint32_t at = byte_of(l, i, k);
	for (unsigned b = 0; b < l.bits / 8; b++)
		image[at + b] = (uint8_t)(v >> 8 * b);
	if (l.bits < 8)
		image[at] |= (uint8_t)(v << k % 8);
}

// The register of row i, column j.
static uint32_t *sum_of(uint32_t (*regs)[MOST], type d, unsigned i, unsigned j)
{
	const unsigned thread = i / 16 * 32 + i % 8 * 4 + j % 8 / 2, half = i / 8 % 2;
	return &regs[thread][d == F16 ? j / 8 * 2 + half : j / 8 * 4 + half * 2 + j % 2];
}

static int a_of[ROWS][256], b_of[256][256], c_of[ROWS][256], place_of[ROWS][256];

static void check(const product &p, unsigned wa, unsigned wb, bool add, operands *o, uint4 *image_there)
{
	const bool sparse = p.selector >= 0;
	const unsigned in = 32 / bits_of[p.a], stored = sparse ? p.k / 2 : p.k;
	std::vector<uint8_t> image(IMAGE);
	static operands mine;
	memset(&mine, 0, sizeof mine);
	const layout la = layout_of(p.mn_a, wa, bits_of[p.a], ROWS, stored, 0), lb = layout_of(p.mn_b, wb, bits_of[p.b], p.n, p.k, B_AT);
	mine.desc_a = descriptor(la), mine.desc_b = descriptor(lb), mine.add = add;
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned e = 0; e < stored; e++) {
			const unsigned g = i % 8, h = i / 8 % 2, lanes = i / 16 * 32 + 4 * g;
			int at = (int)e;
			if (sparse && p.a == TF32)
				at = (int)(2 * e + pick(2));
			else if (sparse)
				at = (int)(e % 2 ? e / 2 * 4 + (unsigned)place_of[i][e - 1] % 4 + 1 + pick(3 - (unsigned)place_of[i][e - 1] % 4) : 2 * e + pick(3));
			place_of[i][e] = at;
			a_of[i][e] = small(p.a);
			if (p.shared)
				put(image, la, i, e, bits(p.a, a_of[i][e]));
			else
				mine.a[lanes + e / in % 4][e / in / 4 * 2 + h] |= bits(p.a, a_of[i][e]) << (e % in * bits_of[p.a]);
			if (!sparse)
				continue;
			const unsigned u = (unsigned)at;
			if (bits_of[p.a] == 8)
				mine.meta[lanes + h + 2 * (u / 32)] |= (u % 4) << (u % 32 / 4 * 4 + e % 2 * 2);
			else if (bits_of[p.a] == 16)
				mine.meta[lanes + 2 * (unsigned)p.selector + u / 16] |= (u % 4) << (16 * h + u % 16 / 4 * 4 + e % 2 * 2);
			else
				mine.meta[lanes + 2 * (unsigned)p.selector + u / 8] |= (u % 2 ? 14u : 4u) << (16 * h + u % 8 / 2 * 4);
		}
	for (unsigned k = 0; k < p.k; k++)
		for (unsigned j = 0; j < p.n; j++)
			put(image, lb, j, k, bits(p.b, b_of[k][j] = small(p.b)));
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned j = 0; j < p.n; j++) {
			c_of[i][j] = (int)pick(33) - 16;
			*sum_of(mine.c, p.d, i, j) |= bits(p.d, c_of[i][j]) << (p.d == F16 ? j % 2 * 16 : 0);
		}
	OK(cudaMemcpy(o, &mine, sizeof mine, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(image_there, image.data(), IMAGE, cudaMemcpyHostToDevice));
	OK(cudaFuncSetAttribute((const void *)p.fn, cudaFuncAttributeMaxDynamicSharedMemorySize, IMAGE + 1024));
	p.fn<<<1, THREADS, IMAGE + 1024>>>(o, image_there);
	LAUNCHED();
	OK(cudaMemcpy(&mine, o, sizeof mine, cudaMemcpyDeviceToHost));
	unsigned wrong = 0;
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned j = 0; j < p.n; j++) {
			int sum = 0;
			for (unsigned e = 0; e < stored; e++)
				sum += a_of[i][e] * b_of[place_of[i][e]][j];
			const uint32_t want = bits(p.d, (add ? c_of[i][j] : 0) + 2 * (p.negative ? -sum : sum));
			const uint32_t have = *sum_of(mine.d, p.d, i, j) >> (p.d == F16 ? j % 2 * 16 : 0) & (p.d == F16 ? 0xffff : ~0u);
			if (have != want && wrong++ < 3)
				printf("%s, swizzles %u and %u: (%u, %u) is %#x, not %#x\n", p.name, wa, wb, i, j, have, want);
		}
	CHECK(!wrong, "%s, swizzles %u and %u: %u of %u sums are wrong", p.name, wa, wb, wrong, ROWS * p.n);
}

int main()
{
	operands *o;
	uint4 *image;
	OK(cudaMalloc(&o, sizeof *o));
	OK(cudaMalloc(&image, IMAGE));
	for (const product &p : products)
		for (unsigned w = 0; w < 4; w++) {
			const unsigned wa = 1u << w, wb = 1u << (p.n % 3 + w) % 4;
			if (p.n == 256 && w > 1)
				continue; // large, and no different
			check(p, wa, wb, w % 2 || p.n == 256, o, image);
		}
	return check_done();
}
