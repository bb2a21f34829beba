// A kernel fails while others run beside it: all of them end with the same error, later ones are dropped, what ended before
// has its results and its statistics, and after a reset all is well. Timed, the cycle in which each ended is the same whether
// idle cycles are skipped or not.
// needs: clang
// twice
// skip: hostile (one kernel at a time, and here one waits for another)
#include "check.h"

extern "C" __device__ void *__cudaCDP2GetParameterBufferV2(void *f, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ int __cudaCDP2LaunchDeviceV2(void *params, void *stream);
#define ADDRESS(f) ({ void *p_; asm("mov.u64 %0, " #f ";" : "=l"(p_)); p_; })

enum how { GOOD, NULL_LOAD, NULL_STORE, MISALIGNED, TRAP, SHARED, ATOMIC, LOCAL, HOWS };

extern __shared__ int s[];

static __device__ void fail(int how, int *p)
{
	switch (how) {
	case NULL_LOAD: p[0] = *(volatile int *)8; break;
	case NULL_STORE: *(volatile int *)16 = 1; break;
	case MISALIGNED: p[0] = *(volatile int *)((char *)p + 2); break;
	case TRAP: __trap();
	case SHARED: ((volatile int *)s)[1 << 20] = 1; break;
	case ATOMIC: atomicAdd((int *)24, 1); break;
	case LOCAL: {
		volatile int l[4];
		l[p[0] + 100000] = 1;
		break;
	}
	}
}

// Loads, stores, shared memory, barriers, atomics and arithmetic in turn; one thread of one block fails in its round `when`.
extern "C" __global__ void work(int *p, int rounds, int how, int block, int thread, int when)
{
	int me = blockIdx.x * blockDim.x + threadIdx.x, x = me;
	for (int i = 0; i < rounds; i++) {
		if (how && (int)blockIdx.x == block && (int)threadIdx.x == thread && i == when)
			fail(how, p);
		x += p[me * 7 % 4096];
		switch ((i + blockIdx.x) & 3) {
		case 0: s[threadIdx.x] = x; break;
		case 1: x += atomicAdd(p + 4096 + (me & 7), 1) & 1; break;
		case 2: p[8192 + me % 65536] = x; break;
		default: __threadfence();
		}
		if (i & 1)
			__syncthreads();
	}
	p[8192 + me % 65536] = x;
}

// Goes on until another kernel says so.
extern "C" __global__ void spin(volatile int *over)
{
	while (!*over)
		;
}

// Its warps sleep at a barrier that the last warp reaches after a long time.
extern "C" __global__ void sleep_at_barrier(int *p, int rounds)
{
	int x = threadIdx.x;
	if (threadIdx.x < 32)
		for (int i = 0; i < rounds; i++)
			x = p[(x + i) & 4095] + i;
	__syncthreads();
	p[8192 + threadIdx.x] = x;
}

// Every block launches a grid, of which one fails.
extern "C" __global__ void parent(int *p, int how, int children)
{
	if (threadIdx.x == 0) {
		for (int i = 0; i < children; i++) {
			char *q = (char *)__cudaCDP2GetParameterBufferV2(ADDRESS(work), dim3(3), dim3(64), 1024);
			*(int **)q = p;
			*(int *)(q + 8) = 12;
			*(int *)(q + 12) = i == children - 1 && (int)blockIdx.x == 1 ? how : 0;
			*(int *)(q + 16) = 1;
			*(int *)(q + 20) = 33;
			*(int *)(q + 24) = 5;
			__cudaCDP2LaunchDeviceV2(q, 0);
		}
	}
	__syncthreads();
	for (int i = 0; i < 50; i++)
		p[8192 + threadIdx.x] += i;
}

static const cudaError_t code[HOWS] = {cudaSuccess, cudaErrorIllegalAddress, cudaErrorIllegalAddress, cudaErrorMisalignedAddress, cudaErrorLaunchFailure,
                                       cudaErrorIllegalAddress, cudaErrorIllegalAddress, cudaErrorIllegalAddress};

static int *fresh(cudaStream_t *s, int n)
{
	int *d = device_alloc<int>(8192 + 65536);
	OK(cudaMemset(d, 0, (8192 + 65536) * sizeof(int)));
	for (int i = 0; i < n; i++)
		OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
	return d;
}

static void ends_with(cudaError_t want)
{
	int *q;
	EXPECT(want, cudaDeviceSynchronize());
	EXPECT(want, cudaDeviceSynchronize());
	EXPECT(want, cudaMalloc((void **)&q, 4));
	work<<<1, 32, 128>>>(0, 1, 0, 0, 0, 0);
	EXPECT(want, cudaGetLastError());
	OK(cudaDeviceReset());
	cudaGetLastError();
}

// Kernels of several streams of which one fails, early or late, among blocks that wait, sleep and have not begun.
static void streams(int how, int blocks, int block, int thread, int when)
{
	cudaStream_t s[5];
	int *d = fresh(s, 5), h;
	work<<<2, 64, 1024, s[0]>>>(d, 6, 0, 0, 0, 0);
	OK(cudaStreamSynchronize(s[0]));
	OK(cudaMemcpy(&h, d + 4096, 4, cudaMemcpyDeviceToHost));
	CHECK(h > 0);
	sleep_at_barrier<<<3, 256, 0, s[1]>>>(d, 50);
	work<<<40, 96, 1024, s[2]>>>(d, 15, 0, 0, 0, 0);
	work<<<blocks, 128, 1024, s[3]>>>(d, 8, how, block, thread, when);
	work<<<30, 64, 1024, s[4]>>>(d, 20, 0, 0, 0, 0);
	work<<<30, 64, 1024, s[3]>>>(d, 10, 0, 0, 0, 0);
	sleep_at_barrier<<<90, 64, 0, s[0]>>>(d, 100);
	ends_with(code[how]);
}

// In the first block, while others begin.
static void alone(int how)
{
	cudaStream_t s[1];
	int *d = fresh(s, 1);
	work<<<100, 64, 1024>>>(d, 3, how, 0, 35, how & 1);
	ends_with(code[how]);
}

// Kernels that wait for the one that fails.
static void waiting_for_it(void)
{
	cudaStream_t s[3];
	int *d = fresh(s, 3);
	spin<<<3, 64, 0, s[0]>>>(d + 8192);
	work<<<2, 64, 1024, s[1]>>>(d, 9, TRAP, 1, 40, 8);
	spin<<<1, 1, 0, s[2]>>>(d + 8193);
	spin<<<1, 1, 0, s[1]>>>(d + 8193);
	ends_with(code[TRAP]);
}

static void children(int how, int n)
{
	cudaStream_t s[2];
	int *d = fresh(s, 2);
	sleep_at_barrier<<<20, 128, 0, s[0]>>>(d, 50);
	parent<<<4, 64, 0, s[1]>>>(d, how, n);
	work<<<10, 64, 1024, s[1]>>>(d, 10, 0, 0, 0, 0);
	ends_with(code[how]);
}

int main()
{
	streams(NULL_LOAD, 50, 30, 17, 3);
	streams(TRAP, 120, 119, 127, 7);
	for (int how = 1; how < HOWS; how++)
		alone(how);
	waiting_for_it();
	children(NULL_LOAD, 1);
	children(TRAP, 3);
	int *d = device_alloc<int>(8192 + 4096);
	work<<<8, 64, 1024>>>(d, 8, 0, 0, 0, 0);
	LAUNCHED();
	return check_done();
}
