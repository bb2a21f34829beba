// The machine code of a function as text that sass/text reads: control bits in front, labels where branches go.
#ifndef CUDA_SIM_SASS_MACHINE_LISTING_H
#define CUDA_SIM_SASS_MACHINE_LISTING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sass_isa;

// A function of a cubin.
struct sass_function {
	const char *name;
	unsigned arch;       // 86 for sm_86
	const uint8_t *code; // of its section, from the byte where addresses begin
	size_t size;         // bytes; what is left over of a multiple of 16 is no instruction
	unsigned registers, shared; // a thread's and a block's, 0 unknown
};

// Writes it to `out`. Instructions that are not known stand as comments with their bits and the reason. Returns how many.
unsigned sass_list(const struct sass_isa *isa, const struct sass_function *f, FILE *out);

#endif
