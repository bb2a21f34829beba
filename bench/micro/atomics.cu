// Atomics on global memory: the time of one that the next waits for, and how many cycles the GPU takes for a warp's
// instruction when all SMs update one address, a line that is each warp's own, and addresses that are all over
// memory; by the number of SMs.
#include "micro.h"

enum { STEPS = 64, THREADS = 256, ROUNDS = 8, LINE = 32 };

__global__ void latency(unsigned *at, long long *took)
{
	unsigned v = 0;
	long long start = clock64();
	for (int i = 0; i < STEPS; i++)
		v = atomicAdd(at + (v & 0), v + 1);
	at[1] = v;
	took[0] = clock64() - start + (v == 77);
}

// `shift` and `apart` place the threads: all on one word, on a line of each warp, or far apart.
template <typename T> __global__ void updates(T *at, int per_warp, int per_lane, long long *took)
{
	int warp = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
	T *own = at + (size_t)warp * per_warp + (size_t)lane * per_lane;
	__syncthreads();
	long long start = clock64();
	for (int i = 0; i < ROUNDS; i++)
		atomicAdd(own, (T)(i + threadIdx.x));
	__threadfence();
	__syncthreads();
	took[blockIdx.x] = clock64() - start;
}

template <typename T> static void curve(const char *name, int per_warp, int per_lane, int sms, long long *took)
{
	size_t words = (size_t)sms * (THREADS / 32) * (per_warp > 0 ? per_warp : 1) + (size_t)32 * per_lane + 32;
	T *at = on_device<T>(words);
	for (int blocks = 1; blocks <= sms; blocks = blocks < sms && blocks * 4 > sms ? sms : blocks * 4) {
		updates<T><<<blocks, THREADS>>>(at, per_warp, per_lane, took);
		finish();
		point(name, blocks, slowest(took, blocks) / ((double)ROUNDS * blocks * (THREADS / 32)));
	}
	cudaFree(at);
}

int main()
{
	int sms = sm_count();
	long long *took = on_device<long long>(sms);
	unsigned *word = on_device<unsigned>(2);
	latency<<<1, 1>>>(word, took);
	finish();
	point("atomic_latency", 1, slowest(took, 1) / STEPS);
	curve<unsigned>("atomic_one", 0, 0, sms, took);
	curve<unsigned>("atomic_line", LINE, 1, sms, took);
	curve<unsigned>("atomic_spread", 32 * LINE, LINE, sms, took);
	curve<float>("atomic_one_float", 0, 0, sms, took);
	curve<unsigned long long>("atomic_one_64", 0, 0, sms, took);
}
