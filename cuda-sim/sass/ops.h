// SASS opcodes as a core sees them: the table of ops.def.
#ifndef CUDA_SIM_SASS_OPS_H
#define CUDA_SIM_SASS_OPS_H

#include "isa/inst.h"

#include <stddef.h>

// Generations, in the letters of ops.def. Blackwell is two: the GPUs of sm_100 and those of sm_120 share their opcodes, but some
// are encoded or written in another way.
enum sass_generation {
	SASS_KEPLER, SASS_MAXWELL, SASS_PASCAL, SASS_VOLTA, SASS_TURING, SASS_AMPERE, SASS_ADA, SASS_HOPPER, SASS_BLACKWELL, SASS_BLACKWELL_120,
	SASS_N_GENERATIONS,
};

enum sass_behaviour {
	SASS_PLAIN,
	SASS_WIDE,           // every register is the first of a pair
	SASS_WIDE_SOURCES,   // sources only
	SASS_BY_NAME,        // .64: every register is the first of a pair; .S64, .U64 of a comparison: sources only
	SASS_MULTIPLY,       // .WIDE: destination and last source are pairs
	SASS_CONVERT,        // .F64, .S64, .U64: of the destination first, then of the source
	SASS_CLOCK,          // destination is a pair unless .32 says otherwise
	SASS_CONSTANT,       // destination by the opcode's width; addresses, if any, are not used
	SASS_MEMORY,         // addresses are required
	SASS_SURFACE,        // addresses are used if there are any
	SASS_IGNORE_ADDRESS, // addresses are not used
	SASS_MATRIX,         // registers by the shape of the product
	SASS_GROUP_MATRIX,   // of a warp group: operands in shared memory or named one by one
	SASS_MATRIX_LOAD,    // .x2, .x4: that many registers
	SASS_ASYNC_COPY,     // global to shared memory; ends later
	SASS_ASYNC_COMMIT,   // makes a group of the copies before
	SASS_ASYNC_WAIT,     // waits until no more than the immediate's number of groups is under way
	SASS_BARRIER,
	SASS_BULK,           // bulk copies and TMA: many lines
};

// What is written, of the operands in the text: those at the front, by this rule. Nothing if the first is no register.
enum sass_result {
	SASS_TO_NOTHING,
	SASS_TO_REGISTER,   // a register; before it there may be a predicate (SHFL PT, R0, ...)
	SASS_TO_PREDICATES, // up to two predicates (ISETP P0, PT, ...)
	SASS_TO_CARRY,      // a register, then up to two predicates (IADD3 R0, P0, R1, ...)
	SASS_TO_VOTE,       // a register or none, then one predicate (VOTE.ALL R0, P0, P1)
};

struct sass_op {
	const char *name;
	const char *generations;
	uint8_t cls, unit, space, behaviour; // enum isa_class, unit from Volta on, enum isa_space, enum sass_behaviour
	uint8_t core, result;                // enum isa_unit, enum sass_result
};

// By the name's part before the first dot. NULL if no generation has it.
const struct sass_op *sass_op_find(const char *name, size_t len);

// The row whose name shares the longest beginning with `name`; the first of several. Never NULL.
const struct sass_op *sass_op_nearest(const char *name, size_t len);

// Generation of a binary version (75 for sm_75); -1 if it is none that is known.
int sass_generation_of(unsigned binary_version);
const char *sass_generation_name(enum sass_generation g);

// The unit of an opcode in code of a generation: before Volta there were no specialized units.
static inline unsigned sass_unit(const struct sass_op *op, enum sass_generation g)
{
	return g >= SASS_VOLTA ? op->unit : 0;
}

// All rows; *n gets their number.
const struct sass_op *sass_op_table(size_t *n);

#endif
