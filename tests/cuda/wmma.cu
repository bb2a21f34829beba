// wmma.load, wmma.mma and wmma.store of every type and shape, with matrices in each space and layout, on numbers whose sums are exact.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_80
// skip: sass-modern-86 the published rule of HMMA is slower than what ptxas counts on
#include "check.h"
#include "elements.h"

// Matrices in memory: elements of a line side by side, lines `ld` elements apart.
struct operands {
	alignas(16) uint8_t a[4096], b[4096], c[8192], d[8192];
	unsigned lda, ldb, ldc, ldd;
};

typedef void kernel(operands *o);

#define R1(x) "{" #x "0}"
#define R2(x) "{" #x "0, " #x "1}"
#define R4(x) "{" #x "0, " #x "1, " #x "2, " #x "3}"
#define R8(x) "{" #x "0, " #x "1, " #x "2, " #x "3, " #x "4, " #x "5, " #x "6, " #x "7}"
#define MOVE(what, layout, shape, space, type, list, at, ld) "wmma." what ".sync.aligned." layout "." shape space "." type " " list ", [" at "], " ld ";"

// One warp loads three matrices, multiplies and stores. In shared memory, copies of all of them.
#define PRODUCT(space, to, shape, ta, la, lb, nab, ra, rb, tc, lc, rc, td, ld, rd, regs, mma) \
	asm volatile("{ .reg " nab " a<8>, b<8>; .reg " regs ";" \
		MOVE("load.a", la, shape, space, ta, ra, "%0", "%4") MOVE("load.b", lb, shape, space, ta, rb, "%1", "%5") \
		MOVE("load.c", lc, shape, space, tc, rc, "%2", "%6") \
		mma " " rd ", " ra ", " rb ", " rc ";" \
		"wmma.store.d.sync.aligned." ld "." shape space "." td " [%3], " rd ", %7; }" \
		:: to(o->a), to(o->b), to(o->c), to(o->d), "r"(o->lda), "r"(o->ldb), "r"(o->ldc), "r"(o->ldd) : "memory")
#define GENERIC(p) "l"(p)
#define GLOBAL(p) "l"(__cvta_generic_to_global(p))
#define SHARED(p) "r"((unsigned)__cvta_generic_to_shared(p))

#define KERNELS(name, ...) \
	static __global__ void name##_generic(operands *o) { PRODUCT("", GENERIC, __VA_ARGS__); } \
	static __global__ void name##_global(operands *o) { PRODUCT(".global", GLOBAL, __VA_ARGS__); } \
	static __global__ void name##_shared(operands *in) \
	{ \
		__shared__ operands copy, *o; \
		for (unsigned i = threadIdx.x; i < sizeof copy / 4; i += 32) \
			((unsigned *)&copy)[i] = ((unsigned *)in)[i]; \
		o = &copy; \
		__syncthreads(); \
		PRODUCT(".shared", SHARED, __VA_ARGS__); \
		__syncthreads(); \
		for (unsigned i = threadIdx.x; i < sizeof copy / 4; i += 32) \
			((unsigned *)in)[i] = ((unsigned *)&copy)[i]; \
	}

#define F32_REGS ".f32 c<8>, d<8>"
#define B32_REGS ".b32 c<8>, d<8>"
#define F64_REGS ".f64 c<8>, d<8>"
#define MMA(layouts, shape, rest) "wmma.mma.sync.aligned." layouts "." shape "." rest
// f16 with sums of both types, and results of both.
#define HALF(name, shape, la, lb, lc, ld) \
	KERNELS(name##_f32, shape, "f16", la, lb, ".b32", R8(a), R8(b), "f32", lc, R8(c), "f32", ld, R8(d), F32_REGS, MMA(la "." lb, shape, "f32.f32")) \
	KERNELS(name##_f16, shape, "f16", la, lb, ".b32", R8(a), R8(b), "f16", lc, R4(c), "f16", ld, R4(d), B32_REGS, MMA(la "." lb, shape, "f16.f16"))
#define MIXED(name, shape, la, lb, lc, ld) \
	KERNELS(name##_f16_f32, shape, "f16", la, lb, ".b32", R8(a), R8(b), "f32", lc, R8(c), "f16", ld, R4(d), ".f32 c<8>; .reg .b32 d<4>", MMA(la "." lb, shape, "f16.f32")) \
	KERNELS(name##_f32_f16, shape, "f16", la, lb, ".b32", R8(a), R8(b), "f16", lc, R4(c), "f32", ld, R8(d), ".b32 c<4>; .reg .f32 d<8>", MMA(la "." lb, shape, "f32.f16"))
HALF(h16_rc, "m16n16k16", "row", "col", "row", "row")
HALF(h16_rr, "m16n16k16", "row", "row", "row", "col")
HALF(h16_cc, "m16n16k16", "col", "col", "col", "row")
HALF(h16_cr, "m16n16k16", "col", "row", "col", "col")
HALF(h32_rc, "m32n8k16", "row", "col", "row", "col")
HALF(h32_cr, "m32n8k16", "col", "row", "col", "row")
HALF(h8_rc, "m8n32k16", "row", "col", "row", "col")
HALF(h8_cr, "m8n32k16", "col", "row", "col", "row")
MIXED(h16, "m16n16k16", "row", "col", "row", "col")
MIXED(h32, "m32n8k16", "row", "row", "col", "row")
MIXED(h8, "m8n32k16", "col", "col", "row", "row")
#define BF16(name, shape, la, lb, lc, ld, ra, rb) \
	KERNELS(name, shape, "bf16", la, lb, ".b32", ra, rb, "f32", lc, R8(c), "f32", ld, R8(d), F32_REGS, MMA(la "." lb, shape, "f32.bf16.bf16.f32"))
BF16(b16_rc, "m16n16k16", "row", "col", "row", "row", R4(a), R4(b))
BF16(b16_cr, "m16n16k16", "col", "row", "col", "row", R4(a), R4(b))
BF16(b32_rc, "m32n8k16", "row", "col", "row", "col", R8(a), R2(b))
BF16(b8_cr, "m8n32k16", "col", "row", "row", "row", R2(a), R8(b))
#define TF32(name, la, lb, lc, ld) \
	KERNELS(name, "m16n16k8", "tf32", la, lb, ".b32", R4(a), R4(b), "f32", lc, R8(c), "f32", ld, R8(d), F32_REGS, MMA(la "." lb, "m16n16k8", "f32.tf32.tf32.f32"))
TF32(t_rc, "row", "col", "row", "row")
TF32(t_cr, "col", "row", "col", "col")
#define F64(name, la, lb, lc, ld) \
	KERNELS(name, "m8n8k4", "f64", la, lb, ".f64", R1(a), R1(b), "f64", lc, R2(c), "f64", ld, R2(d), F64_REGS, MMA(la "." lb, "m8n8k4", "f64.f64.f64.f64"))
F64(d_rc, "row", "col", "row", "row")
F64(d_cr, "col", "row", "col", "col")
#define EIGHT(name, t, shape, la, lb, lc, ld, ra, rb) \
	KERNELS(name, shape, t, la, lb, ".b32", ra, rb, "s32", lc, R8(c), "s32", ld, R8(d), B32_REGS, MMA(la "." lb, shape, "s32." t "." t ".s32"))
EIGHT(s16_rc, "s8", "m16n16k16", "row", "col", "row", "row", R2(a), R2(b))
EIGHT(s16_cr, "s8", "m16n16k16", "col", "row", "col", "col", R2(a), R2(b))
EIGHT(u32_rc, "u8", "m32n8k16", "row", "col", "row", "col", R4(a), R1(b))
EIGHT(u32_cr, "u8", "m32n8k16", "col", "row", "col", "row", R4(a), R1(b))
EIGHT(s8_rc, "s8", "m8n32k16", "row", "col", "row", "row", R1(a), R4(b))
EIGHT(s8_cr, "s8", "m8n32k16", "col", "row", "col", "col", R1(a), R4(b))
#define SMALL(name, shape, t, mma, ld) \
	KERNELS(name, shape, t, "row", "col", ".b32", R1(a), R1(b), "s32", "row", R2(c), "s32", ld, R2(d), B32_REGS, mma)
SMALL(s4_rc, "m8n8k32", "s4", MMA("row.col", "m8n8k32", "s32.s4.s4.s32"), "row")
SMALL(u4_rc, "m8n8k32", "u4", MMA("row.col", "m8n8k32", "s32.u4.u4.s32"), "col")
SMALL(xor_rc, "m8n8k128", "b1", "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "row")
SMALL(and_rc, "m8n8k128", "b1", "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "col")

// Of each form the layouts: columns one after the other of A, B, C, D.
static const struct form {
	const char *name;
	kernel *run[3];
	int m, n, k;
	type ab, c, d;
	const char *layout; // 'r' or 'c' of A, B, C, D
	char bits;          // 'x' or '&' of single bits
} forms[] = {
#define ROW(name, ...) { #name, { name##_generic, name##_global, name##_shared }, __VA_ARGS__ }
#define BOTH(name, m, n, layout) ROW(name##_f32, m, n, 16, F16, F32, F32, layout), ROW(name##_f16, m, n, 16, F16, F16, F16, layout)
	BOTH(h16_rc, 16, 16, "rcrr"), BOTH(h16_rr, 16, 16, "rrrc"), BOTH(h16_cc, 16, 16, "cccr"), BOTH(h16_cr, 16, 16, "crcc"),
	BOTH(h32_rc, 32, 8, "rcrc"), BOTH(h32_cr, 32, 8, "crcr"), BOTH(h8_rc, 8, 32, "rcrc"), BOTH(h8_cr, 8, 32, "crcr"),
	ROW(h16_f16_f32, 16, 16, 16, F16, F32, F16, "rcrc"), ROW(h16_f32_f16, 16, 16, 16, F16, F16, F32, "rcrc"),
	ROW(h32_f16_f32, 32, 8, 16, F16, F32, F16, "rrcr"), ROW(h32_f32_f16, 32, 8, 16, F16, F16, F32, "rrcr"),
	ROW(h8_f16_f32, 8, 32, 16, F16, F32, F16, "ccrr"), ROW(h8_f32_f16, 8, 32, 16, F16, F16, F32, "ccrr"),
	ROW(b16_rc, 16, 16, 16, BF16, F32, F32, "rcrr"), ROW(b16_cr, 16, 16, 16, BF16, F32, F32, "crcr"),
	ROW(b32_rc, 32, 8, 16, BF16, F32, F32, "rcrc"), ROW(b8_cr, 8, 32, 16, BF16, F32, F32, "crrr"),
	ROW(t_rc, 16, 16, 8, TF32, F32, F32, "rcrr"), ROW(t_cr, 16, 16, 8, TF32, F32, F32, "crcc"),
	ROW(d_rc, 8, 8, 4, F64, F64, F64, "rcrr"), ROW(d_cr, 8, 8, 4, F64, F64, F64, "crcc"),
	ROW(s16_rc, 16, 16, 16, S8, S32, S32, "rcrr"), ROW(s16_cr, 16, 16, 16, S8, S32, S32, "crcc"),
	ROW(u32_rc, 32, 8, 16, U8, S32, S32, "rcrc"), ROW(u32_cr, 32, 8, 16, U8, S32, S32, "crcr"),
	ROW(s8_rc, 8, 32, 16, S8, S32, S32, "rcrr"), ROW(s8_cr, 8, 32, 16, S8, S32, S32, "crcc"),
	ROW(s4_rc, 8, 8, 32, S4, S32, S32, "rcrr"), ROW(u4_rc, 8, 8, 32, U4, S32, S32, "rcrc"),
	ROW(xor_rc, 8, 8, 128, B1, S32, S32, "rcrr", 'x'), ROW(and_rc, 8, 8, 128, B1, S32, S32, "rcrc", '&'),
};

static size_t place(char layout, int row, int column, unsigned ld) { return layout == 'r' ? (size_t)row * ld + column : (size_t)column * ld + row; }

static void put(uint8_t *m, type t, size_t at, uint64_t w)
{
	if (bits_of[t] < 8)
		m[at * bits_of[t] / 8] |= (uint8_t)(w << at * bits_of[t] % 8);
	else
		memcpy(m + at * (bits_of[t] / 8), &w, bits_of[t] / 8);
}

static uint64_t get(const uint8_t *m, type t, size_t at)
{
	uint64_t w = 0;
	memcpy(&w, m + at * (bits_of[t] / 8), bits_of[t] / 8);
	return w;
}

// Lines of 16 bytes more than the matrix needs.
static unsigned leading(char layout, int rows, int columns, type t) { return (layout == 'r' ? columns : rows) + 128 / bits_of[t]; }

static void test(const form &f, int space, operands *o, unsigned *state)
{
	static int a[32][128], b[128][32], c[32][32];
	memset(o, 0, sizeof *o);
	o->lda = leading(f.layout[0], f.m, f.k, f.ab), o->ldb = leading(f.layout[1], f.k, f.n, f.ab);
	o->ldc = leading(f.layout[2], f.m, f.n, f.c), o->ldd = leading(f.layout[3], f.m, f.n, f.d);
	for (int i = 0; i < f.m; i++)
		for (int k = 0; k < f.k; k++)
			put(o->a, f.ab, place(f.layout[0], i, k, o->lda), encode(f.ab, a[i][k] = range(f.ab, state)));
	for (int k = 0; k < f.k; k++)
		for (int j = 0; j < f.n; j++)
			put(o->b, f.ab, place(f.layout[1], k, j, o->ldb), encode(f.ab, b[k][j] = range(f.ab, state)));
	for (int i = 0; i < f.m; i++)
		for (int j = 0; j < f.n; j++)
			put(o->c, f.c, place(f.layout[2], i, j, o->ldc), encode(f.c, c[i][j] = range(f.c, state)));
	f.run[space]<<<1, 32>>>(o);
	LAUNCHED();
	for (int i = 0; i < f.m; i++)
		for (int j = 0; j < f.n; j++) {
			int sum = c[i][j];
			for (int k = 0; k < f.k; k++)
				sum += f.bits == 'x' ? a[i][k] ^ b[k][j] : a[i][k] * b[k][j];
			double got = decode(f.d, get(o->d, f.d, place(f.layout[3], i, j, o->ldd)));
			CHECK(got == sum, "%s, space %d: (%d, %d) is %g, not %d", f.name, space, i, j, got, sum);
		}
}

// Without a stride matrices lie close; a result may overwrite a factor.
static __global__ void close(const uint16_t *a, const uint16_t *b, float *d)
{
	asm volatile("{ .reg .b32 a<8>, b<8>, e<4>; .reg .f32 c<8>; .reg .b64 at;"
		"mov.b64 at, %0; wmma.load.a.sync.aligned.row.m16n16k16.f16 " R8(a) ", [at]; wmma.load.b.sync.aligned.col.m16n16k16.f16 " R8(b) ", [%1];"
		"mov.f32 c0, 0f00000000; mov.f32 c1, c0; mov.f32 c2, c0; mov.f32 c3, c0; mov.f32 c4, c0; mov.f32 c5, c0; mov.f32 c6, c0; mov.f32 c7, c0;"
		"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " R8(c) ", " R8(a) ", " R8(b) ", " R8(c) ";"
		"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%2], " R8(c) ";"
#ifdef __clang__ // ptxas of CUDA 13.0 takes the second half of the product from the first half's result
		"mov.b32 e0, 0; mov.b32 e1, 0; mov.b32 e2, 0; mov.b32 e3, 0;"
		"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {a0, a1, a2, a3}, " R8(a) ", " R8(b) ", " R4(e) ";"
		"wmma.store.d.sync.aligned.row.m16n16k16.f16 [%2+1024], {a0, a1, a2, a3};"
#endif
		"}"
		:: "l"(a), "l"(b), "l"(d) : "memory");
}

static void test_close()
{
	uint16_t *a, *b;
	float *d;
	unsigned state = 3;
	int x[16][16], y[16][16];
	OK(cudaMallocManaged(&a, 512));
	OK(cudaMallocManaged(&b, 512));
	OK(cudaMallocManaged(&d, 1024 + 512));
	for (int i = 0; i < 256; i++) {
		a[i] = (uint16_t)encode(F16, x[i / 16][i % 16] = range(F16, &state));
		b[i] = (uint16_t)encode(F16, y[i % 16][i / 16] = range(F16, &state));
	}
	close<<<1, 32>>>(a, b, d);
	LAUNCHED();
	for (int i = 0; i < 256; i++) {
		int sum = 0;
		for (int k = 0; k < 16; k++)
			sum += x[i / 16][k] * y[k][i % 16];
		CHECK(d[i] == sum, "close: (%d, %d) is %g, not %d", i / 16, i % 16, d[i], sum);
#ifdef __clang__
		double half = decode(F16, ((uint16_t *)(d + 256))[i]);
		CHECK(half == sum, "over a factor: (%d, %d) is %g, not %d", i / 16, i % 16, half, sum);
#endif
	}
}

int main()
{
	unsigned state = 7;
	operands *o;
	OK(cudaMallocManaged(&o, sizeof *o));
	for (const form &f : forms)
		for (int space = 0; space < 3; space++)
			test(f, space, o, &state);
	test_close();
	return check_done();
}
