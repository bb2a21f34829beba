// What an SM writes to the debug streams, and where the debugger looks on. Called only if the stream's bit is set in
// sm.trace.
#ifndef GPGPU_SIM_LOOK_SM_STREAMS_H
#define GPGPU_SIM_LOOK_SM_STREAMS_H

#include "gpgpu-sim/sm/sm.h"
#include "gpgpu-sim/look/debug_streams.h"

struct debugger;

// Asks for what concerns the SM from now on; NULLs: nothing.
void sm_watch(struct sm *m, const struct dbg_streams *t, struct debugger *g);

enum { SM_DBG_ISSUED = DBG_BIT(ISSUE) | DBG_BIT(SCOREBOARD) | DBG_BREAK };

void sm_dbg_before(struct sm *m, unsigned slot);                        // DBG_BREAK: the warp is about to issue
void sm_dbg_issued(struct sm *m, const struct winst *i);                // SM_DBG_ISSUED, after it was executed
void sm_dbg_release(struct sm *m, const struct winst *i);               // SCOREBOARD
void sm_dbg_schedule(struct sm *m, unsigned scheduler, unsigned issued); // WARP_SCHEDULER: after the scheduler's turn
void sm_dbg_fetch(struct sm *m, unsigned warp, uint64_t pc, const char *what); // FETCH
void sm_dbg_cta(struct sm *m, const struct sm_cta *c, const char *what); // LIVENESS

#endif
