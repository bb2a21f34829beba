// What a program is told of a kernel that can't be launched.
#ifndef LIBCUDA_CODE_REFUSE_H
#define LIBCUDA_CODE_REFUSE_H

#include "libcuda/code/module.h"

// Returns `e`, after a message if `tell`: k cannot be launched because of that.
cudaError_t launch_refuse(bool tell, const struct kernel *k, cudaError_t e, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));

#endif
