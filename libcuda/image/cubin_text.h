// A cubin as text and back: kernels with all that they need to run, so that one can be taken out of a binary, edited and run.
// docs/sass-text.md has the directives.
#ifndef LIBCUDA_IMAGE_CUBIN_TEXT_H
#define LIBCUDA_IMAGE_CUBIN_TEXT_H

#include "base/diag.h"
#include "libcuda/image/cubin_parts.h"

#include <stdio.h>

// What cubin_list wrote.
struct cubin_listed {
	unsigned functions, unknown; // kernels and functions; instructions that stand there as bits
};

// Writes the kernel `name`, with the functions and variables that it refers to, or all if it is NULL.
struct cubin_listed cubin_list(const struct cubin_parts *c, const char *name, FILE *out);

// Reads text into parts: `name` is what messages call it. False with errors that name line and column. Free `out` in both
// cases.
bool cubin_parse(struct cubin_parts *out, const char *name, const char *text, size_t len, struct diag *d);

// Makes a cubin of the text: cubin_parse, then cubin_write. *image is the caller's, mem_free. NULL with errors if false.
bool cubin_assemble(const char *name, const char *text, size_t len, uint8_t **image, size_t *size, struct diag *d);

#endif
