// A warp instruction in flight in the modern core.
#ifndef GPGPU_SIM_MODERN_WINST_H
#define GPGPU_SIM_MODERN_WINST_H

#include "gpgpu-sim/sm/winst.h"

struct modern_inst;

// Cycles, event and entry have a meaning once whoever uses them has set them.
struct modern_winst {
	struct winst w;               // first: what is shared with the SM, which knows it by this part
	const struct modern_inst *inst; // the core's view of w.st
	struct modern_winst *next;    // in the list of a cycle or queue that it stands in
	struct modern_winst *prev;    // in the list of far events
	uint64_t when;                // cycle of its next event
	uint64_t read_at, result;     // cycles of operand read and result, once Allocate knows them
	uint16_t entry;               // of the pending request table, if it is one of memory
	uint16_t held;                // cycles that Allocate has held it
	uint8_t event;                // enum modern_event
	bool controlled;              // it has entered Control
};

// Of an instruction of the modern core.
static inline struct modern_winst *modern_of(struct winst *w) { return (struct modern_winst *)w; }
static inline const struct modern_inst *modern_inst_of(const struct winst *w) { return ((const struct modern_winst *)w)->inst; }

// The core's part of an instruction that sm_inst_new has just made.
static inline void modern_begin(struct winst *w, const struct modern_inst *inst)
{
	struct modern_winst *x = modern_of(w);
	x->inst = inst;
	x->held = 0;
	x->controlled = false;
}

#endif
