// PTX instruction facts shared by parser, type check, decoder, disassembler and documentation: types, suffixes and the
// opcode table of ops.def.
#ifndef CUDA_SIM_PTX_OPS_H
#define CUDA_SIM_PTX_OPS_H

#include "cuda-sim/exec/uop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Fundamental types. X(NAME, text, bits per register, kind): kind is u, s, b, f (float), p (predicate) or o (opaque).
// Packed types (two or four values in one register) have the kind of a float.
#define PTX_TYPES(X)                                                                                          \
	X(U8, "u8", 8, 'u') X(U16, "u16", 16, 'u') X(U32, "u32", 32, 'u') X(U64, "u64", 64, 'u')              \
	X(S8, "s8", 8, 's') X(S16, "s16", 16, 's') X(S32, "s32", 32, 's') X(S64, "s64", 64, 's')              \
	X(B8, "b8", 8, 'b') X(B16, "b16", 16, 'b') X(B32, "b32", 32, 'b') X(B64, "b64", 64, 'b')              \
	X(B128, "b128", 128, 'b')                                                                             \
	X(F16, "f16", 16, 'f') X(F16X2, "f16x2", 32, 'f') X(BF16, "bf16", 16, 'f') X(BF16X2, "bf16x2", 32, 'f') \
	X(F32, "f32", 32, 'f') X(F32X2, "f32x2", 64, 'f') X(F64, "f64", 64, 'f') X(TF32, "tf32", 32, 'f')     \
	X(U16X2, "u16x2", 32, 'u') X(S16X2, "s16x2", 32, 's')                                                 \
	X(E4M3X2, "e4m3x2", 16, 'f') X(E5M2X2, "e5m2x2", 16, 'f')                                             \
	X(E2M1X2, "e2m1x2", 8, 'f') X(E2M3X2, "e2m3x2", 16, 'f') X(E3M2X2, "e3m2x2", 16, 'f')                  \
	X(UE8M0X2, "ue8m0x2", 16, 'f')                                                                        \
	X(PRED, "pred", 1, 'p')                                                                               \
	X(TEXREF, "texref", 64, 'o') X(SAMPLERREF, "samplerref", 64, 'o') X(SURFREF, "surfref", 64, 'o')

enum ptx_type {
	PTX_T_NONE,
#define X(name, text, bits, kind) PTX_T_##name,
	PTX_TYPES(X)
#undef X
	PTX_N_TYPES
};

extern const char *const ptx_type_text[PTX_N_TYPES]; // "" for NONE
extern const uint8_t ptx_type_bits[PTX_N_TYPES];
extern const char ptx_type_kind[PTX_N_TYPES];

enum ptx_space { PTX_S_NONE, PTX_S_REG, PTX_S_GLOBAL, PTX_S_CONST, PTX_S_SHARED, PTX_S_LOCAL, PTX_S_PARAM, PTX_S_TEX };
enum ptx_sem {
	PTX_SEM_NONE, PTX_WEAK, PTX_RELAXED, PTX_ACQUIRE, PTX_RELEASE, PTX_ACQ_REL, PTX_SC, PTX_VOLATILE, PTX_MMIO
};
enum ptx_scope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_CLUSTER, PTX_SCOPE_GPU, PTX_SCOPE_SYS };

// The suffixes of one instruction, sorted into fields. What is only about timing or memory order stays here and does
// not take part in the body's key.
struct ptx_mods {
	uint8_t type[3]; // enum ptx_type in order of appearance; unused are PTX_T_NONE
	uint8_t space;   // enum ptx_space; NONE means generic for ld/st/atom
	uint8_t rnd;             // enum rounding
	uint8_t cmp, boolop;     // enum uop_cmp, enum uop_logic
	uint8_t sem, scope;
	uint8_t vec;     // 1, 2, 4, 8 registers
	uint8_t cache;   // 1.. index of .ca .cg .cs .lu .cv .wb .wt, 0 default
	bool ftz, sat, approx, full, wide, hi, lo, cc, uni, nc, to, wrap, clamp, left, relu, nan, xorsign, abs, satfinite, oob;
};

// One row of ops.def.
struct ptx_op {
	const char *name;
	const char *operands;  // see ops.def
	uint64_t types;        // bit i: type i is allowed as the first type
	uint64_t types2;       // the second type, 0 if there is none
	const char *suffixes;  // the suffixes besides types that may appear, separated by spaces
	uint8_t cls;           // enum isa_class before refinement by type
	uint8_t flags;         // PTX_OP_*
	const char *semantics; // one line of register-transfer text for the documentation
};

enum { // ptx_op.flags
	PTX_OP_CONTROL = 1, // changes pc or waits: executed by simt.c, has no body
	PTX_OP_MEMORY = 2,  // touches memory
	PTX_OP_NO_DEST = 4, // the first operand is not a destination
	PTX_OP_EFFECT = 8,  // has an effect besides its destination: never dead
	PTX_OP_RELAXED = 16, // registers may be wider than the type says (ld, st, cvt)
	PTX_OP_TENSOR = 64,  // suffixes and operands are those of tensor_ops.h
	PTX_OP_GROUP = 128,  // those of wgmma_ops.h
	PTX_OP_LENIENT = 32, // suffixes and operands are not checked; not executed yet
};

extern const struct ptx_op ptx_op_table[];
extern const unsigned ptx_op_count;

// First row of that mnemonic ("add"), NULL if there is none. Rows of one mnemonic are adjacent.
const struct ptx_op *ptx_op_find(const char *name, size_t len);

// The mnemonic most like `name`, NULL if none is near.
const char *ptx_op_nearest(const char *name, size_t len);

// The type of that name without the dot, PTX_T_NONE if there is none.
enum ptx_type ptx_type_find(const char *name, size_t len);

// An opcode with its suffixes, understood: what every instruction written that way has in common.
struct ptx_opcode {
	const struct ptx_op *op;
	struct ptx_mods mods;
	const char *text, *key;
};

enum { PTX_OPCODE_MAX = 200 }; // longest opcode with suffixes

// Takes "add.rn.f32" apart. `key` needs PTX_OPCODE_MAX bytes. NULL if it is understood (out filled except text and
// key), else what is wrong with it, written into `why`.
const char *ptx_opcode_read(const char *text, struct ptx_opcode *out, char *key, char *why, size_t why_len);

// What the table says about one operand of an instruction.
enum ptx_opnd_form {
	PTX_F_VALUE,   // register or immediate of `type`
	PTX_F_PRED,    // predicate, may be negated when it is a source
	PTX_F_MEM,     // [address]
	PTX_F_MOVABLE, // like VALUE, also a special register or the address of a variable or function
	PTX_F_ADDRESS, // a value as wide as an address, or a variable
	PTX_F_LABEL,
	PTX_F_TABLE,   // .branchtargets list
	PTX_F_IMM,     // constant
	PTX_F_ANY,     // not described: call, and what is not executed yet
};
struct ptx_opnd_spec {
	uint8_t form;       // enum ptx_opnd_form
	uint8_t type;       // enum ptx_type of the value, of one element if is_vec; NONE for MEM, LABEL, TABLE, ANY
	bool is_dest, is_src, is_pred, is_addr;
	bool is_vec;        // may be written {a, b, ..}: n_elem elements of `type`, mods.vec if that is 0; of one, without braces too
	uint8_t n_elem;
	bool or_pred;       // a predicate may stand for the value
	bool or_const;      // a constant may stand for the predicate: 0 for false, else true
	bool is_part;       // a part of a register may be named; video_read checks which
	bool is_pack;       // mov: {a, b, ..} are the parts of one value of `type`, low part first
	bool has_second;    // d|p: a second destination may follow; it is always of second_type
	uint8_t second_type;
};

struct ptx_inst;
// Describes the instruction's operands, at most `n` of them. Returns how many were described; 0 also when the number of
// operands does not fit the row.
unsigned ptx_opnd_spec(const struct ptx_inst *i, unsigned n, struct ptx_opnd_spec *out);

// The instruction's class, refined by type and rounding (an f64 add is ISA_DP_ADD).
unsigned ptx_inst_class(const struct ptx_inst *i);

#endif
