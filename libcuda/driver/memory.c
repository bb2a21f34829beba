// Memory: allocated, freed, and asked about.
#include "libcuda/memory/alloc.h"

#include "libcuda/driver/driver.h"

// Where the runtime gives no memory for 0 bytes, the driver refuses.
static cudaError_t alloc(CUdeviceptr *out, size_t size)
{
	void *p;
	if (!out || !size)
		return cudaErrorInvalidValue;
	cudaError_t e = alloc_new(&p, size, DEVMEM_DEVICE, 0);
	if (!e)
		*out = (CUdeviceptr)(uintptr_t)p;
	return e;
}

DRIVER(cuMemAlloc_v2, (CUdeviceptr * p, size_t size), alloc(p, size))
DRIVER(cuMemFree_v2, (CUdeviceptr p), alloc_free((void *)(uintptr_t)p))
DRIVER(cuMemGetInfo_v2, (size_t * free, size_t *total), alloc_info(free, total))
