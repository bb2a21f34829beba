/* What test programs of graphs share, whatever release they are built for. */
#ifndef GRAPH_H
#define GRAPH_H

#include "check.h"

static inline cudaGraphExec_t instantiate(cudaGraph_t g)
{
	cudaGraphExec_t x = 0;
	OK(cudaGraphInstantiateWithFlags(&x, g, 0));
	return x;
}

static inline size_t count_nodes(cudaGraph_t g)
{
	size_t n = 0;
	OK(cudaGraphGetNodes(g, 0, &n));
	return n;
}

#if CUDART_VERSION >= 13000
#define GRAPH_NO_DATA 0,
#define add_node cudaGraphAddNode
#define capture_info(stream, status, graph, nodes, n) cudaStreamGetCaptureInfo(stream, status, 0, graph, nodes, 0, n)
#define update_dependencies(stream, nodes, n, flags) cudaStreamUpdateCaptureDependencies(stream, nodes, 0, n, flags)
static inline cudaError_t exec_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad, cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t e = cudaGraphExecUpdate(x, g, &info);
	*bad = info.errorNode;
	*result = info.result;
	return e;
}
#else
#define GRAPH_NO_DATA
#define add_node cudaGraphAddNode_v2
#define capture_info(stream, status, graph, nodes, n) cudaStreamGetCaptureInfo_v2(stream, status, 0, graph, nodes, n)
#define update_dependencies(stream, nodes, n, flags) cudaStreamUpdateCaptureDependencies(stream, nodes, n, flags)
#define exec_update cudaGraphExecUpdate
#endif

/* A kernel node of one block for each 256 numbers. */
static inline cudaKernelNodeParams kernel_params(const void *f, int blocks, void **args)
{
	cudaKernelNodeParams p = {};
	p.func = (void *)f;
	p.gridDim = dim3(blocks);
	p.blockDim = dim3(256);
	p.kernelParams = args;
	return p;
}

#endif
