// Barriers: the whole block, its counting forms, numbered ones for part of it, arrival without waiting, reductions.
#include "check.h"

__global__ void counting(int *out)
{
	int t = threadIdx.x;
	int *o = out + t * 6;
	o[0] = __syncthreads_count(t % 5 == 0);
	o[1] = __syncthreads_and(t < 200) != 0;
	o[2] = __syncthreads_or(t == 131) != 0;
	o[3] = __syncthreads_and(t != 77) != 0;
	asm volatile("{ .reg .pred p, q; setp.lt.s32 p, %1, 50; bar.red.popc.u32 %0, 3, p; }" : "=r"(o[4]) : "r"(t));
	asm volatile("{ .reg .pred p, q; setp.eq.s32 p, %1, 3; bar.red.or.pred q, 3, !p; selp.s32 %0, 1, 0, q; }" : "=r"(o[5]) : "r"(t));
}

/* Four producer warps and four consumer warps exchange a buffer through two barriers. */
__global__ void producer_consumer(int *out, int rounds)
{
	__shared__ int buffer[128];
	int t = threadIdx.x, sum = 0;
	if (t < 128) {
		for (int r = 0; r < rounds; r++) {
			asm volatile("bar.sync 1, 256;" ::: "memory");
			buffer[t] = r * 1000 + t;
			__threadfence_block();
			asm volatile("bar.arrive 2, 256;" ::: "memory");
		}
	} else {
		for (int r = 0; r < rounds; r++) {
			asm volatile("bar.arrive 1, 256;" ::: "memory");
			asm volatile("bar.sync 2, 256;" ::: "memory");
			sum += buffer[255 - t];
			/* Nobody refills before all have read: the next round's first barrier needs every consumer. */
		}
		out[t - 128] = sum;
	}
}

/* Warps that leave early do not count. */
__global__ void leavers(int *out)
{
	__shared__ int s[128];
	int t = threadIdx.x;
	s[t] = t;
	if (t >= 96)
		return;
	__syncthreads();
	out[t] = s[95 - t];
	asm volatile("barrier.sync %0, %1;" :: "r"(5), "r"(96) : "memory");
	if (t < 64) {
		int half = t >= 32;
		s[t] = t * 7;
		asm volatile("bar.sync %0, 32;" :: "r"(6 + half) : "memory");
		out[t] += s[half * 32 + 31 - (t & 31)] * 1000;
	}
}

// Two groups of warps take turns: each waits at a barrier of its own, where the other arrives when it is done. The first
// group opens its barrier for its first turn itself, so its warps arrive there and then wait there: two arrivals.
__global__ void turns(int *out, int rounds)
{
	__shared__ int said;
	const int t = threadIdx.x, group = t / 64;
	if (t == 0)
		said = 0;
	__syncthreads();
	if (group == 0)
		asm volatile("bar.arrive 1, 128;" ::: "memory");
	for (int r = 0; r < rounds; r++) {
		asm volatile("bar.sync %0, 128;" :: "r"(1 + group) : "memory");
		if (t % 64 == 0)
			out[said++] = group * 100 + r;
		__threadfence_block();
		if (group == 0 || r + 1 < rounds)
			asm volatile("bar.arrive %0, 128;" :: "r"(2 - group) : "memory");
	}
}

int main()
{
	int *d = device_alloc<int>(160 * 6), h[160][6];
	counting<<<1, 160>>>(d);
	LAUNCHED();
	to_host(h[0], d, 160 * 6);
	for (int t = 0; t < 160; t++)
		CHECK(h[t][0] == 32 && h[t][1] == 1 && h[t][2] == 1 && h[t][3] == 0 && h[t][4] == 50 && h[t][5] == 1,
			"thread %d: %d %d %d %d %d %d", t, h[t][0], h[t][1], h[t][2], h[t][3], h[t][4], h[t][5]);
	int v[128];
	producer_consumer<<<1, 256>>>(d, 6);
	LAUNCHED();
	to_host(v, d, 128);
	for (int t = 0; t < 128; t++)
		CHECK(v[t] == 15000 + 6 * (127 - t), "thread %d: %d", t, v[t]);
	leavers<<<1, 128>>>(d);
	LAUNCHED();
	to_host(v, d, 96);
	for (int t = 0; t < 96; t++)
		CHECK(v[t] == 95 - t + (t < 64 ? 7000 * ((t & 32) + 31 - (t & 31)) : 0), "thread %d: %d", t, v[t]);
	turns<<<1, 128>>>(d, 5);
	LAUNCHED();
	to_host(v, d, 10);
	for (int k = 0; k < 10; k++)
		CHECK(v[k] == k % 2 * 100 + k / 2, "turn %d: %d", k, v[k]);
	return check_done();
}
