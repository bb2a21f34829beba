// The driver API from one end to the other: a device, a context, a module of PTX text, a launch, memory; and the runtime beside it on
// the same GPU. Its code is PTX that it loads as it runs.
// skip: sass
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <thread>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

static const char scale[] = R"(
.version 6.4
.target sm_50
.address_size 64
.visible .global .align 4 .f32 factor = 0f40000000;
.visible .entry scale(.param .u64 data, .param .u32 n)
{
	.reg .pred %p; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [data];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
	mad.lo.u32 %r2, %r2, %r3, %r4;
	setp.ge.u32 %p, %r2, %r1;
	@%p ret;
	mul.wide.u32 %d2, %r2, 4;
	add.u64 %d1, %d1, %d2;
	ld.global.f32 %f1, [factor];
	ld.global.f32 %f2, [%d1];
	mul.f32 %f2, %f2, %f1;
	st.global.f32 [%d1], %f2;
	ret;
}
)";

__global__ void add_one(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] += 1;
}

static void other_thread(CUcontext context, CUmodule module)
{
	CUcontext current;
	size_t free, total;
	CUfunction f;
	EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
	EXPECT(cuMemGetInfo(&free, &total) == CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cuModuleGetFunction(&f, module, "scale") == CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cuCtxSetCurrent(context) == CUDA_SUCCESS);
	EXPECT(cuModuleGetFunction(&f, module, "scale") == CUDA_SUCCESS);
}

// Images at the end of what can be read.
static void at_the_end()
{
	enum { PAGE = 4096 };
	CUmodule module;
	char *page = (char *)mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *end = page + PAGE;
	EXPECT(page != MAP_FAILED && !munmap(end, PAGE));
	memcpy(end - sizeof scale, scale, sizeof scale);
	EXPECT(cuModuleLoadData(&module, end - sizeof scale) == CUDA_SUCCESS && cuModuleUnload(module) == CUDA_SUCCESS);
	EXPECT(cuModuleLoadData(&module, end - 1) == CUDA_ERROR_INVALID_IMAGE); // ""
	memcpy(end - 3, "ab", 3);
	EXPECT(cuModuleLoadData(&module, end - 3) == CUDA_ERROR_INVALID_IMAGE);
	end[-1] = 'c';
	EXPECT(cuModuleLoadData(&module, end - 3) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuModuleLoadData(&module, end - sizeof scale) == CUDA_ERROR_INVALID_VALUE);
	memcpy(end - 4, "\177ELF", 4);
	EXPECT(cuModuleLoadData(&module, end - 4) == CUDA_ERROR_INVALID_IMAGE);
	munmap(page, PAGE);
}

int main()
{
	enum { N = 1000 };
	CUdevice device;
	CUcontext context, current, own;
	CUmodule module;
	CUfunction f;
	CUdeviceptr p, factor;
	size_t bytes;
	int version = 0, count = 0;
	float host[N], two = 2, three = 3;
	const char *text;
	EXPECT(cuDeviceGet(&device, 0) == CUDA_ERROR_NOT_INITIALIZED);
	EXPECT(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuInit(0) == CUDA_SUCCESS && cuDriverGetVersion(&version) == CUDA_SUCCESS && version >= 13000);
	EXPECT(cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 1);
	EXPECT(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
	EXPECT(cuMemAlloc(&p, 4) == CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
	EXPECT(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS && cuCtxSetCurrent(context) == CUDA_SUCCESS);

	EXPECT(cuModuleLoadData(&module, "nothing") == CUDA_ERROR_INVALID_IMAGE);
	EXPECT(cuModuleLoadData(&module, (void *)8) == CUDA_ERROR_INVALID_VALUE);
	at_the_end();
	EXPECT(cuModuleLoad(&module, "no/such/file") == CUDA_ERROR_FILE_NOT_FOUND);
	EXPECT(cuModuleLoadData(&module, scale) == CUDA_SUCCESS);
	EXPECT(cuModuleGetFunction(&f, module, "no_such_kernel") == CUDA_ERROR_NOT_FOUND);
	EXPECT(cuModuleGetFunction(&f, module, "scale") == CUDA_SUCCESS);
	EXPECT(cuModuleGetGlobal(&factor, &bytes, module, "factor") == CUDA_SUCCESS && bytes == 4);

	for (int i = 0; i < N; i++)
		host[i] = (float)i;
	EXPECT(cuMemAlloc(&p, 0) == CUDA_ERROR_INVALID_VALUE && cuMemAlloc(&p, sizeof host) == CUDA_SUCCESS);
	EXPECT(cuMemcpyHtoD(p, host, sizeof host) == CUDA_SUCCESS);
	int n = N;
	void *args[] = {&p, &n};
	EXPECT(cuLaunchKernel(f, 0, 1, 1, 256, 1, 1, 0, 0, args, NULL) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuLaunchKernel((CUfunction)&two, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, 0, args, NULL) == CUDA_SUCCESS);
	EXPECT(cuMemcpyHtoD(factor, &three, 4) == CUDA_SUCCESS);
	struct {
		CUdeviceptr p;
		int n;
	} block = {p, N};
	bytes = sizeof block;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
	EXPECT(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, 0, args, extra) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, 0, NULL, extra) == CUDA_SUCCESS);
	add_one<<<4, 256>>>((float *)p, N); // the runtime goes on with the same memory, in the context that is current
	EXPECT(cudaGetLastError() == cudaSuccess && cuCtxSynchronize() == CUDA_SUCCESS);
	EXPECT(cuMemcpyDtoH(host, p, sizeof host) == CUDA_SUCCESS);
	for (int i = 0; i < N; i++)
		EXPECT(host[i] == 6.0f * i + 1);
	std::thread(other_thread, context, module).join();

	// A context of our own: what is made in it goes with it.
	size_t before, after, total;
	EXPECT(cuMemGetInfo(&before, &total) == CUDA_SUCCESS);
#if CUDA_VERSION >= 13000
	EXPECT(cuCtxCreate(&own, NULL, 0, device) == CUDA_SUCCESS);
#else
	EXPECT(cuCtxCreate(&own, 0, device) == CUDA_SUCCESS);
#endif
	CUdeviceptr q;
	CUmodule second;
	EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == own && own != context);
	EXPECT(cuMemAlloc(&q, 1 << 20) == CUDA_SUCCESS && cuModuleLoadData(&second, scale) == CUDA_SUCCESS);
	EXPECT(cuCtxDestroy(own) == CUDA_SUCCESS && cuCtxDestroy(own) == CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context);
	EXPECT(cuMemGetInfo(&after, &total) == CUDA_SUCCESS && after == before);
	EXPECT(cuModuleUnload(second) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cuMemcpyDtoH(host, p, sizeof host) == CUDA_SUCCESS && host[1] == 7);

	// Functions by name and release.
	void *address = NULL;
	CUdriverProcAddressQueryResult status;
	EXPECT(cuGetProcAddress("cuMemAlloc", &address, 3020, 0, &status) == CUDA_SUCCESS && address == (void *)cuMemAlloc);
	EXPECT(cuGetProcAddress("cuNoSuchThing", &address, 13000, 0, &status) == CUDA_SUCCESS && !address &&
	       status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	EXPECT(cuGetProcAddress("cuCtxGetId", &address, 11000, 0, &status) == CUDA_SUCCESS && !address &&
	       status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	EXPECT(cuGetProcAddress("cuLaunchKernel", &address, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status) == CUDA_SUCCESS &&
	       address != (void *)cuLaunchKernel);
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	EXPECT(library && dlsym(library, "cuInit") == (void *)cuInit);

	EXPECT(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &text) == CUDA_SUCCESS && !strcmp(text, "CUDA_ERROR_NOT_FOUND"));
	EXPECT(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text) == CUDA_SUCCESS && !strcmp(text, "out of memory"));
	EXPECT(cuGetErrorName((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE);
	const void *table;
	CUuuid id = {};
	EXPECT(cuGetExportTable(&table, &id) == CUDA_ERROR_NOT_FOUND && !table);

	EXPECT(cuMemFree(p) == CUDA_SUCCESS && cuMemFree(p) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuModuleUnload(module) == CUDA_SUCCESS && cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
