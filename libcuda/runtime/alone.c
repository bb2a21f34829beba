// Other GPUs, other processes and graphics: what libcuda/life/alone.h answers, by the runtime's names.
#include "libcuda/life/alone.h"

#include "libcuda/runtime/api.h"

API_DEVICE(cudaDeviceCanAccessPeer, (int *can, int device, int peer), alone_can_access_peer(can, device, peer))
API_DEVICE(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice)
API_DEVICE(cudaDeviceDisablePeerAccess, (int peer), peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled)
API_DEVICE(cudaDeviceGetP2PAttribute, (int *value, int attribute, int src, int dst), alone_p2p_attribute(value, attribute, src, dst))
API_DEVICE(cudaDeviceGetHostAtomicCapabilities, (unsigned *capabilities, const int *operations, unsigned n, int device),
           alone_host_atomics(capabilities, operations, n, device))
API_DEVICE(cudaDeviceGetP2PAtomicCapabilities, (unsigned *capabilities, const int *operations, unsigned n, int src, int dst),
           alone_peer_atomics(capabilities, operations, n, src, dst))
API_DEVICE(cudaDeviceFlushGPUDirectRDMAWrites, (int target, int scope), cudaErrorNotSupported)
API_DEVICE(cudaDeviceGetNvSciSyncAttributes, (void *list, int device, int flags),
           !list || flags <= 0 ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : cudaErrorNotSupported)
API_DEVICE(cudaDeviceRegisterAsyncNotification, (int device, const void *callback, void *data, void **out),
           !callback || !out ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : cudaErrorNotSupported)
API_DEVICE(cudaDeviceUnregisterAsyncNotification, (int device, const void *handle),
           device ? cudaErrorInvalidDevice : cudaErrorInvalidValue)

API(cudaIpcGetEventHandle, (struct ipc_handle * out, cudaEvent_t event), alone_share_event(out, event))
API(cudaIpcOpenEventHandle, (cudaEvent_t * out, struct ipc_handle handle), alone_open_event(out))
API(cudaIpcGetMemHandle, (struct ipc_handle * out, void *p), alone_share_memory(out, p))
API(cudaIpcOpenMemHandle, (void **out, struct ipc_handle handle, unsigned flags), alone_open_memory(out, flags))
API(cudaIpcCloseMemHandle, (void *p), alone_close_memory())

API(cudaImportExternalMemory, (void *out, const void *desc), alone_import(out, desc))
API(cudaImportExternalSemaphore, (void *out, const void *desc), alone_import(out, desc))
API(cudaExternalMemoryGetMappedBuffer, (void *out, const void *memory, const void *desc), alone_external(out, memory))
API(cudaExternalMemoryGetMappedMipmappedArray, (void *out, const void *memory, const void *desc), alone_external(out, memory))
API(cudaDestroyExternalMemory, (const void *memory), alone_external("", memory))
API(cudaDestroyExternalSemaphore, (const void *semaphore), alone_external("", semaphore))
#define SEMAPHORES (const void *semaphores, const void *params, unsigned n, cudaStream_t stream)
API_STREAM(cudaSignalExternalSemaphoresAsync, SEMAPHORES, alone_map_graphics((int)n, semaphores, stream))
API_STREAM(cudaWaitExternalSemaphoresAsync, SEMAPHORES, alone_map_graphics((int)n, semaphores, stream))
API_STREAM_AS(cudaSignalExternalSemaphoresAsync, cudaSignalExternalSemaphoresAsync_v2, SEMAPHORES,
              alone_map_graphics((int)n, semaphores, stream))
API_STREAM_AS(cudaWaitExternalSemaphoresAsync, cudaWaitExternalSemaphoresAsync_v2, SEMAPHORES,
              alone_map_graphics((int)n, semaphores, stream))

API(cudaGraphicsMapResources, (int n, const void *resources, cudaStream_t stream), alone_map_graphics(n, resources, stream))
API(cudaGraphicsUnmapResources, (int n, const void *resources, cudaStream_t stream), alone_map_graphics(n, resources, stream))
API(cudaGraphicsUnregisterResource, (const void *resource), cudaErrorInvalidResourceHandle)
API(cudaGraphicsResourceSetMapFlags, (const void *resource, unsigned flags), cudaErrorInvalidResourceHandle)
API(cudaGraphicsResourceGetMappedPointer, (void **p, size_t *size, const void *resource), cudaErrorInvalidResourceHandle)
API(cudaGraphicsSubResourceGetMappedArray, (cudaArray_t * array, const void *resource, unsigned index, unsigned level),
    cudaErrorInvalidResourceHandle)
API(cudaGraphicsResourceGetMappedMipmappedArray, (cudaMipmappedArray_t * mipmap, const void *resource),
    cudaErrorInvalidResourceHandle)
