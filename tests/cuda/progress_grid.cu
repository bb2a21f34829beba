// Blocks wait for each other: a barrier over the grid, a chain of blocks, a ticket for the last one.
// twice
#include "check.h"

__device__ unsigned arrived;
__device__ volatile unsigned phase;
__device__ volatile int turn;
__device__ unsigned tickets;

__device__ void grid_barrier()
{
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned now = phase;
		__threadfence();
		if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
			arrived = 0;
			__threadfence();
			phase = now + 1;
		} else {
			while (phase == now)
				;
		}
		__threadfence();
	}
	__syncthreads();
}

/* Each round replaces every number by the sum of its two neighbours, in place of a launch per round. */
__global__ void rounds(volatile unsigned *a, volatile unsigned *b, int n, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int r = 0; r < count; r++) {
		volatile unsigned *from = r & 1 ? b : a, *to = r & 1 ? a : b;
		to[i] = from[(i + n - 1) % n] + from[(i + 1) % n];
		grid_barrier();
	}
}

__global__ void in_turn(int *log, int n)
{
	/* The last block first: none can finish before a later one has. */
	if (threadIdx.x == 0) {
		int me = n - 1 - blockIdx.x;
		while (turn != me)
			;
		log[me] = blockIdx.x;
		__threadfence();
		turn = me + 1;
	}
}

__global__ void total(const int *v, int *partial, int *sum)
{
	__shared__ bool last;
	int s = v[blockIdx.x * 2] + v[blockIdx.x * 2 + 1];
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = s;
		__threadfence();
		last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		*sum = 0;
		for (unsigned i = 0; i < gridDim.x; i++)
			*sum += ((volatile int *)partial)[i];
	}
}

int main()
{
	const int blocks = 16, n = blocks * 64, count = 7;
	static unsigned a[n], b[n];
	unsigned seed = 3;
	for (int i = 0; i < n; i++)
		a[i] = check_random(&seed);
	unsigned *da = to_device(a, n), *db = device_alloc<unsigned>(n);
	rounds<<<blocks, 64>>>(da, db, n, count);
	LAUNCHED();
	for (int r = 0; r < count; r++) {
		for (int i = 0; i < n; i++)
			b[i] = a[(i + n - 1) % n] + a[(i + 1) % n];
		memcpy(a, b, sizeof(a));
	}
	to_host(b, count & 1 ? db : da, n);
	CHECK(memcmp(a, b, sizeof(a)) == 0);

	int *log = device_alloc<int>(48), h[48];
	in_turn<<<48, 32>>>(log, 48);
	LAUNCHED();
	to_host(h, log, 48);
	for (int i = 0; i < 48; i++)
		CHECK(h[i] == 47 - i, "at %d: %d", i, h[i]);
	int v[40], e = 0, s;
	for (int i = 0; i < 40; i++)
		e += v[i] = i * i;
	int *dv = to_device(v, 40), *partial = device_alloc<int>(20), *sum = device_alloc<int>(1);
	total<<<20, 32>>>(dv, partial, sum);
	LAUNCHED();
	to_host(&s, sum, 1);
	CHECK(s == e, "%d, not %d", s, e);
	return check_done();
}
