// f32 and f64 arithmetic in the four rounding modes, fused multiply-add, division, square root, minimum and maximum.
// nvcc-flags: -fmad=false
#include "check.h"
#include <cfenv>

template <class T> struct result {
	T add[4], sub[4], mul[4], fma[4], div[4], sqrt[4], rcp[4], mn, mx, neg, abs, sign;
};

#define MODES(out, name, ...) \
	out[0] = name##_rn(__VA_ARGS__); \
	out[1] = name##_rz(__VA_ARGS__); \
	out[2] = name##_rd(__VA_ARGS__); \
	out[3] = name##_ru(__VA_ARGS__);

__global__ void single(const float *v, int n, result<float> *out)
{
	float a = v[blockIdx.x], b = v[threadIdx.x], c = v[(blockIdx.x + threadIdx.x) % n];
	result<float> r;
	MODES(r.add, __fadd, a, b)
	MODES(r.sub, __fsub, a, b)
	MODES(r.mul, __fmul, a, b)
	MODES(r.fma, __fmaf, a, b, c)
	MODES(r.div, __fdiv, a, b)
	MODES(r.sqrt, __fsqrt, a)
	MODES(r.rcp, __frcp, a)
	r.mn = fminf(a, b);
	r.mx = fmaxf(a, b);
	r.neg = -a;
	r.abs = fabsf(a);
	r.sign = copysignf(a, b);
	out[blockIdx.x * n + threadIdx.x] = r;
}

__global__ void twice(const double *v, int n, result<double> *out)
{
	double a = v[blockIdx.x], b = v[threadIdx.x], c = v[(blockIdx.x + threadIdx.x) % n];
	result<double> r;
	MODES(r.add, __dadd, a, b)
	MODES(r.sub, __dsub, a, b)
	MODES(r.mul, __dmul, a, b)
	MODES(r.fma, __fma, a, b, c)
	MODES(r.div, __ddiv, a, b)
	MODES(r.sqrt, __dsqrt, a)
	MODES(r.rcp, __drcp, a)
	r.mn = fmin(a, b);
	r.mx = fmax(a, b);
	r.neg = -a;
	r.abs = fabs(a);
	r.sign = copysign(a, b);
	out[blockIdx.x * n + threadIdx.x] = r;
}

/* The same bits, or both not a number. */
template <class T> static bool same(T a, T b)
{
	return memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

template <class T> static void compare(const result<T> *all, const T *v, int n)
{
	static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			volatile T a = v[i], b = v[j], c = v[(i + j) % n], one = 1;
			const result<T> &r = all[i * n + j];
			for (int m = 0; m < 4; m++) {
				fesetround(modes[m]);
				volatile T add = a + b, sub = a - b, mul = a * b, div = a / b, rcp = one / a;
				volatile T fma_ = std::fma((T)a, (T)b, (T)c), root = std::sqrt((T)a);
				fesetround(FE_TONEAREST);
				CHECK(same<T>(r.add[m], add), "%d: %a %a: %a", m, a, b, r.add[m]);
				CHECK(same<T>(r.sub[m], sub), "%d: %a %a: %a", m, a, b, r.sub[m]);
				CHECK(same<T>(r.mul[m], mul), "%d: %a %a: %a", m, a, b, r.mul[m]);
				CHECK(same<T>(r.div[m], div), "%d: %a %a: %a", m, a, b, r.div[m]);
				CHECK(same<T>(r.rcp[m], rcp), "%d: %a: %a", m, a, r.rcp[m]);
				CHECK(same<T>(r.sqrt[m], root), "%d: %a: %a", m, a, r.sqrt[m]);
				CHECK(same<T>(r.fma[m], fma_), "%d: %a %a %a: %a, not %a", m, a, b, c, r.fma[m], fma_);
			}
			/* A number wins over not a number; of two zeros either may be the smaller. */
			T mn = a != a ? b : b != b ? a : a < b ? a : b, mx = a != a ? b : b != b ? a : a > b ? a : b;
			CHECK(same<T>(r.mn, mn) || (a == 0 && b == 0), "%a %a: %a", a, b, r.mn);
			CHECK(same<T>(r.mx, mx) || (a == 0 && b == 0), "%a %a: %a", a, b, r.mx);
			CHECK(same<T>(r.neg, -a) && same<T>(r.abs, std::fabs((T)a)), "%a", a);
			CHECK(same<T>(r.sign, std::copysign((T)a, (T)b)), "%a %a", a, b);
		}
}

int main()
{
	const float singles[] = {0.0f, -0.0f, 1, -1, 3, 1.0f / 3, -0.1f, 1e10f, -1e-10f, 3.4028234e38f, -3.4028234e38f,
		1.17549435e-38f, 1e-45f, -3e-42f, INFINITY, -INFINITY, NAN, 16777216, 16777215.5f, 1.00000012f, 2.7182817f};
	const double doubles[] = {0.0, -0.0, 1, -1, 3, 1.0 / 3, -0.1, 1e100, -1e-100, 1.7976931348623157e308,
		-1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, -1e-310, INFINITY, -INFINITY, NAN, 9007199254740992.0,
		9007199254740991.5, 1.0000000000000002, 2.718281828459045};
	const int n = sizeof(singles) / sizeof(singles[0]);
	static result<float> f[n * n];
	static result<double> g[n * n];
	result<float> *df = device_alloc<result<float> >(n * n);
	result<double> *dg = device_alloc<result<double> >(n * n);
	single<<<n, n>>>(to_device(singles, n), n, df);
	twice<<<n, n>>>(to_device(doubles, n), n, dg);
	LAUNCHED();
	to_host(f, df, n * n);
	to_host(g, dg, n * n);
	compare(f, singles, n);
	compare(g, doubles, n);
	return check_done();
}
