// Warp groups that hand registers to others by setmaxnreg: those that ask for more wait until they are free.
// flags: -arch=sm_90a
#include "check.h"

enum { GROUP = 128, GROUPS = 3, THREADS = GROUP * GROUPS };

// 168 registers a thread: the first group keeps 40 of them, the others have 232. They can only have them after that, so they
// see what it has written.
static __global__ void __launch_bounds__(THREADS, 1) hand_over(int *seen, int *order)
{
	__shared__ int written;
	const unsigned group = threadIdx.x / GROUP;
	if (threadIdx.x == 0)
		written = 0;
	__syncthreads();
	if (group == 0) {
		if (threadIdx.x % 32 == 0)
			atomicAdd(&written, 1);
		for (int i = 0; i < 50; i++)
			asm volatile("nanosleep.u32 20;");
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		seen[threadIdx.x] = 0;
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		seen[threadIdx.x] = atomicAdd(&written, 0);
		if (threadIdx.x % 32 == 0)
			order[atomicAdd(&order[GROUPS * 4], 1)] = (int)(threadIdx.x / 32);
	}
}

// Registers go to and fro.
static __global__ void __launch_bounds__(2 * GROUP, 1) to_and_fro(int *out)
{
	const unsigned group = threadIdx.x / GROUP;
	int turns = 0;
	for (int i = 0; i < 4; i++) {
		if (i % 2 == (int)group) {
			asm volatile("setmaxnreg.dec.sync.aligned.u32 64;");
			turns++;
		} else if (i) {
			asm volatile("setmaxnreg.inc.sync.aligned.u32 248;");
			turns++;
		}
		__syncthreads();
	}
	out[threadIdx.x] = turns;
}

// Compiled without a number of registers: it has no effect.
static __global__ void without_number(int *out)
{
	asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
	out[threadIdx.x] = 1;
}

int main()
{
	int *seen = device_alloc<int>(THREADS), *order = device_alloc<int>(GROUPS * 4 + 1), host[THREADS], turn[GROUPS * 4 + 1];
	OK(cudaMemset(order, 0, sizeof turn));
	hand_over<<<1, THREADS>>>(seen, order);
	LAUNCHED();
	OK(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(turn, order, sizeof turn, cudaMemcpyDeviceToHost));
	// 128 registers come free from each of four warps, and each of eight takes 64: the first of them needs one warp's.
	for (int i = GROUP; i < THREADS; i++)
		CHECK(host[i] >= 1, "thread %d had its registers when %d warps had come by", i, host[i]);
	CHECK(turn[GROUPS * 4] == 8);
	to_and_fro<<<1, 2 * GROUP>>>(seen);
	LAUNCHED();
	OK(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[0] == 4 && host[GROUP] == 3, "%d and %d turns", host[0], host[GROUP]);
	without_number<<<1, GROUP>>>(seen);
	LAUNCHED();
	OK(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[5] == 1);
	return check_done();
}
