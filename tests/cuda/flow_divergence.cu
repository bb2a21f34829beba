// Divergent control flow: nested branches, loops with break and continue, early return, switch, goto, short circuits.
// twice
#include "check.h"

static __host__ __device__ int step(int t, int i)
{
	return (t * 31 + i * 17) % 23;
}

static __host__ __device__ int nested(int t)
{
	int r = 0;
	if (t & 1) {
		r += 1;
		if (t & 2)
			r += t & 4 ? 10 : 20;
		else if (t & 8)
			r += 30;
	} else {
		r += 2;
		for (int i = 0; i < t % 7; i++) {
			if (i == 3)
				continue;
			r += i & 1 ? 100 : 200;
		}
	}
	return r;
}

static __host__ __device__ int loops(int t)
{
	int r = 0;
	for (int i = 0; i < 40; i++) {
		int s = step(t, i);
		if (s == 0)
			break;
		if (s < 5)
			continue;
		for (int j = 0; j < s; j++) {
			if (j == t % 11)
				goto next;
			r += j;
			if (r > 3000)
				return -r;
		}
		r += 1000;
	next:
		r ^= i;
	}
	int k = t;
	do {
		k = k & 1 ? 3 * k + 1 : k / 2;
		r++;
	} while (k > 1);
	return r;
}

static __host__ __device__ int choose(int t)
{
	int r = 0;
	for (int i = 0; i < 6; i++)
		switch ((t + i) % 13) {
		case 0:
			r += 1;
		case 1:
			r += 10;
			break;
		case 2:
		case 3:
			r = r * 3;
			break;
		case 4:
			r -= 7;
			break;
		case 5:
			r ^= 0x55;
			break;
		case 6:
			r += i * t;
			break;
		case 7:
			r = -r;
			break;
		case 9:
			if (t > 50)
				return r + 5000;
			r++;
			break;
		default:
			r += 2;
		}
	return r;
}

static __host__ __device__ int logic(int t)
{
	int n = 0;
	bool a = (t % 3 == 0 && (n += 1) > 0 && t % 5 != 0) || (t % 7 == 0 && (n += 10) > 5);
	int x = a ? (t % 2 ? n + 1 : n + 2) : (t % 4 > 1 ? n + 3 : n + 4);
	return x * 2 + (a != (t > 20));
}

__global__ void run(int *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, *o = out + 4 * t;
	if (t % 50 == 49)
		return;
	o[0] = nested(t);
	o[1] = loops(t);
	if (t % 9 == 8)
		return;
	o[2] = choose(t);
	o[3] = logic(t);
}

int main()
{
	const int n = 300;
	int *d = device_alloc<int>(n * 4), h[n][4];
	OK(cudaMemset(d, 0xff, sizeof(h)));
	run<<<3, 100>>>(d);
	LAUNCHED();
	to_host(h[0], d, n * 4);
	for (int t = 0; t < n; t++) {
		bool gone = t % 50 == 49, left = gone || t % 9 == 8;
		CHECK(h[t][0] == (gone ? -1 : nested(t)), "thread %d: %d", t, h[t][0]);
		CHECK(h[t][1] == (gone ? -1 : loops(t)), "thread %d: %d", t, h[t][1]);
		CHECK(h[t][2] == (left ? -1 : choose(t)), "thread %d: %d", t, h[t][2]);
		CHECK(h[t][3] == (left ? -1 : logic(t)), "thread %d: %d", t, h[t][3]);
	}
	return check_done();
}
