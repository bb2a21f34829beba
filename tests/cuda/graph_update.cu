// Executable graphs are changed: node by node, whole, switched off; launches that are under way are not.
// twice
#include "graph.h"

enum { N = 256 };

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }
__global__ void sub(int *p, int by) { p[threadIdx.x] -= by; }

static int *a, *b, h[N];

static int first(const int *p)
{
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
	return h[0];
}

static cudaGraph_t chain(const void *f, int by, int nodes, cudaGraphNode_t *last)
{
	cudaGraph_t g;
	cudaGraphNode_t n = 0;
	void *args[] = {&a, &by};
	OK(cudaGraphCreate(&g, 0));
	for (int i = 0; i < nodes; i++) {
		cudaKernelNodeParams k = kernel_params(f, 1, args);
		cudaGraphNode_t before = n;
		OK(cudaGraphAddKernelNode(&n, g, &before, i ? 1 : 0, &k));
	}
	*last = n;
	return g;
}

// A fill and a kernel behind it, made in this order or in the other: the same shape, so that one updates the other.
static cudaGraph_t fill_and_add(bool fill_first, int by, unsigned value)
{
	cudaGraph_t g;
	cudaGraphNode_t fill, kernel;
	void *args[] = {&a, &by};
	cudaKernelNodeParams k = kernel_params((void *)add, 1, args);
	cudaMemsetParams m = {a, 0, value, 4, N, 1};
	OK(cudaGraphCreate(&g, 0));
	if (fill_first)
		OK(cudaGraphAddMemsetNode(&fill, g, 0, 0, &m));
	OK(cudaGraphAddKernelNode(&kernel, g, 0, 0, &k));
	if (!fill_first)
		OK(cudaGraphAddMemsetNode(&fill, g, 0, 0, &m));
	OK(cudaGraphAddDependencies(g, &fill, &kernel, GRAPH_NO_DATA 1));
	return g;
}

static void pairs()
{
	cudaGraphNode_t bad, more;
	cudaGraphExecUpdateResult result;
	cudaGraph_t g = fill_and_add(true, 5, 0), other = fill_and_add(false, 7, 100);
	cudaGraphExec_t x = instantiate(g);
	OK(exec_update(x, other, &bad, &result));
	CHECK(result == cudaGraphExecUpdateSuccess && !bad);
	OK(cudaGraphLaunch(x, 0));
	CHECK(first(a) == 107, "%d", h[0]);
	OK(exec_update(x, g, &bad, &result));
	OK(cudaGraphLaunch(x, 0));
	CHECK(first(a) == 5, "%d", h[0]);

	// Where dependencies are shared they must be so in both, and there may be no more ends.
	cudaGraphNode_t n[4], m[4];
	cudaGraph_t fork, twice;
	OK(cudaGraphCreate(&fork, 0));
	OK(cudaGraphCreate(&twice, 0));
	for (int i = 0; i < 4; i++) {
		OK(cudaGraphAddEmptyNode(&n[i], fork, 0, 0));
		OK(cudaGraphAddEmptyNode(&m[i], twice, 0, 0));
	}
	const int edges[][2] = {{0, 2}, {1, 2}, {0, 3}, {1, 3}}, crossed[][2] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}};
	for (int i = 0; i < 4; i++) {
		OK(cudaGraphAddDependencies(fork, &n[edges[i][0]], &n[edges[i][1]], GRAPH_NO_DATA 1));
		OK(cudaGraphAddDependencies(twice, &m[crossed[i][0]], &m[crossed[i][1]], GRAPH_NO_DATA 1));
	}
	cudaGraphExec_t y = instantiate(fork);
	EXPECT(cudaErrorGraphExecUpdateFailure, exec_update(y, twice, &bad, &result));
	CHECK(result == cudaGraphExecUpdateErrorTopologyChanged && bad == m[3]);
	OK(cudaGraphDestroyNode(m[0]));
	OK(cudaGraphAddEmptyNode(&more, twice, 0, 0));
	EXPECT(cudaErrorGraphExecUpdateFailure, exec_update(y, twice, &bad, &result));
	CHECK(result == cudaGraphExecUpdateErrorTopologyChanged && bad == more);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphExecDestroy(y));
}

int main()
{
	cudaGraphNode_t n, other, bad;
	cudaGraphExecUpdateResult result;
	unsigned on = 7;
	a = device_alloc<int>(N);
	b = device_alloc<int>(N);
	OK(cudaMemset(a, 0, N * sizeof *a));
	OK(cudaMemset(b, 0, N * sizeof *b));

	cudaGraph_t g = chain((void *)add, 1, 2, &n);
	cudaGraphExec_t x = instantiate(g);
	OK(cudaGraphLaunch(x, 0));
	int by = 100;
	void *args[] = {&a, &by};
	cudaKernelNodeParams k = kernel_params((void *)add, 1, args);
	OK(cudaGraphExecKernelNodeSetParams(x, n, &k)); // the launch before may not have begun
	OK(cudaGraphLaunch(x, 0));
	CHECK(first(a) == 2 + 101, "%d", h[0]);
	k.func = (void *)sub;
	OK(cudaGraphExecKernelNodeSetParams(x, n, &k));
	OK(cudaGraphLaunch(x, 0));
	CHECK(first(a) == 103 - 99, "%d", h[0]);

	// Off and on.
	OK(cudaGraphNodeSetEnabled(x, n, 0));
	OK(cudaGraphNodeGetEnabled(x, n, &on));
	CHECK(on == 0);
	OK(cudaGraphLaunch(x, 0));
	CHECK(first(a) == 5);
	OK(cudaGraphNodeSetEnabled(x, n, 1));
	OK(cudaGraphNodeGetEnabled(x, n, &on));
	CHECK(on == 1);

	// Whole.
	cudaGraph_t g2 = chain((void *)sub, 1, 2, &other);
	OK(exec_update(x, g2, &bad, &result));
	CHECK(result == cudaGraphExecUpdateSuccess);
	OK(cudaGraphLaunch(x, 0));
	CHECK(first(a) == 3, "%d", h[0]);
	OK(cudaGraphExecKernelNodeSetParams(x, n, &k)); // x is still known by the nodes of g
	EXPECT(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(x, other, &k));

	cudaGraph_t g3 = chain((void *)add, 1, 3, &other);
	EXPECT(cudaErrorGraphExecUpdateFailure, exec_update(x, g3, &bad, &result));
	CHECK(result == cudaGraphExecUpdateErrorTopologyChanged && !bad);
	cudaGraph_t g4 = chain((void *)add, 1, 1, &other);
	cudaGraphNode_t empty;
	OK(cudaGraphAddEmptyNode(&empty, g4, &other, 1));
	EXPECT(cudaErrorGraphExecUpdateFailure, exec_update(x, g4, &bad, &result));
	CHECK(result == cudaGraphExecUpdateErrorNodeTypeChanged && bad == empty);
	OK(cudaGraphRemoveDependencies(g4, &other, &empty, GRAPH_NO_DATA 1));
	EXPECT(cudaErrorGraphExecUpdateFailure, exec_update(x, g4, &bad, &result));
	CHECK(result == cudaGraphExecUpdateErrorTopologyChanged && bad == empty);
	EXPECT(cudaErrorInvalidValue, exec_update(x, 0, &bad, &result));
	CHECK(result == cudaGraphExecUpdateError);

	// Copies and fills keep what kind of memory they are between.
	cudaGraph_t g5;
	cudaGraphNode_t copy, fill;
	OK(cudaGraphCreate(&g5, 0));
	OK(cudaGraphAddMemcpyNode1D(&copy, g5, 0, 0, b, a, 4, cudaMemcpyDeviceToDevice));
	cudaMemsetParams m = {a, 0, 1, 4, 4, 1};
	OK(cudaGraphAddMemsetNode(&fill, g5, &copy, 1, &m));
	cudaGraphExec_t y = instantiate(g5);
	OK(cudaGraphExecMemcpyNodeSetParams1D(y, copy, b + 1, a, 4, cudaMemcpyDeviceToDevice));
	EXPECT(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams1D(y, copy, h, a, 4, cudaMemcpyDeviceToHost));
	EXPECT(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(x, copy, 0));
	m.value = 50;
	OK(cudaGraphExecMemsetNodeSetParams(y, fill, &m));
	OK(cudaGraphLaunch(y, 0));
	CHECK(first(a) == 50);
	CHECK(first(b) == 0 && h[1] == 3);
	m.height = 2, m.pitch = 512;
	EXPECT(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(y, fill, &m));

	// A child graph.
	cudaGraph_t g6;
	cudaGraphNode_t child;
	OK(cudaGraphCreate(&g6, 0));
	OK(cudaGraphAddChildGraphNode(&child, g6, 0, 0, g));
	cudaGraphExec_t z = instantiate(g6);
	OK(cudaGraphExecChildGraphNodeSetParams(z, child, g2));
	EXPECT(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(z, child, g3));
	OK(cudaGraphLaunch(z, 0));
	CHECK(first(a) == 48, "%d", h[0]);

	OK(cudaGraphExecDestroy(x));
	EXPECT(cudaErrorInvalidValue, cudaGraphLaunch(x, 0));
	EXPECT(cudaErrorInvalidValue, cudaGraphExecDestroy(x));
	OK(cudaGraphExecDestroy(y));
	OK(cudaGraphExecDestroy(z));
	pairs();
	return check_done();
}
