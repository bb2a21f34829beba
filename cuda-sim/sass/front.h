// What the front ends of machine code, text and traces, do alike: members of struct frontend_ops, and parts of them.
#ifndef CUDA_SIM_SASS_FRONT_H
#define CUDA_SIM_SASS_FRONT_H

#include "isa/frontend.h"

// One warp instruction of so many lanes was executed.
void sass_front_count(struct kernel_counts *n, const struct isa_inst *i, uint32_t mask);

// run and dump, by what `fe` executes and describes.
enum fe_status sass_front_run(const struct frontend_ops *fe, struct fe_cta *cta, unsigned warp, uint64_t budget,
                              uint64_t *used);
void sass_front_dump(const struct frontend_ops *fe, const struct fe_cta *cta, unsigned warp,
                     void (*put)(void *ctx, const char *text), void *ctx);

// Warps only wait at barriers, and those open when all have come: nothing to let go.
bool sass_front_unstick(struct fe_cta *cta);

// Registers have the numbers of inst.h.
uint32_t sass_front_register_count(const void *code);
void sass_front_register_name(const void *code, const struct isa_inst *inst, unsigned reg, char *buf, size_t len);

#endif
