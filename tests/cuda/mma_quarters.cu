// mma.m8n8k4 of f16: four products, each of eight lanes, with A and B by rows and by columns and sums of both types.
// clang-flags: -arch=sm_70
// nvcc-flags: -arch=sm_75
#include "check.h"
#include "fragments.h"

#define LA(x) "r"(W(x, 0)), "r"(W(x, 1))
#define LC(x) "r"(W(x, 0)), "r"(W(x, 1)), "r"(W(x, 2)), "r"(W(x, 3))
#define LF(x) INF4(x), "f"(FLOAT(x, 4)), "f"(FLOAT(x, 5)), "f"(FLOAT(x, 6)), "f"(FLOAT(x, 7))
#define OUTF "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])
#define D8 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "

#define KERNELS(name, layouts) \
	static __global__ void name##_f32(operands *o) \
	{ \
		float d[8]; \
		asm volatile("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f32 " D8 "{%12, %13, %14, %15, %16, %17, %18, %19};" : OUTF : LA(a), LA(b), LF(c)); \
		for (int r = 0; r < 8; r++) \
			o->d.word[threadIdx.x][r] = __float_as_uint(d[r]); \
	} \
	static __global__ void name##_mixed(operands *o) \
	{ \
		float d[8]; \
		asm volatile("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f16 " D8 "{%12, %13, %14, %15};" : OUTF : LA(a), LA(b), LC(c)); \
		for (int r = 0; r < 8; r++) \
			o->d.word[threadIdx.x][r] = __float_as_uint(d[r]); \
	} \
	static __global__ void name##_f16(operands *o) \
	{ \
		uint32_t d[4]; \
		asm volatile("mma.sync.aligned.m8n8k4." layouts ".f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};" \
			: OUT4 : LA(a), LA(b), LC(c)); \
		for (int r = 0; r < 4; r++) \
			o->d.word[threadIdx.x][r] = d[r]; \
	}
KERNELS(rc, "row.col")
KERNELS(rr, "row.row")
KERNELS(cc, "col.col")
KERNELS(cr, "col.row")

static const struct form {
	const char *name;
	kernel *run;
	bool a_column, b_row;
	type c, d;
} forms[] = {
#define ROWS(name, a, b) \
	{ #name " f32", name##_f32, a, b, F32, F32 }, { #name " mixed", name##_mixed, a, b, F16, F32 }, { #name " f16", name##_f16, a, b, F16, F16 }
	ROWS(rc, false, false), ROWS(rr, false, true), ROWS(cc, true, false), ROWS(cr, true, true),
};

// PTX ISA, "Matrix fragments for mma.m8n8k4 with .f16": by the lane of the quarter, 0 to 7, and its i-th number.
static void factor_at(bool crosswise, int lane, int i, int *line, int *k)
{
	*line = crosswise ? i + lane / 4 * 4 : lane;
	*k = crosswise ? lane % 4 : i;
}

static void sum_at(type t, int lane, int i, int *row, int *column)
{
	*row = t == F16 ? lane : (lane & 1) + (i & 2) + lane / 4 * 4;
	*column = t == F16 ? i : (i & 4) + (lane & 2) + (i & 1);
}

static void test(const form &f, operands *o, unsigned *state)
{
	static int a[4][8][4], b[4][8][4], c[4][8][8];
	memset(o, 0, sizeof *o);
	for (int q = 0; q < 4; q++)
		for (int lane = 0; lane < 8; lane++) {
			const int at = 4 * q + lane % 4 + lane / 4 * 16;
			int x, y;
			for (int i = 0; i < 4; i++) {
				factor_at(f.a_column, lane, i, &x, &y);
				o->a.word[at][i / 2] |= encode(F16, a[q][x][y] = range(F16, state)) << i % 2 * 16;
				factor_at(f.b_row, lane, i, &x, &y);
				o->b.word[at][i / 2] |= encode(F16, b[q][x][y] = range(F16, state)) << i % 2 * 16;
			}
			for (int i = 0; i < 8; i++) {
				sum_at(f.c, lane, i, &x, &y);
				const uint64_t w = encode(f.c, c[q][x][y] = range(f.c, state));
				if (f.c == F16)
					o->c.word[at][i / 2] |= w << i % 2 * 16;
				else
					o->c.word[at][i] = w;
			}
		}
	f.run<<<1, 32>>>(o);
	LAUNCHED();
	for (int q = 0; q < 4; q++)
		for (int lane = 0; lane < 8; lane++)
			for (int i = 0; i < 8; i++) {
				const int at = 4 * q + lane % 4 + lane / 4 * 16;
				int row, column;
				sum_at(f.d, lane, i, &row, &column);
				int sum = c[q][row][column];
				for (int k = 0; k < 4; k++)
					sum += a[q][row][k] * b[q][column][k];
				const double got = decode(f.d, f.d == F16 ? o->d.word[at][i / 2] >> i % 2 * 16 & 0xffff : o->d.word[at][i]);
				CHECK(got == sum, "%s: lane %d, number %d is %g, not %d", f.name, at, i, got, sum);
			}
}

int main()
{
	unsigned state = 5;
	operands *o;
	OK(cudaMallocManaged(&o, sizeof *o));
	for (const form &f : forms)
		for (int times = 0; times < 4; times++)
			test(f, o, &state);
	return check_done();
}
