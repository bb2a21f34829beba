// The classic core's load/store unit: one instruction at a time in a dispatch register, from where its accesses go to shared
// memory, to the pipes before the banks of L1D, to the constant and texture caches or past L1D into the network. Model of
// GPGPU-Sim's ldst_unit.
#ifndef GPGPU_SIM_CLASSIC_LDST_UNIT_H
#define GPGPU_SIM_CLASSIC_LDST_UNIT_H

#include "base/ring.h"
#include "gpgpu-sim/sm/ldst.h"

// Where results come from that write registers.
enum { LDST_WB_SHARED, LDST_WB_TEXTURE, LDST_WB_CONST, LDST_WB_GLOBAL, LDST_WB_L1D, LDST_WB_REMOTE, LDST_N_WB };

// A request on its way to a bank of L1D.
struct ldst_access {
	struct mem_req *r;
	uint64_t due, addr;        // due: tick in which it would access the cache
};

// The pipe before a bank of L1D: -gpgpu_l1_latency stages. In each tick everything behind the first free stage moves one on,
// so what has n before it stands in stage n or, sooner, in the one it would have reached alone.
struct ldst_bank {
	RING(struct ldst_access);
	uint64_t refused;          // version of the cache that refused the oldest one, plus one; 0: it was not
	enum cache_fail why;
};

struct ldst_unit {
	struct winst *dispatch;
	uint32_t passes;           // of the dispatch instruction's passes through the shared memory banks, still to come
	struct port shared;        // the pipe of shared memory, as long as its latency, of instructions: it moves as those below
	uint64_t shared_ticks;     // of it, while it holds anything
	struct winst *next_wb;     // writes its registers
	uint8_t wb_turn;
	struct mem_req *next_global; // an answer that passes L1D by
	struct ldst_bank *bank;    // -gpgpu_l1_banks of them; none without L1D
	uint32_t n_bank;
	uint32_t filled;           // bit per bank whose pipe holds something
	uint64_t l1_ticks;         // of the pipes, while they hold anything
	enum ldst_stall stall;     // of the last cycle, for reports
};

void ldst_unit_init(struct ldst_unit *u, const struct sm *m); // the SM's caches are there
void ldst_unit_free(struct ldst_unit *u);
void ldst_unit_issue(struct sm *m, struct winst *w);  // into the empty dispatch register
void ldst_unit_tick(struct sm *m, uint64_t now);
// Nothing inside could move without an answer from outside.
bool ldst_unit_idle(const struct sm *m);
// Nothing inside could move without one, or room in the network, which has refused a request in the last tick.
bool ldst_unit_refused(const struct sm *m);
uint64_t ldst_unit_writes(const struct sm *m); // warps to which the next cycle may write a register from here
void ldst_unit_skip(struct sm *m, uint64_t ticks); // so many, all like the last one, in which it was idle or refused

#endif
