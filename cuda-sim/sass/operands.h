// Operands of machine code as disassemblers write them: R2.64, c[0x0][0x160], desc[UR4][R2.64+0x8], @!P0. Text and traces
// are read with it.
#ifndef CUDA_SIM_SASS_OPERANDS_H
#define CUDA_SIM_SASS_OPERANDS_H

#include "base/diag.h"
#include "cuda-sim/sass/inst.h"

// The line that is being read.
struct sass_line {
	struct diag *d;
	struct src_text src;   // what messages show; `text` is as long
	const char *text;
	const char *at, *end;  // the rest of the line, in text
	bool ok;               // false once there was an error
	const char *label_at;  // operand of the line that names a place, or NULL
	size_t label_len;
};

// An error at a place of the line. Always false.
bool sass_bad(struct sass_line *s, const char *at, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void sass_blank(struct sass_line *s);               // passes over blanks
bool sass_take(struct sass_line *s, char c);        // passes over blanks and c
size_t sass_word(const char *at, const char *end);  // length of a name: letters, digits, _ . $
size_t sass_thing(const struct sass_line *s);       // length of what stands here, for messages
bool sass_number(struct sass_line *s, uint64_t *v); // decimal or 0x, with a sign; false with an error

bool sass_read_guard(struct sass_line *s, struct sass_operand *o);
// All operands, up to ; or the end of the line.
bool sass_read_operands(struct sass_line *s, struct sass_source *to, bool label_allowed);

#endif
