// How far apart a producer of fixed latency and its consumer must issue: what stall counts have to cover. The checker and the
// control bits of PTX go by it.
//
// Most figures are the smallest distances that NVIDIA's compiler leaves in machine code, by generation (docs/latencies.md); units'
// latencies and that of predicates are options.
#ifndef GPGPU_SIM_MODERN_DISTANCE_H
#define GPGPU_SIM_MODERN_DISTANCE_H

#include "gpgpu-sim/modern/config.h"

#include <stdbool.h>

struct modern_inst;
struct isa_sass;

// Where results come from and operands go to: the pipe of the unit or, from Blackwell on, another one.
enum modern_pipe {
	MODERN_PIPE_UNIT,
	MODERN_PIPE_INT,    // of the integers
	MODERN_PIPE_FLOAT,  // of single precision and IMAD
	MODERN_PIPE_EITHER, // that which is free: as far from every other as if it had to cross
	MODERN_PIPE_PAIR,   // integers of 64 bits
	MODERN_PIPE_QUEUE,  // of special functions
};

// What a register is read as.
enum modern_use {
	MODERN_OPERAND, // by an instruction of fixed latency, by bypass: of single precision, predicates, tensors, and
	MODERN_INT,     // integers
	MODERN_EITHER,  // what may go to two pipes
	MODERN_PAIR,    // integers of 64 bits
	MODERN_IMAD,
	MODERN_WIDE,    // IMAD.WIDE
	MODERN_HALF,
	MODERN_MMA,     // HFMA2.MMA
	MODERN_GUARD,   // a predicate, ahead of the pipes: by a guard, a vote, and
	MODERN_BRANCH,  // a branch
	MODERN_QUEUED,  // special functions, LDC, textures, surfaces, MATCH
	MODERN_MEMORY,  // the rest of memory
	MODERN_DOUBLE,  // double precision; predicates as ahead of the pipes
	MODERN_UNIFORM, // the uniform data path
	MODERN_ADDEND,  // the 64-bit addend of IMAD.WIDE and IMAD.HI, where it is read late
	MODERN_USES,
};

// Cycles that differ between generations.
struct modern_distances {
	unsigned from;                  // compute capability, 75 for 7.5
	uint8_t queued, memory, dp;     // from a unit whose result another such unit can use after 4 cycles
	uint8_t guard;                  // of a predicate, where -predicate_latency is not given
	uint8_t addend;                 // of 64 bits, from such a unit; 0: as any operand
	uint8_t to_uniform;             // R2UR; 0: it has a dependence counter
	uint8_t uniform_branch;         // of a uniform predicate, to BRA.U; 0: no generation's code has that
	bool barrier_reads;             // BAR lets a warp go on when its memory instructions have read their sources: no counter guards them
	// Double precision of fixed latency, to each use; 0: it has a dependence counter.
	uint8_t dp_operand, dp_guard, dp_queued, dp_memory, dp_dp, dp_predicate;
};

const struct modern_distances *modern_distances_of(unsigned capability);

// Cycles from the issue of an instruction of fixed latency until one that reads its destination st->dst[k] so may issue.
unsigned modern_result_cycles(const struct modern_inst *i, const struct modern_config *cfg, unsigned k, enum modern_use use);
// The longest of them.
unsigned modern_longest_result(const struct modern_inst *i, const struct modern_config *cfg);

enum modern_pipe modern_pipe_of(const struct isa_sass *s, enum isa_unit unit, unsigned capability);
// What guards an instruction: its index in st->src; n_src: it has no guard, or PT. Behind it stand, in machine code, further
// registers of operands that have several.
unsigned modern_guard(const struct isa_inst *st);
// How an instruction reads its source st->src[k]; `guard` as modern_guard has it.
enum modern_use modern_use_of(const struct modern_inst *i, unsigned k, unsigned guard);

#endif
