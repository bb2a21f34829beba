// Where front ends find the bodies: by key, at the best CPU level.
#ifndef CUDA_SIM_EXEC_TABLES_FIND_H
#define CUDA_SIM_EXEC_TABLES_FIND_H

#include "cuda-sim/exec/uop.h"

// The body for `key` (see exec_body) at the best level of this CPU, or NULL.
exec_fn *exec_find(const char *key);
enum exec_level { EXEC_PLAIN, EXEC_AVX2, EXEC_AVX512 };
enum exec_level exec_best_level(void);
exec_fn *exec_find_at(enum exec_level level, const char *key);

#endif
