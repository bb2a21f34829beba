// What people see who look inside a running kernel: members of frontend_ops, see isa/frontend.h.
#ifndef CUDA_SIM_SIMT_INSPECT_H
#define CUDA_SIM_SIMT_INSPECT_H

#include "cuda-sim/simt/simt.h"

#include <stdio.h>

void inspect_place(const void *code, const struct isa_inst *inst, struct fe_place *out);
void inspect_register_name(const void *code, const struct isa_inst *inst, unsigned reg, char *buf, size_t len);
void inspect_flow(const void *code, bool dot, FILE *to);
// frontend_ops.dump, of one warp.
void inspect_warp(const struct simt_warp *w, void (*put)(void *ctx, const char *text), void *ctx);
// A lane of a register's row, as people write it.
void inspect_value(enum ptx_type t, const uint8_t *row, unsigned lane, char *buf, size_t len);

#endif
