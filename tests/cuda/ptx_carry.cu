// The carry flag between every instruction that writes it and those that read it, and a 128-bit division that mixes
// additions with subtractions. The flag of a subtraction is the carry of a + ~b + 1: set when there is no borrow.
#include "check.h"

// Operands %3 to %5 have 32 bits, %6 to %8 are the same values with 64.
#define WRITERS(X, ...) \
	X("add.cc.u", "32", "%3, %4", __VA_ARGS__) X("addc.cc.u", "32", "%3, %4", __VA_ARGS__) \
	X("sub.cc.u", "32", "%3, %4", __VA_ARGS__) X("subc.cc.u", "32", "%3, %4", __VA_ARGS__) \
	X("mad.lo.cc.u", "32", "%3, %4, %5", __VA_ARGS__) X("madc.lo.cc.u", "32", "%3, %4, %5", __VA_ARGS__) \
	X("mad.hi.cc.u", "32", "%3, %4, %5", __VA_ARGS__) X("madc.hi.cc.u", "32", "%3, %4, %5", __VA_ARGS__) \
	X("mad.hi.cc.s", "32", "%3, %4, %5", __VA_ARGS__) X("madc.hi.cc.s", "32", "%3, %4, %5", __VA_ARGS__) \
	X("add.cc.u", "64", "%6, %7", __VA_ARGS__) X("addc.cc.u", "64", "%6, %7", __VA_ARGS__) \
	X("sub.cc.u", "64", "%6, %7", __VA_ARGS__) X("subc.cc.u", "64", "%6, %7", __VA_ARGS__) \
	X("mad.lo.cc.u", "64", "%6, %7, %8", __VA_ARGS__) X("madc.lo.cc.u", "64", "%6, %7, %8", __VA_ARGS__) \
	X("mad.hi.cc.u", "64", "%6, %7, %8", __VA_ARGS__) X("madc.hi.cc.u", "64", "%6, %7, %8", __VA_ARGS__) \
	X("mad.hi.cc.s", "64", "%6, %7, %8", __VA_ARGS__) X("madc.hi.cc.s", "64", "%6, %7, %8", __VA_ARGS__)
#define READERS(X) \
	X("addc.u", "32", "%4, %5") X("addc.cc.u", "32", "%4, %5") X("subc.u", "32", "%4, %5") \
	X("subc.cc.u", "32", "%4, %5") X("madc.lo.u", "32", "%4, %5, %3") X("madc.lo.cc.u", "32", "%4, %5, %3") \
	X("madc.hi.u", "32", "%4, %5, %3") X("madc.hi.s", "32", "%4, %5, %3") \
	X("addc.u", "64", "%7, %8") X("addc.cc.u", "64", "%7, %8") X("subc.u", "64", "%7, %8") \
	X("subc.cc.u", "64", "%7, %8") X("madc.lo.u", "64", "%7, %8, %6") X("madc.lo.cc.u", "64", "%7, %8, %6") \
	X("madc.hi.u", "64", "%7, %8, %6") X("madc.hi.s", "64", "%7, %8, %6")

typedef unsigned long long u64;
typedef unsigned __int128 u128;

struct instruction {
	const char *name, *bits;
};
#define NAME(name, bits, ...) {name, bits},
static const instruction writers[] = {WRITERS(NAME, )}, readers[] = {READERS(NAME)};
enum { N_WRITER = sizeof writers / sizeof *writers, N_READER = sizeof readers / sizeof *readers };

struct result {
	u64 first, second;
	unsigned flag; // after both
};

// One result for each pair, in the order of the tables. The flag before it is the low bit of a.
#define PAIR(name, bits, sources, next, next_bits, next_sources) \
	asm("{\n\t.reg .u32 low;\n\t.reg .b" bits " first;\n\t.reg .b" next_bits " second;\n\tand.b32 low, %3, 1;\n\t" \
	    "add.cc.u32 low, low, -1;\n\t" name bits " first, " sources ";\n\t" next next_bits " second, " next_sources \
	    ";\n\taddc.u32 %2, 0, 0;\n\tcvt.u64.u" bits " %0, first;\n\tcvt.u64.u" next_bits " %1, second;\n\t}" \
	    : "=l"(r.first), "=l"(r.second), "=r"(r.flag) \
	    : "r"((unsigned)a), "r"((unsigned)b), "r"((unsigned)c), "l"(a), "l"(b), "l"(c)); \
	*out++ = r;
#define PAIRS(next, bits, sources) WRITERS(PAIR, next, bits, sources)

__global__ void pairs(const u64 *v, result *out)
{
	const u64 a = v[3 * threadIdx.x], b = v[3 * threadIdx.x + 1], c = v[3 * threadIdx.x + 2];
	result r;
	out += threadIdx.x * (N_WRITER * N_READER);
	READERS(PAIRS)
}

// What an instruction gives for its sources and the flag, and the flag after it.
static u64 execute(const instruction *i, u64 a, u64 b, u64 c, unsigned *flag)
{
	const char *name = i->name;
	const int bits = atoi(i->bits);
	const u64 all = bits == 64 ? ~0ull : 0xffffffffull;
	const bool reads = name[3] == 'c', sign = name[strlen(name) - 1] == 's';
	u128 sum;
	a &= all, b &= all, c &= all;
	if (name[0] == 'm') {
		u128 product = (u128)a * b;
		u64 part = (u64)product & all;
		if (strstr(name, ".hi")) {
			part = (u64)(product >> bits);
			if (sign && a >> (bits - 1)) // a stands for a - 2^bits
				part -= b;
			if (sign && b >> (bits - 1))
				part -= a;
			part &= all;
		}
		sum = (u128)part + c + (reads ? *flag : 0);
	} else if (name[0] == 's') {
		sum = (u128)a + (~b & all) + (reads ? *flag : 1);
	} else {
		sum = (u128)a + b + (reads ? *flag : 0);
	}
	if (strstr(name, ".cc"))
		*flag = (unsigned)(sum >> bits) & 1;
	return (u64)sum & all;
}

static void check_pair(const instruction *w, const instruction *n, const u64 *v, const result *got)
{
	unsigned flag = v[0] & 1;
	u64 first = execute(w, v[0], v[1], v[2], &flag), second;
	if (n->name[0] == 'm')
		second = execute(n, v[1], v[2], v[0], &flag);
	else
		second = execute(n, v[1], v[2], 0, &flag);
	CHECK(got->first == first && got->second == second && got->flag == flag,
	      "%s%s, %s%s of %llx, %llx, %llx: %llx %llx %u, not %llx %llx %u", w->name, w->bits, n->name, n->bits, v[0],
	      v[1], v[2], got->first, got->second, got->flag, first, second, flag);
}

// Division bit by bit: the difference is taken if addc finds the flag that the last subc.cc left, or if the remainder
// had a bit beyond the 128.
__global__ void divide(const u64 *v, u64 *out)
{
	const u64 *x = v + 4 * threadIdx.x;
	u64 q0 = x[0], q1 = x[1], r0 = 0, r1 = 0;
	for (int i = 0; i < 128; i++) {
		u64 over, d0, d1, fits;
		asm("add.cc.u64 %0, %0, %0;\n\taddc.cc.u64 %1, %1, %1;\n\taddc.cc.u64 %2, %2, %2;\n\taddc.cc.u64 %3, %3, %3;\n\t"
		    "addc.u64 %4, 0, 0;"
		    : "+l"(q0), "+l"(q1), "+l"(r0), "+l"(r1), "=l"(over));
		asm("sub.cc.u64 %0, %3, %5;\n\tsubc.cc.u64 %1, %4, %6;\n\taddc.u64 %2, 0, 0;"
		    : "=&l"(d0), "=&l"(d1), "=l"(fits)
		    : "l"(r0), "l"(r1), "l"(x[2]), "l"(x[3]));
		if (over | fits) {
			r0 = d0;
			r1 = d1;
			q0 |= 1;
		}
	}
	out += 4 * threadIdx.x;
	out[0] = q0;
	out[1] = q1;
	out[2] = r0;
	out[3] = r1;
}

static u64 some(unsigned *seed)
{
	u64 v = 0;
	for (int i = 0; i < 4; i++)
		v = v << 20 ^ check_random(seed);
	switch (check_random(seed) % 8) {
	case 0: return 0;
	case 1: return ~0ull;
	case 2: return 0x80000000ull;
	case 3: return 1ull << 63;
	case 4: return v >> check_random(seed) % 64;
	case 5: return (v & 0xffffffff00000000ull) | 0xffffffffu;
	default: return v;
	}
}

int main()
{
	enum { N = 64 };
	static u64 v[4 * N], back[4 * N];
	static result all[N][N_READER][N_WRITER];
	unsigned seed = 3;
	for (int i = 0; i < 4 * N; i++)
		v[i] = some(&seed);
	result *d = device_alloc<result>(N * N_READER * N_WRITER);
	pairs<<<1, N>>>(to_device(v, 3 * N), d);
	LAUNCHED();
	to_host(all[0][0], d, N * N_READER * N_WRITER);
	for (int i = 0; i < N; i++)
		for (int n = 0; n < N_READER; n++)
			for (int w = 0; w < N_WRITER; w++)
				check_pair(&writers[w], &readers[n], v + 3 * i, &all[i][n][w]);

	for (int i = 0; i < N; i++)
		if (!(v[4 * i + 2] | v[4 * i + 3]))
			v[4 * i + 2] = 1;
	u64 *q = device_alloc<u64>(4 * N);
	divide<<<1, N>>>(to_device(v, 4 * N), q);
	LAUNCHED();
	to_host(back, q, 4 * N);
	for (int i = 0; i < 4 * N; i += 4) {
		u128 a = (u128)v[i + 1] << 64 | v[i], b = (u128)v[i + 3] << 64 | v[i + 2];
		CHECK(((u128)back[i + 1] << 64 | back[i]) == a / b && ((u128)back[i + 3] << 64 | back[i + 2]) == a % b,
		      "%llx%016llx / %llx%016llx: %llx%016llx", v[i + 1], v[i], v[i + 3], v[i + 2], back[i + 1], back[i]);
	}
	return check_done();
}
