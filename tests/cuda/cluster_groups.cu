// cooperative_groups' clusters, and __cluster_dims__: this_cluster(), its ranks, map_shared_rank, query_shared_rank, sync and split barriers.
// A histogram whose bins are dealt to the blocks of a cluster, as in the CUDA Programming Guide's chapter on distributed shared memory.
// needs: nvcc
// nvcc-flags: -arch=sm_90
// env: GPGPUSIM_CONFIG=../../../../../configs/SM90_H100/gpgpusim.config
#include "cluster.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { BINS = 512, THREADS = 128, ITEMS = 4096 };

static __global__ void histogram(unsigned *bins, const unsigned *item, unsigned per_block)
{
	extern __shared__ unsigned part[];
	cg::cluster_group cluster = cg::this_cluster();
	for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x)
		part[i] = 0;
	cluster.sync();
	for (unsigned i = cg::this_grid().thread_rank(); i < ITEMS; i += gridDim.x * blockDim.x) {
		unsigned *to = cluster.map_shared_rank(part, item[i] / per_block);
		atomicAdd(to + item[i] % per_block, 1u);
	}
	cluster.sync();
	for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x)
		atomicAdd(&bins[cluster.block_rank() * per_block + i], part[i]);
}

static __global__ void __cluster_dims__(2, 2, 1) fixed(unsigned *out)
{
	__shared__ unsigned mine;
	cg::cluster_group c = cg::this_cluster();
	unsigned bad = 0;
	if (!threadIdx.x)
		mine = 100 + c.block_rank();
	auto token = c.barrier_arrive();
	bad |= c.num_blocks() != 4 || c.num_threads() != 4 * blockDim.x ? 1 : 0;
	bad |= c.block_index().x != blockIdx.x % 2 || c.block_index().y != blockIdx.y % 2 ? 2 : 0;
	bad |= c.thread_rank() != c.block_rank() * blockDim.x + threadIdx.x ? 4 : 0;
	bad |= c.dim_blocks().x != 2 || c.dim_blocks().y != 2 ? 8 : 0;
	c.barrier_wait(cuda::std::move(token));
	for (unsigned r = 0; r < 4; r++) {
		unsigned *p = c.map_shared_rank(&mine, r);
		bad |= *p != 100 + r || c.query_shared_rank(p) != r ? 16 : 0;
	}
	c.sync();
	atomicOr(out, bad);
	if (!threadIdx.x)
		atomicAdd(out + 1, 1u);
}

int main(void)
{
	static unsigned item[ITEMS], want[BINS], got[BINS], state = 1;
	for (int i = 0; i < ITEMS; i++)
		want[item[i] = check_random(&state) % BINS]++;
	unsigned *d = to_device(item, ITEMS), *b = device_alloc<unsigned>(BINS);
	for (unsigned n = 1; n <= 16; n *= 2) {
		OK(cudaMemset(b, 0, sizeof got));
		OK(launch(histogram, dim3(16), dim3(THREADS), dim3(n), BINS / n * sizeof(unsigned), b, (const unsigned *)d, BINS / n));
		LAUNCHED();
		to_host(got, b, BINS);
		for (int i = 0; i < BINS; i++)
			CHECK(got[i] == want[i], "(cluster of %u, bin %d: %u, want %u)", n, i, got[i], want[i]);
	}
	OK(cudaMemset(b, 0, sizeof got));
	fixed<<<dim3(4, 6, 2), 64>>>(b);
	LAUNCHED();
	to_host(got, b, 2);
	CHECK(got[0] == 0, "(0x%x)", got[0]);
	CHECK(got[1] == 48, "(%u)", got[1]);
	return check_done();
}
