// Control bits in machine code: from Volta to Blackwell in each 128-bit instruction, in Maxwell and Pascal in a 64-bit
// word before every three instructions.
//
// 21 bits, from the lowest: stall 4, no yield 1, write counter 3, read counter 3, wait mask 6, reuse 4. In a 128-bit
// instruction they start at bit 105; in a control word at 0, 21 and 42. After the documentation of maxas,
// turingas and CuAssembler.
#ifndef CUDA_SIM_SASS_CONTROL_H
#define CUDA_SIM_SASS_CONTROL_H

#include "isa/inst.h"

#include <stddef.h>

enum { SASS_REUSE_A = 1, SASS_REUSE_B = 2, SASS_REUSE_C = 4 };

struct isa_control sass_control_from_bits(uint32_t bits); // the 21
uint32_t sass_control_bits(const struct isa_control *c);  // and back, reuse 0

// sm_70 and above: the low and the high half of an instruction.
struct isa_control sass_control_from_encoding(uint64_t lo, uint64_t hi);
// Hints for the sources encoded at bits 24 (A), 32 (B) and 64 (C).
unsigned sass_reuse_from_encoding(uint64_t lo, uint64_t hi);
// Sets isa_operand.reuse of the sources that these hints are about: those whose registers are encoded there.
void sass_reuse_apply(struct isa_sass *s, uint64_t lo, uint64_t hi);

// sm_50 to sm_62: the control word of the next three instructions.
void sass_control_from_word(uint64_t word, struct isa_control control[3], uint8_t reuse[3]);

// Writes the form of CuAssembler, [B--2---:R-:W0:Y:S04].
void sass_control_print(const struct isa_control *c, char *buf, size_t n);

#endif
