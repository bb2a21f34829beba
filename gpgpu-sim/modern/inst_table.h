// A kernel's instructions as the modern core sees them, by pc. Filled before warps come to them: while SMs are stepped nobody
// writes to it.
#ifndef GPGPU_SIM_MODERN_INST_TABLE_H
#define GPGPU_SIM_MODERN_INST_TABLE_H

#include "base/assert.h"
#include "gpgpu-sim/modern/inst.h"
#include "isa/frontend.h"

struct modern_code {
	const struct modern_config *cfg;
	const struct core_config *core;
	const struct frontend_ops *fe;
	const void *code;
	struct modern_inst **at;      // by pc / fe->inst_bytes modulo n_at, a power of two; the rest chained by `other`
	uint32_t n_at;
	struct modern_inst **chunk;
	uint32_t n_chunk, n_inst;
	uint32_t n_met;               // of frontend_ops.met, those that are in it
	uint32_t users;               // kernels that run and have it
	uint64_t launched;            // when it was last launched, for who keeps it
	bool kept;                    // it outlives its users
	bool control;                 // it has control bits, as its first instruction shows
	struct hazard_told *told;     // hazards that were said of the kernel, for all its launches; NULL: control bits are not checked
};

// Has the instructions that the front end knows by now; PTX, which has no control bits, gets some.
struct modern_code *modern_code_new(const struct modern_config *cfg, const struct core_config *core, const struct frontend_ops *fe, const void *code);
void modern_code_free(struct modern_code *c);
// Takes in what the front end has met since. Not while SMs are stepped.
void modern_code_grow(struct modern_code *c);

// The entry of an instruction of this code.
static inline const struct modern_inst *modern_code_of(const struct modern_code *c, const struct isa_inst *st)
{
	const struct modern_inst *m = c->at[(st->pc / c->fe->inst_bytes) & (c->n_at - 1)];
	while (m->st != st) {
		m = m->other;
		HEDDLE_ASSERT(m);
	}
	return m;
}

#endif
