// A warp instruction in flight.
#ifndef GPGPU_SIM_SM_WINST_H
#define GPGPU_SIM_SM_WINST_H

#include "base/assert.h"
#include "gpgpu-sim/sm/core_config.h"
#include "gpgpu-sim/request/mem_req.h"

struct modern_inst;

struct winst {
	const struct isa_inst *st;
	uint64_t uid;            // order of issue in the SM
	uint64_t issued;         // cycle
	struct mem_req *access;  // coalesced requests not yet sent, in the order they go out, linked by next
	uint32_t mask;           // lanes that execute: the guard held
	uint32_t index;          // in the SM's pool
	uint32_t line;           // number of the instruction in sm_world.lines
	uint32_t refs;           // requests that will come back to it; its registers wait for them
	uint16_t n_access;       // length of access
	uint16_t latency, interval;
	uint16_t cycles;         // shared memory: passes through the banks
	uint8_t pipe, space;     // enum pipe; enum isa_space, of what it touches
	uint8_t warp, sched;
	uint8_t dst_left;        // destination registers not yet written back, a bit each
	bool load, store, atomic; // load: waits for an answer (atomics too)
	uint8_t group;           // of an asynchronous copy, modulo SM_ASYNC_GROUPS
	bool in_pipe;            // still counted in warp.in_pipe
	struct winst *next;      // free list; in the modern core: the list of a cycle or queue it stands in
	struct winst *prev;      // in the modern core's list of far events
	const struct modern_inst *modern; // the modern core's view of st
	uint16_t entry;          // of the pending request table, if it is one of memory
	uint16_t held;           // cycles that Allocate has held it
	bool controlled;         // it has entered Control
	uint64_t when;           // cycle of its next event
	uint64_t read_at, result; // cycles of operand read and result, once Allocate knows them
	uint8_t event;           // enum modern_event
};

#endif
