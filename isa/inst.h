// The instruction form: what every front end tells every core about one static instruction. A core never asks where
// instructions come from.
#ifndef ISA_INST_H
#define ISA_INST_H

#include <stdbool.h>
#include <stdint.h>

// Operation classes: what unit a core sends the instruction to, and how statistics count it.
// X(name, text)
#define ISA_CLASSES(X)                                                                                   \
	X(NOP, "nop") X(INT, "int") X(INT_MUL, "int_mul") X(INT_MAD, "int_mad") X(INT_DIV, "int_div")    \
	X(SP_ADD, "sp_add") X(SP_MUL, "sp_mul") X(SP_MAD, "sp_mad") X(SP_DIV, "sp_div")                  \
	X(HP, "hp") X(DP_ADD, "dp_add") X(DP_MUL, "dp_mul") X(DP_MAD, "dp_mad") X(DP_DIV, "dp_div")      \
	X(SFU, "sfu") X(CVT, "cvt") X(MOV, "mov") X(SHFL, "shfl") X(VOTE, "vote") X(TENSOR, "tensor")    \
	X(LOAD, "load") X(STORE, "store") X(ATOMIC, "atomic") X(TEXTURE, "tex")                          \
	X(BRANCH, "branch") X(CALL, "call") X(RET, "ret") X(EXIT, "exit")                                \
	X(BARRIER, "barrier") X(FENCE, "fence")

enum isa_class {
#define X(name, text) ISA_##name,
	ISA_CLASSES(X)
#undef X
	ISA_N_CLASSES
};

enum isa_space {
	SPACE_NONE,
	SPACE_GENERIC,
	SPACE_GLOBAL,
	SPACE_SHARED,
	SPACE_LOCAL,
	SPACE_CONST,
	SPACE_PARAM,
	SPACE_TEX,
};

enum { ISA_MAX_SRC = 8, ISA_MAX_DST = 5 };

// One static instruction. Register numbers are architectural, 1-based, 0 means none; predicates are counted in the
// same space so that a scoreboard needs one table.
struct isa_inst {
	uint64_t pc;             // byte address in the kernel's code
	uint8_t cls;             // enum isa_class
	uint8_t space;           // enum isa_space, for memory classes
	uint8_t bytes;           // per lane and access
	uint8_t n_src, n_dst;
	bool is_volatile, is_uniform_branch;
	uint8_t cache_op;        // front end's code for .ca .cg .cs .cv ...; 0 default
	uint16_t src[ISA_MAX_SRC], dst[ISA_MAX_DST];
	uint32_t line;           // source line, 0 unknown
	uint32_t text;           // front end's index for disassembly
};

#endif
