// Counting, reversing, extracting, inserting and permuting bits; shifts by any amount; three-input logic.
#include "check.h"

struct result {
	int clz, clzll, popc, popcll, ffs, ffsll, find, finds, bfes;
	unsigned brev, perm, perm_f4e, bfe, bfi, shl, shr, left, right, left_c, right_c, lop, sad, usad, mask;
	int sar;
	unsigned long long brevll, bfell, bfill, shlll, shrll;
	long long sarll, bfesll;
	int logic[6], mul24;
};

__global__ void bits(const unsigned *v, int n, result *out)
{
	unsigned a = v[blockIdx.x], b = v[threadIdx.x];
	unsigned long long w = (unsigned long long)a << 32 | b;
	result r;
	r.clz = __clz(a);
	r.clzll = __clzll(w);
	r.popc = __popc(a);
	r.popcll = __popcll(w);
	r.ffs = __ffs(a);
	r.ffsll = __ffsll(w);
	r.brev = __brev(a);
	r.brevll = __brevll(w);
	r.perm = __byte_perm(a, b, 0x7250);
	asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r.perm_f4e) : "r"(a), "r"(b), "r"(2));
	asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r.bfe) : "r"(a), "r"(b & 63), "r"(b >> 8 & 63));
	asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r.bfes) : "r"(a), "r"(b & 63), "r"(b >> 8 & 63));
	asm("bfe.u64 %0, %1, %2, %3;" : "=l"(r.bfell) : "l"(w), "r"(b & 63), "r"(b >> 8 & 63));
	asm("bfe.s64 %0, %1, %2, %3;" : "=l"(r.bfesll) : "l"(w), "r"(b & 63), "r"(b >> 8 & 63));
	asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r.bfi) : "r"(a), "r"(b), "r"(b & 63), "r"(b >> 8 & 63));
	asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r.bfill) : "l"(w), "l"(~w), "r"(b & 63), "r"(b >> 8 & 63));
	asm("bfind.u32 %0, %1;" : "=r"(r.find) : "r"(a));
	asm("bfind.shiftamt.s32 %0, %1;" : "=r"(r.finds) : "r"(a));
	asm("shl.b32 %0, %1, %2;" : "=r"(r.shl) : "r"(a), "r"(b & 127));
	asm("shr.u32 %0, %1, %2;" : "=r"(r.shr) : "r"(a), "r"(b & 127));
	asm("shr.s32 %0, %1, %2;" : "=r"(r.sar) : "r"(a), "r"(b & 127));
	asm("shl.b64 %0, %1, %2;" : "=l"(r.shlll) : "l"(w), "r"(b & 127));
	asm("shr.u64 %0, %1, %2;" : "=l"(r.shrll) : "l"(w), "r"(b & 127));
	asm("shr.s64 %0, %1, %2;" : "=l"(r.sarll) : "l"(w), "r"(b & 127));
	r.left = __funnelshift_l(a, b, a & 63);
	r.right = __funnelshift_r(a, b, a & 63);
	r.left_c = __funnelshift_lc(a, b, a & 63);
	r.right_c = __funnelshift_rc(a, b, a & 63);
	asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r.lop) : "r"(a), "r"(b), "r"(0x0ff0f00fu));
	r.sad = __sad((int)a, (int)b, 9u);
	r.usad = __usad(a, b, 9u);
#ifdef __NVCC__ /* newer than the PTX that clang-14 declares */
	asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r.mask) : "r"(b & 31), "r"(b >> 8 & 31));
#else
	r.mask = (unsigned)(((1ull << (b >> 8 & 31)) - 1) << (b & 31));
#endif
	r.logic[0] = a & b;
	r.logic[1] = a | b;
	r.logic[2] = a ^ b;
	r.logic[3] = ~a;
	asm("cnot.b32 %0, %1;" : "=r"(r.logic[4]) : "r"(a));
	r.logic[5] = (a && !b) || (!a && b);
	r.mul24 = __mul24((int)a, (int)b);
	out[blockIdx.x * n + threadIdx.x] = r;
}

static unsigned long long field(unsigned long long v, unsigned at, unsigned size, int width, bool sign)
{
	unsigned long long r = 0;
	int top = at + size - 1 < (unsigned)width - 1 ? at + size - 1 : width - 1;
	bool s = sign && size && (v >> top & 1);
	for (int i = 0; i < width; i++) {
		bool bit = i < (int)size && at + i < (unsigned)width ? v >> (at + i) & 1 : s;
		r |= (unsigned long long)bit << i;
	}
	return r;
}

static unsigned long long insert(unsigned long long a, unsigned long long b, unsigned at, unsigned size, int width)
{
	for (unsigned i = 0; i < size && at + i < (unsigned)width; i++) {
		unsigned long long bit = 1ull << (at + i);
		b = (b & ~bit) | (a >> i & 1 ? bit : 0);
	}
	return b;
}

static int sext24(unsigned v)
{
	return (int)(v << 8) >> 8;
}

static const unsigned values[] = {0, 1, 2, 0x80000000u, 0xffffffffu, 0x7fffffffu, 0x12345678, 0xdeadbeef, 0x00ff00ff,
	0x1020, 0x3f3f, 0x0f1f, 0x2007, 0x4021, 0x00010000, 0xc0000003u, 0x2000, 0x081f, 0x7f7f7f7f};
static const int N = sizeof(values) / sizeof(values[0]);

int main()
{
	static result all[N][N];
	result *d = device_alloc<result>(N * N);
	bits<<<N, N>>>(to_device(values, N), N, d);
	LAUNCHED();
	to_host(all[0], d, N * N);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			unsigned a = values[i], b = values[j], rev = 0;
			unsigned long long w = (unsigned long long)a << 32 | b, revll = 0;
			const result &r = all[i][j];
			CHECK(r.clz == (a ? __builtin_clz(a) : 32) && r.clzll == (w ? __builtin_clzll(w) : 64), "%x %x", a, b);
			CHECK(r.popc == __builtin_popcount(a) && r.popcll == __builtin_popcountll(w), "%x %x", a, b);
			CHECK(r.ffs == __builtin_ffs(a) && r.ffsll == __builtin_ffsll(w), "%x %x", a, b);
			for (int k = 0; k < 32; k++)
				rev |= (a >> k & 1) << (31 - k);
			for (int k = 0; k < 64; k++)
				revll |= (w >> k & 1) << (63 - k);
			CHECK(r.brev == rev && r.brevll == revll, "%x %x", a, b);
			unsigned perm = (a & 0xff) | (b >> 8 & 0xff) << 8 | (a >> 16 & 0xff) << 16 | (b >> 24) << 24;
			CHECK(r.perm == perm, "%x %x: %x", a, b, r.perm);
			CHECK(r.perm_f4e == (a >> 16 | b << 16), "%x %x: %x", a, b, r.perm_f4e);
			unsigned at = b & 63, size = b >> 8 & 63;
			CHECK(r.bfe == field(a, at, size, 32, false), "%x %u %u: %x", a, at, size, r.bfe);
			CHECK(r.bfes == (int)field(a, at, size, 32, true), "%x %u %u: %x", a, at, size, r.bfes);
			CHECK(r.bfell == field(w, at, size, 64, false), "%llx %u %u: %llx", w, at, size, r.bfell);
			CHECK(r.bfesll == (long long)field(w, at, size, 64, true), "%llx %u %u: %llx", w, at, size, r.bfesll);
			CHECK(r.bfi == insert(a, b, at, size, 32), "%x %x %u %u: %x", a, b, at, size, r.bfi);
			CHECK(r.bfill == insert(w, ~w, at, size, 64), "%llx %u %u: %llx", w, at, size, r.bfill);
			CHECK(r.find == (a ? 31 - __builtin_clz(a) : -1), "%x: %d", a, r.find);
			unsigned m = (int)a < 0 ? ~a : a;
			CHECK(r.finds == (m ? __builtin_clz(m) : -1), "%x: %d", a, r.finds);
			unsigned s = b & 127;
			CHECK(r.shl == (s > 31 ? 0 : a << s) && r.shr == (s > 31 ? 0 : a >> s), "%x %u", a, s);
			CHECK(r.sar == (int)a >> (s > 31 ? 31 : s), "%x %u", a, s);
			CHECK(r.shlll == (s > 63 ? 0 : w << s) && r.shrll == (s > 63 ? 0 : w >> s), "%llx %u", w, s);
			CHECK(r.sarll == (long long)w >> (s > 63 ? 63 : s), "%llx %u", w, s);
			unsigned long long both = (unsigned long long)b << 32 | a;
			unsigned f = a & 31, c = (a & 63) > 32 ? 32 : a & 63;
			CHECK(r.left == (unsigned)(both << f >> 32) && r.right == (unsigned)(both >> f), "%llx %u", both, f);
			CHECK(r.left_c == (unsigned)(both << c >> 32) && r.right_c == (unsigned)(both >> c), "%llx %u", both, c);
			unsigned k = 0x0ff0f00fu;
			CHECK(r.lop == ((a & b) | (a & k) | (b & k)), "%x %x", a, b);
			long long difference = (long long)(int)a - (int)b;
			CHECK(r.sad == (unsigned)(difference < 0 ? -difference : difference) + 9, "%x %x", a, b);
			CHECK(r.usad == (a > b ? a - b : b - a) + 9, "%x %x", a, b);
			unsigned width = b >> 8 & 31, low = b & 31;
			CHECK(r.mask == (unsigned)(((1ull << width) - 1) << low), "%u %u: %x", low, width, r.mask);
			CHECK(r.logic[0] == (int)(a & b) && r.logic[1] == (int)(a | b) && r.logic[2] == (int)(a ^ b));
			CHECK(r.logic[3] == (int)~a && r.logic[4] == !a && r.logic[5] == (!a != !b), "%x %x", a, b);
			CHECK(r.mul24 == (int)((long long)sext24(a) * sext24(b)), "%x %x: %x", a, b, r.mul24);
		}
	return check_done();
}
