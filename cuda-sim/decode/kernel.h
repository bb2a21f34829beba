// A PTX kernel made ready to launch: parsed, checked, decoded into micro-ops.
#ifndef CUDA_SIM_DECODE_KERNEL_H
#define CUDA_SIM_DECODE_KERNEL_H

#include "base/diag.h"
#include "isa/kernel.h"

struct ptx_func;

// Decodes the kernel and everything it can call, once. NULL with messages in `d` when its PTX has errors; what parses
// but is not executed yet gets a message too (and NULL), naming the instruction and where it stands.
// The result is what kernel_launch.code wants; it lives as long as the program.
void *ptx_kernel_code(struct ptx_func *entry, struct diag *d);

// Facts of the kernel for attributes and launch checks; valid as long as the program. `regs` is a liveness estimate.
// Cheaper than ptx_kernel_code only for params; decodes too. NULL as above.
const struct kernel_info *ptx_kernel_info(struct ptx_func *entry, struct diag *d);

// Frees what ptx_kernel_code made; NULL is fine.
void ptx_kernel_free(void *code);

#endif
