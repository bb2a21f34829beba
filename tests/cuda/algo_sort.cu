// Bitonic sort of blocks in shared memory and over the whole array in global memory; radix sort by counting.
#include "check.h"

__global__ void bitonic_step(unsigned *v, int j, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
	if (other > i) {
		unsigned a = v[i], b = v[other];
		if ((a > b) == ((i & k) == 0)) {
			v[i] = b;
			v[other] = a;
		}
	}
}

__global__ void bitonic_block(unsigned *v)
{
	extern __shared__ unsigned s[];
	int t = threadIdx.x;
	v += blockIdx.x * blockDim.x;
	s[t] = v[t];
	for (int k = 2; k <= blockDim.x; k *= 2)
		for (int j = k / 2; j; j /= 2) {
			__syncthreads();
			int other = t ^ j;
			unsigned a = s[t], b = s[other];
			bool up = (t & k) == 0, low = other > t;
			__syncthreads();
			s[t] = (low == up) == (a < b) ? a : b;
		}
	__syncthreads();
	v[t] = s[t];
}

/* One block sorts by four bits at a time, keeping the order of equals. */
__global__ void radix(unsigned *v, unsigned *w, int n)
{
	__shared__ int start[16], base;
	__shared__ int counts[8][16];
	int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	for (int shift = 0; shift < 32; shift += 4) {
		if (threadIdx.x < 16)
			start[threadIdx.x] = 0;
		__syncthreads();
		for (int i = threadIdx.x; i < n; i += blockDim.x)
			atomicAdd(&start[v[i] >> shift & 15], 1);
		__syncthreads();
		if (threadIdx.x == 0) {
			base = 0;
			for (int b = 0; b < 16; b++) {
				int c = start[b];
				start[b] = base;
				base += c;
			}
		}
		__syncthreads();
		for (int i = threadIdx.x; i < n; i += blockDim.x) {
			int digit = v[i] >> shift & 15, rank = 0;
			if (lane < 16)
				counts[warp][lane] = 0;
			__syncwarp();
			unsigned same = __match_any_sync(0xffffffffu, digit);
			rank = __popc(same & ((1u << lane) - 1));
			if (rank == 0)
				counts[warp][digit] = __popc(same);
			__syncthreads();
			for (int k = 0; k < warp; k++)
				rank += counts[k][digit];
			w[start[digit] + rank] = v[i];
			__syncthreads();
			if (threadIdx.x < 16)
				for (int k = 0; k < 8; k++)
					start[threadIdx.x] += counts[k][threadIdx.x];
			__syncthreads();
		}
		unsigned *swap = v;
		v = w;
		w = swap;
	}
}

static int order(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return x < y ? -1 : x > y;
}

int main()
{
	const int n = 2048, block = 256;
	static unsigned v[n], e[n], h[n];
	unsigned seed = 8;
	for (int i = 0; i < n; i++)
		e[i] = v[i] = check_random(&seed) << 8 ^ check_random(&seed);
	qsort(e, n, sizeof(e[0]), order);
	unsigned *d = to_device(v, n);
	for (int k = 2; k <= n; k *= 2)
		for (int j = k / 2; j; j /= 2)
			bitonic_step<<<n / block, block>>>(d, j, k);
	LAUNCHED();
	to_host(h, d, n);
	CHECK(memcmp(h, e, sizeof(h)) == 0, "over global memory");
	d = to_device(v, n);
	radix<<<1, 256>>>(d, device_alloc<unsigned>(n), n);
	LAUNCHED();
	to_host(h, d, n);
	CHECK(memcmp(h, e, sizeof(h)) == 0, "by digits");
	d = to_device(v, n);
	bitonic_block<<<n / block, block, block * sizeof(unsigned)>>>(d);
	LAUNCHED();
	to_host(h, d, n);
	for (int b = 0; b < n; b += block) {
		qsort(v + b, block, sizeof(v[0]), order);
		CHECK(memcmp(h + b, v + b, block * sizeof(v[0])) == 0, "block %d", b / block);
	}
	return check_done();
}
