// Streams and events of the driver API: made, asked about, waited for, host functions, values in memory, and the errors of each.
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <thread>
#include <unistd.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)
#define INVALID(call) EXPECT((call) == CUDA_ERROR_INVALID_VALUE)
#define NO_HANDLE(call) EXPECT((call) == CUDA_ERROR_INVALID_HANDLE)

static CUcontext context;
static CUstream wild = (CUstream)0x12345678;

__global__ void count_up(volatile unsigned *p, int n)
{
	for (int i = 0; i < n; i++)
		(*p)++;
}

__global__ void wait_for(volatile unsigned *flag, unsigned *out)
{
	while (!*flag)
		;
	*out = *flag + 1;
}

static void make_and_ask()
{
	CUstream s, high;
	unsigned flags = 9;
	int priority = 9;
	CUcontext c;
	INVALID(cuStreamCreate(NULL, 0));
	INVALID(cuStreamCreate(&s, 2));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreateWithPriority(&high, CU_STREAM_DEFAULT, -100));
	OK(cuStreamGetFlags(s, &flags));
	EXPECT(flags == CU_STREAM_NON_BLOCKING);
	OK(cuStreamGetPriority(high, &priority));
	EXPECT(priority == -5);
	OK(cuStreamGetCtx(s, &c));
	EXPECT(c == context);
	OK(cuStreamGetCtx(NULL, &c));
	EXPECT(c == context);
	INVALID(cuStreamGetFlags(s, NULL));
	NO_HANDLE(cuStreamGetFlags(wild, &flags));
	NO_HANDLE(cuStreamSynchronize(wild));
	NO_HANDLE(cuStreamQuery(wild));
	OK(cuStreamQuery(s));
	OK(cuStreamDestroy(s));
	NO_HANDLE(cuStreamDestroy(s));
	NO_HANDLE(cuStreamDestroy(NULL));
	NO_HANDLE(cuStreamGetPriority(s, &priority));
	OK(cudaStreamDestroy((cudaStream_t)high) == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
	NO_HANDLE(cuStreamSynchronize(high));
}

static void events()
{
	CUstream s, t;
	CUevent start, end, untimed;
	CUdeviceptr p;
	float ms = -1;
	INVALID(cuEventCreate(NULL, 0));
	INVALID(cuEventCreate(&start, 8));
	INVALID(cuEventCreate(&start, CU_EVENT_INTERPROCESS));
	OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
	OK(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
	OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, 4));
	OK(cuMemsetD32(p, 0, 1));
	OK(cuEventQuery(start));
	NO_HANDLE(cuEventElapsedTime(&ms, start, end));
	OK(cuEventRecord(start, s));
	count_up<<<1, 1, 0, (cudaStream_t)s>>>((unsigned *)p, 2000);
	OK(cuEventRecordWithFlags(end, s, 0));
	OK(cuEventRecord(untimed, s));
	INVALID(cuEventRecordWithFlags(end, s, 2));
	OK(cuStreamWaitEvent(t, end, 0));
	unsigned *host;
	OK(cuMemHostAlloc((void **)&host, 4, 0));
	OK(cuMemcpyDtoHAsync(host, p, 4, t)); // after the kernel, because of the event
	EXPECT(cuEventElapsedTime(&ms, start, end) == CUDA_ERROR_NOT_READY);
	OK(cuStreamSynchronize(t));
	EXPECT(*host == 2000);
	OK(cuEventQuery(end));
	OK(cuEventSynchronize(end));
	OK(cuEventElapsedTime(&ms, start, end));
	EXPECT(ms >= 0);
	NO_HANDLE(cuEventElapsedTime(&ms, start, untimed));
	INVALID(cuEventElapsedTime(NULL, start, end));
	NO_HANDLE(cuEventRecord((CUevent)wild, s));
	NO_HANDLE(cuEventRecord(start, wild));
	NO_HANDLE(cuStreamWaitEvent(wild, start, 0));
	NO_HANDLE(cuStreamWaitEvent(s, (CUevent)wild, 0));
	// Event and stream of different contexts.
	CUcontext own;
	CUevent foreign;
#if CUDA_VERSION >= 13000
	OK(cuCtxCreate(&own, NULL, 0, 0));
#else
	OK(cuCtxCreate(&own, 0, 0));
#endif
	OK(cuEventCreate(&foreign, 0));
	NO_HANDLE(cuEventRecord(foreign, s));
	OK(cuEventRecord(foreign, NULL));
	OK(cuStreamWaitEvent(s, foreign, 0)); // waiting is allowed
	NO_HANDLE(cuEventElapsedTime(&ms, start, foreign));
	OK(cuCtxDestroy(own));
	NO_HANDLE(cuEventQuery(foreign));
	OK(cuEventDestroy(start));
	NO_HANDLE(cuEventDestroy(start));
	OK(cuEventDestroy(end));
	OK(cuEventDestroy(untimed));
	OK(cuStreamDestroy(s));
	OK(cuStreamDestroy(t));
	OK(cuMemFreeHost(host));
	OK(cuMemFree(p));
}

static int order[4], n_order;
static CUstream in_callback;
static CUresult inside = CUDA_SUCCESS;

static void host_function(void *data)
{
	size_t free, total;
	inside = cuMemGetInfo(&free, &total);
	order[n_order++] = *(int *)data;
}

static void callback(CUstream s, CUresult status, void *data)
{
	in_callback = status == CUDA_SUCCESS ? s : NULL;
	order[n_order++] = *(int *)data;
}

static void host_functions()
{
	CUstream s;
	int one = 1, two = 2;
	OK(cuStreamCreate(&s, 0));
	OK(cuLaunchHostFunc(s, host_function, &one));
	OK(cuStreamAddCallback(s, callback, &two, 0));
	INVALID(cuLaunchHostFunc(s, NULL, &one));
	INVALID(cuStreamAddCallback(s, NULL, &one, 0));
	INVALID(cuStreamAddCallback(s, callback, &one, 1));
	NO_HANDLE(cuLaunchHostFunc(wild, host_function, &one));
	OK(cuStreamSynchronize(s));
	EXPECT(n_order == 2 && order[0] == 1 && order[1] == 2 && in_callback == s);
	EXPECT(inside == CUDA_ERROR_NOT_PERMITTED);
	CUdeviceptr p;
	OK(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
	OK(cuStreamAttachMemAsync(s, p, 0, CU_MEM_ATTACH_SINGLE));
	INVALID(cuStreamAttachMemAsync(s, p, 0, 3));
	INVALID(cuStreamAttachMemAsync(s, 8, 0, CU_MEM_ATTACH_SINGLE));
	OK(cuMemFree(p));
	OK(cuStreamDestroy(s));
}

static volatile unsigned *pinned;

static void write_soon()
{
	usleep(20000);
	pinned[0] = 6;
}

// Streams that wait for values the program, another stream or a kernel writes, and write values in their order.
static void values()
{
	CUstream s, t;
	CUdeviceptr p, q;
	unsigned out = 0;
	unsigned long long wide = 0;
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, 64));
	OK(cuMemsetD8(p, 0, 64));
	OK(cuMemHostAlloc((void **)&pinned, 64, 0));
	OK(cuMemHostGetDevicePointer(&q, (void *)pinned, 0));
	memset((void *)pinned, 0, 64);

	// Writes come when the work before them is done.
	count_up<<<1, 1, 0, (cudaStream_t)s>>>((unsigned *)p, 100);
	OK(cuStreamWriteValue32(s, q, 7, 0));
	OK(cuStreamWriteValue64(s, q + 8, 0x1122334455667788, 0));
	OK(cuStreamSynchronize(s));
	EXPECT(pinned[0] == 7 && *(volatile unsigned long long *)(pinned + 2) == 0x1122334455667788);

	// A wait that another stream ends.
	pinned[0] = 0;
	OK(cuStreamWaitValue32(s, p + 4, 3, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuMemsetD32Async(p + 8, 77, 1, s));
	EXPECT(cuStreamQuery(s) == CUDA_ERROR_NOT_READY);
	OK(cuMemcpyDtoHAsync((void *)(pinned + 4), p + 8, 4, t));
	OK(cuStreamSynchronize(t));
	EXPECT(pinned[4] == 0);
	OK(cuStreamWriteValue32(t, p + 4, 2, 0));
	EXPECT(cuStreamQuery(s) == CUDA_ERROR_NOT_READY);
	OK(cuStreamWriteValue32(t, p + 4, 3, 0));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH(&out, p + 8, 4));
	EXPECT(out == 77);

	// A wait that the program ends from another thread while this one waits for the stream.
	OK(cuStreamWaitValue32(s, q, 5, CU_STREAM_WAIT_VALUE_GEQ));
	std::thread writer(write_soon);
	OK(cuStreamSynchronize(s));
	EXPECT(pinned[0] == 6);
	writer.join();

	// The comparisons, each with a value that is right and one that is not.
	static const struct {
		unsigned now, value, flags;
		bool over;
	} cases[] = {
		{5, 5, CU_STREAM_WAIT_VALUE_GEQ, true},   {4, 5, CU_STREAM_WAIT_VALUE_GEQ, false},  {0x80000001u, 0xffffffffu, CU_STREAM_WAIT_VALUE_GEQ, false},
		{1, 0xffffffffu, CU_STREAM_WAIT_VALUE_GEQ, true},
		{5, 5, CU_STREAM_WAIT_VALUE_EQ, true},    {5, 4, CU_STREAM_WAIT_VALUE_EQ, false},
		{6, 2, CU_STREAM_WAIT_VALUE_AND, true},   {6, 1, CU_STREAM_WAIT_VALUE_AND, false},
		{6, 1, CU_STREAM_WAIT_VALUE_NOR, true},   {0xfffffff0u, 0xf, CU_STREAM_WAIT_VALUE_NOR, false},
	};
	for (auto &c : cases) {
		pinned[0] = c.now;
		OK(cuStreamWaitValue32(s, q, c.value, c.flags));
		EXPECT(cuStreamQuery(s) == (c.over ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY));
		pinned[0] = c.flags == CU_STREAM_WAIT_VALUE_AND ? c.value : c.flags == CU_STREAM_WAIT_VALUE_NOR ? 0 : c.value;
		OK(cuStreamSynchronize(s));
	}
	*(volatile unsigned long long *)(pinned + 2) = 1ull << 40;
	OK(cuStreamWaitValue64(s, q + 8, (1ull << 40) + 1, CU_STREAM_WAIT_VALUE_GEQ));
	EXPECT(cuStreamQuery(s) == CUDA_ERROR_NOT_READY);
	OK(cuStreamWriteValue64(t, q + 8, 1ull << 41, 0));
	OK(cuStreamSynchronize(s));

	// A kernel waits for what a stream writes.
	OK(cuMemsetD8(p, 0, 64));
	wait_for<<<1, 1, 0, (cudaStream_t)s>>>((unsigned *)p, (unsigned *)p + 1);
	OK(cuStreamWriteValue32(t, p, 41, 0));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH(&out, p + 4, 4));
	EXPECT(out == 42);

	// A batch: in its order, all or nothing.
	CUstreamBatchMemOpParams ops[4];
	memset(ops, 0, sizeof ops);
	ops[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	ops[0].writeValue.address = p;
	ops[0].writeValue.value = 1;
	ops[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	ops[1].waitValue.address = p;
	ops[1].waitValue.value = 1;
	ops[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
	ops[2].operation = CU_STREAM_MEM_OP_BARRIER;
	ops[3].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
	ops[3].writeValue.address = p + 16;
	ops[3].writeValue.value64 = 1ull << 33;
	OK(cuStreamBatchMemOp(s, 4, ops, 0));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH(&wide, p + 16, 8));
	EXPECT(wide == 1ull << 33);
	ops[0].writeValue.value = 9;
	ops[3].writeValue.address = p + 17;
	INVALID(cuStreamBatchMemOp(s, 4, ops, 0));
	OK(cuMemcpyDtoH(&out, p, 4));
	EXPECT(out == 1);
	INVALID(cuStreamBatchMemOp(s, 4, NULL, 0));
	INVALID(cuStreamBatchMemOp(s, 257, ops, 0));
	INVALID(cuStreamBatchMemOp(s, 1, ops, 1));
	NO_HANDLE(cuStreamBatchMemOp(wild, 1, ops, 0));
	OK(cuStreamBatchMemOp(s, 0, ops, 0));

	INVALID(cuStreamWaitValue32(s, 0, 1, 0));
	INVALID(cuStreamWaitValue32(s, p + 2, 1, 0));
	INVALID(cuStreamWaitValue64(s, p + 4, 1, 0));
	INVALID(cuStreamWaitValue32(s, (CUdeviceptr)(size_t)&out, 1, 0));
	INVALID(cuStreamWaitValue32(s, p, 1, 4));
	INVALID(cuStreamWriteValue32(s, p, 1, 2));
	EXPECT(cuStreamWaitValue32(s, p, 1, CU_STREAM_WAIT_VALUE_FLUSH) == CUDA_ERROR_NOT_SUPPORTED);
	NO_HANDLE(cuStreamWriteValue32(wild, p, 1, 0));
	// A wait that is left when the program ends.
	OK(cuStreamWaitValue32(s, q + 32, 1, CU_STREAM_WAIT_VALUE_EQ));
}

int main()
{
	CUstream s;
	EXPECT(cuStreamCreate(&s, 0) == CUDA_ERROR_NOT_INITIALIZED);
	OK(cuInit(0));
	EXPECT(cuStreamCreate(&s, 0) == CUDA_ERROR_INVALID_CONTEXT);
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	make_and_ask();
	events();
	host_functions();
	values();
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
