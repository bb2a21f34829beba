// Text into machine code: the way back from encoding.h's sass_print.
#ifndef CUDA_SIM_SASS_MACHINE_ASSEMBLE_H
#define CUDA_SIM_SASS_MACHINE_ASSEMBLE_H

#include "cuda-sim/sass/machine/encoding.h"

// Where code goes by name: false if there is no such place. Addresses in the text need no names.
struct sass_places {
	bool (*find)(void *ctx, const char *name, size_t len, uint64_t *pc);
	void *ctx;
};

// Makes the bits of one instruction as sass_print writes it, at `pc`; control bits are 0, but reuse. `places` may be NULL. False
// if no row of the table is written so; `why` then says which part of the text fits none.
bool sass_assemble(const struct sass_isa *isa, const char *text, uint64_t pc, const struct sass_places *places, struct sass_word *out,
                   char *why, size_t len);
// The same; *where is how far into the text some row got.
bool sass_assemble_at(const struct sass_isa *isa, const char *text, uint64_t pc, const struct sass_places *places, struct sass_word *out,
                      char *why, size_t len, size_t *where);

#endif
