// Events of all work of a context: recorded when everything that its streams hold is done, and waited for by all that they get later,
// also by streams that are made later.
#ifndef LIBCUDA_WORK_CONTEXT_EVENTS_H
#define LIBCUDA_WORK_CONTEXT_EVENTS_H

#include "libcuda/context/cuda_abi.h"

struct stream;

// `owner`: the context's number. cudaErrorInvalidResourceHandle for an event that is none, or when recording is of another context;
// cudaErrorStreamCaptureUnsupported if one of the streams is capturing, whose capture is invalid then.
cudaError_t context_record_event(uint32_t owner, cudaEvent_t e);
cudaError_t context_wait_event(uint32_t owner, cudaEvent_t e);

// A new stream waits for what its context waits for.
void context_waits_begin(struct stream *s);

// Forgets what a context waits for.
void context_waits_release(uint32_t owner);
void context_waits_reset(void); // all

#endif
