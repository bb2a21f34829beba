// Comments in SASS text. Disassemblers put the encoding of an instruction into one behind it and one in the next line.
#ifndef CUDA_SIM_SASS_TEXT_COMMENTS_H
#define CUDA_SIM_SASS_TEXT_COMMENTS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct sass_comments {
	VEC(struct { const char *at; uint64_t word; }) encoding; // in the order of the text
};

// Puts blanks for comments, so that places stay what they are, and keeps those that hold a 64-bit number.
void sass_comments_blank(struct sass_comments *c, char *text, size_t len);
// The two halves of the instruction that stands in the text from `from` to `to`. False if there are none.
bool sass_comments_encoding(const struct sass_comments *c, const char *from, const char *to, uint64_t *lo, uint64_t *hi);
void sass_comments_free(struct sass_comments *c);

#endif
