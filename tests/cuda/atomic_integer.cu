// Every integer atomic on global and shared memory, 32 and 64 bits: results, and the old values as a whole.
#include "check.h"

template <class T> struct cell {
	T add, min, max, and_, or_, xor_, cas;
};

/* Every thread's old value of an addition is distinct: together they are all the partial sums. */
template <class T> __device__ void apply(cell<T> *c, T *seen, T t, T bits)
{
	T old = atomicAdd(&c->add, (T)1);
	seen[old] = 1;
	atomicMin(&c->min, (T)(50 - t));
	atomicMax(&c->max, (T)(t * 3));
	atomicAnd(&c->and_, (T)~((T)1 << (t % bits)));
	atomicOr(&c->or_, (T)((T)1 << (t % bits)));
	atomicXor(&c->xor_, (T)(t * 0x01010101));
	/* A maximum built from compare and swap. */
	T now = c->cas, assumed;
	do {
		assumed = now;
		T want = t > assumed ? t : assumed;
		now = atomicCAS(&c->cas, assumed, want);
	} while (now != assumed);
}

template <class T> __global__ void in_global(cell<T> *c, T *seen)
{
	apply<T>(c, seen, blockIdx.x * blockDim.x + threadIdx.x, 30);
}

template <class T> __global__ void in_shared(cell<T> *c, T *seen)
{
	__shared__ cell<T> s;
	if (threadIdx.x == 0)
		s = *c;
	__syncthreads();
	apply<T>(&s, seen, threadIdx.x, 30);
	__syncthreads();
	if (threadIdx.x == 0)
		*c = s;
}

template <class T> static void check(int blocks, int threads, bool shared)
{
	cell<T> c = {0, 1000, 0, (T)~(T)0, 0, 0, 0}, e = c;
	int n = blocks * threads;
	T *seen = device_alloc<T>(n), *h = (T *)malloc(n * sizeof(T));
	OK(cudaMemset(seen, 0, n * sizeof(T)));
	cell<T> *d = to_device(&c, 1);
	if (shared)
		in_shared<T><<<blocks, threads>>>(d, seen);
	else
		in_global<T><<<blocks, threads>>>(d, seen);
	LAUNCHED();
	to_host(&c, d, 1);
	to_host(h, seen, n);
	for (int i = 0; i < n; i++) {
		T t = i;
		e.add += 1;
		e.min = (T)(50 - t) < e.min ? (T)(50 - t) : e.min;
		e.max = t * 3 > e.max ? t * 3 : e.max;
		e.and_ &= ~((T)1 << (t % 30));
		e.or_ |= (T)1 << (t % 30);
		e.xor_ ^= (T)(t * 0x01010101);
		e.cas = t;
		CHECK(h[i] == 1, "the sum %d was never seen", i);
	}
	CHECK(memcmp(&c, &e, sizeof(c)) == 0, "size %zu, %s: add %lld min %lld max %lld cas %lld", sizeof(T),
		shared ? "shared" : "global", (long long)c.add, (long long)c.min, (long long)c.max, (long long)c.cas);
	free(h);
}

__global__ void rotate(unsigned *v, unsigned long long *w, int *x)
{
	atomicInc(&v[0], 9);
	atomicDec(&v[1], 9);
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned old = atomicExch(&v[2], t + 1);
	atomicAdd(&v[3], old);
	unsigned long long oldw = atomicExch(&w[0], (unsigned long long)t + 1);
	atomicAdd(&w[1], oldw);
	atomicSub(x, 3);
	atomicAdd(&w[2], 1ull << 40);
}

int main()
{
	check<int>(3, 100, false);
	check<unsigned>(3, 100, false);
	check<unsigned long long>(3, 100, false);
	check<int>(1, 200, true);
	check<unsigned>(1, 200, true);
	check<unsigned long long>(1, 200, true);

	unsigned v[4] = {5, 5, 0, 0};
	unsigned long long w[3] = {0, 0, 0};
	int x = 100;
	unsigned *dv = to_device(v, 4);
	unsigned long long *dw = to_device(w, 3);
	int *dx = to_device(&x, 1);
	rotate<<<2, 64>>>(dv, dw, dx);
	LAUNCHED();
	to_host(v, dv, 4);
	to_host(w, dw, 3);
	to_host(&x, dx, 1);
	CHECK(v[0] == (5 + 128) % 10 && v[1] == (5 + 1280 - 128) % 10, "%u %u", v[0], v[1]);
	/* Every value but the last was some other thread's old value. */
	CHECK(v[2] + v[3] == 128 * 129 / 2, "%u %u", v[2], v[3]);
	CHECK(w[0] + w[1] == 128 * 129 / 2 && w[2] == 128ull << 40, "%llu %llu", w[0], w[1]);
	CHECK(x == 100 - 384, "%d", x);
	return check_done();
}
