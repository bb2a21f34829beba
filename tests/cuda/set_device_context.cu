// cudaSetDevice makes the device's primary context current at once, in place of another one; cudaInitDevice makes it, but not current.
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <thread>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

static bool active()
{
	unsigned flags;
	int is = 0;
	return cuDevicePrimaryCtxGetState(0, &flags, &is) == CUDA_SUCCESS && is;
}

static CUcontext current()
{
	CUcontext c = NULL;
	EXPECT(cuCtxGetCurrent(&c) == CUDA_SUCCESS);
	return c;
}

// In a thread that has no context yet.
static void sets_device(CUcontext primary)
{
	CUdevice device = -1;
	EXPECT(cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice && !current());
	EXPECT(cudaSetDevice(0) == cudaSuccess && current() == primary);
	EXPECT(cuCtxGetDevice(&device) == CUDA_SUCCESS && device == 0);
}

int main()
{
	CUcontext primary, own;
	CUdeviceptr p;
	EXPECT(cuInit(0) == CUDA_SUCCESS && !active());
#if CUDART_VERSION >= 12000
	unsigned flags = 0;
	EXPECT(cudaInitDevice(1, 0, 0) == cudaErrorInvalidDevice && !active());
	EXPECT(cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid) == cudaSuccess && active() && !current());
	EXPECT(cudaGetDeviceFlags(&flags) == cudaSuccess && flags & cudaDeviceScheduleYield);
#endif
	EXPECT(cudaSetDevice(0) == cudaSuccess && active());
	primary = current();
	EXPECT(primary && cuMemAlloc(&p, 4) == CUDA_SUCCESS && cuMemFree(p) == CUDA_SUCCESS);
	std::thread(sets_device, primary).join();
#if CUDA_VERSION >= 13000
	EXPECT(cuCtxCreate(&own, NULL, 0, 0) == CUDA_SUCCESS && current() == own);
#else
	EXPECT(cuCtxCreate(&own, 0, 0) == CUDA_SUCCESS && current() == own);
#endif
	EXPECT(cudaDeviceSynchronize() == cudaSuccess && current() == own);
	EXPECT(cudaSetDevice(0) == cudaSuccess && current() == primary);
	EXPECT(cuCtxDestroy(own) == CUDA_SUCCESS && current() == primary);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
