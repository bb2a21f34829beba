// Conversions between integers and floating point in every rounding mode, with the values that do not fit.
#include "check.h"
#include <cfenv>

struct result {
	int s32[4];
	unsigned u32[4];
	long long s64[4];
	unsigned long long u64[4];
	float narrow[4], rounded[4];
	int sat8, sat16;
	unsigned usat8, usat16;
};
struct back {
	float f[4], uf[4], llf[4], ullf[4];
	double d, ud, lld[4], ulld[4];
	int sat8, usat8, sat16, usat32;
};

#define MODES(out, name, v) \
	out[0] = name##_rn(v); \
	out[1] = name##_rz(v); \
	out[2] = name##_rd(v); \
	out[3] = name##_ru(v);

__global__ void from_float(const float *v, result *out)
{
	float a = v[threadIdx.x];
	result r;
	MODES(r.s32, __float2int, a)
	MODES(r.u32, __float2uint, a)
	MODES(r.s64, __float2ll, a)
	MODES(r.u64, __float2ull, a)
	for (int i = 0; i < 4; i++)
		r.narrow[i] = 0;
	r.rounded[0] = rintf(a);
	r.rounded[1] = truncf(a);
	r.rounded[2] = floorf(a);
	r.rounded[3] = ceilf(a);
	asm("cvt.rzi.s8.f32 %0, %1;" : "=r"(r.sat8) : "f"(a));
	asm("cvt.rzi.u8.f32 %0, %1;" : "=r"(r.usat8) : "f"(a));
	asm("{ .reg .s16 t; cvt.rzi.s16.f32 t, %1; cvt.s32.s16 %0, t; }" : "=r"(r.sat16) : "f"(a));
	asm("{ .reg .u16 t; cvt.rzi.u16.f32 t, %1; cvt.u32.u16 %0, t; }" : "=r"(r.usat16) : "f"(a));
	out[threadIdx.x] = r;
}

__global__ void from_double(const double *v, result *out)
{
	double a = v[threadIdx.x];
	result r;
	MODES(r.s32, __double2int, a)
	MODES(r.u32, __double2uint, a)
	MODES(r.s64, __double2ll, a)
	MODES(r.u64, __double2ull, a)
	MODES(r.narrow, __double2float, a)
	r.rounded[0] = rint(a);
	r.rounded[1] = trunc(a);
	r.rounded[2] = floor(a);
	r.rounded[3] = ceil(a);
	out[threadIdx.x] = r;
}

__global__ void from_integer(const long long *v, back *out)
{
	long long a = v[threadIdx.x];
	int i = (int)a;
	back r;
	MODES(r.f, __int2float, i)
	MODES(r.uf, __uint2float, (unsigned)i)
	MODES(r.llf, __ll2float, a)
	MODES(r.ullf, __ull2float, (unsigned long long)a)
	MODES(r.lld, __ll2double, a)
	MODES(r.ulld, __ull2double, (unsigned long long)a)
	r.d = __int2double_rn(i);
	r.ud = __uint2double_rn((unsigned)i);
	asm("{ .reg .s32 t; cvt.sat.s8.s32 t, %1; cvt.s32.s8 %0, t; }" : "=r"(r.sat8) : "r"(i));
	asm("{ .reg .u32 t; cvt.sat.u8.s32 t, %1; cvt.u32.u8 %0, t; }" : "=r"(r.usat8) : "r"(i));
	asm("{ .reg .s16 t; cvt.sat.s16.s64 t, %1; cvt.s32.s16 %0, t; }" : "=r"(r.sat16) : "l"(a));
	asm("cvt.sat.u32.s64 %0, %1;" : "=r"(r.usat32) : "l"(a));
	out[threadIdx.x] = r;
}

static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static double whole(double v, int mode)
{
	volatile double x = v;
	fesetround(modes[mode]);
	volatile double r = nearbyint(x);
	fesetround(FE_TONEAREST);
	return r;
}

/* The nearest representable; not a number gives 0, but from f64 or to 64 bits the top bit alone. */
template <class T> static T limited(double v, T lowest, T highest, T none)
{
	return v != v ? none : v <= (double)lowest ? lowest : v >= (double)highest ? highest : (T)v;
}

template <class S> static void check_result(const result &r, S v, bool wide)
{
	const long long top64 = (long long)(1ull << 63);
	for (int m = 0; m < 4; m++) {
		double w = whole(v, m);
		CHECK(r.s32[m] == limited<int>(w, -2147483647 - 1, 2147483647, wide ? 0x80000000u : 0), "mode %d: %g: %d", m,
			(double)v, r.s32[m]);
		CHECK(r.u32[m] == limited<unsigned>(w, 0, 4294967295u, wide ? 0x80000000u : 0), "mode %d: %g: %u", m, (double)v,
			r.u32[m]);
		CHECK(r.s64[m] == limited<long long>(w, top64, ~top64, top64), "mode %d: %g: %lld", m, (double)v, r.s64[m]);
		CHECK(r.u64[m] == limited<unsigned long long>(w, 0, ~0ull, 1ull << 63), "mode %d: %g: %llu", m, (double)v,
			r.u64[m]);
		CHECK(r.rounded[m] == (float)w || v != v, "mode %d: %g: %g", m, (double)v, r.rounded[m]);
	}
}

int main()
{
	const double v[] = {0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 1e9 + 0.5, -3e9, 3e9, 5e9, 1e18, -1e19,
		1e19, 2e19, 1e30, -1e30, INFINITY, -INFINITY, NAN, 127.9, 128.2, -128.9, 255.9, 300, -1, 32767.5, 65535.9,
		70000, 16777217.0};
	const int n = sizeof(v) / sizeof(v[0]);
	float f[n];
	for (int i = 0; i < n; i++)
		f[i] = (float)v[i];
	static result a[n], b[n];
	result *d = device_alloc<result>(n);
	from_float<<<1, n>>>(to_device(f, n), d);
	LAUNCHED();
	to_host(a, d, n);
	from_double<<<1, n>>>(to_device(v, n), d);
	LAUNCHED();
	to_host(b, d, n);
	for (int i = 0; i < n; i++) {
		check_result(a[i], f[i], false);
		check_result(b[i], v[i], true);
		double t = trunc(f[i]);
		CHECK((signed char)a[i].sat8 == limited<int>(t, -128, 127, 0), "%g: %d", t, a[i].sat8);
		CHECK((unsigned char)a[i].usat8 == limited<int>(t, 0, 255, 0), "%g: %d", t, a[i].usat8);
		CHECK(a[i].sat16 == limited<int>(t, -32768, 32767, 0), "%g: %d", t, a[i].sat16);
		CHECK((int)a[i].usat16 == limited<int>(t, 0, 65535, 0), "%g: %d", t, a[i].usat16);
		for (int m = 0; m < 4; m++) {
			volatile double source = v[i];
			fesetround(modes[m]);
			volatile float e = (float)source;
			fesetround(FE_TONEAREST);
			CHECK(b[i].narrow[m] == e || (e != e && b[i].narrow[m] != b[i].narrow[m]), "%g: %g", v[i], b[i].narrow[m]);
		}
	}

	const long long w[] = {0, 1, -1, 127, 128, -129, 255, 256, 32768, -40000, 16777217, -16777219, 2147483647,
		-2147483647 - 1ll, 4294967295ll, 4294967296ll, 9007199254740993ll, -9007199254740995ll, 0x7fffffffffffffffll,
		(long long)(1ull << 63), 0x7fffff7fffffffffll, 123456789123456789ll};
	const int k = sizeof(w) / sizeof(w[0]);
	static back c[k];
	back *e = device_alloc<back>(k);
	from_integer<<<1, k>>>(to_device(w, k), e);
	LAUNCHED();
	to_host(c, e, k);
	for (int i = 0; i < k; i++) {
		int s = (int)w[i];
		for (int m = 0; m < 4; m++) {
			fesetround(modes[m]);
			volatile int vs = s;
			volatile unsigned vu = s;
			volatile long long vl = w[i];
			volatile unsigned long long vul = w[i];
			volatile float x = (float)vs, y = (float)vu, z = (float)vl;
			volatile double p = (double)vl;
			fesetround(FE_TONEAREST);
			CHECK(c[i].f[m] == x && c[i].uf[m] == y && c[i].llf[m] == z, "mode %d: %lld: %g %g %g", m, w[i], c[i].f[m],
				c[i].uf[m], c[i].llf[m]);
			CHECK(c[i].lld[m] == p, "mode %d: %lld: %.17g", m, w[i], c[i].lld[m]);
			/* The host's own conversion of large unsigned values does not always obey the mode: check by bounds. */
			__int128 exact = vul, back_d = (__int128)c[i].ulld[m], back_f = (__int128)c[i].ullf[m];
			CHECK(m == 3 ? back_d >= exact : m == 0 || back_d <= exact, "mode %d: %llu", m, (unsigned long long)exact);
			CHECK(m == 3 ? back_f >= exact : m == 0 || back_f <= exact, "mode %d: %llu", m, (unsigned long long)exact);
			__int128 off = back_d - exact, off_f = back_f - exact;
			CHECK((off < 0 ? -off : off) <= (m ? 2047 : 1024) &&
				(off_f < 0 ? -off_f : off_f) <= ((__int128)1 << (m ? 40 : 39)));
		}
		CHECK(c[i].d == (double)s && c[i].ud == (double)(unsigned)s, "%d", s);
		CHECK(c[i].sat8 == (s < -128 ? -128 : s > 127 ? 127 : s), "%d: %d", s, c[i].sat8);
		CHECK(c[i].usat8 == (s < 0 ? 0 : s > 255 ? 255 : s), "%d: %d", s, c[i].usat8);
		CHECK(c[i].sat16 == (w[i] < -32768 ? -32768 : w[i] > 32767 ? 32767 : w[i]), "%lld: %d", w[i], c[i].sat16);
		CHECK((unsigned)c[i].usat32 == (w[i] < 0 ? 0 : w[i] > 4294967295ll ? 4294967295u : (unsigned)w[i]), "%lld", w[i]);
	}
	return check_done();
}
