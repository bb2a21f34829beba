// Kernels that kernels launch: what struct kernel_services offers them.
#ifndef LIBCUDA_CHILD_H
#define LIBCUDA_CHILD_H

#include "libcuda/context.h"

int child_check(void *ctx, void *function, struct kernel_launch *l);
int child_attribute(void *ctx, int attribute, int *value);
uint64_t child_error_text(void *ctx, int error, bool name);

#endif
