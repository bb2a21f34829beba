// Launches by cudaLaunchKernelEx: arguments that are converted, attributes for clusters, cooperation, priority and dependence; how
// many clusters fit.
// flags: -arch=sm_90
#include "check.h"

static __global__ void ranks(int *out, double scale)
{
	unsigned rank, size;
	asm volatile("mov.u32 %0, %%cluster_ctarank;\nmov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(size));
	if (threadIdx.x == 0)
		out[blockIdx.x] = (int)(rank + 100 * size + scale);
}

static cudaLaunchAttribute attribute(cudaLaunchAttributeID id)
{
	cudaLaunchAttribute a = {};
	a.id = id;
	return a;
}

int main()
{
	enum { BLOCKS = 8, THREADS = 64, SIZE = 4 };
	int *out = device_alloc<int>(BLOCKS), host[BLOCKS];
	cudaLaunchAttribute with[3] = {attribute(cudaLaunchAttributeClusterDimension), attribute(cudaLaunchAttributePriority),
	                               attribute(cudaLaunchAttributeProgrammaticStreamSerialization)};
	cudaLaunchConfig_t config = {};
	config.gridDim = BLOCKS, config.blockDim = THREADS;
	OK(cudaLaunchKernelEx(&config, ranks, out, 1000)); // the int becomes a double
	OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS; i++)
		CHECK(host[i] == 1100);
	with[0].val.clusterDim.x = SIZE, with[0].val.clusterDim.y = with[0].val.clusterDim.z = 1;
	with[1].val.priority = -1;
	with[2].val.programmaticStreamSerializationAllowed = 1;
	config.attrs = with, config.numAttrs = 3;
	OK(cudaLaunchKernelEx(&config, ranks, out, 2000.0));
	OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS; i++)
		CHECK(host[i] == 2000 + 100 * SIZE + i % SIZE);
	int n = 0;
	OK(cudaOccupancyMaxActiveClusters(&n, ranks, &config));
	CHECK(n > 0);
	OK(cudaOccupancyMaxPotentialClusterSize(&n, ranks, &config));
	CHECK(n == 8);
	with[0] = attribute(cudaLaunchAttributeCooperative);
	with[0].val.cooperative = 1;
	config.numAttrs = 1;
	OK(cudaLaunchKernelEx(&config, ranks, out, 3000.0));
	OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS; i++)
		CHECK(host[i] == 3100);
	config.gridDim = BLOCKS - 1; // no whole number of clusters
	with[0] = attribute(cudaLaunchAttributeClusterDimension);
	with[0].val.clusterDim.x = SIZE, with[0].val.clusterDim.y = with[0].val.clusterDim.z = 1;
	CHECK(cudaLaunchKernelEx(&config, ranks, out, 1.0) != cudaSuccess);
	cudaGetLastError();
	return check_done();
}
