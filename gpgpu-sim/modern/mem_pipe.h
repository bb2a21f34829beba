// The modern core's memory pipeline: per sub-core a queue and a unit that calculates addresses and reads registers, per SM
// the unit they share: pending request table, coalescers, L1D, shared memory, the L0 of constant loads, texture, LDGSTS.
//
// Without anything in the way an instruction takes the cycles of Table 2 of Huerta et al. (facts in docs/modern-sources.md): `war`
// of its modern_inst from issue until its sources may be overwritten, and for L1D or shared memory hits the RAW column until
// a consumer may issue. A sub-core holds `queue` + 1 of them from issue until the SM has accepted them; the SM accepts one
// every mem_spacing cycles, sub-cores taking turns.
#ifndef GPGPU_SIM_MODERN_MEM_PIPE_H
#define GPGPU_SIM_MODERN_MEM_PIPE_H

#include "gpgpu-sim/modern/inst.h"
#include "gpgpu-sim/modern/winst.h"

struct lines;
struct sm;
struct modern_memory_unit;

// What the pipeline asks of the core around it: the functions of these names in modern.h (modern_*) and front.h (front_*).
struct mmem_core {
	void (*sources_read)(struct sm *m, struct winst *w);
	bool (*write)(struct sm *m, struct winst *w);
	void (*done)(struct sm *m, struct winst *w);
	bool (*request_constant)(struct sm *m, uint64_t addr, uint16_t stream);
	bool (*constant_back)(struct sm *m, uint64_t *addr);
};

// Each instruction gets sources_read, write (until it succeeds; stores and others without a result too) and done, in this
// order. A constant that was asked for is looked for in every mmem_tick, so the way back of constants must have moved before.
// An asynchronous copy (LDGSTS) is done when it stands in shared memory, after its write. The SM's L1C becomes the cache of
// constant loads, of form cfg->l0vl.
struct modern_memory_unit *mmem_new(struct sm *m, const struct modern_config *cfg);
struct modern_memory_unit *mmem_new_in(struct sm *m, const struct modern_config *cfg, const struct mmem_core *core); // for tests; core must outlive it
void mmem_free(struct modern_memory_unit *u);

// Fills stage, war, war_at_end, back and latency (cycles between the SM's acceptance and its answer that the configuration
// gives: L1D, shared memory, constants) of a memory instruction. It must have st and memory. `bytes` per lane, of all
// registers; `matrices` of an LDSM, else 0.
void mmem_costs(const struct modern_config *cfg, struct modern_inst *i, uint8_t address, unsigned bytes, unsigned matrices);
// Cycles from issue until a consumer may issue, if nothing waits and the first cache hits: column RAW of Table 2.
unsigned mmem_raw(const struct modern_config *cfg, const struct modern_inst *i);

// Before issue: the sub-core has a place for one more.
bool mmem_has_place(const struct sm *m, unsigned subcore);
// At issue, in cycle sm.now; coalesce() has filled in w->access, w->space and w->cycles.
void mmem_issue(struct sm *m, unsigned subcore, struct winst *w);

// Before the sub-cores of the cycle. Every cycle of the SM is told to either mmem_tick or mmem_skip.
void mmem_tick(struct sm *m, uint64_t now);
uint64_t mmem_next(const struct sm *m, uint64_t now); // as front_next; answers in the SM's port count as something to do
// While requests wait for nothing but the network nothing else can happen before mmem_next_besides. Instead of mmem_tick or
// mmem_skip, mmem_retry tries them. True: one was taken, and with it anything may go on in this cycle. The network counts how
// often it refuses them: cycles in which it has no room may be told to mmem_skip, which counts that.
bool mmem_refused(const struct sm *m);
bool mmem_retry(struct sm *m, uint64_t now);
uint64_t mmem_next_besides(const struct sm *m, uint64_t now);
void mmem_step(struct modern_memory_unit *u, bool step); // for tests: every tick looks at everything, whatever mmem_next says
bool mmem_holds_requests(const struct sm *m);
void mmem_drain(struct sm *m, uint64_t now); // a cycle without CTAs: what nobody waits for comes to its end
void mmem_skip(struct sm *m, uint64_t cycles); // in which nothing happened but refusals, for statistics
void mmem_describe(const struct sm *m, struct lines *to);

#endif
