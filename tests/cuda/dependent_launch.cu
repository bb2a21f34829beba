// Programmatic dependent launch: a kernel that may begin before the one in front of it has ended, and waits for that where it needs
// what that has written. In streams, by events, and by edges of graphs. Right by CUDA's rules, however much of it runs at once.
// needs: nvcc
// nvcc-flags: -arch=sm_90
#include "graph.h"

#if CUDART_VERSION >= 13000
#define get_edges cudaGraphGetEdges
#define add_edges cudaGraphAddDependencies
#else
#define get_edges cudaGraphGetEdges_v2
#define add_edges cudaGraphAddDependencies_v2
#endif

enum { BLOCKS = 12, THREADS = 96, N = BLOCKS * THREADS, STAGES = 6 };
enum { AT_ONCE, AFTER_WAIT, AT_END, NEVER, SOME_THREADS, WAYS };

// Stage n: what it makes of element i comes of another block's element of the stage before it.
static __host__ __device__ unsigned from(unsigned i) { return (i * 7 + 311) % N; }
static __host__ __device__ unsigned make(unsigned v, unsigned stage) { return v * 5 + stage; }

static __global__ void stage(unsigned *values, unsigned *early, unsigned n, int allows)
{
	const unsigned i = blockIdx.x * THREADS + threadIdx.x, *before = values + n * N;
	unsigned turns = blockIdx.x * 40;
	if (allows == AT_ONCE || (allows == SOME_THREADS && threadIdx.x % 5 == 2))
		cudaTriggerProgrammaticLaunchCompletion();
	early[n * N + i] = i + n; // needs nothing of any other kernel
	cudaGridDependencySynchronize();
	if (allows == AFTER_WAIT)
		cudaTriggerProgrammaticLaunchCompletion();
	for (volatile unsigned k = 0; k < turns; k++) // what depends on it has begun long before it ends, if it may
		;
	values[(n + 1) * N + i] = make(before[from(i)], n);
	if (allows == AT_END)
		cudaTriggerProgrammaticLaunchCompletion();
}

static unsigned *values, *early;

static void start()
{
	static unsigned h[N];
	for (unsigned i = 0; i < N; i++)
		h[i] = i * 3 + 1;
	OK(cudaMemset(values, 0, (STAGES + 1) * sizeof h));
	OK(cudaMemset(early, 0, STAGES * sizeof h));
	OK(cudaMemcpy(values, h, sizeof h, cudaMemcpyHostToDevice));
}

// The first so many stages have been done.
static void done(unsigned stages, int line)
{
	static unsigned h[STAGES + 1][N], e[STAGES][N], want[N], next[N];
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(h, values, sizeof h, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(e, early, sizeof e, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < N; i++)
		want[i] = i * 3 + 1;
	for (unsigned s = 0; s < stages; s++) {
		for (unsigned i = 0; i < N; i++)
			next[i] = make(want[from(i)], s);
		memcpy(want, next, sizeof want);
		for (unsigned i = 0; i < N; i++)
			CHECK(h[s + 1][i] == want[i] && e[s][i] == i + s, " line %d stage %u element %u", line, s, i);
	}
	for (unsigned i = 0; i < N && stages < STAGES; i++)
		CHECK(!h[stages + 1][i]);
	start();
}
#define DONE(stages) done(stages, __LINE__)

static cudaLaunchAttribute serialization()
{
	cudaLaunchAttribute a = {};
	a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	a.val.programmaticStreamSerializationAllowed = 1;
	return a;
}

static cudaError_t launch(cudaStream_t s, unsigned n, int allows, cudaLaunchAttribute a)
{
	cudaLaunchConfig_t c = {};
	c.gridDim = dim3(BLOCKS), c.blockDim = dim3(THREADS), c.stream = s, c.attrs = &a, c.numAttrs = 1;
	return cudaLaunchKernelEx(&c, stage, values, early, n, allows);
}

static void streams()
{
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	for (int w = 0; w < WAYS; w++) {
		for (unsigned n = 0; n < STAGES; n++)
			OK(launch(s, n, w, serialization()));
		DONE(STAGES);
	}
	// Every way behind every other, and launches without the attribute between them.
	for (unsigned turn = 0; turn < WAYS; turn++) {
		for (unsigned n = 0; n < STAGES; n++)
			if ((n + turn) % 3)
				OK(launch(s, n, (n * 2 + turn) % WAYS, serialization()));
			else
				stage<<<BLOCKS, THREADS, 0, s>>>(values, early, n, (n * 2 + turn) % WAYS);
		OK(cudaGetLastError());
		DONE(STAGES);
	}
	// Behind a copy it waits for the whole copy; what copies behind it waits for all of it.
	static unsigned h[N];
	for (unsigned i = 0; i < N; i++)
		h[i] = i * 3 + 1;
	OK(cudaMemset(values, 0, N * sizeof *values));
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyAsync(values, h, sizeof h, cudaMemcpyHostToDevice, s));
	OK(launch(s, 0, AT_ONCE, serialization()));
	OK(cudaMemcpyAsync(h, values + N, sizeof h, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	for (unsigned i = 0; i < N; i++)
		CHECK(h[i] == make(from(i) * 3 + 1, 0));
	DONE(1);
	OK(cudaStreamDestroy(s));
}

// When blocks of a kernel began, had waited, and ended. Clocks of the simulator's SMs count alike.
struct times {
	long long begun, waited, ended;
};

static __global__ void timed(times *t, int cycles, int allows)
{
	const long long begun = clock64();
	if (allows == AT_ONCE)
		cudaTriggerProgrammaticLaunchCompletion();
	cudaGridDependencySynchronize();
	const long long waited = clock64();
	while (clock64() - waited < cycles)
		;
	t[blockIdx.x] = {begun, waited, clock64()};
}

static void overlap()
{
	const char *functional = getenv("PTX_SIM_MODE_FUNC");
	const bool has_time = functional && !atoi(functional);
	times *d = device_alloc<times>(3 * BLOCKS), h[3][BLOCKS];
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	for (int programmatic = 0; programmatic < 2; programmatic++)
		for (int allows = AT_ONCE; allows <= NEVER; allows += NEVER) {
			cudaLaunchAttribute a = serialization();
			a.val.programmaticStreamSerializationAllowed = programmatic;
			cudaLaunchConfig_t c = {};
			c.gridDim = dim3(BLOCKS), c.blockDim = dim3(1), c.stream = s, c.attrs = &a, c.numAttrs = 1;
			timed<<<BLOCKS, 1, 0, s>>>(d, 10000, allows);
			OK(cudaLaunchKernelEx(&c, timed, d + BLOCKS, 10, allows));
			OK(cudaLaunchKernelEx(&c, timed, d + 2 * BLOCKS, 10, (int)NEVER));
			OK(cudaStreamSynchronize(s));
			OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
			for (int k = 1; k < 3; k++) {
				long long first = h[k][0].begun, waited = h[k][0].waited, last = h[k - 1][0].ended;
				for (int b = 1; b < BLOCKS; b++) {
					first = h[k][b].begun < first ? h[k][b].begun : first;
					waited = h[k][b].waited < waited ? h[k][b].waited : waited;
					last = h[k - 1][b].ended > last ? h[k - 1][b].ended : last;
				}
				CHECK(waited >= last);
				CHECK((first < last) == (has_time && programmatic && allows == AT_ONCE), " %d %d %d: %lld %lld", programmatic, allows, k, first,
				      last);
			}
		}
	OK(cudaStreamDestroy(s));
	OK(cudaFree(d));
}

static cudaLaunchAttribute event_of(cudaEvent_t e, int kind)
{
	cudaLaunchAttribute a = {};
	if (kind == 2) {
		a.id = cudaLaunchAttributeLaunchCompletionEvent;
		a.val.launchCompletionEvent.event = e;
		return a;
	}
	a.id = cudaLaunchAttributeProgrammaticEvent;
	a.val.programmaticEvent.event = e;
	a.val.programmaticEvent.triggerAtBlockStart = kind;
	return a;
}

static void events()
{
	cudaStream_t s, t;
	cudaEvent_t e;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
	for (int kind = 0; kind < 3; kind++) {
		OK(launch(s, 0, AT_ONCE, event_of(e, kind)));
		OK(cudaStreamWaitEvent(t, e, 0));
		OK(launch(t, 1, NEVER, serialization()));
		DONE(2);
		OK(launch(s, 0, AFTER_WAIT, event_of(e, kind)));
		OK(cudaEventSynchronize(e));
		OK(cudaEventQuery(e));
		DONE(1);
	}
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

static cudaGraphNode_t node_of(cudaGraph_t g, unsigned n, int allows)
{
	cudaGraphNode_t node;
	cudaKernelNodeParams p = {};
	void *args[] = {&values, &early, &n, &allows};
	p.func = (void *)stage, p.gridDim = dim3(BLOCKS), p.blockDim = dim3(THREADS), p.kernelParams = args;
	OK(cudaGraphAddKernelNode(&node, g, 0, 0, &p));
	return node;
}

static cudaGraphEdgeData edge(int type, int from_port, int to_port = 0)
{
	cudaGraphEdgeData d = {};
	d.type = (unsigned char)type, d.from_port = (unsigned char)from_port, d.to_port = (unsigned char)to_port;
	return d;
}

static void run_twice(cudaGraph_t g, unsigned stages)
{
	cudaGraphExec_t x = instantiate(g);
	for (int turn = 0; turn < 2; turn++) {
		OK(cudaGraphLaunch(x, 0));
		done(stages, turn);
	}
	OK(cudaGraphExecDestroy(x));
}

static void graphs()
{
	cudaGraph_t g;
	cudaGraphNode_t node[STAGES], other;
	cudaMemsetParams m = {};
	OK(cudaGraphCreate(&g, 0));
	for (unsigned n = 0; n < STAGES; n++)
		node[n] = node_of(g, n, (int)(n % WAYS));
	m.dst = early, m.elementSize = 4, m.width = 1, m.height = 1, m.value = 0;
	OK(cudaGraphAddMemsetNode(&other, g, 0, 0, &m));
	const cudaGraphEdgeData whole = edge(0, 0), allowed = edge(1, cudaGraphKernelNodePortProgrammatic),
	                        begun = edge(1, cudaGraphKernelNodePortLaunchCompletion);
	for (unsigned n = 0; n + 1 < STAGES; n++)
		OK(add_edges(g, &node[n], &node[n + 1], n % 3 == 0 ? &allowed : n % 3 == 1 ? &begun : &whole, 1));
	// Both ends are kernels, the port is there, and it goes with the type.
	const cudaGraphEdgeData bad[] = {edge(1, 0), edge(0, 1), edge(1, 3), edge(2, 1), edge(1, 1, 1)};
	for (const cudaGraphEdgeData &d : bad)
		EXPECT(cudaErrorInvalidValue, add_edges(g, &node[0], &node[2], &d, 1));
	EXPECT(cudaErrorInvalidValue, add_edges(g, &other, &node[0], &allowed, 1));
	EXPECT(cudaErrorInvalidValue, add_edges(g, &node[STAGES - 1], &other, &allowed, 1));
	OK(add_edges(g, &other, &node[0], &whole, 1));
	cudaGetLastError();
	run_twice(g, STAGES);
	OK(cudaGraphDestroy(g));
}

// Edges that the captured launches have made: type and port of the one into each stage but the first.
static void has_edges(cudaGraph_t g, const int (*want)[2], size_t n)
{
	cudaGraphNode_t nodes[16], from[16], to[16];
	cudaGraphEdgeData data[16];
	size_t n_node = 16, n_edge = 16;
	OK(cudaGraphGetNodes(g, nodes, &n_node));
	OK(get_edges(g, from, to, data, &n_edge));
	CHECK(n_edge == n && n_node == n + 1, " %zu edges, %zu nodes", n_edge, n_node);
	for (size_t i = 0; i < n && i < n_edge; i++)
		for (size_t k = 0; k < n_node; k++)
			if (nodes[k] == to[i])
				CHECK(k && from[i] == nodes[k - 1] && data[i].type == want[k - 1][0] && data[i].from_port == want[k - 1][1] && !data[i].to_port,
				      " into node %zu: type %d, port %d", k, data[i].type, data[i].from_port);
}

static void captures()
{
	cudaStream_t s, t;
	cudaGraph_t g;
	cudaEvent_t e, joined;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreate(&t));
	OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
	OK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));

	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(early, 0, 4, s));
	OK(launch(s, 0, AT_ONCE, serialization()));
	OK(launch(s, 1, AFTER_WAIT, serialization()));
	stage<<<BLOCKS, THREADS, 0, s>>>(values, early, 2, NEVER);
	OK(launch(s, 3, AT_END, serialization()));
	OK(cudaMemsetAsync(early, 0, 4, s));
	OK(cudaMemsetAsync(early, 0, 4, s));
	OK(cudaStreamEndCapture(s, &g));
	static const int in_stream[][2] = {{0, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 0}, {0, 0}};
	has_edges(g, in_stream, 6);
	run_twice(g, 4);
	OK(cudaGraphDestroy(g));

	for (int kind = 0; kind < 3; kind++) {
		OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
		OK(launch(s, 0, AT_ONCE, event_of(e, kind)));
		OK(cudaStreamWaitEvent(t, e, 0));
		stage<<<BLOCKS, THREADS, 0, t>>>(values, early, 1, AFTER_WAIT);
		OK(launch(t, 2, NEVER, serialization()));
		OK(cudaEventRecord(joined, t));
		OK(cudaStreamWaitEvent(s, joined, 0));
		OK(cudaStreamEndCapture(s, &g));
		const int by_event[][2] = {{1, kind ? 2 : 1}, {1, 1}};
		has_edges(g, by_event, 2);
		run_twice(g, 3);
		OK(cudaGraphDestroy(g));
	}
	OK(cudaEventDestroy(e));
	OK(cudaEventDestroy(joined));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

static __global__ void fails()
{
	cudaTriggerProgrammaticLaunchCompletion();
	for (const long long from = clock64(); clock64() - from < 3000;)
		;
	__trap();
}

// Those that wait for a kernel that fails, and those that ran beside it, end with it.
static void failure()
{
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	fails<<<1, 1, 0, s>>>();
	for (unsigned n = 0; n < 3; n++)
		OK(launch(s, n, AT_ONCE, serialization()));
	EXPECT(cudaErrorLaunchFailure, cudaStreamSynchronize(s));
	OK(cudaDeviceReset());
}

int main()
{
	values = device_alloc<unsigned>((STAGES + 1) * N);
	early = device_alloc<unsigned>(STAGES * N);
	start();
	streams();
	overlap();
	events();
	graphs();
	captures();
	failure();
	return check_done();
}
