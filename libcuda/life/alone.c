#include "libcuda/life/alone.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/event.h"
#include "libcuda/work/stream.h"

cudaError_t alone_can_access_peer(int *can, int device, int peer)
{
	if (!GUARD_OUT(can))
		return cudaErrorInvalidValue;
	*can = 0;
	return device || peer ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t alone_p2p_attribute(int *value, int attribute, int src, int dst)
{
	enum { FIRST_ATTRIBUTE = 1, LAST_ATTRIBUTE = 5 };
	if (!GUARD_OUT(value) || attribute < FIRST_ATTRIBUTE || attribute > LAST_ATTRIBUTE)
		return cudaErrorInvalidValue;
	return cudaErrorInvalidDevice;
}

static cudaError_t check_operations(const unsigned *capabilities, const int *operations, unsigned n)
{
	enum { LAST_OPERATION = 12 };
	int operation;
	if (!capabilities || !operations || !n)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		if (!guard_read(&operation, &operations[i], sizeof operation) || operation < 0 || operation > LAST_OPERATION)
			return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t alone_host_atomics(unsigned *capabilities, const int *operations, unsigned n, int device)
{
	const unsigned none = 0;
	cudaError_t e = check_operations(capabilities, operations, n);
	if (e || device)
		return e ? e : cudaErrorInvalidDevice;
	for (unsigned i = 0; i < n; i++)
		if (!guard_write(&capabilities[i], &none, sizeof none))
			return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t alone_peer_atomics(unsigned *capabilities, const int *operations, unsigned n, int src, int dst)
{
	cudaError_t e = check_operations(capabilities, operations, n);
	return e ? e : cudaErrorInvalidDevice; // one of the two is none, or they are the same
}

cudaError_t alone_share_event(struct ipc_handle *out, cudaEvent_t e)
{
	if (!out)
		return cudaErrorInvalidValue;
	return event_valid(e) ? cudaErrorNotSupported : cudaErrorInvalidResourceHandle;
}

cudaError_t alone_open_event(cudaEvent_t *out) { return out ? cudaErrorNotSupported : cudaErrorInvalidValue; }

cudaError_t alone_share_memory(struct ipc_handle *out, const void *p)
{
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)(uintptr_t)p) : NULL;
	return !out || !r || r->kind != DEVMEM_DEVICE ? cudaErrorInvalidValue : cudaErrorNotSupported;
}

cudaError_t alone_open_memory(void *out, unsigned flags)
{
	enum { LAZY_PEER_ACCESS = 1 };
	return !out || flags != LAZY_PEER_ACCESS ? cudaErrorInvalidValue : cudaErrorNotSupported;
}

cudaError_t alone_close_memory(void) { return cudaErrorInvalidValue; }

cudaError_t alone_import(const void *out, const void *desc) { return out && desc ? cudaErrorNotSupported : cudaErrorInvalidValue; }

cudaError_t alone_external(const void *out, const void *handle)
{
	return out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
}

cudaError_t alone_map_graphics(int n, const void *resources, cudaStream_t stream)
{
	return n <= 0 || !resources ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}
