// What SMs have to say on the debug streams, and what of them the debugger sees: an observer of SMs (sm/observer.h).
#ifndef GPGPU_SIM_LOOK_SM_STREAMS_H
#define GPGPU_SIM_LOOK_SM_STREAMS_H

#include "gpgpu-sim/gpu/timing.h"
#include "gpgpu-sim/look/debug_streams.h"
#include "gpgpu-sim/sm/observer.h"

struct debugger;

struct sm_streams;

// Of one SM; it alone changes it.
struct sm_stream {
	struct sm_observer observer;
	const struct sm_streams *all;
	struct sm *sm;
	uint8_t last_wait[CORE_MAX_WARPS]; // what WARP_SCHEDULER said last
};

struct sm_streams {
	struct sm_stream *of;          // by SM
	const struct dbg_streams *dbg; // NULL: none
	struct debugger *debugger;     // NULL: none, or it does not want to see instructions
};

void sm_streams_init(struct sm_streams *s, const struct timing *t);
void sm_streams_free(struct sm_streams *s);
// What SMs are asked for from now on; NULLs: nothing.
void sm_streams_attach(struct sm_streams *s, struct timing *t, const struct dbg_streams *dbg, struct debugger *g);

#endif
