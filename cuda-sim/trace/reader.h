// Reads the text of a kernel trace: .traceg as Accel-Sim's tools make it, versions 3 to 6, or the tracer's raw .trace,
// whose lines are sorted by CTA and warp on the way in. CTAs come one at a time; only one is held.
#ifndef CUDA_SIM_TRACE_READER_H
#define CUDA_SIM_TRACE_READER_H

#include "cuda-sim/trace/cta.h"
#include "cuda-sim/trace/source.h"

struct trace_reader;

// Reads the header into code->header; code is zero but for its rules. CTAs outside [first, last] (counted in file order
// from 0) are passed over. NULL with "FILE:LINE: what is wrong and what was expected" in `why`. Takes the source over,
// also when it fails.
struct trace_reader *trace_reader_new(struct trace_source *s, const char *name, struct trace_code *code, uint64_t first,
                                      uint64_t last, char *why, size_t n);
void trace_reader_free(struct trace_reader *r);

// The next CTA. TRACE_END: there are no more, and the file is complete as far as it was read.
enum trace_read trace_reader_next(struct trace_reader *r, struct trace_cta *to);

// After TRACE_ERROR: "FILE:LINE: ...".
const char *trace_reader_error(const struct trace_reader *r);

// CTAs that it will deliver if the file is complete.
uint64_t trace_reader_ctas(const struct trace_reader *r);

struct trace_feed trace_reader_feed(struct trace_reader *r); // frees it in the end

#endif
