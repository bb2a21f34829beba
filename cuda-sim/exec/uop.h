// The micro-op: what front ends make of an instruction, once, and bodies execute for a warp.
//
// A register of a warp is a row: 32 lanes side by side, 4 bytes a lane for types up to 32 bits, 8 bytes for 64 bits.
// A predicate is one uint32_t mask. Rows live in the frame of the running function at byte offsets that the front end
// fixed; immediates, kernel parameters and special registers are rows too, so a body never asks where an operand is.
// Nothing here says which language the instruction was written in.
#ifndef CUDA_SIM_EXEC_UOP_H
#define CUDA_SIM_EXEC_UOP_H

#include "cuda-sim/numbers/rounding.h"

#include <stdbool.h>
#include <stdint.h>

enum { WARP = 32 };
#define FULL_MASK 0xffffffffu

// Before a loop over the lanes of rows: its iterations do not depend on each other, since rows never overlap partly.
#ifdef __clang__
#define EXEC_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define EXEC_VECTOR _Pragma("GCC ivdep")
#endif

struct warp;
struct uop;

typedef void exec_fn(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w);

// What changes the flow of control or waits is executed by the keeper of the warp; everything else by fn.
enum uop_ctl {
	CTL_NONE,
	CTL_BRA,    // imm: target; uniform if the guard is
	CTL_BRX,    // indirect branch through a table
	CTL_CALL,
	CTL_RET,
	CTL_EXIT,
	CTL_BAR,      // a: barrier, b: count or 0, c: predicate, x[0]: enum uop_bar
	CTL_WARPSYNC, // bar.warp.sync, and what must first gather the lanes of its member mask
	CTL_CLOCK,    // x[1]: 64-bit lanes, x[2]: upper half, x[3]: nanoseconds
	CTL_TRY,      // see tries.h
	CTL_TRAP,
	CTL_GROUP,    // x[0]: enum exec_group_op
	CTL_CLUSTER,  // x[0]: enum exec_cluster_op
	CTL_DEPENDENTS, // x[0]: enum exec_dependents_op
};

#define UOP_NOWHERE UINT32_MAX // in place of a micro-op's number: lanes meet only at the end of the function

enum uop_bar { UOP_BAR_SYNC, UOP_BAR_ARRIVE, UOP_BAR_POPC, UOP_BAR_AND, UOP_BAR_OR };

enum uop_flag {
	UOP_NEG_GUARD = 1,
	UOP_NEG_A = 2,     // predicate operand written !p
	UOP_NEG_B = 4,
	UOP_NEG_C = 8,
	UOP_ADDR64 = 16,   // the address row `a` has 64-bit lanes
	UOP_EXTRA = 32,    // continues the instruction before it: not counted
	UOP_GATHER = 64,   // .sync: the lanes of the member mask, row x[3], must be here together
	UOP_SHARES = 512,  // begins an instruction that writes memory which other warps see
	UOP_SYSTEM = 1024, // of system scope: host threads may act on the same memory at the same time
	UOP_ALIGNED = 2048, // a barrier that threads have to come to by one and the same instruction; in machine code any
	UOP_CAS = 4096,    // machine code: begins a compare-and-swap
	UOP_PROXY = 8192,  // machine code: a fence of the asynchronous proxy
	UOP_MEETS = 16384, // PTX: lanes that have parted may meet before it
	UOP_GUARDED = 32768, // it has a guard (exec_straight_mark)
	UOP_POLL = 128,    // may be part of a spin loop: atomics with a result, volatile and acquire loads, nanosleep
};

// How the front end lists what an instruction touches.
enum exec_list {
	EXEC_LIST_NONE,
	EXEC_LIST_DEVICE,  // device addresses
	EXEC_LIST_GENERIC,
	EXEC_LIST_OFFSET,  // of shared or local memory; offsets of 32 bits wrap around
	EXEC_LIST_PARAM,   // PTX: device addresses in the copy of the parameters
	EXEC_LIST_FIXED,   // PTX: imm is the offset of a parameter
	EXEC_LIST_CONST,   // machine code: the offset in a constant bank
	EXEC_LIST_BODY,    // the body does it: texture fetches, asynchronous copies
	EXEC_LIST_SURFACE, // what texture_surface_addresses says
	EXEC_LIST_MATRIX,  // PTX: a matrix that a warp moves together, see exec/matrix.h
};

// How a value in a row is to be understood. Packed types hold two values, the low one first.
enum uop_type {
	UOP_T_NONE,
	UOP_T_U8, UOP_T_U16, UOP_T_U32, UOP_T_U64, // also of bits without a sign
	UOP_T_S8, UOP_T_S16, UOP_T_S32, UOP_T_S64,
	UOP_T_F16, UOP_T_F16X2, UOP_T_BF16, UOP_T_BF16X2, UOP_T_TF32, UOP_T_F32, UOP_T_F64,
	UOP_T_E4M3X2, UOP_T_E5M2X2,
};

// Comparisons. LO to HS take integers as unsigned; EQU to GEU hold also if an operand is NaN.
enum uop_cmp {
	UOP_CMP_NONE, UOP_EQ, UOP_NE, UOP_LT, UOP_LE, UOP_GT, UOP_GE, UOP_LO, UOP_LS, UOP_HI, UOP_HS,
	UOP_EQU, UOP_NEU, UOP_LTU, UOP_LEU, UOP_GTU, UOP_GEU, UOP_NUM, UOP_NAN,
};

// What joins a comparison's outcome with a predicate.
enum uop_logic { UOP_LOGIC_NONE, UOP_AND, UOP_OR, UOP_XOR };

// What the rarer bodies, which serve many forms of an instruction, go by. Frequent forms have bodies of their own, found
// by key, that do not look here.
struct uop_mode {
	uint8_t type[2];    // enum uop_type: of the result and of the sources, in the order of the key
	uint8_t rnd;        // enum rounding
	uint8_t cmp;        // enum uop_cmp
	uint8_t logic;      // enum uop_logic
	bool ftz : 1;       // subnormal f32 and f16 operands and results become zeroes
	bool sat : 1;       // the result is clamped to [0, 1], or to its type
	bool relu : 1;      // a negative result becomes 0
	bool satfinite : 1; // too large a result becomes the largest finite one
	bool nan : 1;       // min, max: any NaN wins
	bool oob : 1;       // fma of halves: 0 where a factor is what fills the outside of a tensor
	bool xorsign : 1;   // min, max: of magnitudes; the result gets the product of the signs
};

// 64 bytes. Operand conventions (offsets of rows from fp, in bytes; predicates: of their mask):
//  d = first destination (a scratch row if it is `_`), a b c = sources in the order they are written.
//  d|p            x[0] = p (scratch if absent)
//  ld             d or, for vectors, x[0..vec-1]; a = base address row, imm = constant offset
//  st             a, imm as ld; b = value or, for vectors, x[0..vec-1]
//  atom           d; a, imm; b, c = operands      red: a, imm; b
//  {v} sources    x[0..n-1] (mov pack); {v} destinations x[0..n-1] (mov unpack)
//  a fourth source goes to x[0] (x[1] if x[0] is taken by p)
struct uop {
	exec_fn *fn;
	struct uop_mode mode;
	uint8_t straight; // micro-ops of the straight run that begins here, 0 none (straight.h)
	uint8_t hit;      // which range cache of its CTA it goes by (exec_hit)
	int32_t d, a, b, c;
	int32_t x[4];
	int64_t imm;
	int32_t guard;    // offset of the guard's mask, 0 none
	uint8_t ctl;      // enum uop_ctl
	uint8_t cls;      // enum isa_class
	uint16_t flags;   // enum uop_flag
};

_Static_assert(sizeof(struct uop) == 64, "a cache line");

enum { EXEC_HITS = 16, EXEC_UOP_ALIGN = sizeof(struct uop) };

#endif
