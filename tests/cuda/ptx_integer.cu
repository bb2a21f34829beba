// Integer arithmetic in 8 to 64 bits, signed and unsigned: the edges of every operation.
#include "check.h"

#include <climits>

struct result32 {
	int add, sub, mul, hi, div, rem, neg, abs, min, max, add_sat, sub_sat, mad_sat;
	unsigned uhi, udiv, urem, umin, umax;
	long long wide;
	unsigned long long uwide;
};
struct result64 {
	long long add, sub, mul, hi, div, rem, min, max;
	unsigned long long uhi, udiv, urem, umin, umax;
};
struct result16 {
	short add, mul, div, rem, shifted;
	unsigned short umul, udiv, urem;
	signed char narrow;
	unsigned char unarrow;
};

__global__ void in32(const int *v, int n, result32 *out)
{
	int a = v[blockIdx.x], b = v[threadIdx.x];
	result32 *r = &out[blockIdx.x * n + threadIdx.x];
	unsigned ua = a, ub = b;
	r->add = ua + ub;
	r->sub = ua - ub;
	r->mul = ua * ub;
	r->hi = __mulhi(a, b);
	r->uhi = __umulhi(ua, ub);
	r->wide = (long long)a * b;
	r->uwide = (unsigned long long)ua * ub;
	bool bad = b == 0 || (b == -1 && a == -2147483647 - 1);
	r->div = bad ? 0 : a / b;
	r->rem = bad ? 0 : a % b;
	r->udiv = b ? ua / ub : 0;
	r->urem = b ? ua % ub : 0;
	asm("neg.s32 %0, %1;" : "=r"(r->neg) : "r"(a));
	asm("abs.s32 %0, %1;" : "=r"(r->abs) : "r"(a));
	asm("add.sat.s32 %0, %1, %2;" : "=r"(r->add_sat) : "r"(a), "r"(b));
	asm("sub.sat.s32 %0, %1, %2;" : "=r"(r->sub_sat) : "r"(a), "r"(b));
	asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r->mad_sat) : "r"(a), "r"(b), "r"(a));
	r->min = min(a, b);
	r->max = max(a, b);
	r->umin = min(ua, ub);
	r->umax = max(ua, ub);
}

__global__ void in64(const long long *v, int n, result64 *out)
{
	long long a = v[blockIdx.x], b = v[threadIdx.x];
	result64 *r = &out[blockIdx.x * n + threadIdx.x];
	unsigned long long ua = a, ub = b;
	r->add = ua + ub;
	r->sub = ua - ub;
	r->mul = ua * ub;
	r->hi = __mul64hi(a, b);
	r->uhi = __umul64hi(ua, ub);
	bool bad = b == 0 || (b == -1 && ua == 1ull << 63);
	r->div = bad ? 0 : a / b;
	r->rem = bad ? 0 : a % b;
	r->udiv = b ? ua / ub : 0;
	r->urem = b ? ua % ub : 0;
	r->min = min(a, b);
	r->max = max(a, b);
	r->umin = min(ua, ub);
	r->umax = max(ua, ub);
}

__global__ void in16(const int *v, int n, result16 *out)
{
	short a = v[blockIdx.x], b = v[threadIdx.x];
	result16 *r = &out[blockIdx.x * n + threadIdx.x];
	unsigned short ua = a, ub = b;
	short t;
	asm("add.s16 %0, %1, %2;" : "=h"(r->add) : "h"(a), "h"(b));
	asm("mul.lo.s16 %0, %1, %2;" : "=h"(r->mul) : "h"(a), "h"(b));
	asm("mul.hi.u16 %0, %1, %2;" : "=h"(r->umul) : "h"(ua), "h"(ub));
	r->div = r->rem = r->udiv = r->urem = 0;
	if (b != 0) {
		asm("div.u16 %0, %1, %2;" : "=h"(r->udiv) : "h"(ua), "h"(ub));
		asm("rem.u16 %0, %1, %2;" : "=h"(r->urem) : "h"(ua), "h"(ub));
		if (!(b == -1 && a == -32768)) {
			asm("div.s16 %0, %1, %2;" : "=h"(r->div) : "h"(a), "h"(b));
			asm("rem.s16 %0, %1, %2;" : "=h"(r->rem) : "h"(a), "h"(b));
		}
	}
	asm("shr.s16 %0, %1, 3;" : "=h"(t) : "h"(a));
	r->shifted = t;
	r->narrow = (signed char)a;
	r->unarrow = (unsigned char)(a + b);
}

static const int values[] = {0, 1, -1, 2, -2, 3, 7, -7, 100, 255, 256, 32767, 32768, -32768, 65535, 65536, 123456789,
	-123456789, 0x7fffffff, -0x7fffffff, (int)0x80000000};
static const int N = sizeof(values) / sizeof(values[0]);

static int saturated(long long v) { return v > INT_MAX ? INT_MAX : v < INT_MIN ? INT_MIN : (int)v; }

int main()
{
	const long long min64 = (long long)(1ull << 63);
	long long values64[N];
	for (int i = 0; i < N; i++)
		values64[i] = values[i];
	values64[4] = min64;
	values64[8] = ~min64;
	values64[9] = 0x123456789abcdefll;
	values64[12] = -0x123456789abcdefll;
	static result32 r32[N][N];
	static result64 r64[N][N];
	static result16 r16[N][N];
	int *v = to_device(values, N);
	long long *v64 = to_device(values64, N);
	result32 *d32 = device_alloc<result32>(N * N);
	result64 *d64 = device_alloc<result64>(N * N);
	result16 *d16 = device_alloc<result16>(N * N);
	in32<<<N, N>>>(v, N, d32);
	in64<<<N, N>>>(v64, N, d64);
	in16<<<N, N>>>(v, N, d16);
	LAUNCHED();
	to_host(r32[0], d32, N * N);
	to_host(r64[0], d64, N * N);
	to_host(r16[0], d16, N * N);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			long long a = values[i], b = values[j];
			unsigned ua = values[i], ub = values[j];
			const result32 &r = r32[i][j];
			bool bad = b == 0 || (b == -1 && i == N - 1);
			CHECK(r.add == (int)(a + b) && r.sub == (int)(a - b) && r.mul == (int)(a * b), "%lld %lld", a, b);
			CHECK(r.hi == (int)(a * b >> 32) && r.wide == a * b, "%lld %lld", a, b);
			CHECK(r.uwide == (unsigned long long)ua * ub && r.uhi == (unsigned)(r.uwide >> 32), "%u %u", ua, ub);
			CHECK(r.div == (bad ? 0 : a / b) && r.rem == (bad ? 0 : a % b), "%lld %lld", a, b);
			CHECK(r.udiv == (b ? ua / ub : 0) && r.urem == (b ? ua % ub : 0), "%u %u", ua, ub);
			CHECK(r.neg == (int)-a && r.abs == (int)(a < 0 ? -a : a), "%lld", a);
			CHECK(r.add_sat == saturated(a + b) && r.sub_sat == saturated(a - b), "%lld %lld", a, b);
			CHECK(r.mad_sat == saturated((a * b >> 32) + a), "%lld %lld", a, b);
			CHECK(r.min == (a < b ? a : b) && r.max == (a < b ? b : a), "%lld %lld", a, b);
			CHECK(r.umin == (ua < ub ? ua : ub) && r.umax == (ua < ub ? ub : ua), "%u %u", ua, ub);

			const result64 &q = r64[i][j];
			long long c = values64[i], d = values64[j];
			unsigned long long uc = c, ud = d;
			bad = d == 0 || (d == -1 && c == min64);
			CHECK(q.add == (long long)(uc + ud) && q.sub == (long long)(uc - ud) && q.mul == (long long)(uc * ud));
			CHECK(q.hi == (long long)((__int128)c * d >> 64), "%lld %lld", c, d);
			CHECK(q.uhi == (unsigned long long)((unsigned __int128)uc * ud >> 64), "%llu %llu", uc, ud);
			CHECK(q.div == (bad ? 0 : c / d) && q.rem == (bad ? 0 : c % d), "%lld %lld", c, d);
			CHECK(q.udiv == (d ? uc / ud : 0) && q.urem == (d ? uc % ud : 0), "%llu %llu", uc, ud);
			CHECK(q.min == (c < d ? c : d) && q.max == (c < d ? d : c), "%lld %lld", c, d);
			CHECK(q.umin == (uc < ud ? uc : ud) && q.umax == (uc < ud ? ud : uc), "%llu %llu", uc, ud);

			const result16 &p = r16[i][j];
			short e = values[i], f = values[j];
			unsigned short ue = e, uf = f;
			bad = f == 0 || (f == -1 && e == -32768);
			CHECK(p.add == (short)(e + f) && p.mul == (short)(e * f), "%d %d", e, f);
			CHECK(p.umul == (unsigned short)((unsigned)ue * uf >> 16), "%d %d", e, f);
			CHECK(p.div == (bad ? 0 : e / f) && p.rem == (bad ? 0 : e % f), "%d %d", e, f);
			CHECK(p.udiv == (f ? ue / uf : 0) && p.urem == (f ? ue % uf : 0), "%d %d", e, f);
			CHECK(p.shifted == (short)(e >> 3) && p.narrow == (signed char)e && p.unarrow == (unsigned char)(e + f));
		}
	return check_done();
}
