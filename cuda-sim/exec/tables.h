// Where front ends find the bodies: by key, at the best CPU level.
#ifndef CUDA_SIM_EXEC_TABLES_H
#define CUDA_SIM_EXEC_TABLES_H

#include "cuda-sim/exec/uop.h"

// One row of a family's table. The key is the instruction as PTX writes it, without what concerns only order and timing:
// "add.f32". It may contain '*' for any run of characters; exact keys are looked up first, then patterns in table order.
struct exec_body {
	const char *key;
	exec_fn *fn;
};

// The family tables, each ended by a row with key NULL. A new file in bodies/ is added to this list.
#define EXEC_FAMILIES(X) X(int) X(logic) X(float) X(half) X(cmp) X(cvt) X(mov) X(warp) X(mem) X(atom) X(tex) X(video)

// The body for `key` at the best level of this CPU, or NULL. The level can be forced by exec_set_level (tests).
exec_fn *exec_find(const char *key);
enum exec_level { EXEC_PLAIN, EXEC_AVX2, EXEC_AVX512 };
enum exec_level exec_best_level(void);
exec_fn *exec_find_at(enum exec_level level, const char *key);

#endif
