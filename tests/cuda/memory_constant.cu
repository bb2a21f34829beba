// Constant memory: uniform and divergent indices, structures, large kernel parameters, 64-bit immediates.
#include "check.h"

struct entry {
	double weight;
	int code;
	char tag[3];
};
__constant__ entry entries[100];
__constant__ unsigned char bytes[50000];

struct parameters {
	int a[200];
	double b;
	char c;
	long long d;
};

__global__ void lookup(double *out, parameters p, int stride, char small, short medium)
{
	int i = threadIdx.x;
	const entry &e = entries[(i * stride) % 100], &u = entries[stride];
	double sum = e.weight * e.code + e.tag[i % 3] + u.code;
	sum += bytes[i * 700] + bytes[49999];
	sum += p.a[i % 200] + p.a[199] + p.b + p.c + (double)p.d + small + medium;
	unsigned long long big = (i & 1) ? 0x123456789abcdef0ull : 0xfedcba9876543210ull;
	out[i] = sum + (double)(big >> (i & 31));
}

int main()
{
	static entry e[100];
	static unsigned char b[50000];
	for (int i = 0; i < 100; i++) {
		e[i].weight = i * 0.5;
		e[i].code = 1000 - i;
		for (int k = 0; k < 3; k++)
			e[i].tag[k] = i + k;
	}
	for (int i = 0; i < 50000; i++)
		b[i] = i * 13;
	OK(cudaMemcpyToSymbol(entries, e, sizeof(e)));
	OK(cudaMemcpyToSymbol(bytes, b, sizeof(b)));
	parameters p;
	for (int i = 0; i < 200; i++)
		p.a[i] = i * i;
	p.b = 0.75;
	p.c = -5;
	p.d = 1ll << 33;
	double *d = device_alloc<double>(64), h[64];
	lookup<<<1, 64>>>(d, p, 7, -100, -30000);
	LAUNCHED();
	to_host(h, d, 64);
	for (int i = 0; i < 64; i++) {
		const entry &x = e[(i * 7) % 100];
		double sum = x.weight * x.code + x.tag[i % 3] + e[7].code;
		sum += b[i * 700] + b[49999];
		sum += p.a[i] + p.a[199] + p.b + p.c + (double)p.d - 100 - 30000;
		unsigned long long big = (i & 1) ? 0x123456789abcdef0ull : 0xfedcba9876543210ull;
		sum += (double)(big >> (i & 31));
		CHECK(fabs(h[i] - sum) <= 1e-15 * sum, "at %d: %.17g, not %.17g", i, h[i], sum);
	}
	return check_done();
}
