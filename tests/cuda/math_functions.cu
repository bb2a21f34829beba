// The mathematical functions in float and double, against the host's library, within CUDA's documented error.
#include "check.h"

#define FUNCTIONS(F) \
	F(exp, -5, 5, 2, 1) \
	F(exp2, -5, 5, 2, 1) \
	F(exp10, -3, 3, 2, 1) \
	F(expm1, -2, 2, 1, 1) \
	F(log, 0.01, 50, 1, 1) \
	F(log2, 0.01, 50, 1, 1) \
	F(log10, 0.01, 50, 2, 1) \
	F(log1p, -0.5, 5, 2, 1) \
	F(sin, -10, 10, 2, 2) \
	F(cos, -10, 10, 2, 2) \
	F(tan, -1.5, 1.5, 4, 2) \
	F(asin, -1, 1, 2, 2) \
	F(acos, -1, 1, 2, 2) \
	F(atan, -5, 5, 2, 2) \
	F(sinh, -3, 3, 3, 2) \
	F(cosh, -3, 3, 2, 1) \
	F(tanh, -3, 3, 2, 1) \
	F(asinh, -5, 5, 3, 3) \
	F(acosh, 1, 50, 4, 3) \
	F(atanh, -0.9, 0.9, 3, 2) \
	F(cbrt, -50, 50, 1, 1) \
	F(erf, -3, 3, 2, 2) \
	F(erfc, -2, 3, 4, 5) \
	F(tgamma, 0.5, 6, 5, 10) \
	F(lgamma, 3, 20, 6, 6)

#define TWO(F) \
	F(pow, 0.1, 10, -3, 3, 4, 2) \
	F(atan2, -3, 3, -3, 3, 3, 2) \
	F(hypot, -50, 50, -50, 50, 3, 2) \
	F(fmod, -50, 50, 0.5, 7, 0, 0) \
	F(remainder, -50, 50, 0.5, 7, 0, 0) \
	F(fdim, -5, 5, -5, 5, 0, 0) \
	F(nextafter, -5, 5, -5, 5, 0, 0)

enum { count = 25 + 7, points = 64 };

/* Point i of the range low to high. */
static __host__ __device__ double at(double low, double high, int i)
{
	return low + (high - low) * ((i * 29) % points) / (points - 1);
}

__global__ void single(float *out)
{
	int i = threadIdx.x, k = 0;
#define F(name, low, high, ulpf, ulpd) out[k++ * points + i] = name##f((float)at(low, high, i));
	FUNCTIONS(F)
#undef F
#define F(name, low, high, low2, high2, ulpf, ulpd) \
	out[k++ * points + i] = name##f((float)at(low, high, i), (float)at(low2, high2, i * 7 + 3));
	TWO(F)
#undef F
}

__global__ void twice(double *out)
{
	int i = threadIdx.x, k = 0;
#define F(name, low, high, ulpf, ulpd) out[k++ * points + i] = name(at(low, high, i));
	FUNCTIONS(F)
#undef F
#define F(name, low, high, low2, high2, ulpf, ulpd) out[k++ * points + i] = name(at(low, high, i), at(low2, high2, i * 7 + 3));
	TWO(F)
#undef F
}

__global__ void parts(float *f, int *n, double *d)
{
	float whole;
	double wholed;
	f[0] = frexpf(-20.5f, &n[0]);
	f[1] = ldexpf(0.75f, 5);
	f[2] = modff(-3.75f, &whole);
	f[3] = whole;
	f[4] = roundf(-2.5f);
	f[5] = rintf(2.5f);
	f[6] = floorf(-0.5f);
	f[7] = scalbnf(3, -4);
	sincosf(0.5f, &f[8], &f[9]);
	d[0] = frexp(1e-300, &n[1]);
	d[1] = modf(1e10 + 0.25, &wholed);
	d[2] = wholed;
	d[3] = round(2.5);
	sincos(2.0, &d[4], &d[5]);
	n[2] = ilogbf(1000.0f);
	n[3] = (int)lrintf(3.5f);
	n[4] = (int)llround(-2.5);
	n[5] = isnan(f[0]) + 2 * isinf(1.0f / (f[0] - f[0])) + 4 * isfinite(d[0]);
}

/* Difference in units of the last place of the expected value. */
static bool within(double got, double expect, int bits, double ulp)
{
	int e;
	frexp(expect, &e);
	return fabs(got - expect) <= (ulp + 0.51) * ldexp(1, e - bits);
}

int main()
{
	float *df = device_alloc<float>(count * points), f[count][points];
	double *dd = device_alloc<double>(count * points), d[count][points];
	single<<<1, points>>>(df);
	twice<<<1, points>>>(dd);
	LAUNCHED();
	to_host(f[0], df, count * points);
	to_host(d[0], dd, count * points);
	int k = 0;
#define F(name, low, high, ulpf, ulpd) \
	for (int i = 0; i < points; i++) { \
		double x = at(low, high, i); \
		CHECK(within(f[k][i], name((double)(float)x), 24, ulpf), #name "f(%.9g): %.9g", x, f[k][i]); \
		CHECK(within(d[k][i], name(x), 53, ulpd + 1), #name "(%.17g): %.17g", x, d[k][i]); \
	} \
	k++;
	FUNCTIONS(F)
#undef F
#define F(name, low, high, low2, high2, ulpf, ulpd) \
	for (int i = 0; i < points; i++) { \
		double x = at(low, high, i), y = at(low2, high2, i * 7 + 3); \
		float xf = (float)x, yf = (float)y; \
		double e = ulpf ? name((double)xf, (double)yf) : (double)name##f(xf, yf); \
		CHECK(within(f[k][i], e, 24, ulpf), #name "f(%.9g, %.9g): %.9g", x, y, f[k][i]); \
		CHECK(within(d[k][i], name(x, y), 53, ulpd + (ulpd > 0)), #name "(%.17g, %.17g): %.17g", x, y, d[k][i]); \
	} \
	k++;
	TWO(F)
#undef F
	CHECK(k == count);

	float *pf = device_alloc<float>(10), hf[10];
	int *pn = device_alloc<int>(6), hn[6], e;
	double *pd = device_alloc<double>(6), hd[6];
	parts<<<1, 1>>>(pf, pn, pd);
	LAUNCHED();
	to_host(hf, pf, 10);
	to_host(hn, pn, 6);
	to_host(hd, pd, 6);
	CHECK(hf[0] == -20.5f / 32 && hn[0] == 5 && hf[1] == 24 && hf[2] == -0.75f && hf[3] == -3, "%g %d %g", hf[0], hn[0],
		hf[1]);
	CHECK(hf[4] == -3 && hf[5] == 2 && hf[6] == -1 && hf[7] == 3.0f / 16, "%g %g %g %g", hf[4], hf[5], hf[6], hf[7]);
	CHECK(within(hf[8], sin(0.5), 24, 2) && within(hf[9], cos(0.5), 24, 2), "%g %g", hf[8], hf[9]);
	CHECK(hd[0] == frexp(1e-300, &e) && hn[1] == e && hd[1] == 0.25 && hd[2] == 1e10 && hd[3] == 3, "%g %d", hd[0],
		hn[1]);
	CHECK(within(hd[4], sin(2.0), 53, 2) && within(hd[5], cos(2.0), 53, 2), "%g %g", hd[4], hd[5]);
	CHECK(hn[2] == 9 && hn[3] == 4 && hn[4] == -3 && hn[5] == 6, "%d %d %d %d", hn[2], hn[3], hn[4], hn[5]);
	return check_done();
}
