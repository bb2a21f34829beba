// Pipeline views (--trace=core): what the instructions of a warp do in a cycle, one line per cycle and warp.
#ifndef GPGPU_SIM_MODERN_VIEW_H
#define GPGPU_SIM_MODERN_VIEW_H

#include "gpgpu-sim/winst.h"

struct sm;

// X(name, text)
#define MODERN_VIEWS(X)                                                                                            \
	X(ISSUE, "Issue") X(CONTROL, "Control") X(ALLOCATE, "Allocate") X(ADDRESS, "Address") X(READ, "Read")       \
	X(ACCEPT, "SM") X(WRITE, "Write")
enum modern_view {
#define X(name, text) MODERN_VIEW_##name,
	MODERN_VIEWS(X)
#undef X
	MODERN_N_VIEWS
};

// Called only while the CORE stream is on: TRACE_BIT(CORE) in sm.trace.
void modern_view(struct sm *m, const struct winst *w, enum modern_view what);
// At the end of a cycle: prints and forgets. Also says the dependence counters of warps whose counters changed.
void modern_view_flush(struct sm *m);

#endif
