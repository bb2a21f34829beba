// Reads the text of a kernel trace: .traceg as Accel-Sim's tools make it, versions 3 to 6, or the tracer's raw .trace, whose
// lines are sorted by CTA and warp on the way in. CTAs come one at a time; only one is held.
#ifndef CUDA_SIM_TRACE_READER_H
#define CUDA_SIM_TRACE_READER_H

#include "cuda-sim/trace_pack.h"
#include "cuda-sim/trace_source.h"

struct trace_cta_warp {
	uint32_t n, n_ctl; // instructions; bytes of the control stream
	size_t ctl, adr;   // where the streams begin in the CTA's data
};

// A CTA with its warps packed. Reused: reading into it keeps its memory.
struct trace_cta {
	uint32_t id[3];
	uint64_t insts;
	VEC(uint8_t) data;
	VEC(struct trace_cta_warp) warp;
	char *notes;             // for the user, a line each; NULL if none
	struct trace_cta *next;  // its owner's
};

void trace_cta_free(struct trace_cta *c); // and c itself

struct trace_reader;

// Reads the header into code->header; code is zero but for its rules. CTAs outside [first, last] (counted in file order
// from 0) are passed over. NULL with "FILE:LINE: what is wrong and what was expected" in `why`. Takes the source over, also
// when it fails.
struct trace_reader *trace_reader_new(struct trace_source *s, const char *name, struct trace_code *code, uint64_t first, uint64_t last,
                                      char *why, size_t n);
void trace_reader_free(struct trace_reader *r);

enum trace_read { TRACE_CTA, TRACE_END, TRACE_ERROR };

// The next CTA. TRACE_END: there are no more, and the file is complete as far as it was read.
enum trace_read trace_reader_next(struct trace_reader *r, struct trace_cta *to);

// After TRACE_ERROR: "FILE:LINE: ...".
const char *trace_reader_error(const struct trace_reader *r);

// CTAs that it will deliver if the file is complete.
uint64_t trace_reader_ctas(const struct trace_reader *r);

#endif
