// The modern core's memory pipeline: per sub-core a queue and a unit that calculates addresses and reads registers, per SM
// the unit they share: pending request table, coalescers, L1D, shared memory, the L0 of constant loads, texture, LDGSTS.
//
// Without anything in the way an instruction takes the cycles of Table 2 of Huerta et al. (facts in docs/modern.md): `war`
// of its modern_inst from issue until its sources may be overwritten, and for L1D or shared memory hits the RAW column until
// a consumer may issue. A sub-core holds `queue` + 1 of them from issue until the SM has accepted them; the SM accepts one
// every mem_spacing cycles, sub-cores taking turns.
#ifndef GPGPU_SIM_MODERN_MEMORY_H
#define GPGPU_SIM_MODERN_MEMORY_H

#include "gpgpu-sim/modern/code.h"
#include "gpgpu-sim/winst.h"

struct sm;
struct modern_memory_unit;

struct modern_memory_unit *mmem_new(struct sm *m, const struct modern_config *cfg);
void mmem_free(struct modern_memory_unit *u);

// Fills stage, war and back of a memory instruction from its kind, address and width.
void mmem_costs(const struct modern_config *cfg, struct modern_inst *i, uint8_t address, unsigned bytes, unsigned matrices);

// Before issue: the sub-core has a place for one more.
bool mmem_has_place(const struct sm *m, unsigned subcore);
// At issue, in cycle sm.now; coalesce() has filled in w->access, w->space and w->cycles.
void mmem_issue(struct sm *m, unsigned subcore, struct winst *w);

void mmem_tick(struct sm *m, uint64_t now); // before the sub-cores of the cycle
uint64_t mmem_next(const struct sm *m, uint64_t now); // as front_next
bool mmem_holds_requests(const struct sm *m);
void mmem_drain(struct sm *m, uint64_t now); // a cycle without CTAs: what nobody waits for comes to its end
void mmem_skip(struct sm *m, uint64_t cycles); // idle cycles, for the port statistics of its caches
void mmem_describe(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx);

#endif
