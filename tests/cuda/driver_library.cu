// Libraries and kernels of the driver API, what functions are asked, all forms of launches, occupancy, and the errors of each.
// Its code is PTX that it loads as it runs.
// skip: sass
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)
#define GIVES(code, call) EXPECT((call) == (code))

/* How many blocks a cluster may have here. */
static int most_in_cluster(void)
{
	int has = 0;
	OK(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
	return has ? 8 : 1;
}

static const char code[] = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.global .attribute(.managed) .align 4 .b8 shared_count[4];
.visible .entry fill(.param .u64 data, .param .u32 value)
{
	.reg .b32 %r<5>; .reg .b64 %d<4>;
	.shared .align 4 .b8 room[64];
	ld.param.u64 %d1, [data];
	ld.param.u32 %r1, [value];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
	mad.lo.u32 %r2, %r2, %r3, %r4;
	mul.wide.u32 %d2, %r2, 4;
	add.u64 %d1, %d1, %d2;
	st.shared.u32 [room], %r1;
	ld.global.u32 %r3, [factor];
	mad.lo.u32 %r1, %r1, %r3, %r2;
	st.global.u32 [%d1], %r1;
	ret;
}
.visible .entry count()
{
	.reg .b32 %r<2>;
	atom.global.add.u32 %r1, [shared_count], 1;
	ret;
}
)";

__global__ void own(int *p) { p[threadIdx.x] = 5; }

enum { N = 64 };
static CUdeviceptr data;

// Whether the kernel wrote value * 3 + its number; and clears.
static bool filled(int value)
{
	int host[N];
	bool ok = cuMemcpyDtoH(host, data, sizeof host) == CUDA_SUCCESS;
	for (int i = 0; i < N; i++)
		ok = ok && host[i] == value * 3 + i;
	return cuMemsetD8(data, 0, sizeof host) == CUDA_SUCCESS && ok;
}

static void errors_of_libraries(CUlibrary library, CUkernel kernel)
{
	CUlibrary l;
	CUkernel k;
	CUmodule module;
	CUfunction f;
	CUdeviceptr p;
	void *v;
	unsigned n;
	int value;
	CUjit_option jit[] = {(CUjit_option)99};
	CUlibraryOption preserved[] = {CU_LIBRARY_BINARY_IS_PRESERVED}, none[] = {(CUlibraryOption)7};
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(NULL, code, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, NULL, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, (void *)64, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLibraryLoadData(&l, "no image", NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, code, NULL, NULL, 1, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, code, jit, &v, 1, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, code, NULL, NULL, 0, NULL, NULL, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, code, NULL, NULL, 0, none, NULL, 1));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&l, "no/such/file", NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadFromFile(&l, NULL, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadFromFile(&l, "no/such/file", NULL, NULL, 0, preserved, NULL, 1));
	OK(cuLibraryLoadData(&l, code, NULL, NULL, 0, preserved, NULL, 1));
	OK(cuLibraryUnload(l));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(l));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryUnload(NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&k, l, "fill"));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&k, NULL, "fill"));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&k, (CUlibrary)64, "fill"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(NULL, library, "fill"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(&k, library, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(&k, library, (char *)64));
	GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&k, library, "filler"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernelCount(NULL, library));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernelCount(&n, l));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryEnumerateKernels(&k, 0, library));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryEnumerateKernels(NULL, 1, library));
	GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetGlobal(&p, NULL, library, "fill"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetGlobal(NULL, NULL, library, "factor"));
	GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&p, NULL, library, "factor"));
	GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetUnifiedFunction(&v, library, "fill"));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetUnifiedFunction(&v, l, "fill"));
	OK(cuLibraryGetModule(&module, library));
	GIVES(CUDA_ERROR_NOT_PERMITTED, cuModuleUnload(module));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetModule(&module, l));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuKernelGetFunction(&f, (CUkernel)64));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuKernelGetFunction(NULL, kernel));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 1));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, kernel, -1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, kernel, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuKernelGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuKernelSetCacheConfig(kernel, (CUfunc_cache)9, 0));
}

static void functions(CUfunction f)
{
	CUmodule module;
	CUfunctionLoadingState state;
	const char *name;
	size_t offset, size;
	int value;
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
	EXPECT(value == 64);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
	EXPECT(value == 1024);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
	EXPECT(value == 50);
	for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; i++)
		OK(cuFuncGetAttribute(&value, (CUfunction_attribute)i, f));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, (CUfunction_attribute)-1, f));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 3));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30));
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
	EXPECT(value == 60000);
	OK(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuFuncSetCacheConfig((CUfunction)64, CU_FUNC_CACHE_PREFER_L1));
	OK(cuFuncGetName(&name, f));
	EXPECT(!strcmp(name, "fill"));
	OK(cuFuncGetParamInfo(f, 1, &offset, &size));
	EXPECT(offset == 8 && size == 4);
	OK(cuFuncGetParamInfo(f, 0, &offset, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(f, 2, &offset, &size));
	OK(cuFuncLoad(f));
	OK(cuFuncIsLoaded(&state, f));
	EXPECT(state == CU_FUNCTION_LOADING_STATE_LOADED);
	OK(cuFuncGetModule(&module, f));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuFuncGetModule(&module, NULL));
}

static void launches(CUfunction f)
{
	int value = 1;
	void *args[] = {&data, &value};
	CUevent event;
	CUstream stream;
	OK(cuEventCreate(&event, 0));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CUlaunchAttribute attr[2] = {};
	attr[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
	attr[0].value.cooperative = 1;
	attr[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
	memcpy(attr[1].value.pad, &event, sizeof event);
	CUlaunchConfig config = {2, 1, 1, N / 2, 1, 1, 0, stream, attr, 2};
	OK(cuLaunchKernelEx(&config, f, args, NULL));
	OK(cuEventSynchronize(event));
	EXPECT(filled(1));
	attr[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	attr[0].value.clusterDim.x = 3, attr[0].value.clusterDim.y = attr[0].value.clusterDim.z = 1;
	GIVES(most_in_cluster() > 1 ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernelEx(&config, f, args, NULL));
	attr[0].id = CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, f, args, NULL));
	config.attrs = NULL;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, f, args, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(NULL, f, args, NULL));
	config.numAttrs = 0;
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernelEx(&config, NULL, args, NULL));
	value = 2;
	struct {
		CUdeviceptr p;
		int value;
	} block = {data, 2};
	size_t bytes = sizeof block;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_END};
	OK(cuLaunchKernelEx(&config, f, NULL, extra));
	OK(cuStreamSynchronize(stream));
	EXPECT(filled(2));

	CUDA_LAUNCH_PARAMS multi[2] = {{f, 2, 1, 1, N / 2, 1, 1, 0, stream, args}, {f, 2, 1, 1, N / 2, 1, 1, 0, stream, args}};
	value = 4;
#if CUDA_VERSION < 13000 || !defined __NVCC__
	OK(cuLaunchCooperativeKernelMultiDevice(multi, 1, 0));
	OK(cuStreamSynchronize(stream));
	EXPECT(filled(4));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(multi, 2, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(multi, 0, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(multi, 1, 4));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
	multi[0].hStream = CU_STREAM_LEGACY;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(multi, 1, 0));
#endif

	// As before CUDA 4.
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunch(f));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(f, 0, 1, 1));
	OK(cuFuncSetBlockShape(f, N / 2, 1, 1));
	OK(cuFuncSetSharedSize(f, 128));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, -1, &data, sizeof data));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, 32760, &data, 5));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, 0, NULL, 8));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuParamSetSize(f, 1 << 20));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuParamSeti((CUfunction)64, 0, 1));
	OK(cuParamSetv(f, 0, &data, sizeof data));
	OK(cuParamSeti(f, 8, 7));
	OK(cuParamSetSize(f, 12));
	OK(cuLaunchGrid(f, 2, 1));
	EXPECT(filled(7));
	OK(cuParamSetf(f, 8, 0.0f));
	OK(cuLaunchGridAsync(f, 2, 1, stream));
	OK(cuStreamSynchronize(stream));
	EXPECT(filled(0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(f, 0, 1));
	OK(cuStreamDestroy(stream));
	OK(cuEventDestroy(event));
}

static size_t shared_of(int block_size) { return (size_t)block_size * 64; }

static void occupancy(CUfunction f)
{
	int blocks, grid, block, sms, clusters;
	size_t shared;
	OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
	EXPECT(blocks > 0);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 128, 0, 8));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 128, 0));
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, block, 0));
	EXPECT(grid == blocks * sms && block * blocks >= 1024);
	OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, NULL, 0, 100, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
	EXPECT(block > 0 && block <= 100);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, shared_of, 0, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, block, shared_of(block)));
	EXPECT(blocks > 0 && grid == blocks * sms);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(NULL, &block, f, NULL, 0, 0));
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, f, 2, 128));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, shared));
	EXPECT(blocks >= 2);
	CUlaunchAttribute cluster = {};
	cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	cluster.value.clusterDim.x = cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
	CUlaunchConfig config = {8, 1, 1, 128, 1, 1, 0, 0, &cluster, 1};
	OK(cuOccupancyMaxActiveClusters(&clusters, f, &config));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
	EXPECT(clusters == blocks * sms);
	OK(cuOccupancyMaxPotentialClusterSize(&clusters, f, &config));
	EXPECT(clusters == most_in_cluster());
	config.numAttrs = 0;
	OK(cuOccupancyMaxActiveClusters(&clusters, f, &config));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&clusters, f, NULL));
}

// The same handles mean the same to the runtime and to the driver.
static void both(CUkernel kernel)
{
	cudaFuncAttributes a;
	int value = 9;
	CUfunction f;
	CUmodule module;
	const char *name;
	void *args[] = {&data, &value};
	EXPECT(cudaFuncGetAttributes(&a, (const void *)kernel) == cudaSuccess && a.sharedSizeBytes == 64);
	EXPECT(cudaLaunchKernel((const void *)kernel, dim3(2), dim3(N / 2), args, 0, 0) == cudaSuccess);
	EXPECT(filled(9));
	EXPECT(cudaGetFuncBySymbol((cudaFunction_t *)&f, (const void *)own) == cudaSuccess);
	void *own_args[] = {&data};
	OK(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, 0, own_args, NULL));
	int host[N] = {0};
	OK(cuMemcpyDtoH(host, data, sizeof host));
	EXPECT(host[0] == 5 && host[N - 1] == 5);
	OK(cuFuncGetName(&name, f));
	EXPECT(strstr(name, "own"));
	OK(cuFuncGetModule(&module, f));
	GIVES(CUDA_ERROR_NOT_PERMITTED, cuModuleUnload(module));
}

int main()
{
	CUlibrary library, of;
	CUkernel kernel, kernels[3] = {};
	CUfunction f;
	CUcontext context;
	CUmodule module;
	CUdeviceptr p;
	size_t bytes;
	unsigned n;
	const char *name;
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuInit(0));
	// No context need be current to load.
	OK(cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "fill"));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuKernelGetFunction(&f, kernel));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemAlloc(&data, N * 4));
	OK(cuKernelGetFunction(&f, kernel));
	OK(cuKernelGetLibrary(&of, kernel));
	EXPECT(of == library);
	OK(cuKernelGetName(&name, kernel));
	EXPECT(!strcmp(name, "fill"));
	OK(cuLibraryGetKernelCount(&n, library));
	EXPECT(n == 2);
	OK(cuLibraryEnumerateKernels(kernels, 3, library));
	EXPECT((kernels[0] == kernel || kernels[1] == kernel) && kernels[0] != kernels[1] && !kernels[2]);
	OK(cuLibraryGetGlobal(&p, &bytes, library, "factor"));
	EXPECT(bytes == 4);
	errors_of_libraries(library, kernel);
	functions(f);
	launches(f);
	occupancy(f);
	both(kernel);

	// Managed variables: the host looks at their memory.
	CUkernel counter;
	OK(cuLibraryGetManaged(&p, &bytes, library, "shared_count"));
	EXPECT(bytes == 4);
	OK(cuLibraryGetKernel(&counter, library, "count"));
	OK(cuLaunchKernel((CUfunction)counter, 4, 1, 1, 8, 1, 1, 0, 0, NULL, NULL));
	OK(cuCtxSynchronize());
	EXPECT(*(volatile int *)p == 32);

	// A library outlives contexts and cudaDeviceReset; a module goes with its context.
	OK(cuLibraryGetModule(&module, library));
	CUfunction again;
	OK(cuModuleGetFunction(&again, module, "fill"));
	EXPECT(again == f);
	EXPECT(cudaDeviceReset() == cudaSuccess);
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemAlloc(&data, N * 4));
	int value = 6;
	void *args[] = {&data, &value};
	OK(cuLaunchKernel((CUfunction)kernel, 2, 1, 1, N / 2, 1, 1, 0, 0, args, NULL));
	EXPECT(filled(6));
	OK(cuLibraryUnload(library));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)kernel, 2, 1, 1, N / 2, 1, 1, 0, 0, args, NULL));
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
