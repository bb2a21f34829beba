// For tests of the stand-in for cuBLAS: its functions by name, arrays of any element type, and a reference on the CPU in 64 bits.
#ifndef TESTS_CUDA_BLAS_H
#define TESTS_CUDA_BLAS_H

#include <complex>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

typedef std::complex<double> number;

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("FAIL line %d: %s\n", __LINE__, #condition)))

static void *library(void)
{
	static void *l = dlopen("libcublas.so.13", RTLD_NOW);
	if (!l) {
		printf("FAIL %s\n", dlerror());
		exit(1);
	}
	return l;
}

// Calls a function of the library; the arguments must have the very types of its parameters.
template <class... A> static int call(const char *name, A... arguments)
{
	auto f = (int (*)(A...))dlsym(library(), name);
	if (!f) {
		printf("FAIL %s is not there\n", name);
		exit(1);
	}
	return f(arguments...);
}
#define OK(...)                                                                        \
	do {                                                                           \
		int e_ = call(__VA_ARGS__);                                            \
		if (e_) {                                                              \
			printf("FAIL line %d: state %d of %s\n", __LINE__, e_, #__VA_ARGS__); \
			failures++;                                                    \
		}                                                                      \
	} while (0)

// Element types by letter: s d c z, h (16 bits), b (bfloat16), q (8-bit integers), i (32-bit integers).
static size_t size_of(char t)
{
	return t == 'z' ? 16 : t == 'd' || t == 'c' ? 8 : t == 'h' || t == 'b' ? 2 : t == 'q' ? 1 : 4;
}
static int data_type(char t)
{
	return t == 's' ? 0 : t == 'd' ? 1 : t == 'h' ? 2 : t == 'q' ? 3 : t == 'c' ? 4 : t == 'z' ? 5 : t == 'i' ? 10 : 14;
}
static bool is_complex(char t) { return t == 'c' || t == 'z'; }

static uint16_t to_half(double d)
{
	if (d != d)
		return 0x7e00;
	uint16_t sign = signbit(d) ? 0x8000 : 0;
	d = fabs(d);
	if (d >= 65520)
		return sign | 0x7c00;
	int e = d ? ilogb(d) : -15;
	e = e < -14 ? -14 : e;
	double unit = ldexp(1, e - 10), n = nearbyint(d / unit); // 1024 .. 2048 of a normal number
	return sign | (uint16_t)((e + 14) * 1024 + n);
}
static double of_half(uint16_t h)
{
	int e = h >> 10 & 31, f = h & 1023;
	double d = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
	return h >> 15 ? -d : d;
}
static void put(char t, void *at, number v)
{
	float f = (float)v.real(), g = (float)v.imag();
	double d = v.real(), e = v.imag();
	int32_t i = (int32_t)d;
	uint32_t bits;
	uint16_t h;
	switch (t) {
	case 's': memcpy(at, &f, 4); break;
	case 'd': memcpy(at, &d, 8); break;
	case 'c': memcpy(at, &f, 4); memcpy((char *)at + 4, &g, 4); break;
	case 'z': memcpy(at, &d, 8); memcpy((char *)at + 8, &e, 8); break;
	case 'h': h = to_half(d); memcpy(at, &h, 2); break;
	case 'b': memcpy(&bits, &f, 4); h = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); memcpy(at, &h, 2); break;
	case 'q': *(int8_t *)at = (int8_t)i; break;
	case 'i': memcpy(at, &i, 4); break;
	}
}
static number get(char t, const void *at)
{
	float f[2];
	double d[2];
	int32_t i;
	uint32_t bits;
	uint16_t h;
	switch (t) {
	case 's': memcpy(f, at, 4); return f[0];
	case 'd': memcpy(d, at, 8); return d[0];
	case 'c': memcpy(f, at, 8); return number(f[0], f[1]);
	case 'z': memcpy(d, at, 16); return number(d[0], d[1]);
	case 'h': memcpy(&h, at, 2); return of_half(h);
	case 'b': memcpy(&h, at, 2); bits = (uint32_t)h << 16; memcpy(f, &bits, 4); return f[0];
	case 'q': return *(const int8_t *)at;
	default: memcpy(&i, at, 4); return i;
	}
}
static double tolerance(char t)
{
	return t == 'd' || t == 'z' ? 1e-12 : t == 'h' ? 2e-3 : t == 'b' ? 1.6e-2 : t == 'q' || t == 'i' ? 0 : 2e-5;
}

static uint32_t seed = 1;
static double random_part(void)
{
	seed = seed * 1664525 + 1013904223;
	return (int)(seed >> 24) / 64.0 - 2; // -2 up to 2, exact in every type of float
}

// An array in device memory; `v` is what is in it, as far as the test knows.
struct array {
	char type;
	std::vector<number> v;
	char *at = nullptr;
	array(char t, size_t n) : type(t), v(n)
	{
		for (auto &e : v)
			e = t == 'q' || t == 'i' ? number(floor(random_part() * 8)) : number(random_part(), is_complex(t) ? random_part() : 0);
		cudaMalloc((void **)&at, n * size_of(t) + 1);
		upload();
	}
	array(const array &) = delete;
	~array() { cudaFree(at); }
	void upload()
	{
		std::vector<char> raw(v.size() * size_of(type) + 1);
		for (size_t i = 0; i < v.size(); i++)
			put(type, &raw[i * size_of(type)], v[i]);
		cudaMemcpy(at, raw.data(), v.size() * size_of(type), cudaMemcpyHostToDevice);
	}
	std::vector<number> read() const
	{
		std::vector<char> raw(v.size() * size_of(type) + 1);
		std::vector<number> out(v.size());
		cudaMemcpy(raw.data(), at, v.size() * size_of(type), cudaMemcpyDeviceToHost);
		for (size_t i = 0; i < v.size(); i++)
			out[i] = get(type, &raw[i * size_of(type)]);
		return out;
	}
	// What the device has is v, to within `tol` of `scale`.
	bool same(double tol, double scale) const
	{
		auto is = read();
		for (size_t i = 0; i < v.size(); i++) {
			bool nan = std::isnan(v[i].real()) || std::isnan(v[i].imag());
			if (nan ? !std::isnan(is[i].real()) && !std::isnan(is[i].imag()) : !(std::abs(is[i] - v[i]) <= tol * scale)) {
				printf("  element %zu is %g%+gi, expected %g%+gi\n", i, is[i].real(), is[i].imag(), v[i].real(), v[i].imag());
				return false;
			}
		}
		return true;
	}
};

// Element (i, j) of op(m).
static number at(const std::vector<number> &m, int ld, int op, int i, int j, size_t from = 0)
{
	number v = op == 0 ? m[from + i + (size_t)j * ld] : m[from + j + (size_t)i * ld];
	return op == 2 ? std::conj(v) : v;
}

// A scalar as a call wants it: in host or in device memory.
struct scalar {
	char host[16];
	void *device = nullptr;
	bool on_device;
	scalar(char t, number v, bool d) : on_device(d)
	{
		put(t, host, v);
		if (d) {
			cudaMalloc(&device, 16);
			cudaMemcpy(device, host, 16, cudaMemcpyHostToDevice);
		}
	}
	~scalar() { cudaFree(device); }
	const void *p() const { return on_device ? device : host; }
};

// An array of addresses in device memory: `n` places `step` bytes apart.
struct addresses {
	void **at;
	addresses(char *first, size_t step, int n)
	{
		std::vector<void *> a(n + 1);
		for (int i = 0; i < n; i++)
			a[i] = first + i * step;
		cudaMalloc((void **)&at, (n + 1) * sizeof(void *));
		cudaMemcpy(at, a.data(), n * sizeof(void *), cudaMemcpyHostToDevice);
	}
	~addresses() { cudaFree(at); }
};

#endif
