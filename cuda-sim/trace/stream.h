// The CTAs of a kernel trace, read ahead of the simulation by a thread of their own. What the simulation gets, and in
// which order, depends on the file alone.
#ifndef CUDA_SIM_TRACE_STREAM_H
#define CUDA_SIM_TRACE_STREAM_H

#include "cuda-sim/trace/cta.h"

struct trace_stream;

// Starts reading. Takes the reader over.
struct trace_stream *trace_stream_start(struct trace_feed feed);
void trace_stream_stop(struct trace_stream *s);

// The next CTA, waiting for it if need be; hand it back when it is over. NULL at the end or at an error.
struct trace_cta *trace_stream_take(struct trace_stream *s);
void trace_stream_give_back(struct trace_stream *s, struct trace_cta *c);

// After NULL: what went wrong, or NULL at the end.
const char *trace_stream_error(struct trace_stream *s);

#endif
