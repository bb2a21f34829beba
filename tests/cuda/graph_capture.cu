// Stream capture: kernels, copies, fills and host functions become nodes; forks and joins; what a capture forbids.
// twice
#include "graph.h"
#include <thread>

enum { N = 1000, BLOCKS = (N + 255) / 256 };

__global__ void scale(int *p, int n, int by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] *= by;
}

__global__ void add(int *to, const int *a, const int *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] = a[i] + b[i];
}

static int host_calls;
static void count(void *by) { host_calls += *(int *)by; }

static cudaStream_t s, t;
static int *a, *b, *c, h[N];

// The source is read in each launch, and the arguments of kernels are as they were when they were captured.
static void line()
{
	cudaGraph_t g;
	int by = 3, calls = 5;
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaMemcpyAsync(a, h, sizeof h, cudaMemcpyHostToDevice, s));
	scale<<<BLOCKS, 256, 0, s>>>(a, N, by);
	by = 1000;
	OK(cudaMemsetAsync(b, 0, N * sizeof *b, s));
	OK(cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, s));
	OK(cudaLaunchHostFunc(s, count, &calls));
	OK(cudaStreamEndCapture(s, &g));
	CHECK(count_nodes(g) == 5);
	for (int i = 0; i < N; i++)
		h[i] = i;
	CHECK(host_calls == 0 && h[10] == 10); // nothing has been done
	cudaGraphExec_t x = instantiate(g);
	OK(cudaGraphDestroy(g)); // x does not need it
	for (int i = 0; i < 3; i++)
		OK(cudaGraphLaunch(x, s));
	OK(cudaStreamSynchronize(s));
	for (int i = 0; i < N; i++)
		CHECK(h[i] == 27 * i, "%d: %d", i, h[i]);
	CHECK(host_calls == 15);
	OK(cudaGraphLaunch(x, 0)); // the legacy stream takes graphs too
	OK(cudaGraphExecDestroy(x)); // goes when the launch has ended
	OK(cudaDeviceSynchronize());
	CHECK(h[1] == 81 && host_calls == 20);
}

static void fork()
{
	cudaEvent_t forked, joined;
	cudaGraph_t g;
	size_t n = 0;
	OK(cudaEventCreate(&forked));
	OK(cudaEventCreate(&joined));
	for (int i = 0; i < N; i++)
		h[i] = i;
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaMemcpyAsync(a, h, sizeof h, cudaMemcpyHostToDevice, s));
	OK(cudaMemcpyAsync(b, h, sizeof h, cudaMemcpyHostToDevice, s));
	OK(cudaEventRecord(forked, s));
	OK(cudaStreamWaitEvent(t, forked, 0));
	cudaStreamCaptureStatus status;
	OK(cudaStreamIsCapturing(t, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	scale<<<BLOCKS, 256, 0, s>>>(a, N, 2);
	scale<<<BLOCKS, 256, 0, t>>>(b, N, 5);
	OK(cudaEventRecord(joined, t));
	OK(cudaStreamWaitEvent(s, joined, 0));
	add<<<BLOCKS, 256, 0, s>>>(c, a, b, N);
	OK(cudaMemcpyAsync(h, c, sizeof h, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaStreamIsCapturing(t, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	OK(cudaGraphGetEdges(g, 0, 0, GRAPH_NO_DATA &n));
	CHECK(count_nodes(g) == 6 && n == 6);
	OK(cudaGraphGetRootNodes(g, 0, &n));
	CHECK(n == 1);
	cudaGraphExec_t x = instantiate(g);
	OK(cudaGraphLaunch(x, t));
	OK(cudaStreamSynchronize(t));
	for (int i = 0; i < N; i++)
		CHECK(h[i] == 7 * i, "%d: %d", i, h[i]);
	EXPECT(cudaErrorCapturedEvent, cudaEventQuery(forked));
	EXPECT(cudaErrorCapturedEvent, cudaEventSynchronize(joined));
	EXPECT(cudaErrorCapturedEvent, cudaStreamWaitEvent(t, forked, 0));
	OK(cudaEventRecord(forked, t));
	OK(cudaEventSynchronize(forked));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaEventDestroy(forked));
	OK(cudaEventDestroy(joined));
}

// A graph launched in a stream that captures becomes a child graph.
static void nested()
{
	cudaGraph_t g, inner;
	cudaGraphNode_t node;
	cudaGraphNodeType type;
	size_t n = 1;
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	scale<<<BLOCKS, 256, 0, s>>>(a, N, 2);
	OK(cudaStreamEndCapture(s, &inner));
	cudaGraphExec_t x = instantiate(inner);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	OK(cudaGraphLaunch(x, s));
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaGraphGetNodes(g, &node, &n));
	OK(cudaGraphNodeGetType(node, &type));
	CHECK(type == cudaGraphNodeTypeGraph);
	for (int i = 0; i < N; i++)
		h[i] = i;
	OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
	cudaGraphExec_t y = instantiate(g);
	OK(cudaGraphLaunch(y, s));
	OK(cudaGraphLaunch(x, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
	CHECK(h[3] == 12);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphExecDestroy(y));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(inner));
}

// Into a graph that is there, with dependencies changed on the way; and external events.
static void to_graph()
{
	cudaGraph_t g, seen;
	cudaGraphNode_t empty, kernel;
	const cudaGraphNode_t *now;
	cudaStreamCaptureStatus status;
	cudaEvent_t e;
	size_t n;
	OK(cudaEventCreate(&e));
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphAddEmptyNode(&empty, g, 0, 0));
	OK(cudaStreamBeginCaptureToGraph(s, g, &empty, 0, 1, cudaStreamCaptureModeThreadLocal));
	EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(g));
	OK(capture_info(s, &status, &seen, &now, &n));
	CHECK(status == cudaStreamCaptureStatusActive && seen == g && n == 1 && now[0] == empty);
	scale<<<BLOCKS, 256, 0, s>>>(a, N, 2);
	OK(capture_info(s, &status, &seen, &now, &n));
	CHECK(n == 1 && now[0] != empty);
	kernel = now[0];
	OK(update_dependencies(s, &empty, 1, cudaStreamSetCaptureDependencies));
	OK(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
	OK(update_dependencies(s, &kernel, 1, cudaStreamAddCaptureDependencies));
	OK(capture_info(s, &status, &seen, &now, &n));
	CHECK(n == 2);
	OK(cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
	EXPECT(cudaErrorInvalidValue, update_dependencies(s, &kernel, 1, 7));
	OK(cudaStreamEndCapture(s, 0));
	CHECK(count_nodes(g) == 4);
	cudaGraphExec_t x = instantiate(g);
	OK(cudaGraphLaunch(x, s));
	OK(cudaEventSynchronize(e)); // the graph has recorded it
	OK(cudaStreamSynchronize(s));
	EXPECT(cudaErrorInvalidValue, cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
	EXPECT(cudaErrorIllegalState, update_dependencies(s, &kernel, 1, 0));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaEventDestroy(e));
}

// Each is refused and spoils the capture.
#define SPOILS(mode, error, call) \
	do { \
		cudaGraph_t g_ = (cudaGraph_t)1; \
		cudaStreamCaptureStatus status_; \
		OK(cudaStreamBeginCapture(s, mode)); \
		EXPECT(error, call); \
		OK(cudaStreamIsCapturing(s, &status_)); \
		CHECK(status_ == cudaStreamCaptureStatusInvalidated, "%s", #call); \
		EXPECT(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(a, 0, 4, s)); \
		EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g_)); \
		CHECK(!g_); \
		OK(cudaStreamIsCapturing(s, &status_)); \
		CHECK(status_ == cudaStreamCaptureStatusNone); \
	} while (0)

static void callback(cudaStream_t, cudaError_t, void *) {}

static void forbidden()
{
	const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal, relaxed = cudaStreamCaptureModeRelaxed;
	cudaEvent_t e, f;
	cudaGraph_t g;
	cudaStreamCaptureStatus status;
	cudaStreamCaptureMode mode;
	void *p;
	OK(cudaEventCreate(&e));
	OK(cudaEventCreate(&f));
	OK(cudaEventRecord(f, t));
	SPOILS(global, cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 4));
	SPOILS(global, cudaErrorStreamCaptureUnsupported, cudaFree(a));
	SPOILS(global, cudaErrorStreamCaptureUnsupported, cudaEventQuery(f));
	SPOILS(relaxed, cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
	SPOILS(relaxed, cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
	SPOILS(relaxed, cudaErrorStreamCaptureUnsupported, cudaStreamQuery(s));
	SPOILS(relaxed, cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(s, callback, 0, 0));
	SPOILS(relaxed, cudaErrorStreamCaptureImplicit, cudaMemcpy(a, h, 4, cudaMemcpyHostToDevice));
	SPOILS(relaxed, cudaErrorStreamCaptureImplicit, cudaMemsetAsync(a, 0, 4, 0));
	SPOILS(relaxed, cudaErrorStreamCaptureImplicit, cudaStreamSynchronize(0));
	SPOILS(relaxed, cudaErrorStreamCaptureImplicit, cudaEventRecord(e, 0));
	SPOILS(relaxed, cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s, f, 0));

	// Allowed.
	OK(cudaStreamBeginCapture(s, relaxed));
	OK(cudaMalloc(&p, 4));
	OK(cudaFree(p));
	OK(cudaEventQuery(f));
	EXPECT(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(0, &status));
	OK(cudaStreamIsCapturing(s, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaGraphDestroy(g));
	mode = relaxed;
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == global);
	OK(cudaStreamBeginCapture(s, global));
	OK(cudaMalloc(&p, 4));
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == relaxed);
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaFree(p));
	OK(cudaGraphDestroy(g));
	mode = (cudaStreamCaptureMode)7;
	EXPECT(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(&mode));
	EXPECT(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(0));

	// Beginnings and ends.
	EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, global));
	EXPECT(cudaErrorInvalidValue, cudaStreamBeginCapture(s, (cudaStreamCaptureMode)5));
	EXPECT(cudaErrorIllegalState, cudaStreamEndCapture(s, &g));
	OK(cudaStreamBeginCapture(s, relaxed));
	EXPECT(cudaErrorIllegalState, cudaStreamBeginCapture(s, relaxed));
	EXPECT(cudaErrorInvalidValue, cudaStreamEndCapture(s, 0));
	OK(cudaStreamEndCapture(s, &g));
	CHECK(count_nodes(g) == 0);
	OK(cudaGraphDestroy(g));

	// A stream that has not come back, and one that did not begin it.
	OK(cudaStreamBeginCapture(s, relaxed));
	OK(cudaEventRecord(e, s));
	OK(cudaStreamWaitEvent(t, e, 0));
	OK(cudaMemsetAsync(a, 0, 4, t));
	EXPECT(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &g));
	CHECK(!g);
	OK(cudaStreamBeginCapture(s, relaxed));
	OK(cudaEventRecord(e, s));
	OK(cudaStreamWaitEvent(t, e, 0));
	EXPECT(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(t, &g));
	EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));

	// Two captures do not mix.
	OK(cudaStreamBeginCapture(s, relaxed));
	OK(cudaStreamBeginCapture(t, relaxed));
	OK(cudaEventRecord(e, s));
	EXPECT(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(t, e, 0));
	EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
	EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(t, &g));

	// A stream that is destroyed ends its capture.
	cudaStream_t u;
	OK(cudaStreamCreate(&u));
	OK(cudaStreamBeginCapture(u, relaxed));
	OK(cudaMemsetAsync(a, 0, 4, u));
	OK(cudaStreamDestroy(u));
	OK(cudaDeviceSynchronize());
	OK(cudaEventDestroy(e));
	OK(cudaEventDestroy(f));
}

// A capture belongs to the thread that began it, and a global one keeps all threads from unsafe calls.
static void threads()
{
	cudaGraph_t g;
	void *p = 0;
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
	std::thread([&] { OK(cudaMalloc(&p, 4)); OK(cudaFree(p)); }).join();
	std::thread([&] { EXPECT(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(s, &g)); }).join();
	EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	std::thread([&] {
		cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
		OK(cudaThreadExchangeStreamCaptureMode(&mode));
		OK(cudaMalloc(&p, 4));
		OK(cudaFree(p));
		OK(cudaThreadExchangeStreamCaptureMode(&mode));
		EXPECT(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 4));
	}).join();
	EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	std::thread([&] { OK(cudaStreamEndCapture(s, &g)); }).join();
	OK(cudaGraphDestroy(g));
}

int main()
{
	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	a = device_alloc<int>(N);
	b = device_alloc<int>(N);
	c = device_alloc<int>(N);
	line();
	fork();
	nested();
	to_graph();
	forbidden();
	threads();
	return check_done();
}
