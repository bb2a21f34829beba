// Machine code that is executed: the third front end behind isa/frontend.h.
#ifndef CUDA_SIM_SASS_EXEC_KERNEL_H
#define CUDA_SIM_SASS_EXEC_KERNEL_H

#include "base/diag.h"
#include "cuda-sim/sass/exec/image.h"
#include "isa/frontend.h"

extern const struct frontend_ops sass_frontend;

struct sass_kernel;

// Decodes a kernel. `units`: specialized units of the GPU, as in struct trace_rules. NULL with an error that names the kernel,
// the pc and the bits of the first instruction that is not known or not executed, of a register that the kernel does not have, or
// of a branch that leaves the code. The image must outlive it. launch->code is what it returns.
struct sass_kernel *sass_kernel_new(const struct sass_image *image, uint32_t units, struct diag *d);
void sass_kernel_free(struct sass_kernel *k);

#endif
