// What an SM writes to the debug streams, and where the debugger looks on. Called only if the stream's bit is set in
// sm.trace.
#ifndef GPGPU_SIM_SM_TRACE_H
#define GPGPU_SIM_SM_TRACE_H

#include "gpgpu-sim/sm.h"
#include "gpgpu-sim/trace.h"

struct debugger;

// Asks for what concerns the SM from now on; NULLs: nothing.
void sm_watch(struct sm *m, const struct trace *t, struct debugger *g);

enum { SM_TRACE_ISSUED = TRACE_BIT(ISSUE) | TRACE_BIT(SCOREBOARD) | TRACE_BREAK };

void sm_trace_before(struct sm *m, unsigned slot);                        // TRACE_BREAK: the warp is about to issue
void sm_trace_issued(struct sm *m, const struct winst *i);                // SM_TRACE_ISSUED, after it was executed
void sm_trace_release(struct sm *m, const struct winst *i);               // SCOREBOARD
void sm_trace_schedule(struct sm *m, unsigned scheduler, unsigned issued); // WARP_SCHEDULER: after the scheduler's turn
void sm_trace_fetch(struct sm *m, unsigned warp, uint64_t pc, const char *what); // FETCH
void sm_trace_cta(struct sm *m, const struct sm_cta *c, const char *what); // LIVENESS

#endif
