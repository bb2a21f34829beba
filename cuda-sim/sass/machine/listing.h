// The machine code of a function as text that sass/text and an assembler read: control bits in front, labels where branches go.
#ifndef CUDA_SIM_SASS_MACHINE_LISTING_H
#define CUDA_SIM_SASS_MACHINE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sass_isa;

// What others know about the places of a function. Any may be NULL.
struct sass_notes {
	void *ctx;
	bool (*goes_here)(void *ctx, uint64_t pc);         // something goes to this place besides branches
	void (*before)(void *ctx, uint64_t pc, FILE *out); // writes the lines that stand before an instruction
	// What stands in place of the 0x0 at the end of an instruction: an address that is known once the code is loaded. NULL: nothing.
	const char *(*symbol)(void *ctx, uint64_t pc, char *buf, size_t len);
};

// A function of a cubin.
struct sass_function {
	const char *name;
	const char *label;   // what labels begin with; NULL: L_
	const uint8_t *code; // of its section, from the byte where addresses begin
	size_t size;         // bytes; what is left over of a multiple of 16 is no instruction
	const struct sass_notes *notes;
};

// Writes its instructions to `out`. One that is not known, or whose text would give other bits, stands as bits behind .inst with
// the reason or the text as a comment. Returns how many are not known.
unsigned sass_list(const struct sass_isa *isa, const struct sass_function *f, FILE *out);

// Writes what names a place of a function's code: L_0040.
void sass_label(const struct sass_function *f, uint64_t pc, char *buf, size_t len);

#endif
