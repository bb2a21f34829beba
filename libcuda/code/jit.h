// Options of compilation at run time, CUjit_option and cudaJitOption, which have the same numbers. There is no compiler here, so most
// say nothing to Heddle; the logs are filled.
#ifndef LIBCUDA_CODE_JIT_H
#define LIBCUDA_CODE_JIT_H

#include "base/diag.h"
#include "libcuda/context/context.h"

// Options as a program gives them: `n` numbers and their values.
struct jit_options {
	unsigned n;
	const int *option;
	void **value;
};

// Where messages go that the program asked for.
struct jit_log {
	char *info, *error;           // NULL: not asked for
	size_t info_room, error_room; // bytes
	unsigned info_value, error_value; // place + 1 of the option whose value is the number of bytes written
	unsigned time_value;          // the same of CU_JIT_WALL_TIME
	void **values;
};

// Reads options. cudaErrorInvalidValue for what is no option, or can't be read; cudaErrorNotSupported for those that change what code
// means and that Heddle does not follow.
cudaError_t jit_log_begin(struct jit_log *log, const struct jit_options *o);

// Writes errors and notes of `d` to the log; false if d has errors and the program gave no place for them.
bool jit_log_write(const struct jit_log *log, const struct diag *d);

// Writes errors and notes of `d` to the log, or to standard error if the program gave no place for errors, and frees d.
void jit_log_end(const struct jit_log *log, struct diag *d);

#endif
