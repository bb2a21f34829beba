// Inside the decoder of machine code: what the files that turn instructions into micro-ops share.
//
// An instruction is lowered by the function that its mnemonic names. It asks for its operands as rows, which may
// cost micro-ops before it (a negation, two registers brought together to 8 bytes a lane), emits what does the work, and puts
// the result where it belongs.
#ifndef CUDA_SIM_SASS_EXEC_LOWER_H
#define CUDA_SIM_SASS_EXEC_LOWER_H

#include "base/vec.h"
#include "cuda-sim/sass/exec/code.h"

enum sx_kind { SX_O_R, SX_O_UR, SX_O_IMM, SX_O_CONST };

// A source. Of the modifiers only those that the encoding has there are set.
struct sx_source {
	uint8_t kind;      // enum sx_kind
	bool neg, abs, invert;
	uint8_t halves;    // 0: H1_H0, 1: a number of 32 bits, 2: H0_H0, 3: H1_H1
	char imm_kind;     // 'd': the upper half of a double
	uint8_t bank;      // SX_O_CONST
	uint16_t reg;      // SX_O_R, SX_O_UR
	uint32_t bits;     // the immediate; the byte offset of the constant
};

struct sx_pred {
	int32_t at;        // offset of the mask
	bool neg;
	bool always;       // PT, not negated
};

enum { SX_MAX_SOURCES = 8, SX_MAX_PREDS = 4 };
enum { SX_MAXREG_AT = 32, SX_MAXREG_BITS = 9 }; // USETMAXREG: where its number of registers is

struct lower {
	struct sass_kernel *k;
	struct diag *d;
	struct sass_decoded i;
	uint32_t at;       // its number
	bool ok;

	// its operands
	bool has_dst, uniform_dst;
	uint16_t dst;
	unsigned n_src, n_pin, n_pout;
	struct sx_source src[SX_MAX_SOURCES];   // A, B, C and registers in fields of their own, as they are written
	struct sx_pred pin[SX_MAX_PREDS];       // predicates read, as they are written
	int32_t pout[2];                        // masks of predicates written; the sink for PT
	bool pout_used[2];

	// what is being made
	VEC(struct uop) out;
	VEC(uint32_t) inst_of;
	VEC(struct sx_init) init[SX_N_INIT];
	uint32_t top;      // first free byte of the rows
	unsigned temps[SX_N_TEMP_KINDS], ptemps;      // that the instruction has
	int32_t temp[SX_N_TEMP_KINDS][SX_N_TEMP];     // rows, 0: no instruction had so many
	bool begun;        // the instruction has a micro-op already
	uint64_t stack;    // bytes that all instructions together take from the stack
};

typedef void lower_fn(struct lower *x);

// An error at the instruction: what it is, where, and `fmt`. The kernel can't run then.
void lower_fail(struct lower *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool lower_has(const struct lower *x, const char *modifier); // FADD.SAT has SAT
// The token of the row at the given place, NULL if there is none.
const struct sass_token *lower_token(const struct lower *x, enum sass_place place);

// --- rows
int32_t lower_temp(struct lower *x, unsigned bytes); // 4, 8 or 16 bytes a lane, until the instruction ends
int32_t lower_ptemp(struct lower *x);         // a mask
int32_t lower_extra(struct lower *x, enum sx_extra what); // its first row, which the kernel has from now on
int32_t lower_bits(struct lower *x, uint64_t bits, bool wide);
int32_t lower_special(struct lower *x, unsigned number);
int32_t lower_r(const struct lower *x, unsigned reg);   // as a source
int32_t lower_ur(const struct lower *x, unsigned reg);
// The uniform register that bits name, from `lsb` on; SX_URZ for the one that is zero.
unsigned lower_ur_at(const struct lower *x, unsigned lsb);

// A source as a row of 4 bytes a lane, without modifiers; register `plus` behind the one that is named.
int32_t lower_raw(struct lower *x, const struct sx_source *s, unsigned plus);
int32_t lower_int(struct lower *x, unsigned k);  // source k, negated as an integer or inverted
int32_t lower_f32(struct lower *x, unsigned k);  // with |x| and -x of floating point
int32_t lower_half(struct lower *x, unsigned k, bool bf16); // two halves, chosen and with their signs
int32_t lower_half_word(struct lower *x, unsigned k); // 16 bits, the half that bits 60 and 61 name, with its sign
int32_t lower_pair(struct lower *x, unsigned k); // source k as 8 bytes a lane, without modifiers
// The lower (0) or upper (1) half of source k as an integer of 64 bits, which an immediate is extended to by its sign; inverted if
// it is so, but not negated.
int32_t lower_half_of_64(struct lower *x, unsigned k, unsigned upper);
int32_t lower_int64(struct lower *x, unsigned k); // the same as 8 bytes a lane
int32_t lower_f64(struct lower *x, unsigned k);

// --- results
int32_t lower_dst(struct lower *x);              // the destination's row
int32_t lower_dst_at(struct lower *x, unsigned plus);
void lower_put_pair(struct lower *x, int32_t row); // 8 bytes a lane to the destination and the register behind it

// --- micro-ops
// fn by key; a missing body is an error. The instruction's guard, class and flags are filled in.
struct uop *lower_emit(struct lower *x, const char *key);
struct uop *lower_emit3(struct lower *x, const char *key, int32_t d, int32_t a, int32_t b, int32_t c);
struct uop *lower_ctl(struct lower *x, enum sx_ctl ctl);
// The mode of a floating-point instruction: rounding, .FTZ, .SAT as they are in its name.
struct uop_mode lower_mode(const struct lower *x);
// .XORSIGN of FMNMX and HMNMX2 takes magnitudes, which the sources say too, and gives the result the product of their signs.
void lower_magnitudes(struct lower *x, const struct uop_mode *m);
// p as a source of a micro-op that knows no negation: itself or a temporary mask.
int32_t lower_pred(struct lower *x, const struct sx_pred *p);
// A value of the group's first lane to a uniform register: to all lanes of the group.
void lower_broadcast(struct lower *x, int32_t to, int32_t from);

// --- addresses
// Where an instruction goes, ready for a body: row and offset, 4 or 8 bytes a lane.
struct lower_address {
	int32_t row;
	int64_t imm;
	bool wide;
	const char *space; // as keys have it: "global.", "" for generic
};
// Shared and local memory: offsets of 32 bits. *list: the same for who asks what is touched.
struct lower_address lower_near_address(struct lower *x, const struct sass_token *t, struct sx_access *list);
// Global and generic memory: a register or a pair, with .E, plus a uniform register or a pair of them.
struct lower_address lower_far_address(struct lower *x, const struct sass_token *t, bool generic, struct sx_access *list);

// --- the families
// An instruction of the table, what lowers it, and the modifiers that it knows, by blanks. With any other one the instruction is
// not executed: what a modifier asks for is never left out.
struct lower_op {
	const char *name;
	lower_fn *fn;
	const char *modifiers; // 64x*: all that begin so
};
#define ROUNDS "RM RP RZ"
#define COMPARES "LT EQ LE GT NE GE AND OR XOR"
#define FLOAT_COMPARES COMPARES " NUM NAN LTU EQU LEU GTU NEU GEU"
#define SIZES "U8 S8 U16 S16 64 128 U EF EL LU EU NA" // and advice to caches
#define FAR "E LTC64B LTC128B LTC256B CONSTANT CTA SM GPU SYS STRONG MMIO " // scopes and orders: see system_scope
#define ATOMIC "ADD MIN MAX INC DEC AND OR XOR EXCH S32 64 S64 128 F32 F32x2 F32x4 F64 F16x2 F16x4 F16x8 BF16x2 BF16x4 BF16x8 FTZ RN " SIZES

extern const struct lower_op lower_int_ops[], lower_float_ops[], lower_half_ops[], lower_convert_ops[], lower_memory_ops[], lower_texture_ops[],
	lower_surface_ops[], lower_warp_ops[], lower_async_ops[], lower_tma_ops[], lower_tensor_ops[], lower_wgmma_ops[], lower_flow_ops[];

#endif
