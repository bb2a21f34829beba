// The modern NVIDIA core: four sub-cores that issue as the compiler's control bits tell them. After Huerta et al., "Analyzing
// Modern NVIDIA GPU cores" (arXiv 2503.20481, MICRO 2025); docs/modern.md says what comes from where.
//
// Stages of a sub-core: fetch and decode (front.h), Issue, Control, Allocate for fixed latencies, three cycles of operand
// read, the unit, the result queue. In a cycle they run from back to front, so an instruction moves one stage a cycle. Changes
// of dependence counters are seen from the next cycle on.
#ifndef GPGPU_SIM_MODERN_MODERN_H
#define GPGPU_SIM_MODERN_MODERN_H

#include "gpgpu-sim/modern/front.h"
#include "gpgpu-sim/modern/memory.h"
#include "gpgpu-sim/sm.h"

enum { MODERN_RING = 256 }; // cycles that events may lie ahead

// The register-file cache: what each operand slot holds, per bank.
struct modern_rfc {
	uint16_t reg;
	uint8_t warp;
	bool valid;
};

struct modern_warp {
	uint64_t may_issue;          // first cycle after stall and yield
	uint8_t sb[ISA_N_SB], busy;  // dependence counters; bit per one that is not 0
	uint8_t hold_sb, hold_max, hold_zero; // an issued DEPBAR.LE: the condition for going on; hold_sb ISA_NO_SB: none
	bool scoreboard;             // its kernel has no control bits
	const struct modern_inst *head; // of sm.warp[].next
	struct modern_code *code;
};

// An event of an instruction in a sub-core, by the cycle in which it happens.
enum modern_event { MODERN_READ_DONE, MODERN_RESULT, MODERN_SFU_WRITE };

struct modern_sub {
	uint64_t warps;              // slots of the SM that are its own
	unsigned greedy;             // slot that issued last
	struct winst *control, *allocate;
	uint64_t port_free;          // issue port
	uint64_t unit_free[ISA_N_UNITS]; // first cycle in which a unit takes the next one from Issue
	uint8_t reads[MODERN_BANKS][MODERN_MAX_WINDOW]; // ports taken, by cycle
	struct modern_rfc rfc[MODERN_BANKS][8];
	struct winst *ring[MODERN_RING]; // events, by cycle
	uint32_t n_events;
	uint32_t results;            // places taken in the result queue, from issue on
	struct winst *queue_first, *queue_last; // that have their result
	uint64_t const_since;        // greedy warp's constant miss
	uint8_t writes[MODERN_BANKS]; // ports taken in this cycle
};

struct modern {
	const struct modern_config *cfg;
	struct modern_front *front;
	struct modern_memory_unit *mem;
	struct modern_sub sub[MODERN_SUBCORES];
	struct modern_warp warp[CORE_MAX_WARPS];
	uint64_t fence_until;        // issue ports blocked by a fence
	uint64_t next;               // first cycle in which anything can happen
};

// For the memory pipeline and other variable latencies, in this order for each instruction:
void modern_sources_read(struct sm *m, struct winst *w); // sources may be overwritten from the next cycle on
// The result goes to the sub-core's register file over its write ports: one register of each bank a cycle for units shared by
// the sub-cores. False: a port is taken in this cycle, try again. True: written, seen from the next cycle on.
bool modern_write(struct sm *m, struct winst *w);
void modern_done(struct sm *m, struct winst *w);         // it has left: counted and freed

#endif
