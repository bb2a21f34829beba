// A kernel's machine code decoded: micro-ops, and where registers and constants lie in the rows of a warp.
//
// A register is a row of 32 lanes of 4 bytes; Rn + 1 follows Rn, so that 64-bit values, which are pairs, lie in two rows.
// A uniform register is a row too: each group of lanes that has parted from others has its value in its lanes, so that one
// group cannot spoil another's between two of its instructions, which hardware prevents by where it changes groups. A predicate is a
// mask. A constant operand is a row that is filled when the block's storage is made.
#ifndef CUDA_SIM_SASS_EXEC_CODE_H
#define CUDA_SIM_SASS_EXEC_CODE_H

#include "base/arena.h"
#include "cuda-sim/exec/uop.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "cuda-sim/sass/machine/encoding.h"
#include "isa/inst.h"

enum {
	SX_INST_BYTES = 16,
	SX_ROW = 4 * WARP,
	SX_N_R = 255, SX_N_B = 16,
	SX_UR_TOGETHER = 4, // uniform registers that an instruction reads or writes from the one that it names on
	SX_RZ = 255, SX_URZ = 255, SX_PT = 7, // before Blackwell URZ is encoded as 63: sx_ur_of

	// Byte offsets in the rows. 0 is no predicate: struct uop.guard.
	SX_AT_P = 4,                             // P0 to P6, then PT
	SX_AT_UP = SX_AT_P + 4 * 8,              // UP0 to UP6, then UPT
	SX_AT_P_SINK = SX_AT_UP + 4 * 8,         // what is written to PT
	SX_AT_P_RESULT = SX_AT_P_SINK + 4,       // of the last BAR.RED, for B2R
	SX_AT_P_TEMP = SX_AT_P_RESULT + 4,
	SX_N_P_TEMP = 8,
	SX_AT_ZERO = SX_ROW,                     // RZ as a source of up to 16 bytes a lane
	SX_AT_R = SX_AT_ZERO + 4 * SX_ROW,       // then uniform and B registers, constants and temporary rows, as many as the kernel has
	SX_N_TEMP_KINDS = 3, SX_N_TEMP = 10, // temporary rows of 4, 8 and 16 bytes a lane, and how many of each an instruction may have
};
_Static_assert(SX_AT_P_TEMP + 4 * SX_N_P_TEMP <= SX_AT_ZERO, "masks stand before the rows");

// What the keeper of a warp does itself (uop.ctl). The lanes are those for which the guard and the predicate x[1], negated if
// x[2], hold; x[1] 0: there is none.
enum sx_ctl {
	SX_PLAIN,     // fn
	SX_BRA,       // imm: micro-op
	SX_BRA_ANY,   // imm: micro-op; taken by all lanes of the group if it is by one
	SX_BRA_BY_LANES, // imm: micro-op; taken by all lanes of the group if those for which the guard holds are not the lanes of the
	                 // uniform row a, with x[0] of ~a, or if a is 0 the live ones; with x[3] if they are
	SX_JUMP,      // imm + row a: pc
	SX_CALL,      // row a + imm: an external function, or a pc
	SX_EXIT,
	SX_BSSY,      // a: row of the B register
	SX_BSYNC,     // a
	SX_BREAK,     // a
	SX_WARPSYNC,  // a: row of lanes; x[0]: lanes that name other lanes go on apart; x[3]: those that do not name themselves go on
	              // at micro-op imm, behind what the others do together
	SX_YIELD,     // others may have a turn
	SX_BAR,       // a: barrier, b: count or 0, c: predicate, x[0]: enum uop_bar, x[3]: bits 0 to 15 of a are the barrier, 16 up the count
	SX_CLOCK,     // d: row; x[0]: 64 bits, the second row follows; imm: nanoseconds; x[3]: upper half
	SX_PC,        // d: row pair that gets pc imm
	SX_TRY,       // waits for a phase of an mbarrier, see exec/tries.h; the only micro-op of its instruction
	SX_TRAP,
	SX_CLUSTER,  // x[0]: enum exec_cluster_op
	SX_DEPENDENTS, // x[0]: enum exec_dependents_op
	SX_GROUP,    // x[0]: enum exec_group_op; d: predicate that is set then, 0: there is none
};

// What a memory instruction touches: (lo | hi << 32) * scale + uniform + imm, all rows.
struct sx_access {
	uint8_t how;       // enum exec_list
	uint8_t bank;      // EXEC_LIST_CONST
	uint8_t scale;     // log2
	bool wide_uniform; // the uniform part has two rows
	int32_t lo, hi, uniform; // 0: there is none
	int32_t value;     // of instructions that poll: the row that is read into; 0: not one or two registers
	int64_t imm;
};

// Rows that few kernels need; 0: this one has none.
enum sx_extra {
	SX_SINK,   // what is written to RZ, up to four registers
	SX_RPC,    // Rpc, two rows
	SX_RESULT, // of the last BAR.RED
	SX_N_EXTRAS
};

// A row that no instruction writes.
enum sx_init_kind { SX_INIT_BITS, SX_INIT_BANK, SX_INIT_SPECIAL };
struct sx_init {
	int32_t row;
	uint8_t kind;      // enum sx_init_kind
	bool wide;         // 8 bytes a lane
	uint8_t bank;
	uint64_t bits;     // BITS: the value; BANK: byte offset; SPECIAL: number of the special register
};
// When they are filled: with the block's storage, and with each block.
enum sx_init_group { SX_INIT_LAUNCH, SX_INIT_CTA, SX_N_INIT };

struct sass_kernel {
	struct arena arena;
	const struct sass_image *image;
	struct sass_isa *isa_table;
	uint32_t n;               // instructions
	struct uop *uop;          // of all instructions; one follows that is a fault: the end
	uint32_t n_uop;
	uint32_t *first;          // instruction -> its first micro-op
	uint32_t *inst_of;        // micro-op -> instruction
	struct isa_inst *isa;
	struct sx_access *access;
	struct sx_init *init[SX_N_INIT];
	uint32_t n_init[SX_N_INIT];
	uint32_t frame_bytes;     // rows of a warp
	uint32_t n_r;             // rows of registers, from SX_AT_R on
	int32_t extra[SX_N_EXTRAS]; // rows of enum sx_extra, behind those
	uint32_t n_ur, n_b;       // of uniform registers behind them, and of B registers behind those, up to the last that is written
	bool apart;               // see frontend_ops
	bool stack_unknown;       // its code takes more from the stack than the compiler says: alloca(), functions called by address
};

static inline struct sass_word sx_word(const struct sass_kernel *k, uint32_t inst)
{
	struct sass_word w;
	__builtin_memcpy(&w, k->image->code + (size_t)inst * SX_INST_BYTES, sizeof w);
	return w;
}

// Where a uniform register begins, from which on up to SX_UR_TOGETHER are used. One that no instruction writes is zero.
static inline int32_t sx_ur_row(const struct sass_kernel *k, unsigned reg)
{
	return reg >= SX_URZ || reg + SX_UR_TOGETHER > k->n_ur ? SX_AT_ZERO : SX_AT_R + (int32_t)(k->n_r + reg) * SX_ROW;
}

// For each lane, the lanes that it is to meet.
static inline int32_t sx_b_row(const struct sass_kernel *k, unsigned reg) { return SX_AT_R + (int32_t)(k->n_r + k->n_ur + reg) * SX_ROW; }

// The instruction as text.
void sx_text(const struct sass_kernel *k, uint32_t inst, char *buf, size_t len);

#endif
