// A machine instruction from its opcode and operands: what trace, text and encoding have in common. Register counts,
// units, classes and accesses follow from the opcode's parts; ops.def has the rest.
#ifndef CUDA_SIM_SASS_INST_H
#define CUDA_SIM_SASS_INST_H

#include "cuda-sim/sass/ops.h"

// --- opcodes

enum { SASS_NAME_TOKENS = 16, SASS_OPERANDS = 16 };

// The parts of an opcode between dots.
struct sass_name {
	struct { const char *at; size_t len; } t[SASS_NAME_TOKENS];
	unsigned n;
};

void sass_name_split(struct sass_name *k, const char *op, size_t len);
bool sass_name_is(const struct sass_name *k, unsigned i, const char *text); // part i
bool sass_name_has(const struct sass_name *k, const char *text);            // any part but the first
// The number that a part is, behind one of the letters it may start with; 0 if it is none.
unsigned sass_name_number(const struct sass_name *k, unsigned i, const char *letters);

// Bytes of an access. `accelsim`: the first number, alone or behind U; else signed and floating types too.
unsigned sass_access_bytes(const struct sass_name *k, bool accelsim);

// --- registers

// In every generation; code before Blackwell encodes URZ as 63.
enum { SASS_RZ = 255, SASS_URZ = 255, SASS_PT = 7, SASS_N_P = 7 };

// Registers of all files in one number space, that of isa_inst.src. 0 is none.
enum { SASS_R = 1, SASS_UR = 257, SASS_P = 513, SASS_UP = 521, SASS_B = 529, SASS_N_REGISTERS = 545 };

// How many registers each operand has. Sources count registers, constants and immediates, but no predicates; of memory
// instructions source 0 is the address, then comes the data.
struct sass_widths {
	unsigned dst, src[SASS_OPERANDS];
};
void sass_operand_widths(const struct sass_name *k, const struct sass_op *op, unsigned n_src, unsigned bytes,
                         struct sass_widths *w);

// --- the instruction form

// Class, space, width, cache operator and asynchronous copies, into a zeroed instruction. `imm`: the operand of DEPBAR.
void sass_inst_class(struct isa_inst *i, const struct sass_name *k, const struct sass_op *op, uint64_t imm,
                     bool accelsim);
// Unit, matrix shape, fence and the like, into a zeroed isa_sass; no operands, no control bits.
void sass_inst_core(struct isa_sass *s, const struct sass_name *k, const struct sass_op *op);
// What the tensor core multiplies, of an isa_sass with its sources. The bits are those of A's elements, which the second number of HMMA
// does not tell.
struct isa_matrix sass_inst_matrix(const struct isa_sass *s, const struct sass_name *k, const struct sass_op *op);

// A part of an operand: c[0x0][R4] has two, desc[UR4][R2.64+0x8] three.
struct sass_operand {
	uint8_t file;     // enum isa_file
	uint8_t operand;  // its number in the text, from 0
	bool reuse;
	bool address;     // of a memory reference
	bool descriptor;  // the register of desc[...]
	bool wide, narrow; // .64, .U32
	bool counter;     // SB0 of DEPBAR: reg says which; list: the bits of {4,3,2} are in imm
	bool list;
	bool all;         // PR, UPR: all predicates
	uint16_t reg;     // in its file, RZ, URZ and PT as SASS_RZ ...; ISA_FILE_CONST: the bank
	uint32_t offset;  // ISA_FILE_CONST
	uint64_t imm;     // ISA_FILE_IMM
};

struct sass_source {
	const char *op;
	size_t op_len;
	uint64_t pc;
	struct sass_operand guard; // file ISA_FILE_NONE: none
	unsigned n;
	struct sass_operand operand[SASS_OPERANDS];
	struct isa_control control;
};

// Fills both forms; i->sass = s. LDC becomes a load from SPACE_CONST, unlike in traces of Accel-Sim, which have no
// addresses for it. `units`: specialized units that the GPU has, as in struct trace_rules. NULL,
// or what is wrong with the operands.
const char *sass_inst_fill(struct isa_inst *i, struct isa_sass *s, const struct sass_source *from,
                           const struct sass_op *op, enum sass_generation g, uint32_t units);

// Adds the registers of an isa_sass to the instruction form: i->src, i->dst and what belongs to them.
void sass_inst_registers(struct isa_inst *i, const struct isa_sass *s, bool guard);

#endif
