// Names and texts of errors.
#ifndef LIBCUDA_CONTEXT_ERROR_H
#define LIBCUDA_CONTEXT_ERROR_H

#include "libcuda/context/cuda_abi.h"

const char *error_name(cudaError_t e);
const char *error_text(cudaError_t e);

#endif
