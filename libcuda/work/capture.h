// Capture of streams into graphs, as far as streams and events know of it; libcuda/graph/capture.c does it.
//
// A stream that is capturing has `capture`. What is put into it becomes a node of a graph; what asks for its state, or waits for it, is
// refused, and the capture is invalid from then on.
#ifndef LIBCUDA_WORK_CAPTURE_H
#define LIBCUDA_WORK_CAPTURE_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct op;

// While any stream is capturing, cu.capture points to these.
struct capture_calls {
	// An operation for s. True: it was taken over, with the call's error in *e. False: it goes the usual way.
	bool (*push)(struct stream *s, struct op *op, cudaError_t *e);
	// The same for events. `external`: the graph gets a node that records the event, or waits for it. `port`: as event_record_from has it.
	bool (*record)(struct event *ev, struct stream *s, bool external, unsigned port, cudaError_t *e);
	bool (*wait)(struct stream *s, struct event *ev, bool external, cudaError_t *e);
	// An allocation in the order of s.
	bool (*alloc)(struct stream *s, size_t size, void **out, cudaError_t *e);
	// Something that s cannot do while it is capturing, or that waits for a capturing one; cudaSuccess if that is not so.
	cudaError_t (*refuse)(struct stream *s);
	// The stream is destroyed.
	void (*forget)(struct stream *s);
};

#endif
