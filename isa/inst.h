// The instruction form: what every front end tells every core about one static instruction. A core never asks where
// instructions come from.
#ifndef ISA_INST_H
#define ISA_INST_H

#include <stdbool.h>
#include <stdint.h>

// Operation classes: what unit a core sends the instruction to, and how statistics count it. The classes follow the
// latency options of GPGPU-Sim: INT is add and subtract, *_MAX minimum and maximum, ALU all other integer and logic
// operations, comparisons and selections.
// X(name, text)
#define ISA_CLASSES(X)                                                                                   \
	X(NOP, "nop") X(ALU, "alu") X(INT, "int") X(INT_MAX, "int_max")                                  \
	X(INT_MUL, "int_mul") X(INT_MAD, "int_mad") X(INT_DIV, "int_div")                                \
	X(SP_ADD, "sp_add") X(SP_MAX, "sp_max") X(SP_MUL, "sp_mul") X(SP_MAD, "sp_mad") X(SP_DIV, "sp_div") \
	X(HP, "hp") X(DP_ADD, "dp_add") X(DP_MAX, "dp_max") X(DP_MUL, "dp_mul") X(DP_MAD, "dp_mad")      \
	X(DP_DIV, "dp_div")                                                                              \
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

// Cache operators of loads and stores (PTX ISA, "Cache operators"); NC: through the read-only path (ld.global.nc).
enum isa_cache_op {
	ISA_CACHE_DEFAULT, ISA_CACHE_CA, ISA_CACHE_CG, ISA_CACHE_CS, ISA_CACHE_LU, ISA_CACHE_CV, ISA_CACHE_WB, ISA_CACHE_WT, ISA_CACHE_NC,
};

// Copies that go on beside their warp, in groups: COPY joins the open group, COMMIT closes it, WAIT holds the warp until no
// more than async_keep of the closed groups are under way.
enum isa_async { ISA_ASYNC_NONE, ISA_ASYNC_COPY, ISA_ASYNC_COMMIT, ISA_ASYNC_WAIT };

// Calls that take a while besides their instruction: steps of a kernel's launch by a kernel.
enum isa_service { ISA_SERVICE_NONE, ISA_SERVICE_STREAM, ISA_SERVICE_PARAMS, ISA_SERVICE_LAUNCH, ISA_SERVICE_WAIT, ISA_N_SERVICES };

enum { ISA_MAX_SRC = 10, ISA_MAX_DST = 8, ISA_NO_BANK = 0xffff };

// One static instruction. Register numbers are architectural, 1-based, 0 means none; predicates are counted in the
// same space so that a scoreboard needs one table.
struct isa_inst {
	uint64_t pc;             // byte address in the kernel's code
	uint8_t cls;             // enum isa_class
	uint8_t unit;            // 0: the unit of its class; n: specialized unit n, which the GPU has
	uint8_t space;           // enum isa_space, for memory classes
	uint8_t bytes;           // per lane and access
	uint8_t n_src, n_dst;
	uint8_t n_read;          // src[0 .. n_read-1] go through the operand collector; the guard comes after them
	bool is_volatile, is_uniform_branch;
	bool has_access;         // execute lists what it touches, see fe_result
	uint8_t cache_op;        // enum isa_cache_op
	uint8_t async;           // enum isa_async
	uint8_t async_keep;
	uint8_t service;         // enum isa_service
	uint16_t src[ISA_MAX_SRC], dst[ISA_MAX_DST];
	// The number of each register within its file (5 of %f5), which decides its bank; ISA_NO_BANK if it has none.
	uint16_t src_bank[ISA_MAX_SRC], dst_bank[ISA_MAX_DST];
	uint32_t line;           // source line, 0 unknown
	uint32_t text;           // front end's index for disassembly
};

#endif
