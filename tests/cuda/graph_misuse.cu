// Graphs and handles that are no good: the documented errors, and nothing worse. And a kernel of a graph that fails.
#include "graph.h"

__global__ void touch(int *p) { *p = 1; }

#define BAD(call) EXPECT(cudaErrorInvalidValue, call)

int main()
{
	cudaGraph_t g, other, stale;
	cudaGraphNode_t n, foreign, gone, list[2];
	cudaGraphExec_t x, dead;
	cudaGraphNodeType type;
	size_t count = 1;
	int *p = device_alloc<int>(1);
	void *args[] = {&p};
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphCreate(&other, 0));
	OK(cudaGraphCreate(&stale, 0));
	OK(cudaGraphAddEmptyNode(&foreign, other, 0, 0));
	OK(cudaGraphAddEmptyNode(&gone, stale, 0, 0));
	dead = instantiate(stale);
	OK(cudaGraphExecDestroy(dead));
	OK(cudaGraphDestroy(stale));

	cudaGraph_t graphs[] = {0, stale, (cudaGraph_t)0x10, (cudaGraph_t)&count, (cudaGraph_t)((char *)g + 8), (cudaGraph_t)-1};
	for (cudaGraph_t w : graphs) {
		BAD(cudaGraphDestroy(w));
		BAD(cudaGraphClone(&stale, w));
		BAD(cudaGraphGetNodes(w, 0, &count));
		BAD(cudaGraphAddEmptyNode(&n, w, 0, 0));
		BAD(cudaGraphInstantiateWithFlags(&x, w, 0));
		BAD(cudaGraphAddChildGraphNode(&n, g, 0, 0, w));
		BAD(cudaGraphDebugDotPrint(w, "x.dot", 0));
	}
	stale = graphs[1];
	cudaGraphNode_t nodes[] = {0, gone, (cudaGraphNode_t)0x10, (cudaGraphNode_t)&count, (cudaGraphNode_t)((char *)foreign + 8)};
	for (cudaGraphNode_t w : nodes) {
		BAD(cudaGraphNodeGetType(w, &type));
		BAD(cudaGraphDestroyNode(w));
		BAD(cudaGraphAddEmptyNode(&n, other, &w, 1));
		BAD(cudaGraphAddDependencies(other, &w, &foreign, GRAPH_NO_DATA 1));
		BAD(cudaGraphNodeGetDependencies(w, 0, GRAPH_NO_DATA &count));
		BAD(cudaGraphEventWaitNodeSetEvent(w, 0));
	}
	cudaGraphExec_t execs[] = {0, dead, (cudaGraphExec_t)0x10, (cudaGraphExec_t)g};
	for (cudaGraphExec_t w : execs) {
		BAD(cudaGraphLaunch(w, 0));
		BAD(cudaGraphExecDestroy(w));
		BAD(cudaGraphUpload(w, 0));
		BAD(cudaGraphNodeSetEnabled(w, foreign, 1));
	}

	BAD(cudaGraphCreate(0, 0));
	BAD(cudaGraphCreate((cudaGraph_t *)8, 0));
	BAD(cudaGraphCreate(&stale, 1));
	BAD(cudaGraphAddEmptyNode(0, g, 0, 0));
	BAD(cudaGraphAddEmptyNode((cudaGraphNode_t *)8, g, 0, 0));
	BAD(cudaGraphAddEmptyNode(&n, g, 0, 1));
	BAD(cudaGraphAddEmptyNode(&n, g, &foreign, 1)); // of another graph
	BAD(cudaGraphAddEmptyNode(&n, other, (cudaGraphNode_t *)8, 1));
	BAD(cudaGraphAddEmptyNode(&n, other, &foreign, (size_t)-1));
	OK(cudaGraphAddEmptyNode(&n, other, 0, 0));
	list[0] = list[1] = foreign;
	BAD(cudaGraphAddEmptyNode(&n, other, list, 2)); // twice
	BAD(cudaGraphGetNodes(g, 0, 0));
	count = 2;
	BAD(cudaGraphGetNodes(other, (cudaGraphNode_t *)8, &count));
	BAD(cudaGraphNodeGetType(foreign, 0));
	BAD(cudaGraphNodeGetType(foreign, (cudaGraphNodeType *)8));
	BAD(cudaGraphAddChildGraphNode(&n, g, 0, 0, g)); // in itself

	// Parameters.
	cudaKernelNodeParams k = kernel_params((void *)touch, 1, args);
	BAD(cudaGraphAddKernelNode(&n, g, 0, 0, 0));
	BAD(cudaGraphAddKernelNode(&n, g, 0, 0, (cudaKernelNodeParams *)8));
	k.blockDim = dim3(4096);
	EXPECT(cudaErrorInvalidConfiguration, cudaGraphAddKernelNode(&n, g, 0, 0, &k));
	k.blockDim = dim3(1), k.kernelParams = 0;
	BAD(cudaGraphAddKernelNode(&n, g, 0, 0, &k));
	k.kernelParams = (void **)8;
	BAD(cudaGraphAddKernelNode(&n, g, 0, 0, &k));
	k.kernelParams = args, k.func = 0;
	EXPECT(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&n, g, 0, 0, &k));
	k.func = (void *)&count;
	EXPECT(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&n, g, 0, 0, &k));
	BAD(cudaGraphAddMemcpyNode1D(&n, g, 0, 0, p, 0, 4, cudaMemcpyHostToDevice));
	BAD(cudaGraphAddMemcpyNode1D(&n, g, 0, 0, p, &count, 0, cudaMemcpyHostToDevice));
	EXPECT(cudaErrorInvalidMemcpyDirection, cudaGraphAddMemcpyNode1D(&n, g, 0, 0, p, &count, 4, (cudaMemcpyKind)77));
	cudaMemsetParams m = {p, 0, 0, 3, 1, 1};
	BAD(cudaGraphAddMemsetNode(&n, g, 0, 0, &m));
	m.elementSize = 4, m.dst = &count;
	BAD(cudaGraphAddMemsetNode(&n, g, 0, 0, &m));
	cudaHostNodeParams h = {0, 0};
	BAD(cudaGraphAddHostNode(&n, g, 0, 0, &h));
	BAD(cudaGraphAddEventRecordNode(&n, g, 0, 0, 0));
	BAD(cudaGraphAddEventWaitNode(&n, g, 0, 0, (cudaEvent_t)&count));
	cudaGraphNodeParams all = {};
	all.type = (cudaGraphNodeType)99;
	BAD(add_node(&n, g, 0, 0, 0, &all));
	all.type = cudaGraphNodeTypeEmpty, all.reserved0[1] = 1;
	BAD(add_node(&n, g, 0, 0, 0, &all));
	all.reserved0[1] = 0;
	cudaGraphEdgeData data = {};
	data.type = 1, data.from_port = 1;
	BAD(add_node(&n, other, &foreign, &data, 1, &all)); // no kernel
	EXPECT(cudaErrorNotSupported, cudaGraphAddExternalSemaphoresSignalNode(&n, g, 0, 0, 0));
	all.type = cudaGraphNodeTypeExtSemaphoreWait;
	EXPECT(cudaErrorNotSupported, add_node(&n, g, 0, 0, 0, &all));
	BAD(cudaGraphInstantiateWithFlags(&x, g, 1 << 20));
	BAD(cudaGraphInstantiateWithFlags(0, g, 0));
	BAD(cudaGraphInstantiateWithFlags((cudaGraphExec_t *)8, g, 0));
	EXPECT(cudaErrorNotSupported, cudaGraphInstantiateWithFlags(&x, g, cudaGraphInstantiateFlagDeviceLaunch));
	OK(cudaGetLastError() ? cudaSuccess : cudaErrorUnknown);
	CHECK(count == 2);

	// A stream that is gone.
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamDestroy(s));
	x = instantiate(g);
	EXPECT(cudaErrorInvalidResourceHandle, cudaGraphLaunch(x, s));
	OK(cudaGraphLaunch(x, 0)); // nothing in it

	// A kernel that fails ends the graph and all behind it.
	int *wild = (int *)16;
	void *bad_args[] = {&wild};
	cudaGraph_t failing;
	cudaGraphNode_t first, behind[100];
	OK(cudaGraphCreate(&failing, 0));
	k = kernel_params((void *)touch, 1, bad_args);
	OK(cudaGraphAddKernelNode(&first, failing, 0, 0, &k));
	k = kernel_params((void *)touch, 1, args);
	for (int i = 0; i < 100; i++)
		OK(cudaGraphAddKernelNode(&behind[i], failing, &first, i % 2, &k));
	cudaGraphExec_t y = instantiate(failing);
	OK(cudaGraphLaunch(y, 0));
	OK(cudaGraphLaunch(y, 0));
	EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	EXPECT(cudaErrorIllegalAddress, cudaGraphLaunch(y, 0));
	OK(cudaDeviceReset());
	BAD(cudaGraphLaunch(y, 0)); // all handles went with the device's state
	BAD(cudaGraphDestroy(g));
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphDestroy(g));
	return check_done();
}
