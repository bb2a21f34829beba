// The log of errors as both APIs give it to the program.
#ifndef LIBCUDA_CONTEXT_LOG_CALLS_H
#define LIBCUDA_CONTEXT_LOG_CALLS_H

#include "libcuda/context/cuda_abi.h"
#include "libcuda/context/log.h"

// cudaErrorInvalidValue for arguments that are no good, an iterator from the future, a file that
// can't be written, and a buffer that is too small for any message.
cudaError_t log_register(log_function f, void *data, void **out);
cudaError_t log_unregister(void *callback);
cudaError_t log_current(uint32_t *iterator, unsigned flags);
cudaError_t log_to_file(uint32_t *iterator, const char *path, unsigned flags);
cudaError_t log_to_memory(uint32_t *iterator, char *buffer, size_t *size, unsigned flags);

#endif
