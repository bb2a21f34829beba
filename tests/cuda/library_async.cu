// libcu++'s barrier, pipeline and memcpy_async, and those of cooperative groups.
// needs: nvcc
// nvcc-flags: -arch=sm_80 --diag-suppress 20054,20014
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

enum { THREADS = 128, ROUNDS = 12, STAGES = 3 };

// Threads of a block exchange data by a barrier, in one step or in two.
static __global__ void exchange(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ int data[2][THREADS];
	const int i = threadIdx.x;
	if (i == 0)
		init(&b, THREADS);
	__syncthreads();
	int sum = i;
	for (int k = 0; k < ROUNDS; k++) {
		data[k & 1][i] = sum + k;
		if (k & 1) {
			b.arrive_and_wait();
		} else {
			auto token = b.arrive();
			b.wait(std::move(token));
		}
		sum = sum * 3 + data[k & 1][(i * 5 + k) % THREADS];
	}
	out[i] = sum;
}

// Whole rows by one thread and a barrier that knows of the bytes.
static __global__ void rows(const int *from, int *out)
{
	__shared__ alignas(16) int data[THREADS];
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	const int i = threadIdx.x;
	if (i == 0)
		init(&b, THREADS);
	__syncthreads();
	int sum = 0;
	for (int k = 0; k < ROUNDS; k++) {
		if (i == 0)
			cuda::memcpy_async(data, from + k * THREADS, cuda::aligned_size_t<16>(sizeof data), b);
		b.arrive_and_wait();
		sum = sum * 7 + data[THREADS - 1 - i];
		b.arrive_and_wait();
	}
	out[i] = sum;
}

// Each thread its own element.
static __global__ void elements(const int *from, int *out)
{
	__shared__ int data[THREADS];
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	const int i = threadIdx.x;
	auto block = cg::this_thread_block();
	if (i == 0)
		init(&b, THREADS);
	block.sync();
	int sum = 0;
	for (int k = 0; k < ROUNDS; k++) {
		cuda::memcpy_async(data + i, from + k * THREADS + i, sizeof(int), b);
		b.arrive_and_wait();
		sum = sum * 7 + data[THREADS - 1 - i];
		b.arrive_and_wait();
	}
	out[i] = sum;
}

// A pipeline of a thread, and one that all threads share.
static __global__ void staged(const int *from, int *out)
{
	__shared__ int data[STAGES][THREADS];
	const int i = threadIdx.x;
	auto p = cuda::make_pipeline();
	int sum = 0;
	for (int k = 0, asked = 0; k < ROUNDS; k++) {
		for (; asked < ROUNDS && asked < k + STAGES; asked++) {
			p.producer_acquire();
			cuda::memcpy_async(&data[asked % STAGES][i], from + asked * THREADS + i, sizeof(int), p);
			p.producer_commit();
		}
		cuda::pipeline_consumer_wait_prior<STAGES - 1>(p);
		if (k + STAGES > ROUNDS)
			cuda::pipeline_consumer_wait_prior<0>(p);
		sum = sum * 7 + data[k % STAGES][i];
		p.consumer_release();
	}
	out[i] = sum;
}

static __global__ void shared_pipeline(const int *from, int *out)
{
	__shared__ alignas(16) int data[STAGES][THREADS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
	const int i = threadIdx.x;
	auto block = cg::this_thread_block();
	auto p = cuda::make_pipeline(block, &state);
	int sum = 0;
	for (int k = 0, asked = 0; k < ROUNDS; k++) {
		for (; asked < ROUNDS && asked < k + STAGES; asked++) {
			p.producer_acquire();
			cuda::memcpy_async(block, data[asked % STAGES], from + asked * THREADS, cuda::aligned_size_t<16>(sizeof data[0]), p);
			p.producer_commit();
		}
		p.consumer_wait();
		sum = sum * 7 + data[k % STAGES][THREADS - 1 - i];
		p.consumer_release();
	}
	out[i] = sum;
}

// Two warps produce, the others consume.
static __global__ void roles(const int *from, int *out)
{
	__shared__ int data[STAGES][THREADS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
	const int i = threadIdx.x;
	auto block = cg::this_thread_block();
	const bool produces = i < 64;
	auto p = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
	int sum = 0;
	for (int k = 0; k < ROUNDS; k++) {
		if (produces) {
			p.producer_acquire();
			for (int j = i; j < THREADS; j += 64)
				cuda::memcpy_async(&data[k % STAGES][j], from + k * THREADS + j, sizeof(int), p);
			p.producer_commit();
		} else {
			p.consumer_wait();
			sum = sum * 7 + data[k % STAGES][THREADS - 1 - i] + data[k % STAGES][i];
			p.consumer_release();
		}
	}
	out[i] = sum;
}

// Cooperative groups copy with the threads of a group.
static __global__ void groups(const int *from, int *out)
{
	__shared__ int data[2][THREADS];
	const int i = threadIdx.x;
	auto block = cg::this_thread_block();
	auto tile = cg::tiled_partition<32>(block);
	int sum = 0;
	for (int k = 0; k + 1 < ROUNDS; k += 2) {
		cg::memcpy_async(block, data[0], from + k * THREADS, sizeof data[0]);
		cg::memcpy_async(block, data[1], from + (k + 1) * THREADS, cuda::aligned_size_t<4>(sizeof data[1]));
		cg::wait_prior<1>(block);
		sum = sum * 7 + data[0][THREADS - 1 - i];
		cg::wait(block);
		sum = sum * 7 + data[1][THREADS - 1 - i];
		block.sync();
		cg::memcpy_async(tile, data[0] + i / 32 * 32, 32, from + k * THREADS + i / 32 * 32, 32);
		cg::wait(tile);
		sum = sum * 7 + data[0][i ^ 1];
		block.sync();
	}
	out[i] = sum;
}

static int from[ROUNDS * THREADS], got[THREADS], *in, *out;

static void same(const char *name, int (*want)(int i))
{
	LAUNCHED();
	OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++)
		CHECK(got[i] == want(i), "%s, thread %d: %d, not %d", name, i, got[i], want(i));
}

static int exchanged(int i)
{
	static int sum[THREADS], data[THREADS];
	for (int k = 0; k < THREADS; k++)
		sum[k] = k;
	for (int k = 0; k < ROUNDS; k++) {
		for (int j = 0; j < THREADS; j++)
			data[j] = sum[j] + k;
		for (int j = 0; j < THREADS; j++)
			sum[j] = (int)(sum[j] * 3u + (unsigned)data[(j * 5 + k) % THREADS]);
	}
	return sum[i];
}

static int reversed(int i)
{
	unsigned sum = 0;
	for (int k = 0; k < ROUNDS; k++)
		sum = sum * 7 + (unsigned)from[k * THREADS + THREADS - 1 - i];
	return (int)sum;
}

static int straight(int i)
{
	unsigned sum = 0;
	for (int k = 0; k < ROUNDS; k++)
		sum = sum * 7 + (unsigned)from[k * THREADS + i];
	return (int)sum;
}

static int both(int i)
{
	unsigned sum = 0;
	for (int k = 0; k < ROUNDS && i >= 64; k++)
		sum = sum * 7 + (unsigned)from[k * THREADS + THREADS - 1 - i] + (unsigned)from[k * THREADS + i];
	return (int)sum;
}

static int by_groups(int i)
{
	unsigned sum = 0;
	for (int k = 0; k + 1 < ROUNDS; k += 2) {
		sum = sum * 7 + (unsigned)from[k * THREADS + THREADS - 1 - i];
		sum = sum * 7 + (unsigned)from[(k + 1) * THREADS + THREADS - 1 - i];
		const int j = i ^ 1;
		sum = sum * 7 + (unsigned)from[k * THREADS + j / 32 * 32 + j % 32];
	}
	return (int)sum;
}

int main(void)
{
	OK(cudaMalloc(&in, sizeof from));
	OK(cudaMalloc(&out, sizeof got));
	for (int k = 0; k < ROUNDS * THREADS; k++)
		from[k] = k * 91 + 17;
	OK(cudaMemcpy(in, from, sizeof from, cudaMemcpyHostToDevice));
	exchange<<<1, THREADS>>>(out);
	same("exchange", exchanged);
	rows<<<1, THREADS>>>(in, out);
	same("rows", reversed);
	elements<<<1, THREADS>>>(in, out);
	same("elements", reversed);
	staged<<<1, THREADS>>>(in, out);
	same("staged", straight);
	shared_pipeline<<<1, THREADS>>>(in, out);
	same("shared pipeline", reversed);
	roles<<<1, THREADS>>>(in, out);
	same("roles", both);
	groups<<<1, THREADS>>>(in, out);
	same("groups", by_groups);
	return check_done();
}
