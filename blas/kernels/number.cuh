// Numbers as kernels compute with them. Elements of 16 bits are kept as their bits: no header of a toolkit is needed.
#ifndef BLAS_KERNELS_NUMBER_CUH
#define BLAS_KERNELS_NUMBER_CUH

#include "args.h"

#define DEVICE static __device__ __forceinline__

struct half16 { unsigned short bits; };
struct brain16 { unsigned short bits; };
struct quarter8 { unsigned char bits; }; // e4m3 or e5m2: the matrix says
template <class R> struct complex_of { R x, y; };
typedef complex_of<float> cfloat;
typedef complex_of<double> cdouble;

// R: the real type beside T.
template <class T> struct real_of { typedef T type; };
template <class R> struct real_of<complex_of<R>> { typedef R type; };

DEVICE float to_float(half16 h)
{
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
	return f;
}
DEVICE float to_float(brain16 b) { return __int_as_float((int)b.bits << 16); }
// e5m2 is the upper half of an f16. e4m3 has another bias and one NaN; a product with the difference of the biases takes subnormals along.
DEVICE float to_float(quarter8 q, bool e5m2)
{
	if (e5m2)
		return to_float(half16{(unsigned short)(q.bits << 8)});
	unsigned magnitude = q.bits & 0x7f, sign = (unsigned)(q.bits >> 7) << 31;
	float f = __int_as_float((int)(magnitude << 20)) * __int_as_float((127 + 120) << 23);
	return __int_as_float(__float_as_int(magnitude == 0x7f ? __int_as_float(0x7fffffff) : f) | (int)sign);
}
DEVICE half16 to_half(float f)
{
	half16 h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
	return h;
}
// To nearest, ties to even; there is no instruction for it before sm_80.
DEVICE brain16 to_brain(float f)
{
	unsigned u = (unsigned)__float_as_int(f);
	brain16 b;
	b.bits = (u & 0x7fffffff) > 0x7f800000 ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
	return b;
}

// --- from an element to what is computed with, and back

DEVICE void load(float &to, float from) { to = from; }
DEVICE void load(float &to, half16 from) { to = to_float(from); }
DEVICE void load(float &to, brain16 from) { to = to_float(from); }
DEVICE void load(float &to, signed char from) { to = from; }
DEVICE void load(int &to, signed char from) { to = from; }
DEVICE void load(int &to, int from) { to = from; }
DEVICE void load(double &to, double from) { to = from; }
template <class R> DEVICE void load(complex_of<R> &to, complex_of<R> from) { to = from; }

// The same of an element of matrix m.
template <class C, class T> DEVICE void load_of(const blas_mat &, C &to, T from) { load(to, from); }
DEVICE void load_of(const blas_mat &m, float &to, quarter8 from) { to = to_float(from, m.e5m2); }

DEVICE void store(float &to, float from) { to = from; }
DEVICE void store(half16 &to, float from) { to = to_half(from); }
DEVICE void store(brain16 &to, float from) { to = to_brain(from); }
DEVICE void store(int &to, int from) { to = from; }
DEVICE void store(double &to, double from) { to = from; }
template <class R> DEVICE void store(complex_of<R> &to, complex_of<R> from) { to = from; }

// --- arithmetic

template <class R> DEVICE complex_of<R> operator+(complex_of<R> a, complex_of<R> b) { return {a.x + b.x, a.y + b.y}; }
template <class R> DEVICE complex_of<R> operator-(complex_of<R> a, complex_of<R> b) { return {a.x - b.x, a.y - b.y}; }
template <class R> DEVICE complex_of<R> operator*(complex_of<R> a, complex_of<R> b)
{
	return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
// Smith's way: no overflow on the way to a result that has none.
template <class R> DEVICE complex_of<R> operator/(complex_of<R> a, complex_of<R> b)
{
	if ((b.x < 0 ? -b.x : b.x) >= (b.y < 0 ? -b.y : b.y)) {
		R r = b.y / b.x, d = b.x + b.y * r;
		return {(a.x + a.y * r) / d, (a.y - a.x * r) / d};
	}
	R r = b.x / b.y, d = b.x * r + b.y;
	return {(a.x * r + a.y) / d, (a.y * r - a.x) / d};
}

template <class T> DEVICE T conj_of(T a) { return a; }
template <class R> DEVICE complex_of<R> conj_of(complex_of<R> a) { return {a.x, -a.y}; }

template <class T> DEVICE void add_product(T &s, T a, T b) { s += a * b; }
template <class R> DEVICE void add_product(complex_of<R> &s, complex_of<R> a, complex_of<R> b)
{
	s.x += a.x * b.x;
	s.x -= a.y * b.y;
	s.y += a.x * b.y;
	s.y += a.y * b.x;
}

template <class T> DEVICE T number(double re, double im) { return (T)re; }
template <> __device__ __forceinline__ cfloat number<cfloat>(double re, double im) { return {(float)re, (float)im}; }
template <> __device__ __forceinline__ cdouble number<cdouble>(double re, double im) { return {re, im}; }

template <class T> DEVICE bool is_zero(T a) { return a == 0; }
template <class R> DEVICE bool is_zero(complex_of<R> a) { return a.x == 0 && a.y == 0; }

template <class T> DEVICE void drop_imaginary(T &) {}
template <class R> DEVICE void drop_imaginary(complex_of<R> &a) { a.y = 0; }

template <class R> DEVICE R magnitude(R a) { return a < 0 ? -a : a; }
// What BLAS takes for the size of a complex number.
template <class R> DEVICE R size_of(R a) { return magnitude(a); }
template <class R> DEVICE R size_of(complex_of<R> a) { return magnitude(a.x) + magnitude(a.y); }
template <class R> DEVICE R largest_part(R a) { return magnitude(a); }
template <class R> DEVICE R largest_part(complex_of<R> a)
{
	R x = magnitude(a.x), y = magnitude(a.y);
	return x >= y || x != x ? x : y;
}
template <class R> DEVICE R square(R a) { return a * a; }
template <class R> DEVICE R square(complex_of<R> a) { return a.x * a.x + a.y * a.y; }
template <class R> DEVICE R by_real(R a, R r) { return a / r; }
template <class R> DEVICE complex_of<R> by_real(complex_of<R> a, R r) { return {a.x / r, a.y / r}; }

DEVICE float root(float a)
{
	asm("sqrt.rn.f32 %0, %0;" : "+f"(a));
	return a;
}
DEVICE double root(double a)
{
	asm("sqrt.rn.f64 %0, %0;" : "+d"(a));
	return a;
}

template <class C> DEVICE C scalar(const blas_scalar &s)
{
	C v;
	if (!s.at)
		v = number<C>(s.re, s.im);
	else if (s.stored == STORED_HALF)
		v = number<C>(to_float(*(const half16 *)s.at), 0);
	else if (s.stored == STORED_REAL)
		v = number<C>(*(const typename real_of<C>::type *)s.at, 0);
	else
		v = *(const C *)s.at;
	return s.conj ? conj_of(v) : v;
}

// What both factors are scaled by: as wholes, which alpha takes, and element (i, j) of the product, by row and column.
template <class T, class C> struct factors {
	static __device__ __forceinline__ C apply(const blas_gemm &, C alpha) { return alpha; }
	static __device__ __forceinline__ C element(const blas_gemm &, C v, long long, long long) { return v; }
};
template <> struct factors<quarter8, float> {
	static __device__ __forceinline__ float apply(const blas_gemm &g, float alpha)
	{
		if (g.a.factor && !g.a.factor_each)
			alpha *= *(const float *)g.a.factor;
		return g.b.factor && !g.b.factor_each ? alpha * *(const float *)g.b.factor : alpha;
	}
	static __device__ __forceinline__ float element(const blas_gemm &g, float v, long long i, long long j)
	{
		if (g.a.factor && g.a.factor_each)
			v *= ((const float *)g.a.factor)[i];
		return g.b.factor && g.b.factor_each ? v * ((const float *)g.b.factor)[j] : v;
	}
};

// The first element of matrix b.
template <class T> DEVICE T *matrix(const blas_mat &m, long long b)
{
	return m.pointers ? ((T *const *)m.at)[b] : (T *)m.at + b * m.batch;
}

#endif
