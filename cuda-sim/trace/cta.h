// A thread block of a trace with its warps packed, and what delivers thread blocks, whatever the format of the trace.
#ifndef CUDA_SIM_TRACE_CTA_H
#define CUDA_SIM_TRACE_CTA_H

#include "cuda-sim/trace/pack.h"

enum { TRACE_MAX_WARPS = 64 }; // of a CTA: 2048 threads are more than any GPU takes

struct trace_cta_warp {
	uint32_t n, n_ctl; // instructions; bytes of the control stream
	size_t ctl, adr;   // where the streams begin in the CTA's data
};

// Reused: reading into it keeps its memory.
struct trace_cta {
	uint32_t id[3];
	uint64_t insts;
	uint32_t n_inst;         // entries of the code that it and the CTAs before it use are below this
	VEC(uint8_t) data;
	VEC(struct trace_cta_warp) warp;
	char *notes;             // for the user, a line each; NULL if none
	struct trace_cta *next;  // its owner's
};

void trace_cta_free(struct trace_cta *c); // and c itself
void trace_cta_empty(struct trace_cta *c);
void trace_cta_put(struct trace_cta *c, const struct trace_pack *p); // the next warp
void trace_cta_end(struct trace_cta *c, struct trace_code *code); // it was read: takes the notes that have come up since the last CTA

enum trace_read { TRACE_CTA, TRACE_END, TRACE_ERROR };

// A reader of one kernel's thread blocks.
struct trace_feed {
	const struct trace_feed_ops *ops; // NULL: none
	void *reader;
};
struct trace_feed_ops {
	// The next CTA. TRACE_END: there are no more, and the trace is complete as far as it was read.
	enum trace_read (*next)(void *reader, struct trace_cta *to);
	const char *(*error)(const void *reader); // after TRACE_ERROR: "FILE:LINE: ..."
	void (*free)(void *reader);
};

static inline void trace_feed_free(struct trace_feed *f)
{
	if (f->ops)
		f->ops->free(f->reader);
	f->ops = NULL;
}

#endif
