// Memory that graphs allocate and free: explicit nodes, capture of cudaMallocAsync, lifetime across launches, what is counted.
// twice
#include "graph.h"

enum { N = 1 << 18, BYTES = N * 4 };

__global__ void fill(int *p, int n, int v)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = v;
}

static unsigned long long attribute(cudaGraphMemAttributeType which)
{
	unsigned long long v = 77;
	OK(cudaDeviceGetGraphMemAttribute(0, which, &v));
	return v;
}

static cudaMemAllocNodeParams params(size_t bytes)
{
	cudaMemAllocNodeParams p = {};
	p.poolProps.allocType = cudaMemAllocationTypePinned;
	p.poolProps.location.type = cudaMemLocationTypeDevice;
	p.bytesize = bytes;
	return p;
}

// alloc, fill, copy out, and free or not. *p is the address.
static cudaGraph_t build(int **p, int *out, int v, bool freed)
{
	cudaGraph_t g;
	cudaGraphNode_t a, k, c, f;
	cudaMemAllocNodeParams ap = params(BYTES);
	int n = N;
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphAddMemAllocNode(&a, g, 0, 0, &ap));
	*p = (int *)ap.dptr;
	void *args[] = {p, &n, &v};
	cudaKernelNodeParams kp = kernel_params((void *)fill, 1, args);
	OK(cudaGraphAddKernelNode(&k, g, &a, 1, &kp));
	OK(cudaGraphAddMemcpyNode1D(&c, g, &k, 1, out, *p, sizeof *out, cudaMemcpyDeviceToHost));
	if (freed) {
		void *got = 0;
		OK(cudaGraphAddMemFreeNode(&f, g, &c, 1, *p));
		OK(cudaGraphMemFreeNodeGetParams(f, &got));
		CHECK(got == *p);
		EXPECT(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&f, g, &c, 1, *p));
	}
	OK(cudaGraphMemAllocNodeGetParams(a, &ap));
	CHECK(ap.dptr == *p && ap.bytesize == BYTES);
	return g;
}

int main()
{
	cudaGraphNode_t node;
	cudaGraphExec_t other;
	cudaGraph_t clone;
	int *p, *q, out = 0;
	size_t before, after, total;
	OK(cudaMemGetInfo(&before, &total));
	cudaGraph_t g = build(&p, &out, 5, true);
	EXPECT(cudaErrorInvalidValue, cudaGraphClone(&clone, g));
	EXPECT(cudaErrorInvalidValue, cudaGraphDestroyNode(0));
	cudaGraphExec_t x = instantiate(g);
	EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&other, g, 0));
	CHECK(attribute(cudaGraphMemAttrReservedMemCurrent) == 0);
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before == after); // an address is no memory
	OK(cudaGraphLaunch(x, 0));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	CHECK(out == 5);
	EXPECT(cudaErrorInvalidValue, cudaFree(p)); // the graph frees it
	CHECK(attribute(cudaGraphMemAttrReservedMemCurrent) == BYTES);
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before == after + BYTES);

	// What one graph has given back is the next one's.
	cudaGraph_t g2 = build(&q, &out, 6, false);
	CHECK(p != q);
	cudaGraphExec_t y = instantiate(g2);
	OK(cudaGraphLaunch(y, 0));
	OK(cudaDeviceSynchronize());
	CHECK(out == 6 && attribute(cudaGraphMemAttrReservedMemCurrent) == BYTES);
	int got = 0;
	OK(cudaMemcpy(&got, q + 100, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 6); // still there behind the launch
	EXPECT(cudaErrorInvalidValue, cudaGraphLaunch(y, 0)); // it was not freed
	OK(cudaDeviceGraphMemTrim(0));
	CHECK(attribute(cudaGraphMemAttrReservedMemCurrent) == BYTES);
	OK(cudaFreeAsync(q, 0));
	EXPECT(cudaErrorInvalidValue, cudaFreeAsync(q, 0));
	OK(cudaGraphLaunch(y, 0));
	OK(cudaFree(q));
	OK(cudaDeviceGraphMemTrim(0));
	CHECK(attribute(cudaGraphMemAttrReservedMemCurrent) == 0 && attribute(cudaGraphMemAttrReservedMemHigh) == BYTES);
	unsigned long long zero = 0, one = 1;
	OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
	CHECK(attribute(cudaGraphMemAttrReservedMemHigh) == 0);
	EXPECT(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &one));
	EXPECT(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &zero));
	EXPECT(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &zero));
	EXPECT(cudaErrorInvalidValue, cudaDeviceGraphMemTrim(3));

	// Another graph frees it.
	cudaGraph_t g3;
	OK(cudaGraphCreate(&g3, 0));
	OK(cudaGraphAddMemFreeNode(&node, g3, 0, 0, q));
	cudaGraphExec_t z = instantiate(g3);
	EXPECT(cudaErrorInvalidValue, cudaGraphLaunch(z, 0));
	OK(cudaGraphLaunch(y, 0));
	OK(cudaGraphLaunch(z, 0));
	OK(cudaGraphLaunch(y, 0));
	OK(cudaGraphLaunch(z, 0));
	OK(cudaDeviceSynchronize());
	OK(cudaGraphExecDestroy(z));
	OK(cudaGraphDestroy(g3));
	OK(cudaGraphExecDestroy(y));

	// Each launch frees what the last one left.
	OK(cudaGraphInstantiateWithFlags(&y, g2, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	OK(cudaGraphLaunch(y, 0));
	OK(cudaGraphLaunch(y, 0));
	OK(cudaDeviceSynchronize());
	CHECK(attribute(cudaGraphMemAttrReservedMemCurrent) == BYTES);
	OK(cudaGraphExecDestroy(y));
	OK(cudaGraphDestroy(g2));
	OK(cudaMemcpy(&got, q, sizeof got, cudaMemcpyDeviceToHost)); // outlives both
	OK(cudaFree(q));
	EXPECT(cudaErrorInvalidValue, cudaFree(q));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));

	// Capture.
	cudaStream_t s;
	cudaGraph_t captured;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaMallocAsync((void **)&p, BYTES, s));
	fill<<<1, 256, 0, s>>>(p, N, 8);
	OK(cudaMemcpyAsync(&out, p + N - 1, sizeof out, cudaMemcpyDeviceToHost, s));
	OK(cudaFreeAsync(p, s));
	OK(cudaStreamEndCapture(s, &captured));
	CHECK(count_nodes(captured) == 4);
	x = instantiate(captured);
	OK(cudaGraphLaunch(x, s));
	OK(cudaStreamSynchronize(s));
	CHECK(out == 8);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(captured));
	OK(cudaDeviceGraphMemTrim(0));
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before == after);

	// What is no allocation of a graph, and allocations that cannot be.
	int *plain = device_alloc<int>(4);
	OK(cudaGraphCreate(&g, 0));
	EXPECT(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&node, g, 0, 0, plain));
	EXPECT(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&node, g, 0, 0, 0));
	EXPECT(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&node, g, 0, 0, (void *)0x1234));
	cudaMemAllocNodeParams bad = params(0);
	EXPECT(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&node, g, 0, 0, &bad));
	bad = params((size_t)1 << 50);
	EXPECT(cudaErrorMemoryAllocation, cudaGraphAddMemAllocNode(&node, g, 0, 0, &bad));
	bad = params(4);
	bad.poolProps.location.id = 5;
	EXPECT(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&node, g, 0, 0, &bad));
	EXPECT(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&node, g, 0, 0, 0));
	OK(cudaGraphDestroy(g));
	return check_done();
}
