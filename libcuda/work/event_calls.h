// What programs do with events. The functions of both APIs are names for these.
//
// cudaErrorInvalidResourceHandle for what is no event or no stream, cudaErrorInvalidValue for flags that do not exist.
#ifndef LIBCUDA_WORK_EVENT_CALLS_H
#define LIBCUDA_WORK_EVENT_CALLS_H

#include "libcuda/context/cuda_abi.h"

cudaError_t event_create(cudaEvent_t *out, unsigned flags);
cudaError_t event_destroy(cudaEvent_t e);

// Event and stream must be of one context, else cudaErrorInvalidResourceHandle.
cudaError_t event_record(cudaEvent_t e, cudaStream_t handle, unsigned flags);
// What of the kernel in front of it the event tells: that it has ended; that all its blocks have allowed what depends on them to begin;
// that all have begun. Here an event always comes with the end, which is later; in a capture it makes edges from that port.
enum { PORT_END, PORT_PROGRAMMATIC, PORT_BEGUN };
cudaError_t event_record_from(cudaEvent_t e, cudaStream_t handle, unsigned flags, unsigned port);
cudaError_t event_wait(cudaStream_t handle, cudaEvent_t e, unsigned flags); // lets the stream wait
cudaError_t event_synchronize(cudaEvent_t e);
cudaError_t event_query(cudaEvent_t e); // cudaErrorNotReady; gives the GPU a turn first

// Simulated milliseconds between two events; cudaErrorNotReady, and cudaErrorInvalidResourceHandle if one was not recorded or has no time.
cudaError_t event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end);

#endif
