// What a cubin says about its kernels and variables: the compiler's own register count, memory sizes, parameter layout and
// where variables lie. Heddle does not run the machine code; it takes the figures, since they decide how many CTAs fit on an
// SM and which variables share a line.
#ifndef LIBCUDA_IMAGE_CUBIN_H
#define LIBCUDA_IMAGE_CUBIN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "isa/kernel.h"
#include "isa/variables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin_param {
	unsigned offset, size; // bytes, offset from the start of the parameters
};

struct cubin_kernel {
	const char *name; // the PTX entry name
	unsigned registers;       // per thread
	unsigned reserved_shared; // bytes the system takes of each CTA besides: 1024 from sm_90 on
	struct kernel_machine machine; // spills count to the stack; callees do not if they recurse
	unsigned param_bytes;
	unsigned n_params;
	struct cubin_param *param;
};

struct cubin {
	unsigned arch; // 90 for sm_90
	VEC(struct cubin_kernel) kernel;
	struct map by_name; // to the kernel's number + 1
	struct variable_layout variables; // those of the symbol table; all lie inside their sections
	VEC(struct variable_place) places; // variables.at
};

// Reads `size` bytes of a cubin. Names and parameters live in `arena`. False and an error if it is no cubin or damaged;
// figures it does not state are 0. Free `out` in both cases.
bool cubin_read(struct cubin *out, const void *data, size_t size, struct arena *arena, struct diag *d);

const struct cubin_kernel *cubin_find(const struct cubin *c, const char *name); // NULL if absent
void cubin_free(struct cubin *c);

#endif
