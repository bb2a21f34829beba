// Graphs of the driver API: capture, kernels of modules, copies, fills, operations on values; nodes that the runtime sees too.
// Its code is PTX that it loads as it runs.
// skip: sass
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition) ((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)

static const char module_text[] = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 by)
{
	.reg .b64 %d<4>;
	.reg .b32 %r<6>;
	ld.param.u64 %d1, [p];
	ld.param.u32 %r1, [by];
	cvta.to.global.u64 %d1, %d1;
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %d2, %r2, 4;
	add.u64 %d1, %d1, %d2;
	ld.global.u32 %r3, [%d1];
	add.u32 %r3, %r3, %r1;
	st.global.u32 [%d1], %r3;
	ret;
}
)";

int main()
{
	enum { N = 32 };
	CUcontext context;
	CUmodule module;
	CUfunction add;
	CUstream s;
	CUdeviceptr p;
	CUgraph g, captured;
	CUgraphExec x;
	CUgraphNode fill, kernel, values, back, n[8];
	unsigned out[N] = {0};
	EXPECT(cuGraphCreate(&g, 0) == CUDA_ERROR_NOT_INITIALIZED);
	OK(cuInit(0));
	EXPECT(cuGraphCreate(&g, 0) == CUDA_ERROR_INVALID_CONTEXT);
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuModuleLoadData(&module, module_text));
	OK(cuModuleGetFunction(&add, module, "add"));
	OK(cuMemAlloc(&p, N * 4));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));

	OK(cuGraphCreate(&g, 0));
	CUDA_MEMSET_NODE_PARAMS m = {p, 0, 5, 4, N, 1};
	OK(cuGraphAddMemsetNode(&fill, g, NULL, 0, &m, context));
	EXPECT(cuGraphAddMemsetNode(&n[0], g, NULL, 0, &m, NULL) == CUDA_ERROR_INVALID_CONTEXT);
	unsigned by = 7;
	void *args[] = {&p, &by};
	CUDA_KERNEL_NODE_PARAMS k = {};
	k.func = add, k.gridDimX = k.gridDimY = k.gridDimZ = 1, k.blockDimX = N, k.blockDimY = k.blockDimZ = 1, k.kernelParams = args;
	OK(cuGraphAddKernelNode(&kernel, g, &fill, 1, &k));
	CUstreamBatchMemOpParams op[1];
	memset(op, 0, sizeof op);
	op[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	op[0].writeValue.address = p;
	op[0].writeValue.value = 1000;
	CUDA_BATCH_MEM_OP_NODE_PARAMS b = {context, 1, op, 0};
	OK(cuGraphAddBatchMemOpNode(&values, g, &kernel, 1, &b));
	b.count = 0;
	EXPECT(cuGraphAddBatchMemOpNode(&n[0], g, &kernel, 1, &b) == CUDA_ERROR_INVALID_VALUE);
	CUDA_MEMCPY3D c;
	memset(&c, 0, sizeof c);
	c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = p;
	c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = out;
	c.WidthInBytes = sizeof out, c.Height = 1, c.Depth = 1;
	OK(cuGraphAddMemcpyNode(&back, g, &values, 1, &c, context));

	OK(cuGraphInstantiate(&x, g, 0));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	EXPECT(out[0] == 1000 && out[1] == 12 && out[N - 1] == 12);
	by = 20;
	OK(cuGraphExecKernelNodeSetParams(x, kernel, &k));
	OK(cuGraphLaunch(x, s));
	OK(cuStreamSynchronize(s));
	EXPECT(out[1] == 25);

	CUDA_KERNEL_NODE_PARAMS k2;
	CUDA_MEMCPY3D c2;
	CUgraphNodeType type;
	OK(cuGraphKernelNodeGetParams(kernel, &k2));
	EXPECT(k2.func == add && k2.blockDimX == N && *(unsigned *)k2.kernelParams[1] == 7);
	OK(cuGraphMemcpyNodeGetParams(back, &c2));
	EXPECT(c2.dstHost == out && c2.WidthInBytes == sizeof out && c2.srcDevice == p);
	OK(cuGraphNodeGetType(values, &type));
	EXPECT(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);

	// The same node by the runtime.
	cudaMemcpy3DParms r;
	EXPECT(cudaGraphMemcpyNodeGetParams((cudaGraphNode_t)back, &r) == cudaSuccess && r.dstPtr.ptr == out && r.extent.width == sizeof out);

	// Capture.
	by = 3;
	size_t count = 8;
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	EXPECT(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_ERROR_ILLEGAL_STATE);
	OK(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, s, args, NULL));
	OK(cuStreamBatchMemOp(s, 1, op, 0));
	OK(cuMemcpyDtoHAsync(out, p, sizeof out, s));
	OK(cuStreamEndCapture(s, &captured));
	OK(cuGraphGetNodes(captured, n, &count));
	EXPECT(count == 3);
	CUgraphExec y;
	OK(cuGraphInstantiate(&y, captured, 0));
	OK(cuGraphLaunch(y, s));
	OK(cuStreamSynchronize(s));
	EXPECT(out[0] == 1000 && out[1] == 28);
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CUdeviceptr q;
	EXPECT(cuMemAlloc(&q, 4) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	EXPECT(cuStreamEndCapture(s, &captured) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

	// A kernel whose module is gone.
	OK(cuModuleUnload(module));
	OK(cuGraphLaunch(y, s));
	EXPECT(cuStreamSynchronize(s) != CUDA_SUCCESS);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
