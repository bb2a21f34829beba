// Traces of machine code that Heddle executed: the header, or the kernel's message in the extended format, holds the code, so
// that a core fetches in it and is told of it what it was told when the program ran.
#ifndef CUDA_SIM_TRACE_MACHINE_H
#define CUDA_SIM_TRACE_MACHINE_H

#include "cuda-sim/sass/machine/encoding.h"
#include "cuda-sim/trace/pack.h"
#include "isa/frontend.h"

enum { TRACE_MACHINE_VERSION = 1, TRACE_MACHINE_BYTES = 16 }; // of an instruction

// What an instruction's lines tell of its accesses.
enum trace_machine_how {
	TRACE_MACHINE_LINE,     // as tracers do
	TRACE_MACHINE_CONSTANT, // nothing: it loads the constants that its operand names
	TRACE_MACHINE_LIST,     // all of them, behind the immediate
	TRACE_MACHINE_CALL,     // nothing: it calls what all SMs share
	TRACE_MACHINE_N_HOW,
};

// At the end of a line: the lanes wait at the barrier while others of the warp have yet to come.
#define TRACE_MACHINE_APART " | apart"

struct trace_machine {
	uint32_t n, filled, local, prefers; // instructions; those that are known; kernel_info.local; kernel_launch.prefers
	uint64_t code_base;
	struct sass_word *word;
	uint8_t *how;                       // enum trace_machine_how
	struct isa_inst *inst;              // by pc / TRACE_MACHINE_BYTES
	struct isa_sass *sass;
	const char **text;
};

// The code, to which instructions are then added one by one.
void trace_machine_new(struct trace_code *c, uint64_t code_base, uint32_t local, uint32_t prefers, uint32_t n);
bool trace_machine_add(struct trace_code *c, unsigned how, struct sass_word word);

// From "VERSION CODE_BASE LOCAL PREFERS INSTRUCTIONS". False if it is none.
bool trace_machine_begin(struct trace_code *c, const char *p, const char *end);
// The next instruction, from "HOW ENCODING ; TEXT", the encoding as 32 hexadecimal digits.
bool trace_machine_line(struct trace_code *c, const char *p, const char *end);
// Decodes it all, when the generation is known.
bool trace_machine_decode(struct trace_code *c, char *why, size_t n);
void trace_machine_free(struct trace_machine *m);

// The instruction at a pc, of which the line gives `addresses` or not; `apart`: the warp goes on without these lanes.
bool trace_machine_inst(struct trace_code *c, uint64_t pc, bool addresses, bool apart, struct trace_inst *out, char *why, size_t n);

// The accesses of TRACE_LISTED.
void trace_machine_result(const struct trace_inst *t, struct trace_cursor *cursor, struct fe_result *out);

#endif
