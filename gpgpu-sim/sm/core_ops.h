// A core model: what an SM does with the warps of its CTAs, cycle by cycle. The SM around it (sm.h) holds CTAs, warps and
// their front end, the caches of the load/store unit, the way to the network and the statistics; all models share those.
#ifndef GPGPU_SIM_SM_CORE_OPS_H
#define GPGPU_SIM_SM_CORE_OPS_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sm;
struct kernel_run;
struct mem_req;
struct winst;
struct lines;

// Why a warp cannot issue, the first that applies. X(name, text)
#define SM_WAITS(X)                                                                                                   \
	X(EMPTY, "no warp") X(DRAIN, "done, waits for its outstanding stores and loads") X(ATOMIC, "waits for its atomics") \
	X(SERVICE, "waits for the device runtime") X(COPY, "waits for its asynchronous copies")                       \
	X(FENCE, "waits at a fence for its outstanding stores and loads") X(BARRIER, "waits at a barrier")            \
	X(IMISS, "waits for the instruction cache") X(FETCH, "waits for fetch")                                       \
	X(FLUSH, "refills its instruction buffer after a branch") X(REGISTER, "waits for a register")                 \
	X(PIPE, "waits for a free place in its pipe") X(TURN, "can issue")
enum sm_wait {
#define X(name, text) SM_WAIT_##name,
	SM_WAITS(X)
#undef X
	SM_N_WAITS
};

// Every function is required unless it says what NULL means.
struct core_ops {
	uint32_t slots; // set of enum sm_slot_reason that its issue slots can have

	bool waits_for_atomics; // a warp issues nothing until its atomics have come back
	uint32_t inst_bytes;    // of an instruction in flight: a struct winst, and behind it what the core keeps and fills itself

	bool (*init)(struct sm *m, struct diag *d); // after the common parts; false with errors
	void (*free)(struct sm *m);

	void (*reserve_registers)(struct sm *m);          // sm.reg_words grew; NULL: nothing to do
	void (*start_cta)(struct sm *m, struct kernel_run *k); // the front end has begun a CTA of it, its warps follow; NULL: nothing to do
	void (*start_warp)(struct sm *m, unsigned warp);  // sm.warp[warp] was filled, its first instruction is next
	void (*may_go)(struct sm *m, unsigned warp);      // it waits for a fence, its atomics or a group no longer; NULL: the core looks by itself
	void (*refresh)(struct sm *m, unsigned warp);     // its next instruction, barrier or fence state changed from outside, or its kernel was stopped
	void (*park_warp)(struct sm *m, unsigned warp);   // it leaves the SM for a while; NULL: nothing to do
	bool (*fetching)(const struct sm *m, unsigned warp); // an instruction for it is on its way to its buffer; NULL: that keeps no warp here
	void (*end_kernel)(struct sm *m);                 // a kernel has ended on the GPU: caches that do not outlive one; NULL: none

	// One core cycle. The next cycle in which it must be called; UINT64_MAX: nothing can move until something arrives. With
	// sm.at_network set it must be called, too, when the network may have room for what it refused; until then it is asked for
	// the same things in every cycle, which catch_up counts.
	uint64_t (*tick)(struct sm *m, uint64_t now);
	// In the next cycle it executes nothing that reaches out of the SM (sm_reaches_out), if no answer comes.
	bool (*alone)(const struct sm *m);
	void (*catch_up)(struct sm *m, uint64_t cycles);  // cycles slept through behind sm.now, all like the last one
	void (*settle)(struct sm *m);                     // brings counters up to date that it counts late; NULL: there are none
	bool (*holds_requests)(const struct sm *m);       // can still move, or has come and nobody has taken it
	bool (*response_full)(const struct sm *m);
	void (*accept_data)(struct sm *m);                // something came into ldst.responses, or a warp leaves; NULL: it is found there
	void (*accept_fetch)(struct sm *m, struct mem_req *r, uint64_t now);
	// For people who look inside: why a warp that waits for nothing that the SM knows does not issue; what a resident warp waits
	// for; buffers that hold something; the pipeline, line by line.
	enum sm_wait (*wait_of)(const struct sm *m, unsigned warp);
	unsigned (*buffered)(const struct sm *m, unsigned warp); // instructions in its buffer
	void (*print_wait)(const struct sm *m, unsigned warp, char *buf, size_t len);
	void (*print_queues)(const struct sm *m, struct lines *to);
	void (*print_pipeline)(const struct sm *m, struct lines *to);
};

#endif
