// The static part of an extended trace, enhanced_execution_info.json: functions with their instructions, operands and
// control bits. Read once, as a stream, for all kernels of a trace; what no core needs is not kept.
#ifndef CUDA_SIM_TRACE_STATIC_H
#define CUDA_SIM_TRACE_STATIC_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "isa/inst.h"

#include <stddef.h>

enum static_type {
	STATIC_NONE, STATIC_REG, STATIC_UREG, STATIC_PRED, STATIC_UPRED, STATIC_BREG, STATIC_CBANK, STATIC_MREF,
	STATIC_DESC, STATIC_IMM, STATIC_SPECIAL, STATIC_SB, STATIC_CALL, STATIC_GENERIC,
};

struct static_operand {
	const char *text; // as the disassembler writes it; the same pointer for the same text
	uint8_t type;     // enum static_type
	int32_t number;   // STATIC_CALL: the function's id
};

struct static_inst {
	uint32_t pc;
	bool predicated, uniform_guard, negated;
	bool encoded;               // lo and hi are given
	bool captured;              // as in its function
	uint8_t guard;              // predicate register
	uint8_t n_dst;              // destination registers as the tracer counts them: 0 or 1
	uint16_t n_operand;
	uint64_t lo, hi;
	struct isa_control control; // present: of code that was found in the binary
	const char *op;             // "LDG.E.64"
	const struct static_operand *operand;
};

enum { STATIC_INST_BYTES = 16, STATIC_MAX_CODE = 1 << 24 }; // of a function

struct static_function {
	int64_t id;
	uint64_t address;           // where its code lies
	bool captured;              // found in the binary: control bits are true
	bool unsorted;              // while it is read
	const char *name;
	VEC(struct static_inst) inst; // by pc
};

struct trace_static {
	char *file;
	VEC(struct static_function) function; // by id
	struct arena strings;
	struct map text;
};

// NULL with "FILE:LINE:COLUMN: what is wrong" in `why`.
struct trace_static *trace_static_open(const char *path, char *why, size_t n);
// The same from text in memory.
struct trace_static *trace_static_parse(const char *name, const char *text, size_t len, char *why, size_t n);
void trace_static_free(struct trace_static *s);

// NULL if there is none.
const struct static_function *trace_static_function(const struct trace_static *s, int64_t id);
const struct static_inst *trace_static_inst(const struct static_function *f, uint32_t pc);

// "@!P0 LDG.E R5, desc[UR4][R4.64]" into buf.
void trace_static_text(const struct static_inst *i, char *buf, size_t n);

#endif
