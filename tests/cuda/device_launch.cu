// Kernels that launch kernels, by calling the device runtime's functions as nvcc's <<<>>> in a kernel does.
// needs: clang
// twice
#include "check.h"

// These are in libcudadevrt, of CUDA 11 and before and of CUDA 12 and later; the simulator provides both.
extern "C" __device__ void *cudaGetParameterBufferV2(void *f, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ int cudaLaunchDeviceV2(void *params, void *stream);
extern "C" __device__ int cudaDeviceSynchronize_device(void) asm("cudaDeviceSynchronize");
extern "C" __device__ void *__cudaCDP2GetParameterBufferV2(void *f, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ int __cudaCDP2LaunchDeviceV2(void *params, void *stream);
extern "C" __device__ int __cudaCDP2GetLastError(void);
extern "C" __device__ int __cudaCDP2PeekAtLastError(void);
extern "C" __device__ int __cudaCDP2StreamCreateWithFlags(void **s, unsigned flags);
extern "C" __device__ int __cudaCDP2StreamDestroy(void *s);
extern "C" __device__ int __cudaCDP2EventCreateWithFlags(void **e, unsigned flags);
extern "C" __device__ int __cudaCDP2EventRecord(void *e, void *s);
extern "C" __device__ int __cudaCDP2StreamWaitEvent(void *s, void *e, unsigned flags);
extern "C" __device__ int __cudaCDP2EventDestroy(void *e);
extern "C" __device__ int __cudaCDP2Malloc(void **p, size_t n);
extern "C" __device__ int __cudaCDP2Free(void *p);
extern "C" __device__ int __cudaCDP2MemcpyAsync(void *d, const void *s, size_t n, int kind, void *stream);
extern "C" __device__ int __cudaCDP2MemsetAsync(void *d, int v, size_t n, void *stream);
extern "C" __device__ int __cudaCDP2GetDevice(int *d);
extern "C" __device__ int __cudaCDP2DeviceGetAttribute(int *v, int attribute, int device);
extern "C" __device__ const char *__cudaCDP2GetErrorName(int e);

#define TAIL ((void *)3)
#define FORGET ((void *)4)
#define NON_BLOCKING 1
#define DISABLE_TIMING 2

// --- order

extern "C" __global__ void note(int *log, int what)
{
	if (threadIdx.x + blockIdx.x == 0)
		log[1 + atomicAdd(log, 1)] = what;
}

// The address of a kernel as it stands in PTX; in C++ the name of a kernel is its stub on the host.
#define ADDRESS(f) ({ void *p_; asm("mov.u64 %0, " #f ";" : "=l"(p_)); p_; })

static __device__ int launch_note(int *log, int what, void *stream, unsigned grid = 1, unsigned block = 32)
{
	char *p = (char *)__cudaCDP2GetParameterBufferV2(ADDRESS(note), dim3(grid), dim3(block), 0);
	*(int **)p = log;
	*(int *)(p + 8) = what;
	return __cudaCDP2LaunchDeviceV2(p, stream);
}

extern "C" __global__ void order(int *log, int *errors)
{
	void *s, *e;
	int bad = 0;
	if (threadIdx.x)
		return;
	bad |= launch_note(log, 9, TAIL);
	bad |= __cudaCDP2StreamCreateWithFlags(&s, NON_BLOCKING);
	bad |= __cudaCDP2EventCreateWithFlags(&e, DISABLE_TIMING);
	bad |= launch_note(log, 1, 0, 100);
	bad |= __cudaCDP2EventRecord(e, 0);
	bad |= __cudaCDP2StreamWaitEvent(s, e, 0);
	bad |= launch_note(log, 2, s);
	bad |= __cudaCDP2StreamDestroy(s);
	bad |= __cudaCDP2EventDestroy(e);
	errors[0] = bad;
	errors[1] = launch_note(log, 7, 0, 1, 2000);      // too many threads
	errors[2] = launch_note(log, 7, (void *)0x12348); // no stream
	errors[3] = __cudaCDP2PeekAtLastError();
	errors[4] = __cudaCDP2GetLastError();
	errors[5] = __cudaCDP2GetLastError();
	errors[6] = __cudaCDP2StreamCreateWithFlags(&s, 0);
	errors[7] = __cudaCDP2GetErrorName(400)[9];
	bad = -1;
	errors[8] = __cudaCDP2GetDevice(&bad) | bad;
	errors[9] = __cudaCDP2DeviceGetAttribute(&bad, 10, 0); // cudaDevAttrWarpSize
	errors[10] = bad;
}

static void test_order(void)
{
	int *log, *errors;
	OK(cudaMallocManaged(&log, 64 * sizeof *log));
	OK(cudaMallocManaged(&errors, 64 * sizeof *errors));
	order<<<1, 32>>>(log, errors);
	OK(cudaDeviceSynchronize());
	const int want[] = {0, 9, 400, 400, 400, 0, 1, 'I', 0, 0, 32};
	for (int i = 0; i < 11; i++)
		CHECK(errors[i] == want[i], "errors[%d] = %d", i, errors[i]);
	CHECK(
		log[0] == 3 && log[1] == 1 && log[2] == 2 && log[3] == 9, "%d notes: %d %d %d", log[0], log[1], log[2], log[3]);
	OK(cudaFree(log));
	OK(cudaFree(errors));
}

// --- results: a sum by recursion, each level in child grids that see what their parents wrote

extern "C" __global__ void sum(int *out, int *data, int n)
{
	extern __shared__ int unused[];
	if (n == 1) {
		*out = *data;
		return;
	}
	__shared__ int *volatile part;
	if (threadIdx.x == 0)
		part = (int *)malloc(2 * sizeof *part);
	__syncthreads();
	part[threadIdx.x] = -1;
	char *p = (char *)cudaGetParameterBufferV2(ADDRESS(sum), dim3(1), dim3(2), 64);
	*(int **)p = part + threadIdx.x;
	*(int **)(p + 8) = data + threadIdx.x * (n / 2);
	*(int *)(p + 16) = n / 2;
	cudaLaunchDeviceV2(p, 0);
	cudaDeviceSynchronize_device();
	__syncthreads();
	if (threadIdx.x == 0) {
		*out = part[0] + part[1];
		free(part);
	}
}

static void test_sum(void)
{
	enum { N = 64 };
	int *m, want = 0;
	OK(cudaMallocManaged(&m, (N + 1) * sizeof *m));
	for (int i = 0; i < N; i++)
		want += m[1 + i] = i * i + 3;
	OK(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 10));
	sum<<<1, 2, 64>>>(m, m + 1, N);
	OK(cudaDeviceSynchronize());
	CHECK(m[0] == want, "%d, not %d", m[0], want);
	OK(cudaFree(m));
}

// --- limits

extern "C" __global__ void deep(int *depth, int level)
{
	*depth = level;
	char *p = (char *)__cudaCDP2GetParameterBufferV2(ADDRESS(deep), dim3(1), dim3(1), 0);
	*(int **)p = depth;
	*(int *)(p + 8) = level + 1;
	int e = __cudaCDP2LaunchDeviceV2(p, 0);
	if (e)
		depth[1] = e;
}

// Ends when its parent says so: what was launched after it in the same stream stays pending for as long.
extern "C" __global__ void hold(volatile int *over)
{
	while (!*over)
		;
}

extern "C" __global__ void many(int *log, int *error)
{
	int *over = error + 3;
	char *p = (char *)__cudaCDP2GetParameterBufferV2(ADDRESS(hold), dim3(1), dim3(1), 0);
	*(int **)p = over;
	*over = 0;
	__threadfence();
	*error = __cudaCDP2LaunchDeviceV2(p, 0);
	for (int i = 1; i < 20 && !*error; i++) {
		*error = launch_note(log, i, 0);
		error[1] = i;
	}
	*(volatile int *)over = 1;
}

static void test_limits(void)
{
	int *m;
	OK(cudaMallocManaged(&m, 64 * sizeof *m));
	deep<<<1, 1>>>(m, 0);
	OK(cudaDeviceSynchronize());
	CHECK(m[0] == 24 && m[1] == 65, "depth %d, error %d", m[0], m[1]); // cudaErrorLaunchMaxDepthExceeded
	OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 5));
	m[4] = 0;
	many<<<1, 1>>>(m + 4, m);
	OK(cudaDeviceSynchronize());
	CHECK(m[0] == 69 && m[1] == 5 && m[4] == 4, "error %d at launch %d, %d ran", m[0], m[1], m[4]); // ...PendingCountExceeded
	OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2048));
	OK(cudaFree(m));
}

// --- copies, and what the host waits for

extern "C" __global__ void copies(int *m)
{
	int *p;
	if (__cudaCDP2Malloc((void **)&p, 16))
		return;
	p[0] = 77;
	launch_note(m, 4, 0);
	__cudaCDP2MemcpyAsync(m + 8, m, 8, 3, 0); // after the launch: it has written
	__cudaCDP2MemsetAsync(m + 10, 1, 4, 0);
	m[11] = p[0] + __cudaCDP2Free(p);
	m[12] = __cudaCDP2MemcpyAsync(m + 8, (void *)16, 8, 3, 0);
}

static void test_copies(void)
{
	int *m, h[16];
	OK(cudaMalloc(&m, sizeof h));
	OK(cudaMemset(m, 0, sizeof h));
	copies<<<1, 1>>>(m);
	OK(cudaMemcpy(h, m, sizeof h, cudaMemcpyDeviceToHost)); // the stream goes on when all that was launched is complete
	CHECK(h[8] == 1 && h[9] == 4 && h[10] == 0x01010101 && h[11] == 77 && h[12] == 1, "%d %d %x %d %d", h[8], h[9],
		h[10], h[11], h[12]);
	OK(cudaFree(m));
}

int main()
{
	test_order();
	test_sum();
	test_limits();
	test_copies();
	return check_done();
}
