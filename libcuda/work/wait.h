// How threads of the program wait for the simulation thread, with the lock held. All but the last two return the error of a
// failed kernel, if any.
#ifndef LIBCUDA_WORK_WAIT_H
#define LIBCUDA_WORK_WAIT_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct record;
struct stream;

cudaError_t wait_until(bool (*satisfied)(void *arg), void *arg);
cudaError_t wait_stream(struct stream *s);
cudaError_t wait_all(void);
cudaError_t wait_record(struct record *r);

// Waits as cudaMemcpy does: for the stream, and for all blocking streams if it is the legacy one.
cudaError_t wait_stream_now(struct stream *s);

void wait_grant(bool (*satisfied)(void *arg), void *arg); // one turn for the GPU, or until satisfied

// On the simulation thread: ends the waits that are over; true if some are left.
bool wait_check(void);

#endif
