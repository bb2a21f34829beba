// Kernels that need more than the configured SM has, or more than it has just now: those that can never run are refused with a
// sentence, others wait until they can; nothing hangs and nothing else is lost.
#include "check.h"
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void quick(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

__global__ void slow(int *p)
{
	int x = threadIdx.x;
	for (int i = 0; i < 300; i++)
		x = x * 3 + p[(x + i) & 255];
	p[512 + threadIdx.x] = x & 255;
}

__global__ void with_shared(int *p)
{
	__shared__ int s[10000];
	s[threadIdx.x * 7] = p[threadIdx.x];
	__syncthreads();
	p[1024 + threadIdx.x] = s[(threadIdx.x + 1) % 32 * 7] + 1;
}

static cudaStream_t s[4];
static int *d;

static void start(const char *options)
{
	const char *had = getenv("HEDDLE_OPTIONS");
	setenv("HEDDLE_OPTIONS", (std::string(had ? had : "") + " -visualizer_enabled 0 " + options).c_str(), 1);
	d = device_alloc<int>(8192);
	OK(cudaMemset(d, 0, 8192 * sizeof(int)));
	for (int i = 0; i < 4; i++)
		OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
}

static int finish(void)
{
	int h[32];
	to_host(h, d + 1024, 32);
	for (int i = 0; i < 32; i++)
		CHECK(h[i] == 1, "at %d: %d", i, h[i]);
	fflush(stdout);
	return check_failures != 0;
}

#define SPLITS "-gpgpu_adaptive_cache_config 0 -gpgpu_shmem_size 49152 -gpgpu_shmem_sizeDefault 49152 -gpgpu_shmem_size_PrefL1 16384 " \
               "-gpgpu_cache:dl1PrefL1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32 "

// Shared memory is small while a kernel runs that prefers L1: one that needs more waits, others wait behind it.
static int small_split(void)
{
	start(SPLITS);
	OK(cudaFuncSetCacheConfig((const void *)slow, cudaFuncCachePreferL1));
	slow<<<20, 64, 0, s[0]>>>(d);
	with_shared<<<20, 32, 0, s[1]>>>(d);
	quick<<<5, 32, 0, s[2]>>>(d + 2048);
	slow<<<3, 64, 0, s[0]>>>(d);
	with_shared<<<2, 32, 0, s[3]>>>(d);
	LAUNCHED();
	with_shared<<<20, 32>>>(d);
	slow<<<20, 64>>>(d);
	with_shared<<<20, 32>>>(d);
	LAUNCHED();
	return finish();
}

// The same, and the kernel that needs more has to be stopped before it begins.
static int small_split_and_failure(void)
{
	start(SPLITS);
	OK(cudaFuncSetCacheConfig((const void *)slow, cudaFuncCachePreferL1));
	slow<<<20, 64, 0, s[0]>>>((int *)64);
	slow<<<20, 64, 0, s[2]>>>(d);
	with_shared<<<20, 32, 0, s[1]>>>(d);
	EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	OK(cudaDeviceReset());
	cudaGetLastError();
	d = device_alloc<int>(8192);
	OK(cudaMemset(d, 0, 8192 * sizeof(int)));
	with_shared<<<20, 32>>>(d);
	LAUNCHED();
	return finish();
}

// Limits of an SM do not count: a block that is too large has one for itself.
static int no_limits(void)
{
	start("-gpgpu_concurrent_kernel_sm 1 -gpgpu_ignore_resources_limitation 1 -gpgpu_shmem_size 16384 -gpgpu_shmem_sizeDefault 16384 "
	      "-gpgpu_adaptive_cache_config 0");
	quick<<<90, 64, 0, s[0]>>>(d + 2048);
	with_shared<<<100, 32, 0, s[1]>>>(d);
	slow<<<20, 64, 0, s[2]>>>(d);
	LAUNCHED();
	return finish();
}

// Too much for any SM: refused, and the rest goes on.
static int too_large(void)
{
	start("-gpgpu_shmem_size 16384 -gpgpu_shmem_sizeDefault 16384 -gpgpu_adaptive_cache_config 0 -gpgpu_shader_registers 4096");
	quick<<<2, 32>>>(d);
	with_shared<<<2, 32>>>(d);
	EXPECT(cudaErrorLaunchOutOfResources, cudaGetLastError());
	slow<<<1, 1024>>>(d);
	EXPECT(cudaErrorLaunchOutOfResources, cudaGetLastError());
	quick<<<dim3(1, 70000), 32>>>(d);
	EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
	quick<<<0, 32>>>(d);
	EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
	quick<<<1, 32, 1 << 20>>>(d);
	EXPECT(cudaErrorInvalidValue, cudaGetLastError());
	quick<<<2, 32>>>(d);
	LAUNCHED();
	int h[32];
	to_host(h, d, 32);
	CHECK(h[5] == 5);
	fflush(stdout);
	return check_failures != 0;
}

int main()
{
	static int (*const all[])(void) = {small_split, small_split_and_failure, no_limits, too_large};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		int status = -1;
		fflush(stdout);
		pid_t pid = fork();
		if (!pid) {
			check_failures = 0;
			exit(all[i]());
		}
		waitpid(pid, &status, 0);
		CHECK(status == 0, "%u: %x", i, status);
	}
	return check_done();
}
