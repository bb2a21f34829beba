// Pipeline views (--trace=core): what the instructions of a warp do in a cycle, one line per cycle and warp.
#ifndef GPGPU_SIM_MODERN_VIEW_H
#define GPGPU_SIM_MODERN_VIEW_H

#include "gpgpu-sim/modern/winst.h"

struct sm;

// X(name, text). Queue: enters the queue of its sub-core's memory unit. Address: its address is calculated, from here on.
// Read: the register file is read, in memory instructions from here on, in fixed latencies up to here. SM: the shared unit
// accepts it. Write: the result is written, or it ends without.
#define MODERN_VIEWS(X)                                                                                            \
	X(ISSUE, "Issue") X(CONTROL, "Control") X(ALLOCATE, "Allocate") X(QUEUE, "Queue") X(ADDRESS, "Address")     \
	X(READ, "Read") X(ACCEPT, "SM") X(WRITE, "Write")
enum modern_view {
#define X(name, text) MODERN_VIEW_##name,
	MODERN_VIEWS(X)
#undef X
	MODERN_N_VIEWS
};

// Called only while somebody looks: SM_SEES_PIPELINE in sm.observed.
void modern_view(struct sm *m, const struct winst *w, enum modern_view what);
// What will be in a later cycle that is known now; w may be gone by then.
void modern_view_at(struct sm *m, const struct winst *w, enum modern_view what, uint64_t cycle);
// At the end of a cycle, before changes of dependence counters are applied: prints and forgets. The counters are those that
// Issue saw. Returns the first cycle for which there is something to say, or UINT64_MAX.
uint64_t modern_view_flush(struct sm *m);
void modern_view_free(struct sm *m);

#endif
