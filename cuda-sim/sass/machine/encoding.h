// The encoding of machine code from Volta to Blackwell: 128 bits an instruction. encoding.def is the table; this compiles its
// rows and finds the one that an instruction is. Decoder, disassembler and assembler all go by it.
//
// Every row owns the bits that it gives a meaning. An instruction with any other bit set is refused, since a bit that
// nobody looks at may change what the instruction does.
#ifndef CUDA_SIM_SASS_MACHINE_ENCODING_H
#define CUDA_SIM_SASS_MACHINE_ENCODING_H

#include "base/arena.h"
#include "cuda-sim/sass/ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sass_word {
	uint64_t lo, hi;
};

// Up to two runs of bits, the low one first.
struct sass_bits {
	uint8_t lsb[2], width[2];
};

static inline uint64_t sass_run(struct sass_word w, unsigned lsb, unsigned width)
{
	uint64_t v = lsb >= 64 ? w.hi >> (lsb - 64) : w.lo >> lsb | (lsb && lsb + width > 64 ? w.hi << (64 - lsb) : 0);
	return width >= 64 ? v : v & (((uint64_t)1 << width) - 1);
}

static inline uint64_t sass_get(struct sass_word w, struct sass_bits b)
{
	return sass_run(w, b.lsb[0], b.width[0]) | (b.width[1] ? sass_run(w, b.lsb[1], b.width[1]) << b.width[0] : 0);
}

static inline bool sass_bit(struct sass_word w, unsigned lsb) { return sass_run(w, lsb, 1); }

// What stands in a place of the text.
enum sass_place {
	SASS_AT_MODIFIER,  // a part of the mnemonic, by a field's value
	SASS_AT_D, SASS_AT_A, SASS_AT_B, SASS_AT_C, // destination and sources; B and C are what the form makes of them
	SASS_AT_UD, SASS_AT_UA, SASS_AT_UC,         // of the uniform data path
	SASS_AT_R,         // a register in a field of its own
	SASS_AT_UR, SASS_AT_P, SASS_AT_UP, SASS_AT_BREG, SASS_AT_BMOV, SASS_AT_COUNTER, SASS_AT_SET,
	SASS_AT_IMM, SASS_AT_SIGNED, SASS_AT_SREG, SASS_AT_CONST,
	SASS_AT_INDIRECT,  // [first source]
	SASS_AT_UR_INDIRECT, SASS_AT_DESCRIPTOR, SASS_AT_MATRIX, // [UR4], desc[UR4], gdesc[UR4]
	SASS_AT_LANES,     // what FSWZADD makes of its sources, a pair of letters for each lane of four
	SASS_AT_OFFSET,    // of a branch by register: bytes, in units of four
	SASS_AT_TARGET,    // of a branch: bytes from the next instruction
	SASS_AT_GLOBAL, SASS_AT_SHARED, SASS_AT_LOCAL, SASS_AT_GENERIC, // [address]
	SASS_AT_COPIED,    // [address] in shared memory that LDGSTS writes
	SASS_AT_WORD,      // as it stands
	SASS_AT_ALIAS,     // a part of IMAD's mnemonic that tells what it is used for: MOV, SHL, IADD
};

enum sass_flag {
	SASS_CAN_NEG = 1, SASS_CAN_ABS = 2, SASS_CAN_INVERT = 4,
	SASS_CAN_NEG_OR_INVERT = 8, // inverted if the instruction is .X, else negated
	SASS_OPTIONAL = 16,         // left out of the text if it has its default
	SASS_NEGATED = 32,          // a predicate that may be negated, by the bit behind it
	SASS_HALVES = 64,           // .H0_H0, .H1_H1
	SASS_JOINED = 128,          // a modifier of the operand before it
	SASS_THIRD = 256,           // counts as a third source; of an address: a uniform register is at bit 64
	SASS_APART = 512,           // no comma stands before it
	SASS_COMPLEMENT = 2048,     // a predicate stored as 7 less its number
	SASS_PLAIN_C = 1024,        // in the slot of a third source it is neither negated nor inverted
};

struct sass_token {
	uint8_t place;        // enum sass_place
	uint16_t flags;       // enum sass_flag
	char imm;             // how B's immediate is written: x hexadecimal, s signed, f d h of floating point
	int8_t only_if;       // bit that must be set, or the token is absent and has its default; -1: none
	struct sass_bits bits;
	uint64_t absent;      // the default
	const char **value;   // SASS_AT_MODIFIER: text by value, NULL where there is none; SASS_AT_WORD: value[0]
	unsigned n_value;
};

// Bits that name a uniform register; all of them set name URZ.
static inline unsigned sass_ur_bits(enum sass_generation g) { return g >= SASS_BLACKWELL ? 8 : 6; }
static inline unsigned sass_urz(enum sass_generation g) { return (1u << sass_ur_bits(g)) - 1; }

enum { SASS_ROW_TOKENS = 24, SASS_N_B = 16, SASS_MACTIVE = 26 }; // SASS_MACTIVE: a number of BMOV beside those of B registers

struct sass_row {
	const char *op;       // the first part of the mnemonic
	uint16_t group;       // bits 0 to 8
	uint16_t forms;       // bit per value of bits 9 to 11, with bit 91 set in the upper half
	uint16_t generations; // bit per enum sass_generation
	uint8_t generation;   // the one whose rows it is among
	uint8_t ur_bits;      // sass_ur_bits of it
	uint16_t index;       // in encoding.def
	bool uniform;         // its guard is a uniform predicate
	unsigned n_mnemonic, n_token; // tokens: those of the mnemonic, then the operands
	struct sass_token token[SASS_ROW_TOKENS];
	struct sass_word fixed, fixed_mask; // bits that must have a value
};

struct sass_isa;

// The rows of a generation, Volta to Blackwell. Lives in `a`.
struct sass_isa *sass_isa_new(struct arena *a, enum sass_generation g);

const struct sass_row *sass_row(const struct sass_isa *isa, unsigned i); // NULL behind the last one
enum sass_generation sass_isa_generation(const struct sass_isa *isa);

struct sass_decoded {
	const struct sass_row *row;
	struct sass_word word;
	uint64_t pc;          // of the instruction, in its function's section
	unsigned form;        // bits 9 to 11
	bool uniform_form;    // bit 91
	enum sass_generation generation;
	// How sass_print calls a place in the code; NULL, or an answer of NULL: by its address.
	const char *(*label)(void *ctx, uint64_t pc, char *buf, size_t len);
	void *label_ctx;
	bool tells_reuse; // sass_print tells every reuse bit; disassemblers do of arithmetic only
};

// Where the parts of an address are: lowest bit and width, of single bits the number; 0 if it has no such part, which may be the register too.
struct sass_address_bits {
	uint8_t reg, offset, offset_width;
	uint8_t ur;         // a uniform register
	uint8_t scale;      // of the register, two bits
	uint8_t wide;       // with a uniform register: the register is one of two
	uint8_t descriptor; // the uniform register holds a descriptor of memory and is no part of the address (from Ampere on)
	uint8_t hint;       // that descriptor was made by the program, with a policy for the cache, up to Ada
};
struct sass_address_bits sass_address_at(const struct sass_decoded *d, const struct sass_token *t);

// Of a register in a field of its own: the bit by which its value is kept. Behind the metadata of a sparse product it follows them.
static inline unsigned sass_reuse_bit(const struct sass_token *t) { return t->bits.lsb[0] == 64 ? 124 : t->bits.lsb[0] == 40 ? 50 : 123; }

// Of a constant: the lowest bit of its offset, which ends at bit 53.
static inline unsigned sass_const_at(const struct sass_token *t) { return t->imm == 'u' ? 37 : 38; }

// LDGSTS with a uniform register in its address in shared memory has the descriptor in the one behind it.
static inline unsigned sass_descriptor_after(const struct sass_decoded *d) { return d->row->group == 0x1ae && d->form == 6; }

// Finds what an instruction is. False if it is not known, or has bits that its row gives no meaning; `why` then says so.
bool sass_decode(const struct sass_isa *isa, struct sass_word w, uint64_t pc, struct sass_decoded *out, char *why, size_t len);

// The bits that mean something in an instruction of this row, control bits and guard among them.
struct sass_word sass_owned(const struct sass_row *r, unsigned form, bool uniform_form);

// What the field of a token holds; of a predicate that may be negated with that bit on top.
uint64_t sass_token_value(struct sass_word w, const struct sass_token *t);

// Is this modifier there, SAT of FADD.SAT?
bool sass_has(const struct sass_decoded *d, const char *modifier);

// The source that is written second, and third: which slot of the encoding it is in.
enum sass_slot { SASS_SLOT_A, SASS_SLOT_REG_B, SASS_SLOT_IMM, SASS_SLOT_CONST, SASS_SLOT_UR, SASS_SLOT_REG_C, SASS_SLOT_UR_C };
static inline bool sass_is_uniform_slot(enum sass_slot s) { return s == SASS_SLOT_UR || s == SASS_SLOT_UR_C; }
enum sass_slot sass_slot_of(const struct sass_decoded *d, enum sass_place place);

// Where the parts of a source are: bits of the register or uniform register, and the lowest bit of each modifier, 0 if the source
// cannot have it.
struct sass_source_bits {
	enum sass_slot slot;
	uint8_t lsb, width;      // of the register; 0 wide if it is a constant or an immediate
	uint8_t neg, abs, halves, reuse;
};
struct sass_source_bits sass_source_at(const struct sass_decoded *d, const struct sass_token *t);

// The modifier selects a part of a register; the instruction has an immediate there, whose bits these are then.
bool sass_is_immediates(const struct sass_decoded *d, const struct sass_token *t);

// NaNs as compilers mostly write them, which text calls by name; of others it has the bits. By how an immediate is written.
static inline uint32_t sass_nan(char how, bool minus)
{
	return how == 'f' ? minus ? 0xffc00000 : 0x7fffffff : how == 'd' ? minus ? 0xfff80000 : 0x7ff80000 : minus ? 0xffff : 0x7fff;
}

// What a target in the bits counts.
static inline unsigned sass_target_unit(const struct sass_token *t) { return t->imm == 'b' ? 1 : 4; }

// Where it branches to, if that is in its bits.
bool sass_target(const struct sass_decoded *d, uint64_t *pc);

// The number of a special register by its name; above 255 if there is none.
unsigned sass_special(const char *name, size_t len);

// Writes the instruction as disassemblers do, without control bits: "@!P0 IMAD.WIDE R2, R0, R3, c[0x0][0x160]".
void sass_print(const struct sass_decoded *d, char *buf, size_t len);

#endif
