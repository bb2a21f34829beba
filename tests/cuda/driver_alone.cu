// What the driver answers about other GPUs, other processes, graphics and parts of a GPU, where there is one GPU alone.
// needs: nvcc
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <cudaProfiler.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)

int main()
{
	CUcontext context, own;
	CUdeviceptr p;
	CUevent event;
	int can = 9, value;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemAlloc(&p, 64));
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));

	OK(cuDeviceCanAccessPeer(&can, 0, 0));
	EXPECT(can == 0);
	EXPECT(cuDeviceCanAccessPeer(&can, 0, 1) == CUDA_ERROR_INVALID_DEVICE);
	EXPECT(cuDeviceCanAccessPeer(NULL, 0, 0) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1) == CUDA_ERROR_INVALID_DEVICE);
	EXPECT(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0) == CUDA_ERROR_INVALID_DEVICE);
	EXPECT(cuCtxEnablePeerAccess(context, 0) == CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cuCtxEnablePeerAccess(NULL, 0) == CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cuCtxEnablePeerAccess(context, 1) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuCtxDisablePeerAccess(context) == CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
#if CUDA_VERSION >= 13000
	OK(cuCtxCreate(&own, NULL, 0, 0));
	EXPECT(cuCtxEnablePeerAccess(context, 0) == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
	OK(cuCtxDestroy(own));
	unsigned capabilities[2] = {9, 9};
	CUatomicOperation operations[2] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_CAS};
	OK(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
	EXPECT(capabilities[0] == 0 && capabilities[1] == 0);
	EXPECT(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 1) == CUDA_ERROR_INVALID_DEVICE);
	EXPECT(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 0, 0) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0) == CUDA_ERROR_INVALID_DEVICE);
	capabilities[0] = 9;
	EXPECT(cudaDeviceGetHostAtomicCapabilities(capabilities, (const cudaAtomicOperation *)operations, 1, 0) == cudaSuccess && !capabilities[0]);
#endif

	CUipcMemHandle memory;
	CUipcEventHandle shared;
	memset(&memory, 0, sizeof memory);
	memset(&shared, 0, sizeof shared);
	EXPECT(cuIpcGetMemHandle(&memory, p) == CUDA_ERROR_NOT_SUPPORTED);
	EXPECT(cuIpcGetMemHandle(&memory, 8) == CUDA_ERROR_INVALID_VALUE && cuIpcGetMemHandle(NULL, p) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuIpcOpenMemHandle(&p, memory, 0) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuIpcOpenMemHandle(&p, memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_ERROR_NOT_SUPPORTED);
	EXPECT(cuIpcCloseMemHandle(p) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuIpcGetEventHandle(&shared, event) == CUDA_ERROR_NOT_SUPPORTED);
	EXPECT(cuIpcGetEventHandle(&shared, (CUevent)8) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cuIpcOpenEventHandle(&event, shared) == CUDA_ERROR_NOT_SUPPORTED);
	cudaIpcMemHandle_t handle;
	EXPECT(cudaIpcGetMemHandle(&handle, (void *)p) == cudaErrorNotSupported && cudaGetLastError() == cudaErrorNotSupported);

	CUgraphicsResource resource = (CUgraphicsResource)16;
	EXPECT(cuGraphicsMapResources(1, &resource, 0) == CUDA_ERROR_INVALID_HANDLE && cuGraphicsMapResources(1, NULL, 0) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuGraphicsUnregisterResource(resource) == CUDA_ERROR_INVALID_HANDLE);
	CUexternalMemory external;
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc;
	memset(&desc, 0, sizeof desc);
	EXPECT(cuImportExternalMemory(&external, &desc) == CUDA_ERROR_NOT_SUPPORTED);
	EXPECT(cuImportExternalMemory(&external, NULL) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuDestroyExternalMemory((CUexternalMemory)16) == CUDA_ERROR_INVALID_HANDLE);

	CUdevResource part;
	int sms = 0;
	OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK(cuDeviceGetDevResource(0, &part, CU_DEV_RESOURCE_TYPE_SM));
	EXPECT(part.type == CU_DEV_RESOURCE_TYPE_SM && (int)part.sm.smCount == sms);
	OK(cuCtxGetDevResource(context, &part, CU_DEV_RESOURCE_TYPE_SM));
	unsigned groups = 1;
	EXPECT(cuDevSmResourceSplitByCount(NULL, &groups, &part, NULL, 0, 8) == CUDA_ERROR_NOT_SUPPORTED);
	CUgreenCtx green;
	EXPECT(cuGreenCtxCreate(&green, (CUdevResourceDesc)16, 0, CU_GREEN_CTX_DEFAULT_STREAM) == CUDA_ERROR_NOT_SUPPORTED);

	OK(cuProfilerStart());
	OK(cuProfilerStop());
	bool on = true;
	size_t size = sizeof on;
	OK(cuCoredumpGetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &size));
	EXPECT(!on && size == sizeof on);
	EXPECT(cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &size) == CUDA_ERROR_NOT_SUPPORTED);
	EXPECT(cuCoredumpGetAttribute((CUcoredumpSettings)0, &on, &size) == CUDA_ERROR_INVALID_VALUE);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
