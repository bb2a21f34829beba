// What a tracer tells of an instruction of machine code that Heddle executes, in text and in extended traces alike.
#ifndef CUDA_SIM_TRACE_WRITE_MACHINE_LINE_H
#define CUDA_SIM_TRACE_WRITE_MACHINE_LINE_H

#include "cuda-sim/sass/exec/code.h"
#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/write/operand_text.h"

struct machine_line {
	struct inst_text text;
	uint8_t how;     // enum trace_machine_how
	bool memory;     // the addresses of a memory operand follow
	uint32_t width;  // of accesses in bytes, as tracers take it from the opcode
};

void machine_line_of(struct machine_line *l, const struct sass_kernel *k, uint32_t inst);

// Does the operand refer to memory?
static inline bool machine_line_refers(const struct operand_text *o) { return o->kind == OPERAND_MREF || o->kind == OPERAND_DESC; }

// The lanes that access memory and their addresses as the instruction had them: generic ones in their windows.
uint32_t machine_line_addresses(const struct fe_result *r, uint64_t addr[32]);

#endif
