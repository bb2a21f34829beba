// Other GPUs, other processes, graphics, parts of a GPU, profilers: what libcuda/life/alone.h answers, by the driver's names.
#include "libcuda/life/alone.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/life/contexts.h"

// --- other GPUs

static cudaError_t enable_peer(struct cu_context *peer, unsigned flags)
{
	if (flags)
		return cudaErrorInvalidValue;
	return !context_valid(peer) || peer == context_current() ? cudaErrorDeviceUninitialized : cudaErrorPeerAccessUnsupported;
}

DRIVER_DEVICE(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer), alone_can_access_peer(can, device, peer))
DRIVER_DEVICE(cuDeviceGetP2PAttribute, (int *value, int attribute, CUdevice src, CUdevice dst),
              alone_p2p_attribute(value, attribute, src, dst))
DRIVER(cuCtxEnablePeerAccess, (struct cu_context * peer, unsigned flags), enable_peer(peer, flags))
DRIVER(cuCtxDisablePeerAccess, (struct cu_context * peer),
       context_valid(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorDeviceUninitialized)
DRIVER_DEVICE(cuDeviceGetHostAtomicCapabilities, (unsigned *capabilities, const int *operations, unsigned n, CUdevice device),
              alone_host_atomics(capabilities, operations, n, device))
DRIVER_DEVICE(cuDeviceGetP2PAtomicCapabilities, (unsigned *capabilities, const int *operations, unsigned n, CUdevice src, CUdevice dst),
              alone_peer_atomics(capabilities, operations, n, src, dst))
DRIVER_DEVICE(cuMulticastCreate, (void *out, const void *prop), out &&prop ? cudaErrorNotSupported : cudaErrorInvalidValue)
DRIVER_DEVICE(cuMulticastGetGranularity, (size_t * out, const void *prop, int option),
              out &&prop ? cudaErrorNotSupported : cudaErrorInvalidValue)
DRIVER_DEVICE(cuMulticastAddDevice, (uint64_t handle, CUdevice device), cudaErrorInvalidValue)
DRIVER_DEVICE(cuMulticastBindMem, (uint64_t handle, size_t at, uint64_t memory, size_t from, size_t size, unsigned long long flags),
              cudaErrorInvalidValue)
DRIVER_DEVICE(cuMulticastBindAddr, (uint64_t handle, size_t at, CUdeviceptr p, size_t size, unsigned long long flags),
              cudaErrorInvalidValue)
DRIVER_DEVICE(cuMulticastUnbind, (uint64_t handle, CUdevice device, size_t at, size_t size), cudaErrorInvalidValue)
DRIVER(cuFlushGPUDirectRDMAWrites, (int target, int scope), cudaErrorNotSupported)

// --- other processes

DRIVER(cuIpcGetEventHandle, (struct ipc_handle * out, cudaEvent_t event), alone_share_event(out, event))
DRIVER(cuIpcOpenEventHandle, (cudaEvent_t * out, struct ipc_handle handle), alone_open_event(out))
DRIVER(cuIpcGetMemHandle, (struct ipc_handle * out, CUdeviceptr p), alone_share_memory(out, (void *)(uintptr_t)p))
DRIVER(cuIpcOpenMemHandle, (CUdeviceptr * out, struct ipc_handle handle, unsigned flags), alone_open_memory(out, flags))
DRIVER(cuIpcOpenMemHandle_v2, (CUdeviceptr * out, struct ipc_handle handle, unsigned flags), alone_open_memory(out, flags))
DRIVER(cuIpcCloseMemHandle, (CUdeviceptr p), alone_close_memory())
DRIVER(cuMemGetHandleForAddressRange, (void *out, CUdeviceptr p, size_t size, int type, unsigned long long flags),
       out ? cudaErrorNotSupported : cudaErrorInvalidValue)

// --- graphics and other libraries

DRIVER(cuImportExternalMemory, (void *out, const void *desc), alone_import(out, desc))
DRIVER(cuImportExternalSemaphore, (void *out, const void *desc), alone_import(out, desc))
DRIVER(cuExternalMemoryGetMappedBuffer, (void *out, const void *memory, const void *desc), alone_external(out, memory))
DRIVER(cuExternalMemoryGetMappedMipmappedArray, (void *out, const void *memory, const void *desc), alone_external(out, memory))
DRIVER(cuDestroyExternalMemory, (const void *memory), alone_external("", memory))
DRIVER(cuDestroyExternalSemaphore, (const void *semaphore), alone_external("", semaphore))
DRIVER_STREAM(cuSignalExternalSemaphoresAsync, (const void *semaphores, const void *params, unsigned n, cudaStream_t stream),
              alone_map_graphics((int)n, semaphores, stream))
DRIVER_STREAM(cuWaitExternalSemaphoresAsync, (const void *semaphores, const void *params, unsigned n, cudaStream_t stream),
              alone_map_graphics((int)n, semaphores, stream))
DRIVER_STREAM(cuGraphicsMapResources, (unsigned n, const void *resources, cudaStream_t stream),
              alone_map_graphics((int)n, resources, stream))
DRIVER_STREAM(cuGraphicsUnmapResources, (unsigned n, const void *resources, cudaStream_t stream),
              alone_map_graphics((int)n, resources, stream))
DRIVER(cuGraphicsUnregisterResource, (const void *resource), cudaErrorInvalidResourceHandle)
DRIVER(cuGraphicsResourceSetMapFlags, (const void *resource, unsigned flags), cudaErrorInvalidResourceHandle)
DRIVER(cuGraphicsResourceSetMapFlags_v2, (const void *resource, unsigned flags), cudaErrorInvalidResourceHandle)
DRIVER(cuGraphicsResourceGetMappedPointer_v2, (void *out, size_t *size, const void *resource), cudaErrorInvalidResourceHandle)
DRIVER(cuGraphicsSubResourceGetMappedArray, (void *out, const void *resource, unsigned index, unsigned level),
       cudaErrorInvalidResourceHandle)
DRIVER(cuGraphicsResourceGetMappedMipmappedArray, (void *out, const void *resource), cudaErrorInvalidResourceHandle)
DRIVER_DEVICE(cuDeviceGetNvSciSyncAttributes, (void *list, CUdevice device, int flags),
              !list || flags <= 0 ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : cudaErrorNotSupported)
DRIVER_STREAM(cuMemBatchDecompressAsync, (void *params, size_t n, unsigned flags, size_t *failed, cudaStream_t stream),
              !params || !n || flags ? cudaErrorInvalidValue : cudaErrorNotSupported)

// --- parts of a GPU: how many SMs there are is told; kernels cannot be kept to some of them

struct dev_resource { // own text; the layout is CUdevResource's
	int type;
	char unused[92];
	unsigned sm_count, least_part, scheduled_together;
	char more[36];
};

_Static_assert(sizeof(struct dev_resource) == 144, "13.0");

static cudaError_t get_resource(struct dev_resource *out, int type)
{
	enum { RESOURCE_SM = 1, HOPPER = 9, PART_HOPPER = 8, PART = 2 };
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	if (type != RESOURCE_SM)
		return cudaErrorInvalidResourceType;
	unsigned part = cu.desc.major >= HOPPER ? PART_HOPPER : PART;
	struct dev_resource r = {.type = type, .sm_count = cu.desc.sm_count, .least_part = part, .scheduled_together = part};
	return guard_write(out, &r, sizeof r) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t context_resource(struct cu_context *c, struct dev_resource *out, int type)
{
	return context_valid(c) ? get_resource(out, type) : cudaErrorDeviceUninitialized;
}

DRIVER_DEVICE(cuDeviceGetDevResource, (CUdevice device, struct dev_resource *out, int type),
              device ? cudaErrorInvalidDevice : get_resource(out, type))
DRIVER_DEVICE(cuCtxGetDevResource, (struct cu_context * context, struct dev_resource *out, int type), context_resource(context, out, type))
DRIVER_DEVICE(cuDevSmResourceSplitByCount,
              (struct dev_resource * out, unsigned *n, const struct dev_resource *in, struct dev_resource *rest, unsigned flags, unsigned least),
              !n || !in ? cudaErrorInvalidValue : cudaErrorNotSupported)
DRIVER_DEVICE(cuDevResourceGenerateDesc, (void *out, struct dev_resource *resources, unsigned n),
              !out || !resources || !n ? cudaErrorInvalidValue : cudaErrorNotSupported)
DRIVER_DEVICE(cuGreenCtxCreate, (void *out, void *desc, CUdevice device, unsigned flags),
              !out || !desc ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : cudaErrorNotSupported)
DRIVER_DEVICE(cuGreenCtxDestroy, (const void *green), cudaErrorDeviceUninitialized)
DRIVER_DEVICE(cuCtxFromGreenCtx, (void *out, const void *green), cudaErrorDeviceUninitialized)
DRIVER_DEVICE(cuGreenCtxGetDevResource, (const void *green, void *out, int type), cudaErrorDeviceUninitialized)
DRIVER_DEVICE(cuGreenCtxGetId, (const void *green, unsigned long long *id), cudaErrorDeviceUninitialized)
DRIVER_DEVICE(cuGreenCtxRecordEvent, (const void *green, cudaEvent_t event), cudaErrorDeviceUninitialized)
DRIVER_DEVICE(cuGreenCtxWaitEvent, (const void *green, cudaEvent_t event), cudaErrorDeviceUninitialized)
DRIVER_DEVICE(cuGreenCtxStreamCreate, (cudaStream_t * out, const void *green, unsigned flags, int priority), cudaErrorDeviceUninitialized)

// --- profilers, dumps, checkpoints, notes of a device that runs out of memory

DRIVER(cuProfilerStart, (void), cudaSuccess)
DRIVER(cuProfilerStop, (void), cudaSuccess)
DRIVER(cuProfilerInitialize, (const char *config, const char *output, int mode), cudaErrorNotSupported)
DRIVER_DEVICE(cuDeviceRegisterAsyncNotification, (CUdevice device, const void *callback, void *data, void **out),
              !callback || !out ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : cudaErrorNotSupported)
DRIVER_DEVICE(cuDeviceUnregisterAsyncNotification, (CUdevice device, const void *handle),
              device ? cudaErrorInvalidDevice : cudaErrorInvalidValue)

// CU_COREDUMP_...: the switches are off, and cannot be turned on.
static cudaError_t get_dump(int attribute, void *value, size_t *size)
{
	enum { ENABLE_ON_EXCEPTION = 1, ENABLE_USER_TRIGGER = 4, LAST_ATTRIBUTE = 7 };
	const bool off = false;
	if (attribute < ENABLE_ON_EXCEPTION || attribute > LAST_ATTRIBUTE || !GUARD_OUT(size))
		return cudaErrorInvalidValue;
	if (attribute > ENABLE_USER_TRIGGER)
		return cudaErrorNotSupported;
	if (value && (*size < sizeof off || !guard_write(value, &off, sizeof off)))
		return cudaErrorInvalidValue;
	*size = sizeof off;
	return cudaSuccess;
}

static cudaError_t set_dump(int attribute, const void *value, const size_t *size)
{
	enum { FIRST_ATTRIBUTE = 1, LAST_ATTRIBUTE = 7 };
	return attribute < FIRST_ATTRIBUTE || attribute > LAST_ATTRIBUTE || !value || !size ? cudaErrorInvalidValue : cudaErrorNotSupported;
}

DRIVER(cuCoredumpGetAttribute, (int attribute, void *value, size_t *size), get_dump(attribute, value, size))
DRIVER_DEVICE(cuCoredumpGetAttributeGlobal, (int attribute, void *value, size_t *size), get_dump(attribute, value, size))
DRIVER(cuCoredumpSetAttribute, (int attribute, void *value, size_t *size), set_dump(attribute, value, size))
DRIVER_DEVICE(cuCoredumpSetAttributeGlobal, (int attribute, void *value, size_t *size), set_dump(attribute, value, size))

static cudaError_t checkpoint(int pid) { return pid <= 0 ? cudaErrorInvalidValue : cudaErrorNotSupported; }

DRIVER_DEVICE(cuCheckpointProcessGetState, (int pid, int *state), checkpoint(pid))
DRIVER_DEVICE(cuCheckpointProcessGetRestoreThreadId, (int pid, int *thread), checkpoint(pid))
DRIVER_DEVICE(cuCheckpointProcessLock, (int pid, void *args), checkpoint(pid))
DRIVER_DEVICE(cuCheckpointProcessCheckpoint, (int pid, void *args), checkpoint(pid))
DRIVER_DEVICE(cuCheckpointProcessRestore, (int pid, void *args), checkpoint(pid))
DRIVER_DEVICE(cuCheckpointProcessUnlock, (int pid, void *args), checkpoint(pid))
