// Devices: count, choice, properties against attributes, versions, flags, limits, reset.
#include "check.h"

static int attribute(cudaDeviceAttr a)
{
	int v = -1;
	OK(cudaDeviceGetAttribute(&v, a, 0));
	return v;
}

int main()
{
	int n = 0, d = -1;
	OK(cudaGetDeviceCount(&n));
	CHECK(n >= 1);
	OK(cudaGetDevice(&d));
	CHECK(d == 0);
	OK(cudaSetDevice(0));
	EXPECT(cudaErrorInvalidDevice, cudaSetDevice(n));
	EXPECT(cudaErrorInvalidDevice, cudaSetDevice(-1));
	EXPECT(cudaErrorInvalidDevice, cudaGetLastError());
	EXPECT(cudaSuccess, cudaGetLastError());

	cudaDeviceProp p;
	memset(&p, 0xee, sizeof(p));
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(p.name[0] && memchr(p.name, 0, sizeof(p.name)));
	CHECK(p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
	CHECK(p.major >= 7 && p.major < 20 && p.minor >= 0 && p.minor < 10);
	CHECK(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
	CHECK(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
	CHECK(p.sharedMemPerBlock == 48 * 1024 && p.totalConstMem == 64 * 1024);
	CHECK(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
	CHECK(p.major == attribute(cudaDevAttrComputeCapabilityMajor));
	CHECK(p.minor == attribute(cudaDevAttrComputeCapabilityMinor));
	CHECK(p.regsPerBlock == attribute(cudaDevAttrMaxRegistersPerBlock));
	CHECK(p.regsPerMultiprocessor == attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
	CHECK((int)p.sharedMemPerMultiprocessor == attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
	CHECK((int)p.sharedMemPerBlockOptin == attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
	CHECK(p.maxThreadsPerMultiProcessor == attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
	CHECK(p.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
	// The built-in GPU, an H100, has both; a GPU before 8.0 neither, and no limit to set.
	CHECK((p.major >= 8) == (p.persistingL2CacheMaxSize > p.l2CacheSize / 2));
	CHECK((p.major >= 8) == (p.accessPolicyMaxWindowSize == 134213632));
	CHECK(p.persistingL2CacheMaxSize == attribute(cudaDevAttrMaxPersistingL2CacheSize));
	CHECK(p.accessPolicyMaxWindowSize == attribute(cudaDevAttrMaxAccessPolicyWindowSize));
	CHECK(p.memoryBusWidth == attribute(cudaDevAttrGlobalMemoryBusWidth));
	CHECK(p.unifiedAddressing == 1 && p.canMapHostMemory == 1);
	// Managed memory may be used by both sides at once; the program's pageable memory is out of a kernel's reach.
	CHECK(p.managedMemory == 1 && p.concurrentManagedAccess == 1 && p.pageableMemoryAccess == 0);
	CHECK(p.managedMemory == attribute(cudaDevAttrManagedMemory));
	CHECK(p.concurrentManagedAccess == attribute(cudaDevAttrConcurrentManagedAccess));
	CHECK(p.pageableMemoryAccess == attribute(cudaDevAttrPageableMemoryAccess));
	CHECK(p.hostNativeAtomicSupported == attribute(cudaDevAttrHostNativeAtomicSupported));
	CHECK(p.canUseHostPointerForRegisteredMem == attribute(cudaDevAttrCanUseHostPointerForRegisteredMem));
	CHECK(attribute(cudaDevAttrClockRate) > 0);
	size_t free_bytes, total;
	OK(cudaMemGetInfo(&free_bytes, &total));
	CHECK(total == p.totalGlobalMem);
	EXPECT(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, n));
	EXPECT(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&d, cudaDevAttrWarpSize, n));
	EXPECT(cudaErrorInvalidValue, cudaDeviceGetAttribute(&d, (cudaDeviceAttr)9999, 0));

	int driver, runtime;
	OK(cudaDriverGetVersion(&driver));
	OK(cudaRuntimeGetVersion(&runtime));
	CHECK(driver >= runtime && runtime >= 9000, "%d %d", driver, runtime);
	char id[32];
	OK(cudaDeviceGetPCIBusId(id, sizeof(id), 0));
	d = -1;
	OK(cudaDeviceGetByPCIBusId(&d, id));
	CHECK(d == 0);
	cudaDeviceProp want;
	memset(&want, 0, sizeof(want));
	want.major = 3;
	OK(cudaChooseDevice(&d, &want));
	CHECK(d == 0);

	size_t v;
	OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
	CHECK(v >= 1024);
	OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
	OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
	CHECK(v >= 8192);
	OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
	OK(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize));
	CHECK(v >= 16 << 20);
	OK(cudaDeviceGetLimit(&v, cudaLimitPrintfFifoSize));
	CHECK(v >= 1 << 20);
	if (p.persistingL2CacheMaxSize) {
		OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
		OK(cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize));
		CHECK(v == 1 << 20);
		OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)1 << 40)); // a hint, cut to what there is
		OK(cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize));
		CHECK(v == (size_t)p.persistingL2CacheMaxSize);
	} else {
		EXPECT(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
	}
	EXPECT(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((cudaLimit)77, 1));
	cudaGetLastError();
	OK(cudaDeviceReset());
	OK(cudaDeviceSynchronize());
	return check_done();
}
