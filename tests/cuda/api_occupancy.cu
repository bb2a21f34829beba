// Occupancy: limits by threads, blocks and shared memory; the suggested block size.
#include "check.h"

__global__ void light(int *p)
{
	p[threadIdx.x] = threadIdx.x;
}

__global__ void heavy(int *p)
{
	__shared__ int s[10 * 1024];
	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

int main()
{
	cudaDeviceProp prop;
	OK(cudaGetDeviceProperties(&prop, 0));
	int blocks, threads = prop.maxThreadsPerMultiProcessor;
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, 0));
	CHECK(blocks == threads / 256, "%d", blocks);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 1024, 0));
	CHECK(blocks == threads / 1024, "%d", blocks);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, light, 32, 0, cudaOccupancyDefault));
	CHECK(blocks >= 1 && blocks <= threads / 32 && blocks <= prop.maxBlocksPerMultiProcessor, "%d", blocks);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, 128, 0));
	CHECK(blocks >= 1 && blocks * 40960 <= (int)prop.sharedMemPerMultiprocessor, "%d", blocks);
	CHECK((blocks + 1) * (40960 + 1024 + 256) > (int)prop.sharedMemPerMultiprocessor || blocks == threads / 128, "%d",
		blocks);
	int half;
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&half, light, 64, 40960));
	CHECK(half == blocks, "static and dynamic shared memory count alike: %d, %d", half, blocks);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 2048, 0));
	CHECK(blocks == 0);
	int grid = 0, size = 0;
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, light, 0, 0));
	CHECK(size > 0 && size <= 1024 && size % 32 == 0 && grid == threads / size * prop.multiProcessorCount, "%d %d",
		grid, size);
	int *p = device_alloc<int>(size);
	light<<<grid, size>>>(p);
	LAUNCHED();
	return check_done();
}
