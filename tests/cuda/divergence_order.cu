// Which lanes run first where a warp's lanes part, by machine code: the fewer ones. And lanes that left a loop in different rounds, but
// wait at the same place, go on together. So do an A100 and an H100, in traces of real programs.
// skip: check timed threads checkpoint full hostile asan tsan
#include "check.h"

// Each of the lanes below `n`, and each of the others, notes how many lanes of the other side have been here before.
__global__ void sides(int n, int *first, int *count)
{
	volatile int *c = count;
	int lane = threadIdx.x;
	if (lane < n) {
		first[lane] = c[1];
		atomicAdd(&count[0], 1);
	} else {
		first[lane] = c[0] + 100;
		atomicAdd(&count[1], 1);
	}
}

// As in a search of a B+ tree: lane i leaves in round left[i], and notes with whom before it meets those that leave elsewhere.
__global__ void rounds(const int *left, int n, int *round, unsigned *with)
{
	int lane = threadIdx.x, i = 0, mine = left[lane];
#pragma unroll 1
	for (; i < n; i++)
		if (mine <= i) {
			with[lane] = __activemask();
			break;
		}
	round[lane] = i;
}

// The first `a` lanes leave in round 0, lanes up to `b` in round 1, the others in round 2: `wants` says with whom each of the three.
static void leaving(int a, int b, const unsigned (&wants)[3])
{
	int *round = device_alloc<int>(32), *left = device_alloc<int>(32), h[32];
	unsigned *with = device_alloc<unsigned>(32), w[32];
	for (int i = 0; i < 32; i++)
		h[i] = (i >= a) + (i >= b);
	OK(cudaMemcpy(left, h, sizeof h, cudaMemcpyHostToDevice));
	rounds<<<1, 32>>>(left, 5, round, with);
	LAUNCHED();
	to_host(w, with, 32);
	for (int i = 0; i < 32; i++)
		CHECK(w[i] == wants[h[i]], "%d, %d: lane %d left with %08x", a, b, i, w[i]);
}

int main()
{
	int *first = device_alloc<int>(32), *count = device_alloc<int>(2), h[32];
	for (int n = 1; n < 32; n++) {
		if (n == 16) // of halves those that jump come last, and which do is the compiler's choice
			continue;
		OK(cudaMemset(count, 0, 2 * sizeof(int)));
		sides<<<1, 32>>>(n, first, count);
		LAUNCHED();
		to_host(h, first, 32);
		for (int i = 0; i < 32; i++) {
			int wants = i < n ? (n < 16 ? 0 : 32 - n) : (n < 16 ? 100 + n : 100);
			CHECK(h[i] == wants, "%d of 32 lanes jump: lane %d saw %d, expected %d", n, i, h[i], wants);
		}
	}
	leaving(17, 29, {0x1fffffff, 0x1fffffff, 0xe0000000}); // 3 go on and come first, then the 17 and 12 together
	leaving(5, 17, {0x1f, 0x1ffe0, 0xfffe0000});           // the fewer leave each time
	return check_done();
}
