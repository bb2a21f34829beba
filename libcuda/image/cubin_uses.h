// What an instruction takes from constant banks.
#ifndef LIBCUDA_IMAGE_CUBIN_USES_H
#define LIBCUDA_IMAGE_CUBIN_USES_H

#include "cuda-sim/sass/machine/encoding.h"

enum { SASS_GROUP_CALL_ABS = 0x143 }; // bits 0 to 8

struct cubin_constant {
	unsigned bank, offset;
	bool indexed; // by a register: any offset
};

// False if it takes none.
bool cubin_constant_used(const struct sass_decoded *d, struct cubin_constant *out);

#endif
