// heddle trace -j N: pieces of work in processes of their own, what they print put together in order.
#ifndef TOOLS_TRACE_JOBS_H
#define TOOLS_TRACE_JOBS_H

#include <stdbool.h>
#include <stdio.h>

struct trace_work {
	void *ctx;
	bool (*next)(void *ctx);          // moves on to the next piece, false: there are no more. In the parent
	bool (*run)(void *ctx, FILE *out); // the piece, in a process that ends with it. False: it failed
};

// Up to `width` at a time. What a piece wrote to `out` and to standard error comes out when all before it have; lines
// that state totals of a run (docs/traces.md lists them) hold the sums up to there. Behind a piece that failed nothing
// more comes. True if none did.
bool trace_work_run(const struct trace_work *w, unsigned width, FILE *out);

#endif
