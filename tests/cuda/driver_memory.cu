// Memory of the driver API: device, pinned, managed and registered memory, pools, what pointers are, and advice; and the errors of each.
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)
#define INVALID(call) EXPECT((call) == CUDA_ERROR_INVALID_VALUE)

static CUcontext context;
static CUstream stream;

__global__ void add(int *p, int n)
{
	*p += n;
}

template <typename T> static T ask(CUpointer_attribute attribute, CUdeviceptr p)
{
	T v;
	memset(&v, 0xff, sizeof v);
	OK(cuPointerGetAttribute(&v, attribute, p));
	return v;
}

static void host_memory()
{
	unsigned flags = 99;
	void *h;
	static int page[2048] __attribute__((aligned(4096)));
	int *mine = page;
	CUdeviceptr p;
	INVALID(cuMemHostAlloc(&h, 0, 0));
	INVALID(cuMemHostAlloc(&h, 16, 8));
	INVALID(cuMemHostAlloc(NULL, 16, 0));
	INVALID(cuMemAllocHost(&h, 0));
	OK(cuMemHostAlloc(&h, 4096, 1));
	OK(cuMemHostGetFlags(&flags, h));
	EXPECT(flags == 3);
	OK(cuMemHostGetDevicePointer(&p, h, 0));
	INVALID(cuMemHostGetDevicePointer(&p, h, 1));
	INVALID(cuMemHostGetDevicePointer(&p, &flags, 0));
	EXPECT(p == (CUdeviceptr)(size_t)h && ask<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) == CU_MEMORYTYPE_HOST);
	EXPECT(ask<void *>(CU_POINTER_ATTRIBUTE_HOST_POINTER, p + 8) == (char *)h + 8);
	INVALID(cuMemFree(p));
	OK(cuMemFreeHost(h));
	INVALID(cuMemFreeHost(h));
	INVALID(cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)mine));
	OK(cuMemHostRegister(mine, 8192, 0));
	EXPECT(cuMemHostRegister(mine, 8192, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	INVALID(cuMemHostRegister(NULL, 8192, 0));
	OK(cuMemHostGetDevicePointer(&p, mine, 0));
	*mine = 4;
	add<<<1, 1>>>((int *)p, 5);
	OK(cuCtxSynchronize());
	EXPECT(*mine == 9);
	OK(cuMemHostUnregister(mine));
	EXPECT(cuMemHostUnregister(mine) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

static void pointers()
{
	CUdeviceptr p, m;
	CUdeviceptr base = 0;
	size_t size = 0;
	unsigned on = 1;
	int host = 0;
	OK(cuMemAlloc(&p, 1000));
	OK(cuMemAllocManaged(&m, 5000, CU_MEM_ATTACH_GLOBAL));
	INVALID(cuMemAllocManaged(&m, 5000, 3));
	INVALID(cuMemAllocManaged(&m, 0, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemGetAddressRange(&base, &size, p + 999));
	EXPECT(base == p && size == 1000);
	OK(cuMemGetAddressRange(NULL, &size, m));
	EXPECT(size == 5000);
	EXPECT(cuMemGetAddressRange(&base, &size, (CUdeviceptr)(size_t)&host) == CUDA_ERROR_NOT_FOUND);
	EXPECT(ask<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, p) == context);
	EXPECT(ask<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) == CU_MEMORYTYPE_DEVICE);
	EXPECT(ask<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p + 4) == p + 4);
	EXPECT(ask<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p) == 0);
	EXPECT(!ask<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, p) && ask<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
	EXPECT(ask<void *>(CU_POINTER_ATTRIBUTE_HOST_POINTER, m) == (void *)m);
	EXPECT(ask<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, p) != ask<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, m));
	EXPECT(ask<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 500) == p);
	EXPECT(ask<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, p) == 1000 && ask<unsigned>(CU_POINTER_ATTRIBUTE_MAPPED, p) == 1);
	EXPECT(ask<unsigned long long>(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p) == 0 && ask<int>(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p) == 3);
	EXPECT(!ask<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p) && ask<unsigned>(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p) == 1);
	EXPECT(!ask<unsigned>(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, m));
	INVALID(cuPointerGetAttribute(&on, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
	INVALID(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MAPPED, p));
	INVALID(cuPointerGetAttribute(&on, (CUpointer_attribute)0, p));
	INVALID(cuPointerGetAttribute(&on, CU_POINTER_ATTRIBUTE_MAPPED, 0));
	EXPECT(cuPointerGetAttribute(&on, CU_POINTER_ATTRIBUTE_P2P_TOKENS, p) == CUDA_ERROR_NOT_SUPPORTED);

	// Several at once; for memory of the program the answers are 0 and not errors.
	CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
	unsigned type = 9;
	CUcontext c = (CUcontext)1;
	int device = 9;
	void *data[] = {&type, &c, &device};
	OK(cuPointerGetAttributes(3, which, data, p));
	EXPECT(type == CU_MEMORYTYPE_DEVICE && c == context && device == 0);
	OK(cuPointerGetAttributes(3, which, data, (CUdeviceptr)(size_t)&host));
	EXPECT(type == 0 && c == NULL && device == -2);
	INVALID(cuPointerGetAttributes(0, which, data, p));
	INVALID(cuPointerGetAttributes(3, NULL, data, p));
	INVALID(cuPointerGetAttributes(3, which, NULL, p));

	OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	EXPECT(ask<unsigned>(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p) == 1);
	on = 0;
	OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	EXPECT(ask<unsigned>(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p) == 0);
	INVALID(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_MAPPED, p));
	INVALID(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 64));
	INVALID(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	OK(cuMemFree(p));
	INVALID(cuPointerGetAttribute(&on, CU_POINTER_ATTRIBUTE_MAPPED, p));
	OK(cuMemFree(m));
}

static cuuint64_t count(CUmemoryPool pool, CUmemPool_attribute attribute)
{
	cuuint64_t v = ~0ull;
	OK(cuMemPoolGetAttribute(pool, attribute, &v));
	return v;
}

static void pools()
{
	CUmemoryPool first, own, now;
	CUmemPoolProps props;
	CUdeviceptr p, q, other;
	int n = 0;
	memset(&props, 0, sizeof props);
	props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	props.maxSize = 1 << 20;
	OK(cuDeviceGetDefaultMemPool(&first, 0));
	OK(cuDeviceGetMemPool(&now, 0));
	EXPECT(first == now);
	EXPECT(cuDeviceGetMemPool(&now, 1) == CUDA_ERROR_INVALID_DEVICE);
	INVALID(cuDeviceGetMemPool(NULL, 0));
	OK(cuMemPoolCreate(&own, &props));
	OK(cuMemAlloc(&other, 4096)); // counts in no pool
	OK(cuMemAllocAsync(&p, 1000, stream));
	OK(cuMemAllocFromPoolAsync(&q, 500, own, stream));
	EXPECT(count(first, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 1000 && count(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 500);
	EXPECT(ask<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, q + 4) == own);
	EXPECT(cuMemAllocFromPoolAsync(&q, 1 << 20, own, stream) == CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuMemsetD32Async(p, 5, 1, stream));
	add<<<1, 1, 0, (cudaStream_t)stream>>>((int *)p, 7);
	OK(cuMemcpyDtoHAsync(&n, p, 4, stream));
	OK(cuMemFreeAsync(p, stream));
	OK(cuMemFreeAsync(q, stream));
	OK(cuStreamSynchronize(stream));
	EXPECT(n == 12 && count(first, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 0 && count(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 0);
	EXPECT(count(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 500 && count(own, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) >= 500);
	cuuint64_t zero = 0, big = 1 << 30;
	OK(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
	EXPECT(count(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 0);
	INVALID(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &big));
	INVALID(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &zero));
	OK(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &big));
	EXPECT(count(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == big);
	INVALID(cuMemPoolGetAttribute(own, (CUmemPool_attribute)0, &zero));
	INVALID(cuMemPoolGetAttribute(NULL, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &zero));

	// The device's current pool, and a pool that is destroyed with memory in use.
	OK(cuDeviceSetMemPool(0, own));
	OK(cuMemAllocAsync(&p, 64, stream));
	EXPECT(count(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 64);
	OK(cuMemPoolDestroy(own));
	INVALID(cuMemPoolDestroy(own));
	INVALID(cuMemPoolDestroy(first));
	OK(cuDeviceGetMemPool(&now, 0));
	EXPECT(now == first);
	OK(cuMemsetD32Async(p, 1, 1, stream));
	OK(cuMemFree(p));
	INVALID(cuMemAllocFromPoolAsync(&q, 500, own, stream));
	INVALID(cuMemAllocAsync(&q, 0, stream));
	INVALID(cuMemAllocAsync(NULL, 8, stream));
	EXPECT(cuMemAllocAsync(&q, 8, (CUstream)0x1230) == CUDA_ERROR_INVALID_HANDLE);
	INVALID(cuMemFreeAsync(other + 8, stream));
	OK(cuMemPoolTrimTo(first, 0));
	CUmemAccess_flags flags;
	OK(cuMemPoolGetAccess(&flags, first, &props.location));
	EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	CUmemAccessDesc d = {props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	OK(cuMemPoolSetAccess(first, &d, 1));
	d.location.id = 1;
	EXPECT(cuMemPoolSetAccess(first, &d, 1) == CUDA_ERROR_INVALID_DEVICE);
	INVALID(cuMemPoolCreate(NULL, &props));
	INVALID(cuMemPoolCreate(&own, NULL));
	props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	EXPECT(cuMemPoolCreate(&own, &props) == CUDA_ERROR_NOT_SUPPORTED);
	OK(cuMemFree(other));
}

#if CUDA_VERSION >= 13000
static CUmemLocation place(int device) { return {device < 0 ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE, device < 0 ? 0 : device}; }
#define ADVISE(p, n, advice, device) cuMemAdvise(p, n, advice, place(device))
#define PREFETCH(p, n, device) cuMemPrefetchAsync(p, n, place(device), 0, stream)
#else
#define ADVISE(p, n, advice, device) cuMemAdvise(p, n, advice, device)
#define PREFETCH(p, n, device) cuMemPrefetchAsync(p, n, device, stream)
#endif

static int range(CUmem_range_attribute attribute, CUdeviceptr p, size_t n)
{
	int v = 99;
	OK(cuMemRangeGetAttribute(&v, sizeof v, attribute, p, n));
	return v;
}

// What is said about pages is remembered, for just these pages.
static void advice()
{
	const size_t page = 4096;
	CUdeviceptr m, p;
	int by[3];
	OK(cuMemAllocManaged(&m, 8 * page, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemAlloc(&p, page));
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, page) == 0 && range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m, page) == -2);
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m, 8 * page) == -2);
	OK(ADVISE(m + 2 * page, 4 * page, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m + 2 * page, 4 * page) == 1);
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m + page, 2 * page) == 0);
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m + 5 * page, 2 * page) == 0);
	OK(ADVISE(m + 3 * page, page, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m + 2 * page, 4 * page) == 0);
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m + 4 * page, 2 * page) == 1);
	OK(ADVISE(m, 8 * page, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
	OK(ADVISE(m, page, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, -1));
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m, page) == -1 && range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m + page, 7 * page) == 0);
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, m, 8 * page) == -2);
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, m, page) == CU_MEM_LOCATION_TYPE_HOST);
	OK(ADVISE(m, 8 * page, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
	OK(cuMemRangeGetAttribute(by, sizeof by, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, m, 8 * page));
	EXPECT(by[0] == 0 && by[1] == -2 && by[2] == -2);
	OK(ADVISE(m, 8 * page, CU_MEM_ADVISE_SET_ACCESSED_BY, -1));
	OK(ADVISE(m, page, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0));
	OK(cuMemRangeGetAttribute(by, sizeof by, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, m, 8 * page));
	EXPECT(by[0] == -1 && by[1] == -2);
	OK(PREFETCH(m, 8 * page, 0));
	OK(PREFETCH(m + 7 * page, page, -1));
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m, 7 * page) == 0);
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, m + 7 * page, page) == -1);
	CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
	int a = 9, b = 9;
	void *data[] = {&a, &b};
	size_t sizes[] = {4, 4};
	OK(cuMemRangeGetAttributes(data, sizes, which, 2, m + 2 * page, page));
	EXPECT(a == 1 && b == 0);
	INVALID(cuMemRangeGetAttribute(by, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, page));
	INVALID(cuMemRangeGetAttribute(by, 8, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, page));
	INVALID(cuMemRangeGetAttribute(by, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, page));
	INVALID(cuMemRangeGetAttributes(data, sizes, which, 0, m, page));
	INVALID(ADVISE(p, page, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
	INVALID(ADVISE(m, 9 * page, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
	EXPECT(ADVISE(m, page, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 3) == CUDA_ERROR_INVALID_DEVICE);
	INVALID(ADVISE(m, page, (CUmem_advise)7, 0));
	INVALID(PREFETCH(p, page, 0));
	EXPECT(PREFETCH(m, page, 3) == CUDA_ERROR_INVALID_DEVICE);
	// New memory in the same place begins anew.
	CUdeviceptr again;
	OK(cuMemFree(m));
	OK(cuMemAllocManaged(&again, 8 * page, CU_MEM_ATTACH_GLOBAL));
	EXPECT(range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, again + page, page) == -2);
	OK(cuMemFree(again));
	OK(cuMemFree(p));
}

int main()
{
	size_t free = 0, total = 0;
	OK(cuInit(0));
	EXPECT(cuMemGetInfo(&free, &total) == CUDA_ERROR_INVALID_CONTEXT);
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemGetInfo(&free, &total));
	EXPECT(free && free <= total);
	INVALID(cuMemGetInfo(NULL, &total));
	CUdeviceptr p;
	EXPECT(cuMemAlloc(&p, total) == CUDA_ERROR_OUT_OF_MEMORY);
	host_memory();
	pointers();
	pools();
	advice();
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
