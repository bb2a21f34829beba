// The front end that executes PTX: what a core calls to have kernels decoded by cuda-sim/decode run.
#ifndef CUDA_SIM_SIMT_FRONTEND_H
#define CUDA_SIM_SIMT_FRONTEND_H

#include "isa/frontend.h"

extern const struct frontend_ops ptx_frontend;

#endif
