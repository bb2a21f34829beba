// setp with every comparison on every type, ordered and unordered; set, selp, slct; predicates combined.
#include "check.h"

#define COMPARE(bit, op, type, c) \
	do { \
		int t; \
		asm("{ .reg .pred p; setp." op "." type " p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(t) : c(a), c(b)); \
		r |= (unsigned)t << bit; \
	} while (0)
#define ORDER(type, c) \
	COMPARE(0, "eq", type, c); \
	COMPARE(1, "ne", type, c); \
	COMPARE(2, "lt", type, c); \
	COMPARE(3, "le", type, c); \
	COMPARE(4, "gt", type, c); \
	COMPARE(5, "ge", type, c);
#define UNORDERED(type, c) \
	ORDER(type, c) \
	COMPARE(6, "equ", type, c); \
	COMPARE(7, "neu", type, c); \
	COMPARE(8, "ltu", type, c); \
	COMPARE(9, "leu", type, c); \
	COMPARE(10, "gtu", type, c); \
	COMPARE(11, "geu", type, c); \
	COMPARE(12, "num", type, c); \
	COMPARE(13, "nan", type, c);
#define LOWER(type, c) \
	COMPARE(0, "eq", type, c); \
	COMPARE(1, "ne", type, c); \
	COMPARE(2, "lo", type, c); \
	COMPARE(3, "ls", type, c); \
	COMPARE(4, "hi", type, c); \
	COMPARE(5, "hs", type, c);

#define KERNEL(name, T, body) \
	__global__ void name(const T *v, int n, unsigned *out) \
	{ \
		T a = v[blockIdx.x], b = v[threadIdx.x]; \
		unsigned r = 0; \
		body out[blockIdx.x * n + threadIdx.x] = r; \
	}
KERNEL(s32, int, ORDER("s32", "r"))
KERNEL(u32, unsigned, ORDER("u32", "r"))
KERNEL(u32_names, unsigned, LOWER("u32", "r"))
KERNEL(s64, long long, ORDER("s64", "l"))
KERNEL(u64, unsigned long long, ORDER("u64", "l"))
KERNEL(s16, short, ORDER("s16", "h"))
KERNEL(u16, unsigned short, ORDER("u16", "h"))
KERNEL(f32, float, UNORDERED("f32", "f"))
KERNEL(f64, double, UNORDERED("f64", "d"))

__global__ void others(const float *v, int n, unsigned *out)
{
	float a = v[blockIdx.x], b = v[threadIdx.x], f;
	int i = (int)blockIdx.x - 3;
	unsigned m, p, q, x, s;
	asm("set.lt.u32.f32 %0, %1, %2;" : "=r"(m) : "f"(a), "f"(b));
	asm("set.gt.f32.f32 %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b));
	asm("slct.u32.s32 %0, 11, 22, %1;" : "=r"(s) : "r"(i));
	/* Two results, the second the negation; combination with another predicate. */
	asm("{ .reg .pred p, q, c; setp.ge.s32 c, %4, 0; setp.lt.and.f32 p|q, %2, %3, c;"
		" selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q; }" : "=r"(p), "=r"(q) : "f"(a), "f"(b), "r"(i));
	asm("{ .reg .pred p, c; setp.ge.s32 c, %3, 0; setp.lt.xor.f32 p, %1, %2, !c; @!p mov.u32 %0, 5; @p mov.u32 %0, 6; }"
		: "=r"(x) : "f"(a), "f"(b), "r"(i));
	out[blockIdx.x * n + threadIdx.x] = (m & 1) | (m >> 31) << 1 | (f == 1.0f) << 2 | p << 3 | q << 4 | x << 8 |
		s << 16;
}

template <class T> static void compare(void (*kernel)(const T *, int, unsigned *), const T *v, int n, bool real)
{
	unsigned *d = device_alloc<unsigned>(n * n), *h = (unsigned *)malloc(n * n * sizeof(unsigned));
	T *dv = to_device(v, n);
	kernel<<<n, n>>>(dv, n, d);
	LAUNCHED();
	to_host(h, d, n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			T a = v[i], b = v[j];
			bool nan = a != a || b != b, ne = real ? a < b || a > b : a != b;
			unsigned e = (a == b) | ne << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5;
			if (real) {
				unsigned u = nan ? 63 : e & 63;
				e |= u << 6 | !nan << 12 | nan << 13;
			}
			CHECK(h[i * n + j] == e, "%g %g: %x, not %x", (double)a, (double)b, h[i * n + j], e);
		}
	free(h);
	OK(cudaFree(d));
	OK(cudaFree(dv));
}

int main()
{
	const int i32[] = {0, 1, -1, 2147483647, -2147483647 - 1, 100, -100};
	const unsigned w32[] = {0, 1, 0xffffffffu, 0x7fffffff, 0x80000000u, 100, 50};
	const long long i64[] = {0, 1, -1, 4294967296ll, -4294967296ll, 0x7fffffffffffffffll, 4294967297ll};
	const unsigned long long w64[] = {0, 1, ~0ull, 1ull << 63, 4294967296ull, 4294967297ull, 7};
	const short i16[] = {0, 1, -1, 32767, -32768, 5, -5};
	const unsigned short w16[] = {0, 1, 65535, 32767, 32768, 5, 6};
	const float r32[] = {0.0f, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 1e-45f};
	const double r64[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 5e-324};
	compare(s32, i32, 7, false);
	compare(u32, w32, 7, false);
	compare(u32_names, w32, 7, false);
	compare(s64, i64, 7, false);
	compare(u64, w64, 7, false);
	compare(s16, i16, 7, false);
	compare(u16, w16, 7, false);
	compare(f32, r32, 8, true);
	compare(f64, r64, 8, true);

	unsigned h[8][8], *d = device_alloc<unsigned>(64);
	others<<<8, 8>>>(to_device(r32, 8), 8, d);
	LAUNCHED();
	to_host(h[0], d, 64);
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++) {
			bool less = r32[i] < r32[j], c = i >= 3;
			bool p = less && c, q = !less && c, x = less != !c;
			unsigned e = less | less << 1 | (r32[i] > r32[j]) << 2 | p << 3 | q << 4 | (x ? 6 : 5) << 8 |
				(c ? 11 : 22) << 16;
			CHECK(h[i][j] == e, "%d %d: %x, not %x", i, j, h[i][j], e);
		}
	return check_done();
}
