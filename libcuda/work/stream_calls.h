// What programs do with streams. The functions of both APIs are names for these.
//
// All take the program's handle: cudaErrorInvalidResourceHandle if it is no stream. cudaErrorInvalidValue for a place for the result that
// is NULL, and for flags that do not exist.
#ifndef LIBCUDA_WORK_STREAM_CALLS_H
#define LIBCUDA_WORK_STREAM_CALLS_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct op;

cudaError_t stream_create(cudaStream_t *out, unsigned flags, int priority);
cudaError_t stream_end(cudaStream_t handle); // what is in it is still done
cudaError_t stream_synchronize(cudaStream_t handle);
cudaError_t stream_query(cudaStream_t handle); // cudaErrorNotReady; gives the GPU a turn first
cudaError_t stream_flags(cudaStream_t handle, unsigned *flags);
cudaError_t stream_priority(cudaStream_t handle, int *priority);
cudaError_t stream_number(cudaStream_t handle, unsigned long long *id);
cudaError_t stream_device(cudaStream_t handle, int *device);
cudaError_t stream_priority_range(int *least, int *greatest); // either may be NULL

typedef void (*stream_callback)(cudaStream_t, cudaError_t, void *);
cudaError_t stream_host_function(cudaStream_t handle, void (*f)(void *), void *data);
cudaError_t stream_add_callback(cudaStream_t handle, stream_callback f, void *data, unsigned flags);

// Managed memory that only this stream uses; checked, and no more: any stream may use all. `length` is 0 or that of the allocation.
cudaError_t stream_attach(cudaStream_t handle, void *p, size_t length, unsigned flags);

// cudaLaunchAttributeID values that streams have; the values are hints, kept to be read back.
cudaError_t stream_set_attribute(cudaStream_t handle, int id, const void *value);
cudaError_t stream_get_attribute(cudaStream_t handle, int id, void *value);
cudaError_t stream_copy_attributes(cudaStream_t to, cudaStream_t from);

// cudaErrorInvalidResourceHandle, with a message.
cudaError_t stream_missing(void);

#endif
