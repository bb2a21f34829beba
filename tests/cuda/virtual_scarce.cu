// Virtual memory management where the system gives the process little more address space, as under ulimit -v: what fits is reserved.
// nvcc-flags: -lcuda
#include "check.h"
#include <cuda.h>
#include <sys/resource.h>
#include <unistd.h>

__global__ void count_up(unsigned *p)
{
	p[threadIdx.x] = threadIdx.x + 1;
}

int main()
{
	const size_t unit = 2 << 20, more = (size_t)40 << 30;
	size_t pages = 0;
	CUdeviceptr a, b;
	CUmemGenericAllocationHandle h;
	CUmemAllocationProp prop = {};
	CUmemAccessDesc access = {};
	unsigned got[64] = {};
	OK(cudaFree(0));
	FILE *f = fopen("/proc/self/statm", "r");
	CHECK(f && fscanf(f, "%zu", &pages) == 1);
	fclose(f);
	rlimit limit = {pages * (size_t)sysconf(_SC_PAGESIZE) + more, RLIM_INFINITY};
	CHECK(!setrlimit(RLIMIT_AS, &limit));
	EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAddressReserve(&a, 2 * more, 0, 0, 0));
	EXPECT(CUDA_SUCCESS, cuMemAddressReserve(&a, unit, 0, 0, 0));
	EXPECT(CUDA_SUCCESS, cuMemAddressReserve(&b, (size_t)8 << 30, 0, 0, 0));
	CHECK(b >= a + unit || a >= b + ((size_t)8 << 30));
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.location = prop.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	EXPECT(CUDA_SUCCESS, cuMemCreate(&h, unit, &prop, 0));
	EXPECT(CUDA_SUCCESS, cuMemMap(a, unit, 0, h, 0));
	EXPECT(CUDA_SUCCESS, cuMemSetAccess(a, unit, &access, 1));
	count_up<<<1, 64>>>((unsigned *)a);
	OK(cudaMemcpy(got, (void *)a, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got[0] == 1 && got[63] == 64, "%u %u", got[0], got[63]);
	EXPECT(CUDA_SUCCESS, cuMemUnmap(a, unit));
	EXPECT(CUDA_SUCCESS, cuMemRelease(h));
	EXPECT(CUDA_SUCCESS, cuMemAddressFree(a, unit));
	EXPECT(CUDA_SUCCESS, cuMemAddressFree(b, (size_t)8 << 30));
	return check_done();
}
