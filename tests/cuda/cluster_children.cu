// Kernels that kernels launch with the clusters that they were compiled for.
// needs: nvcc
// nvcc-flags: -arch=sm_90 -rdc=true -lcudadevrt
#include "check.h"

static __device__ unsigned tell()
{
	unsigned blocks, clusters;
	asm volatile("mov.u32 %0, %%cluster_nctarank; mov.u32 %1, %%nclusterid.x;" : "=r"(blocks), "=r"(clusters));
	return blocks * 10000 + clusters * 100 + blockDim.x;
}

static __global__ void __cluster_dims__(2, 1, 1) two(unsigned *to)
{
	if (!threadIdx.x)
		to[blockIdx.x] = tell();
}

static __global__ void __cluster_dims__(32, 1, 1) too_many(unsigned *to) { *to = 1; }

#if __CUDACC_VER_MAJOR__ >= 13
static __global__ void __block_size__((64, 1, 1), (4, 1, 1)) blocks_are_clusters(unsigned *to)
{
	if (!threadIdx.x)
		to[blockIdx.x] = tell();
}
#endif

static __global__ void parent(unsigned *to, int *error)
{
	two<<<6, 32>>>(to);
	error[0] = cudaGetLastError();
	two<<<5, 32>>>(to + 16);
	error[1] = cudaGetLastError();
	too_many<<<32, 32>>>(to + 16);
	error[2] = cudaGetLastError();
#if __CUDACC_VER_MAJOR__ >= 13
	blocks_are_clusters<<<2>>>(to + 8);
	error[3] = cudaGetLastError();
#endif
}

int main()
{
	unsigned *to = device_alloc<unsigned>(24), h[24];
	int *error = device_alloc<int>(4), e[4];
	OK(cudaMemset(to, 0, sizeof h));
	OK(cudaMemset(error, 0, sizeof e));
	parent<<<1, 1>>>(to, error);
	LAUNCHED();
	to_host(h, to, 24);
	to_host(e, error, 4);
	CHECK(e[0] == cudaSuccess && e[1] == cudaErrorInvalidClusterSize && e[2] == cudaErrorInvalidClusterSize && e[3] == cudaSuccess);
	for (unsigned i = 0; i < 24; i++) {
		const unsigned want = i < 6 ? 20332 : __CUDACC_VER_MAJOR__ >= 13 && i >= 8 && i < 16 ? 40264 : 0;
		CHECK(h[i] == want, " %u is %u", i, h[i]);
	}
	return check_done();
}
