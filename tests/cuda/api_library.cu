// Libraries that a program of the runtime loads by itself: kernels, variables, managed memory, logs, and the errors of each.
// Its code is PTX that it loads as it runs.
// skip: sass
#include <cuda_runtime.h>
#include "check.h"

static const char code[] = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.global .attribute(.managed) .align 4 .u32 total = 1;
.visible .entry triple(.param .u64 data)
{
	.reg .b32 %r<4>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [data];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	ld.global.u32 %r2, [factor];
	mul.lo.u32 %r1, %r1, %r2;
	st.global.u32 [%d1], %r1;
	atom.global.add.u32 %r3, [total], 1;
	ret;
}
)";

int main()
{
	cudaLibrary_t library = NULL, bad;
	cudaKernel_t kernel = NULL, list[2] = {};
	unsigned count = 0;
	void *address = NULL;
	size_t bytes = 0;
	int *data, host[32];
	CHECK(cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess);
	EXPECT(cudaSuccess, cudaLibraryGetKernel(&kernel, library, "triple"));
	EXPECT(cudaSuccess, cudaLibraryGetKernelCount(&count, library));
	EXPECT(cudaSuccess, cudaLibraryEnumerateKernels(list, 2, library));
	CHECK(count == 1 && list[0] == kernel && !list[1]);
	EXPECT(cudaSuccess, cudaMalloc((void **)&data, sizeof host));
	cudaFuncAttributes attributes;
	EXPECT(cudaSuccess, cudaFuncGetAttributes(&attributes, (const void *)kernel));
	CHECK(attributes.ptxVersion == 50 && attributes.maxThreadsPerBlock == 1024);
	int two = 2;
	EXPECT(cudaSuccess, cudaLibraryGetGlobal(&address, &bytes, library, "factor"));
	CHECK(bytes == 4);
	EXPECT(cudaSuccess, cudaMemcpy(address, &two, 4, cudaMemcpyHostToDevice));
	void *args[] = {&data};
	EXPECT(cudaSuccess, cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), args, 0, 0));
	EXPECT(cudaSuccess, cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		CHECK(host[i] == 2 * i);
	EXPECT(cudaSuccess, cudaLibraryGetManaged(&address, &bytes, library, "total"));
	CHECK(bytes == 4 && *(volatile int *)address == 33);

	EXPECT(cudaErrorInvalidValue, cudaLibraryLoadData(NULL, code, NULL, NULL, 0, NULL, NULL, 0));
	EXPECT(cudaErrorInvalidValue, cudaLibraryLoadData(&bad, NULL, NULL, NULL, 0, NULL, NULL, 0));
	EXPECT(cudaErrorInvalidKernelImage, cudaLibraryLoadData(&bad, "nothing", NULL, NULL, 0, NULL, NULL, 0));
	EXPECT(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&bad, "no/such/file", NULL, NULL, 0, NULL, NULL, 0));
	char log[1000] = "";
	cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
	void *values[] = {log, (void *)sizeof log};
	EXPECT(cudaErrorInvalidPtx, cudaLibraryLoadData(&bad, ".version 7.0\n.target sm_50\n.visible .entry k() { bogus.u32; }", options, values, 2, NULL, NULL, 0));
	CHECK(strstr(log, ":3:"));
	EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "treble"));
	EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&address, NULL, library, "treble"));
	EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&address, NULL, library, "factor"));
	EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetUnifiedFunction(&address, library, "triple"));
	EXPECT(cudaErrorInvalidResourceHandle, cudaLibraryGetKernelCount(&count, (cudaLibrary_t)64));

	cudaStream_t stream;
	EXPECT(cudaSuccess, cudaStreamCreate(&stream));
#if CUDART_VERSION < 13000
	cudaLaunchParams multi[] = {{(void *)kernel, dim3(1), dim3(32), args, 0, stream}, {(void *)kernel, dim3(1), dim3(32), args, 0, stream}};
	EXPECT(cudaSuccess, cudaLaunchCooperativeKernelMultiDevice(multi, 1, 0));
	EXPECT(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(multi, 2, 0));
	EXPECT(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(multi, 1, 9));
	multi[0].stream = 0;
	EXPECT(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(multi, 1, 0));
#endif
	EXPECT(cudaSuccess, cudaDeviceSynchronize());
	EXPECT(cudaSuccess, cudaLibraryUnload(library));
	EXPECT(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
	EXPECT(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), args, 0, 0));
	cudaGetLastError();
	puts(check_failures ? "FAIL" : "PASS");
	return check_failures != 0;
}
