// The management library finds the GPU that CUDA then has, and asking it does not keep a child of fork from using CUDA.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

template <typename... T> static int call(void *library, const char *name, T... args)
{
	int (*f)(T...) = (int (*)(T...))dlsym(library, name);
	return f ? f(args...) : 13; // NVML_ERROR_FUNCTION_NOT_FOUND
}

struct memory {
	unsigned long long total, free, used;
};

int main()
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW), *device = NULL;
	CHECK(library, "%s", dlerror());
	unsigned count = 0;
	char name[100] = "", small[4];
	int major = 0, minor = 0;
	memory m = {};
	CHECK(call(library, "nvmlDeviceGetCount_v2", &count) == 1); // not initialised
	CHECK(call(library, "nvmlInit_v2") == 0);
	CHECK(call(library, "nvmlDeviceGetCount_v2", &count) == 0 && count == 1);
	CHECK(call(library, "nvmlDeviceGetHandleByIndex_v2", 1u, &device) == 2);
	CHECK(call(library, "nvmlDeviceGetHandleByIndex_v2", 0u, &device) == 0);
	CHECK(call(library, "nvmlDeviceGetName", device, name, 100u) == 0);
	CHECK(call(library, "nvmlDeviceGetName", device, small, 4u) == 7);
	CHECK(call(library, "nvmlDeviceGetName", (void *)name, name, 100u) == 2);
	CHECK(call(library, "nvmlDeviceGetName", device, (char *)8, 100u) == 2);
	CHECK(call(library, "nvmlDeviceGetCount_v2", (unsigned *)8) == 2);
	CHECK(call(library, "nvmlDeviceGetHandleByIndex_v2", 0u, (void **)8) == 2);
	CHECK(call(library, "nvmlDeviceGetMemoryInfo", device, (void *)8) == 2);
	CHECK(call(library, "nvmlDeviceGetPciInfo_v3", device, (void *)8) == 2);
	CHECK(call(library, "nvmlDeviceGetCudaComputeCapability", device, (int *)8, &minor) == 2);
	CHECK(call(library, "nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == 0);
	CHECK(call(library, "nvmlDeviceGetMemoryInfo", device, &m) == 0 && m.used == 0);
	CHECK(call(library, "nvmlDeviceGetTemperature", device, 0, &count) == 3);
	CHECK(call(library, "nvmlDeviceGetP2PStatus", device, device, 0, &count) == 0 && count == 0);
	CHECK(call(library, "nvmlDeviceGetP2PStatus", device, (void *)NULL, 0, &count) == 2);
	CHECK(call(library, "nvmlDeviceGetP2PStatus", device, device, 0, (void *)NULL) == 2);
	CHECK(call(library, "nvmlDeviceGetNvLinkState", device, 0u, &count) == 3);
	CHECK(call(library, "nvmlDeviceGetFieldValues", device, 1, (void *)&m) == 3);
	CHECK(call(library, "nvmlDeviceGetCurrPcieLinkWidth", device, &count) == 3);
	CHECK(call(library, "nvmlSystemGetConfComputeState", &count) == 3);

	pid_t child = fork();
	if (!child) {
		void *p;
		_exit(cudaMalloc(&p, 1000) != cudaSuccess);
	}
	int status = 1;
	waitpid(child, &status, 0);
	CHECK(status == 0, "%d", status);

	cudaDeviceProp p;
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(!strcmp(p.name, name) && p.major == major && p.minor == minor && p.totalGlobalMem == m.total);
	void *memory;
	OK(cudaMalloc(&memory, 1 << 20));
	CHECK(call(library, "nvmlDeviceGetMemoryInfo", device, &m) == 0 && m.used >= 1 << 20 && m.used + m.free == m.total);
	CHECK(call(library, "nvmlShutdown") == 0 && call(library, "nvmlShutdown") == 1);
	return check_done();
}
