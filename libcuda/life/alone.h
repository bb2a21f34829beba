// What this GPU answers about what it has not beside it: other GPUs, other processes that share its memory, and graphics. No handle of
// such things can exist, so every one of the program's is invalid.
#ifndef LIBCUDA_LIFE_ALONE_H
#define LIBCUDA_LIFE_ALONE_H

#include "libcuda/context/cuda_abi.h"

// One device has no peers: *can is 0, and pairs of devices do not exist.
cudaError_t alone_can_access_peer(int *can, int device, int peer);
cudaError_t alone_p2p_attribute(int *value, int attribute, int src, int dst);

// Which atomic operations on memory of the host, or of another device, are native: of the host none.
cudaError_t alone_host_atomics(unsigned *capabilities, const int *operations, unsigned n, int device);
cudaError_t alone_peer_atomics(unsigned *capabilities, const int *operations, unsigned n, int src, int dst);

// Memory and events of this process cannot be opened by another one: cudaErrorNotSupported for what could be shared on a GPU.
struct ipc_handle {
	char bytes[64];
};
cudaError_t alone_share_event(struct ipc_handle *out, cudaEvent_t e);
cudaError_t alone_open_event(cudaEvent_t *out);
cudaError_t alone_share_memory(struct ipc_handle *out, const void *p);
cudaError_t alone_open_memory(void *out, unsigned flags);
cudaError_t alone_close_memory(void);

// Memory and semaphores of graphics libraries, and resources registered with them.
cudaError_t alone_import(const void *out, const void *desc);
cudaError_t alone_external(const void *out, const void *handle); // what takes an imported handle
cudaError_t alone_map_graphics(int n, const void *resources, cudaStream_t stream);

#endif
