// Where a module's variables lie: in sections named as in a cubin, each one allocation.
#ifndef ISA_VARIABLES_H
#define ISA_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

enum variable_section {
	SECTION_GLOBAL,      // .nv.global: __device__ variables without initial value
	SECTION_GLOBAL_INIT, // .nv.global.init: those with one
	SECTION_CONST,       // .nv.constant3: __constant__ variables
	N_VARIABLE_SECTIONS
};

struct variable_place {
	const char *name;
	enum variable_section section;
	uint64_t offset, size; // bytes; offset from the start of the section
};

struct variable_layout {
	struct {
		uint64_t size;
		uint64_t addr; // device address once loaded; 0: not loaded, or its variables lie apart
	} section[N_VARIABLE_SECTIONS];
	size_t n;
	const struct variable_place *at;
};

#endif
