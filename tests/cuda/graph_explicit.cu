// Graphs built node by node: every kind of node, edges, lists, clones, pictures, objects that graphs keep.
// twice
#include "graph.h"

enum { N = 512 };

__device__ int variable[4];

__global__ void scale(int *p, int n, int by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] *= by;
}

static int calls;
static void count(void *by) { calls += *(int *)by; }

static int *a, h[N], out[N];

static void kinds()
{
	cudaGraph_t g, child, inside;
	cudaGraphNode_t copy, kernel, fill, host, nested, empty, back, record, wait, to, from, node;
	cudaEvent_t e, seen;
	int by = 3, one = 1, four[4] = {1, 2, 3, 4}, got[4] = {0};
	int n = N;
	void *args[] = {&a, &n, &by};
	OK(cudaEventCreate(&e));
	OK(cudaGraphCreate(&child, 0));
	cudaKernelNodeParams k = kernel_params((void *)scale, 2, args);
	OK(cudaGraphAddKernelNode(&node, child, 0, 0, &k));

	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphAddMemcpyNode1D(&copy, g, 0, 0, a, h, sizeof h, cudaMemcpyHostToDevice));
	OK(cudaGraphAddKernelNode(&kernel, g, &copy, 1, &k));
	by = 1000; // arguments were copied
	cudaMemsetParams m = {a, 0, 7, 4, 16, 1};
	OK(cudaGraphAddMemsetNode(&fill, g, &kernel, 1, &m));
	cudaHostNodeParams hp = {count, &one};
	OK(cudaGraphAddHostNode(&host, g, &fill, 1, &hp));
	OK(cudaGraphAddChildGraphNode(&nested, g, &host, 1, child));
	OK(cudaGraphAddEventRecordNode(&record, g, &nested, 1, e));
	OK(cudaGraphAddEventWaitNode(&wait, g, &record, 1, e));
	OK(cudaGraphAddEmptyNode(&empty, g, &wait, 1));
	cudaMemcpy3DParms c3 = {};
	c3.srcPtr = make_cudaPitchedPtr(a, 64 * sizeof(int), 64, 8);
	c3.dstPtr = make_cudaPitchedPtr(out, 64 * sizeof(int), 64, 8);
	c3.extent = make_cudaExtent(64 * sizeof(int), 8, 1);
	c3.kind = cudaMemcpyDeviceToHost;
	OK(cudaGraphAddMemcpyNode(&back, g, &empty, 1, &c3));
	OK(cudaGraphAddMemcpyNodeToSymbol(&to, g, 0, 0, variable, four, 2 * sizeof(int), 2 * sizeof(int), cudaMemcpyHostToDevice));
	OK(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, got, variable, sizeof got, 0, cudaMemcpyDeviceToHost));
	OK(cudaGraphDestroy(child)); // the node has a copy

	for (int i = 0; i < N; i++)
		h[i] = i;
	cudaGraphExec_t x = instantiate(g);
	OK(cudaGraphUpload(x, 0));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaEventSynchronize(e));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		CHECK(out[i] == (i < 16 ? 21 : 9 * i), "%d: %d", i, out[i]);
	CHECK(calls == 1 && got[0] == 0 && got[2] == 1 && got[3] == 2);

	// What was given is told.
	cudaGraphNodeType type;
	cudaKernelNodeParams k2;
	cudaMemsetParams m2;
	cudaHostNodeParams h2;
	cudaMemcpy3DParms p2;
	OK(cudaGraphNodeGetType(wait, &type));
	CHECK(type == cudaGraphNodeTypeWaitEvent);
	OK(cudaGraphKernelNodeGetParams(kernel, &k2));
	CHECK(k2.func == (void *)scale && k2.gridDim.x == 2 && k2.blockDim.x == 256 && *(int *)k2.kernelParams[2] == 3);
	OK(cudaGraphMemsetNodeGetParams(fill, &m2));
	CHECK(m2.dst == a && m2.value == 7 && m2.width == 16);
	OK(cudaGraphHostNodeGetParams(host, &h2));
	CHECK(h2.fn == count && h2.userData == &one);
	OK(cudaGraphMemcpyNodeGetParams(back, &p2));
	CHECK(p2.dstPtr.ptr == out && p2.extent.height == 8);
	OK(cudaGraphEventRecordNodeGetEvent(record, &seen));
	CHECK(seen == e);
	OK(cudaGraphChildGraphNodeGetGraph(nested, &inside));
	CHECK(inside != child && count_nodes(inside) == 1);
	EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(inside));
	EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(copy, &k2));

	// Changes of the graph are not seen by what was made of it.
	m2.value = 9;
	OK(cudaGraphMemsetNodeSetParams(fill, &m2));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == 21);
	OK(cudaGraphExecDestroy(x));
	x = instantiate(g);
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == 27 && calls == 3);
	OK(cudaGraphExecDestroy(x));

	// A clone has nodes of its own.
	cudaGraph_t clone;
	cudaGraphNode_t twin;
	OK(cudaGraphClone(&clone, g));
	OK(cudaGraphNodeFindInClone(&twin, fill, clone));
	CHECK(twin != fill);
	OK(cudaGraphMemsetNodeGetParams(twin, &m2));
	CHECK(m2.value == 9);
	EXPECT(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&twin, fill, g));
	EXPECT(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&twin, twin, clone));
	OK(cudaGraphDestroy(g));
	EXPECT(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(fill, &m2));
	x = instantiate(clone);
	OK(cudaGraphDestroy(clone));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	CHECK(calls == 4);
	OK(cudaGraphExecDestroy(x));
	OK(cudaEventDestroy(e));
}

static void edges()
{
	cudaGraph_t g;
	cudaGraphNode_t n[4], list[6];
	size_t count;
	OK(cudaGraphCreate(&g, 0));
	for (int i = 0; i < 4; i++)
		OK(cudaGraphAddEmptyNode(&n[i], g, 0, 0));
	cudaGraphNode_t from[] = {n[0], n[0], n[1], n[2]}, to[] = {n[1], n[2], n[3], n[3]};
	OK(cudaGraphAddDependencies(g, from, to, GRAPH_NO_DATA 4));
	EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, from, to, GRAPH_NO_DATA 1));
	EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, from, from, GRAPH_NO_DATA 1));
	OK(cudaGraphNodeGetDependencies(n[3], 0, GRAPH_NO_DATA &count));
	CHECK(count == 2);
	count = 6;
	OK(cudaGraphNodeGetDependentNodes(n[0], list, GRAPH_NO_DATA &count));
	CHECK(count == 2 && list[0] == n[1] && list[1] == n[2] && !list[2] && !list[5]);
	count = 1;
	OK(cudaGraphGetNodes(g, list, &count));
	CHECK(count == 1 && list[0] == n[0]);
	// A circle is found when the graph is to be run.
	cudaGraphExec_t x = 0;
	OK(cudaGraphAddDependencies(g, &n[3], &n[0], GRAPH_NO_DATA 1));
	EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&x, g, 0));
	cudaGraphInstantiateParams p = {};
	EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&x, g, &p));
	CHECK((int)p.result_out == 2 && p.errNode_out);
	OK(cudaGraphRemoveDependencies(g, &n[3], &n[0], GRAPH_NO_DATA 1));
	EXPECT(cudaErrorInvalidValue, cudaGraphRemoveDependencies(g, &n[3], &n[0], GRAPH_NO_DATA 1));
	OK(cudaGraphDestroyNode(n[1]));
	EXPECT(cudaErrorInvalidValue, cudaGraphDestroyNode(n[1]));
	OK(cudaGraphGetEdges(g, 0, 0, GRAPH_NO_DATA &count));
	CHECK(count == 2);
	OK(cudaGraphInstantiateWithParams(&x, g, &p));
	CHECK((int)p.result_out == 0 && !p.errNode_out);
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());

	const char *path = "graph_explicit.dot";
	char text[4096] = "";
	OK(cudaGraphDebugDotPrint(g, path, cudaGraphDebugDotFlagsVerbose));
	FILE *f = fopen(path, "r");
	CHECK(f);
	if (f) {
		size_t got = fread(text, 1, sizeof text - 1, f);
		text[got] = 0;
		fclose(f);
		remove(path);
	}
	CHECK(strstr(text, "digraph") && strstr(text, "\"graph_0_node_0\" -> \"graph_0_node_1\""));
	EXPECT(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(g, "/nowhere/at/all", 0));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
}

static int ended;
static void end(void *p) { ended += *(int *)p; }

static void objects()
{
	cudaGraph_t g, clone;
	cudaUserObject_t o;
	int two = 2;
	OK(cudaUserObjectCreate(&o, &two, end, 1, cudaUserObjectNoDestructorSync));
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
	OK(cudaGraphClone(&clone, g));
	cudaGraphExec_t x = instantiate(g);
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(clone));
	CHECK(ended == 0);
	OK(cudaGraphExecDestroy(x));
	CHECK(ended == 2);
	EXPECT(cudaErrorInvalidValue, cudaUserObjectRelease(o, 1));
	EXPECT(cudaErrorInvalidValue, cudaUserObjectCreate(&o, &two, end, 1, 0));
	EXPECT(cudaErrorInvalidValue, cudaUserObjectCreate(&o, &two, end, 0, cudaUserObjectNoDestructorSync));
}

int main()
{
	a = device_alloc<int>(N);
	kinds();
	edges();
	objects();
	return check_done();
}
