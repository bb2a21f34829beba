// Indices and sizes of threads and blocks in three dimensions; warp, lane, SM and grid numbers; shared memory sizes.
#include "check.h"

struct result {
	unsigned tid[3], ntid[3], ctaid[3], nctaid[3], lane, warp, nwarp, sm, nsm, dynamic, total, size;
};

__global__ void run(result *out)
{
	__shared__ int used[4];
	result r;
	r.tid[0] = threadIdx.x;
	r.tid[1] = threadIdx.y;
	r.tid[2] = threadIdx.z;
	r.ntid[0] = blockDim.x;
	r.ntid[1] = blockDim.y;
	r.ntid[2] = blockDim.z;
	r.ctaid[0] = blockIdx.x;
	r.ctaid[1] = blockIdx.y;
	r.ctaid[2] = blockIdx.z;
	r.nctaid[0] = gridDim.x;
	r.nctaid[1] = gridDim.y;
	r.nctaid[2] = gridDim.z;
	asm("mov.u32 %0, %%laneid;" : "=r"(r.lane));
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(r.warp));
	asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(r.nwarp));
	asm volatile("mov.u32 %0, %%smid;" : "=r"(r.sm));
	asm volatile("mov.u32 %0, %%nsmid;" : "=r"(r.nsm));
	asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(r.dynamic));
	asm("mov.u32 %0, %%total_smem_size;" : "=r"(r.total));
	r.size = warpSize;
	used[threadIdx.x & 3] = 1;
	__syncthreads();
	int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	out[block * blockDim.x * blockDim.y * blockDim.z + thread] = r;
	if (used[threadIdx.x & 3] == 0)
		out[0].sm = 0xffffffffu;
}

int main()
{
	const unsigned b[3] = {5, 4, 3}, g[3] = {3, 2, 4};
	const int threads = 60, blocks = 24;
	static result h[blocks][threads];
	result *d = device_alloc<result>(threads * blocks);
	run<<<dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), 48>>>(d);
	LAUNCHED();
	to_host(h[0], d, threads * blocks);
	for (unsigned c = 0; c < blocks; c++)
		for (unsigned t = 0; t < threads; t++) {
			const result &r = h[c][t];
			CHECK(r.tid[0] == t % 5 && r.tid[1] == t / 5 % 4 && r.tid[2] == t / 20, "block %u thread %u", c, t);
			CHECK(r.ctaid[0] == c % 3 && r.ctaid[1] == c / 3 % 2 && r.ctaid[2] == c / 6, "block %u thread %u", c, t);
			CHECK(memcmp(r.ntid, b, sizeof(b)) == 0 && memcmp(r.nctaid, g, sizeof(g)) == 0, "block %u thread %u", c, t);
			CHECK(r.lane == t % 32 && r.warp < r.nwarp && r.sm < r.nsm && r.size == 32, "block %u thread %u: %u", c, t,
				r.lane);
			CHECK(r.dynamic == 48 && r.total >= 64, "%u %u", r.dynamic, r.total);
			CHECK(r.sm == h[c][0].sm, "one block on two SMs");
		}
	return check_done();
}
