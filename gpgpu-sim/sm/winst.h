// A warp instruction in flight. A core that keeps more of one has a struct of its own, in which this one stands first, and tells
// its size (core_ops.inst_bytes).
#ifndef GPGPU_SIM_SM_WINST_H
#define GPGPU_SIM_SM_WINST_H

#include "base/assert.h"
#include "gpgpu-sim/sm/core_config.h"
#include "gpgpu-sim/request/mem_req.h"

// A cache line of the host.
struct winst {
	_Alignas(64) const struct isa_inst *st;
	uint64_t uid;            // order of issue in the SM
	uint64_t issued;         // cycle
	struct mem_req *access;  // coalesced requests not yet sent, in the order they go out, linked by next
	uint32_t mask;           // lanes that execute: the guard held
	uint32_t index;          // in the SM's pool
	uint32_t line;           // number of the instruction in sm_world.lines
	uint32_t refs;           // requests that will come back to it; its registers wait for them
	uint16_t n_access;       // length of access
	uint16_t latency, interval;
	uint16_t cycles;         // shared memory: passes through the banks; of other CTAs: bytes over the network between SMs
	uint8_t pipe, space;     // enum pipe; enum isa_space, of what it touches
	uint8_t warp, sched;
	uint8_t dst_left;        // destination registers not yet written back, a bit each
	uint8_t group;           // of an asynchronous copy, modulo SM_ASYNC_GROUPS
	bool load : 1, store : 1, atomic : 1; // load: waits for an answer (atomics too)
	bool in_pipe : 1;        // still counted in warp.in_pipe
};
_Static_assert(sizeof(struct winst) == 64, "a cache line");

#endif
