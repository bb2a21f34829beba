// What SASS text has besides operands: control bits in front of an instruction, addresses behind it.
#ifndef CUDA_SIM_SASS_TEXT_READ_H
#define CUDA_SIM_SASS_TEXT_READ_H

#include "cuda-sim/sass/operands.h"
#include "cuda-sim/sass/text/program.h"

// The control bits in front of an instruction, in either form; *any tells if there were any.
bool sass_text_control(struct sass_line *s, struct isa_control *c, bool *any);
// An address behind addr=: 0x1000+4*lane, or (0x0,0x80,...), which goes to `keep`.
bool sass_text_address(struct sass_line *s, struct arena *keep, struct sass_address *a);

// The opcode of a generation at `at`, suffixes and all. NULL with an error if there is none.
const struct sass_op *sass_text_opcode(struct sass_line *s, enum sass_generation g, unsigned target, const char *at, size_t len);

#endif
