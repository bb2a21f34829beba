// Options of compilation at run time. There is no compiler here, so most say nothing to Heddle; the logs are filled.
#ifndef LIBCUDA_DRIVER_JIT_H
#define LIBCUDA_DRIVER_JIT_H

#include "base/diag.h"
#include "libcuda/context/context.h"

// Where messages go that the program asked for.
struct jit_log {
	char *info, *error;           // NULL: not asked for
	size_t info_room, error_room; // bytes
	unsigned info_value, error_value; // place + 1 of the option whose value is the number of bytes written
	void **values;
};

// Reads `n` CUjit_option and their values. cudaErrorInvalidValue for what is no option, or can't be read.
cudaError_t jit_log_begin(struct jit_log *log, unsigned n, const int *options, void **values);

// Writes errors and notes of `d` to the log, or to standard error if the program gave no place for errors, and frees d.
void jit_log_end(struct jit_log *log, struct diag *d);

#endif
