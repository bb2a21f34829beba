// Lines of text into instructions: labels, bits, addresses known only later, control bits where the text has none.
#ifndef LIBCUDA_IMAGE_CUBIN_ENCODE_H
#define LIBCUDA_IMAGE_CUBIN_ENCODE_H

#include "base/map.h"
#include "cuda-sim/sass/text/read.h"
#include "libcuda/image/cubin_parts.h"

// An instruction as it was found: from its control bits on. The text outlives it.
struct cubin_line {
	const char *from, *end;
	bool pasted;         // a disassembler's comment has its bits
	uint64_t lo, hi;
	struct cubin_fixup reloc; // symbol NULL: none
	bool targeted;       // .targets stood before it
};

struct cubin_code_function {
	size_t first, n;     // lines
	struct map label;    // number of the instruction + 1
};

struct cubin_code {
	VEC(struct cubin_line) line;
	VEC(struct cubin_code_function) function;
	struct { uint32_t n; } last; // instructions of the function that is being read
};

void cubin_code_begin(struct cubin_code *c);
bool cubin_code_line(struct cubin_code *c, struct sass_line *s, const struct cubin_line *l);
// A label at the next instruction; `at` is where messages point.
bool cubin_code_label(struct cubin_code *c, struct sass_line *s, const char *name, size_t len, const char *at);
bool cubin_code_find(const struct cubin_code *c, uint32_t function, const char *name, size_t len, uint64_t *pc);
void cubin_code_free(struct cubin_code *c);

// Makes the code of all functions, with their fixups, and the figures that the text leaves to it. Errors go to s->d.
bool cubin_encode(struct cubin_code *c, struct cubin_parts *parts, struct sass_line *s);

#endif
