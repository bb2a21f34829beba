// The instruction form of machine code: from the bits by way of their text, so that a core is told the same of an
// instruction that is executed, of one in a trace and of one in a text.
#ifndef CUDA_SIM_SASS_MACHINE_FORM_H
#define CUDA_SIM_SASS_MACHINE_FORM_H

#include "cuda-sim/sass/inst.h"
#include "cuda-sim/sass/machine/encoding.h"

// Fills both forms; i->sass = s. `units`: specialized units that the GPU has, as in struct trace_rules. NULL, or what is wrong.
const char *sass_form(struct isa_inst *i, struct isa_sass *s, const struct sass_decoded *d, uint32_t units);

// The row of its opcode in ops.def; NULL: there is none.
const struct sass_op *sass_form_op(const struct sass_decoded *d);

#endif
