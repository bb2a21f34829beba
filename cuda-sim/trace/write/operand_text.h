// The operands in the text of a machine instruction, one by one, and what tracers made with NVBit call them.
#ifndef CUDA_SIM_TRACE_WRITE_OPERAND_TEXT_H
#define CUDA_SIM_TRACE_WRITE_OPERAND_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { OPERAND_TEXT_MAX = 16, OPERAND_NO_REGISTER = -1 };

enum operand_kind {
	OPERAND_REG, OPERAND_UREG, OPERAND_PRED, OPERAND_UPRED, OPERAND_BREG, OPERAND_CBANK, OPERAND_MREF, OPERAND_DESC,
	OPERAND_IMM, OPERAND_DOUBLE, OPERAND_SPECIAL, OPERAND_SB, OPERAND_GENERIC,
};
extern const char *const operand_kind_name[]; // by enum operand_kind

struct operand_text {
	char *text;        // in inst_text.copy
	enum operand_kind kind;
	int reg;           // number of the register, 8 for PR, all predicates; of a memory reference that of the first R in it; OPERAND_NO_REGISTER: none
	bool negative;
	uint64_t imm;      // OPERAND_IMM
};

struct inst_text {
	char copy[256];
	char *op;          // with all its modifiers
	bool guarded, guard_uniform, guard_negated;
	unsigned guard;    // predicate register; 7: PT
	unsigned n;
	struct operand_text operand[OPERAND_TEXT_MAX];
};

// Takes apart "@!P0 LDG.E R5, desc[UR4][R4.64]".
void inst_text_split(struct inst_text *to, const char *text);

#endif
