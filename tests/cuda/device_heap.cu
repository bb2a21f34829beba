// malloc, free, new and delete on the device; blocks shared between kernels; exhaustion gives a null pointer.
#include "check.h"
#include <new>

struct item {
	int value;
	item *next;
	__device__ item(int v, item *n) : value(v), next(n) {}
};

__device__ item *heads[64];

__global__ void build()
{
	int t = threadIdx.x;
	item *list = 0;
	for (int i = 0; i <= t % 10; i++)
		list = new item(t * 100 + i, list);
	heads[t] = list;
}

__global__ void consume(int *out)
{
	int t = threadIdx.x, sum = 0;
	for (item *p = heads[t]; p;) {
		item *next = p->next;
		sum += p->value;
		delete p;
		p = next;
	}
	out[t] = sum;
}

__global__ void raw(int *out)
{
	int t = threadIdx.x, n = 10 + t;
	int *p = (int *)malloc(n * sizeof(int));
	char *q = (char *)malloc(t % 3 + 1);
	bool aligned = ((size_t)p & 15) == 0 && ((size_t)q & 15) == 0;
	for (int i = 0; i < n; i++)
		p[i] = t + i;
	q[0] = t;
	int sum = aligned ? q[0] : 100000;
	for (int i = 0; i < n; i++)
		sum += p[i];
	free(q);
	free(p);
	free(0);
	out[t] = sum;
}

__global__ void exhaust(int *out)
{
	/* volatile: a compiler may take an unused allocation for a successful one */
	void *volatile p = malloc((size_t)1 << 40);
	out[0] = p == 0;
	int n = 0;
	void *last = 0;
	for (;;) {
		void **q = (void **)malloc(1 << 20);
		if (!q)
			break;
		*q = last;
		last = q;
		n++;
	}
	out[1] = n;
	while (last) {
		void *next = *(void **)last;
		free(last);
		last = next;
	}
	p = malloc(1 << 20);
	out[2] = p != 0;
	free(p);
}

int main()
{
	OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
	int *d = device_alloc<int>(64), h[64];
	for (int round = 0; round < 3; round++) {
		build<<<1, 64>>>();
		LAUNCHED();
		consume<<<1, 64>>>(d);
		LAUNCHED();
		to_host(h, d, 64);
		for (int t = 0; t < 64; t++) {
			int k = t % 10 + 1;
			CHECK(h[t] == t * 100 * k + k * (k - 1) / 2, "thread %d: %d", t, h[t]);
		}
	}
	raw<<<1, 64>>>(d);
	LAUNCHED();
	to_host(h, d, 64);
	for (int t = 0; t < 64; t++) {
		int n = 10 + t;
		CHECK(h[t] == t + n * t + n * (n - 1) / 2, "thread %d: %d", t, h[t]);
	}
	exhaust<<<1, 1>>>(d);
	LAUNCHED();
	to_host(h, d, 3);
	CHECK(h[0] == 1 && h[1] > 0 && h[1] <= 8 && h[2] == 1, "%d %d %d", h[0], h[1], h[2]);
	return check_done();
}
