// Recursion, mutual recursion, function pointers that differ by lane, virtual functions, structures passed by value.
#include "check.h"

struct pair {
	int a;
	double b;
	char c[5];
};

__device__ __noinline__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int odd(int n);

__device__ __noinline__ int even(int n)
{
	return n == 0 ? 1 : odd(n - 1);
}

__device__ __noinline__ int odd(int n)
{
	return n == 0 ? 0 : even(n - 1);
}

__device__ __noinline__ int ackermann(int m, int n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ pair mix(pair x, const pair *y, short k)
{
	pair r = x;
	r.a += y->a * k;
	r.b *= y->b;
	r.c[4] = x.c[0] + y->c[1];
	return r;
}

__device__ __noinline__ int plus(int a, int b)
{
	return a + b;
}

__device__ __noinline__ int minus(int a, int b)
{
	return a - b;
}

__device__ __noinline__ int times(int a, int b)
{
	int r = 0;
	for (int i = 0; i < b; i++)
		r += a;
	return r;
}

typedef int (*operation)(int, int);

struct shape {
	int size;
	__device__ shape(int s) : size(s) {}
	__device__ virtual int area() const = 0;
	__device__ virtual int corners() const { return 0; }
	__device__ virtual ~shape() {}
};
struct square : shape {
	__device__ square(int s) : shape(s) {}
	__device__ int area() const override { return size * size; }
	__device__ int corners() const override { return 4; }
};
struct strip : shape {
	int length;
	__device__ strip(int s, int l) : shape(s), length(l) {}
	__device__ int area() const override { return size * length; }
};

__global__ void run(int *out, int k)
{
	int t = threadIdx.x, *o = out + t * 8;
	o[0] = fibonacci(t % 12);
	o[1] = even(t);
	o[2] = ackermann(2, t % 4);
	operation table[3] = {plus, minus, times};
	o[3] = table[(t + k) % 3](100 + t, t);
	pair x = {t, 0.5, {1, 2, 3, 4, 5}}, y = {2 * t, 4.0, {10, 20, 30, 40, 50}};
	pair r = mix(x, &y, (short)-k);
	o[4] = r.a * 10 + (int)r.b;
	o[5] = r.c[4] + r.c[3] * 100;
	square s(t);
	strip p(t, 3);
	const shape *any = t % 2 ? (const shape *)&s : (const shape *)&p;
	o[6] = any->area();
	o[7] = any->corners();
}

static int fib(int n)
{
	int a = 0, b = 1;
	while (n--) {
		int c = a + b;
		a = b;
		b = c;
	}
	return a;
}

int main()
{
	int *d = device_alloc<int>(64 * 8), h[64][8];
	OK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
	run<<<1, 64>>>(d, 2);
	LAUNCHED();
	to_host(h[0], d, 64 * 8);
	for (int t = 0; t < 64; t++) {
		int op = (t + 2) % 3, a = 100 + t;
		int e[8] = {fib(t % 12), t % 2 == 0, 2 * (t % 4) + 3, op == 0 ? a + t : op == 1 ? 100 : a * t, (t - 4 * t) * 10 + 2,
			21 + 400, t % 2 ? t * t : t * 3, t % 2 ? 4 : 0};
		for (int k = 0; k < 8; k++)
			CHECK(h[t][k] == e[k], "thread %d value %d: %d, not %d", t, k, h[t][k], e[k]);
	}
	return check_done();
}
