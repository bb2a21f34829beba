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
	SPACE_CLUSTER, // shared memory of other CTAs of the cluster: of accesses (fe_access), no instruction's
};

// Cache operators of loads and stores (PTX ISA, "Cache operators"); NC: through the read-only path (ld.global.nc).
enum isa_cache_op {
	ISA_CACHE_DEFAULT, ISA_CACHE_CA, ISA_CACHE_CG, ISA_CACHE_CS, ISA_CACHE_LU, ISA_CACHE_CV, ISA_CACHE_WB, ISA_CACHE_WT,
	ISA_CACHE_NC,
};

// Copies that go on beside their warp, in groups: COPY joins the open group, COMMIT closes it, WAIT holds the warp
// until no more than async_keep of the closed groups are under way.
// BULK_ and MMA_ are the same of bulk copies that have no mbarrier, and of products of warp groups; BULK_WAIT_READ waits only
// until the sources of the copies have been read.
enum isa_async {
	ISA_ASYNC_NONE, ISA_ASYNC_COPY, ISA_ASYNC_COMMIT, ISA_ASYNC_WAIT,
	ISA_ASYNC_BULK_COPY, ISA_ASYNC_BULK_COMMIT, ISA_ASYNC_BULK_WAIT, ISA_ASYNC_BULK_WAIT_READ,
	ISA_ASYNC_MMA, ISA_ASYNC_MMA_COMMIT, ISA_ASYNC_MMA_WAIT,
	ISA_ASYNC_MMA_LAST, // machine code: a product that closes the open group
};

// Of the barriers of a CTA: the warp waits there, or goes on.
enum isa_barrier { ISA_BARRIER_NONE, ISA_BARRIER_SYNC, ISA_BARRIER_ARRIVE };

// Calls that take a while besides their instruction: steps of a kernel's launch by a kernel.
enum isa_service {
	ISA_SERVICE_NONE, ISA_SERVICE_STREAM, ISA_SERVICE_PARAMS, ISA_SERVICE_LAUNCH, ISA_SERVICE_WAIT, ISA_N_SERVICES
};

// wmma.mma has the most registers: eight of A, of B and of C, and its guard. Of wgmma only what it reads when it issues is listed,
// not its accumulators, which are written behind the warp's back (ISA_ASYNC_MMA).
enum { ISA_MAX_SRC = 25, ISA_MAX_DST = 8, ISA_NO_BANK = 0xffff };

// --- What machine code says beyond the instruction form: operands with their register files and the control bits by
// which compilers guide issue from Maxwell on. Cores that need neither never look.

// The unit of the modern core that executes an instruction (docs/modern.md).
// X(name, text)
#define ISA_UNITS(X)                                                                                     \
	X(BY_CLASS, "by class") X(SP, "sp") X(INT, "int") X(HALF, "half") X(PREDICATE, "predicate")      \
	X(UNIFORM, "uniform") X(BRANCH, "branch") X(MISC, "misc") X(MISC_QUEUE, "misc queue")            \
	X(TENSOR, "tensor") X(SFU, "sfu") X(DP, "dp") X(MEMORY, "memory") X(TEXTURE, "tex")
enum isa_unit {
#define X(name, text) ISA_UNIT_##name,
	ISA_UNITS(X)
#undef X
	ISA_N_UNITS
};

enum isa_file {
	ISA_FILE_NONE,
	ISA_FILE_R, ISA_FILE_UR, ISA_FILE_P, ISA_FILE_UP, ISA_FILE_B, // registers
	ISA_FILE_CONST, ISA_FILE_IMM, ISA_FILE_SPECIAL,
};

// An operand. Registers that are constants (RZ, URZ, PT) are left out of register counts: count is 0.
struct isa_operand {
	uint8_t file;    // enum isa_file; behind ISA_FILE_CONST stands its index register, if it has one
	uint8_t count;   // registers from reg on
	bool reuse;      // to be kept in the register-file cache
	bool address;    // part of an address
	uint8_t slot;    // of the register file, of a source in a regular register: 0, 1, 2 for A, B, C
	uint16_t reg;    // number within its file; ISA_FILE_CONST: number of the constant bank
	uint32_t offset; // ISA_FILE_CONST: byte in the bank
};

// Timing addresses of constant banks, which no trace tells: 64 KiB each from here on,
// above what address maps give to data.
#define ISA_CONST_BASE ((uint64_t)0xEEEEEEEE00)
static inline uint64_t isa_const_address(unsigned bank, uint32_t offset)
{
	return ISA_CONST_BASE + ((uint64_t)bank << 16) + offset;
}

enum { ISA_N_SB = 6, ISA_NO_SB = 7 };

struct isa_control {
	bool present;      // false: nothing is known, hardware has to look after dependences
	bool yield;        // logical: true gives way for a cycle
	uint8_t stall;     // cycles until the warp's next instruction may issue, 0 .. 15
	uint8_t write_sb;  // dependence counter that goes down when the result is written; ISA_NO_SB: none
	uint8_t read_sb;   // that goes down when the sources have been read
	uint8_t wait;      // bit per counter that must be 0 before issue
};

// Opcodes that not every generation executes in the pipe of their unit, as the distances between them show (docs/latencies.md).
enum isa_moves {
	ISA_MOVES_NONE,
	ISA_MOVES_COMPARE, // FMNMX, FSEL, FSETP: with integers
	ISA_MOVES_SELECT,  // MOV, SEL, ISETP, VIMNMX
	ISA_MOVES_ADD,     // VIADD, IDP: with IMAD
	ISA_MOVES_CHECK,   // FCHK: with special functions
};

enum isa_address { ISA_ADDRESS_NONE, ISA_ADDRESS_IMMEDIATE, ISA_ADDRESS_UNIFORM, ISA_ADDRESS_REGULAR };

enum { ISA_SASS_DST = 3, ISA_SASS_SRC = 8 };

struct isa_sass {
	uint8_t unit;             // enum isa_unit
	uint8_t n_dst, n_src;
	uint8_t address;          // enum isa_address, of memory instructions
	struct isa_control control;
	struct isa_operand dst[ISA_SASS_DST], src[ISA_SASS_SRC]; // src in the order of the text, the guard last
	uint8_t depbar_sb; // DEPBAR.LE: waits until this counter is at most depbar_max and those of the set depbar_zero
	uint8_t depbar_max, depbar_zero; // are 0; ISA_NO_SB: no such instruction
	bool imad;                // any IMAD
	bool uniform_move;        // UMOV, ULDC, VOTEU
	bool half_mma;            // HFMA2.MMA
	uint8_t moves;            // enum isa_moves
	bool pair;                // .64 of an integer instruction: one of both halves
	bool constant_load;       // LDC: the constant operand is its address
	bool matrix_sparse;
	uint8_t matrix_m;         // of a warp's part of a product; 0: none
	uint16_t matrix_n, matrix_k, matrix_bits; // bits of an element as the opcode's second number gives them; of a warp group: of A's
	uint8_t matrices;         // LDSM: 1, 2 or 4
	uint8_t fence;            // MEMBAR: 1 CTA, 2 GPU, 3 system
	bool generic;             // LD and ST without a space of their own
};

// The shape of a matrix product: m x n x k elements, of `bits` bits each, that a warp, or a group of four with m = 64, multiplies.
struct isa_matrix {
	uint16_t n, k; // 0: no product, or of unknown shape
	uint8_t m, bits;
	bool sparse;   // half of A is zero and is not multiplied
	bool shared_a; // A lies in shared memory; B does in products of warp groups
};

// One static instruction. Register numbers are architectural, 1-based, 0 means none; predicates are counted in the
// same space so that a scoreboard needs one table.
struct isa_inst {
	uint64_t pc;             // byte address in the kernel's code
	uint8_t cls;             // enum isa_class
	uint8_t unit;            // 0: the unit of its class; n: specialized unit n, which the GPU has
	uint8_t space;           // enum isa_space, for memory classes
	uint8_t bytes;           // per lane and access
	uint8_t address_lanes;   // only so many lanes, the first ones, give addresses; 0: all
	uint8_t n_src, n_dst;
	uint8_t n_read;          // src[0 .. n_read-1] go through the operand collector; the guard comes after them, whether it is one of them or not
	bool is_volatile, is_uniform_branch;
	bool has_access;         // execute lists what it touches, see fe_result
	bool surface;            // a surface access: the texture unit reads its registers, whatever its class
	bool ordered;            // its effect depends on what other SMs do in the same cycle: see isa/effects.h
	uint8_t cache_op;        // enum isa_cache_op
	uint8_t async;           // enum isa_async
	uint8_t async_keep;
	uint8_t service;         // enum isa_service
	uint8_t barrier;         // enum isa_barrier
	uint8_t dst_predicates;  // bit per destination that is a predicate; of front ends without sass
	uint32_t src_predicates; // and per source
	struct isa_matrix matrix;
	uint32_t line;           // source line, 0 unknown
	uint32_t text;           // front end's index for disassembly
	const struct isa_sass *sass; // NULL: not machine code
	uint16_t dst[ISA_MAX_DST], src[ISA_MAX_SRC];
	// The number of each register within its file (5 of %f5), which decides its bank; ISA_NO_BANK if it has none.
	uint16_t dst_bank[ISA_MAX_DST], src_bank[ISA_MAX_SRC];
};

// The lanes of `mask` that give addresses.
static inline uint32_t isa_address_lanes(const struct isa_inst *i, uint32_t mask)
{
	const unsigned n = i->address_lanes;
	return n && n < 32 ? mask & ((1u << n) - 1) : mask;
}

#endif
