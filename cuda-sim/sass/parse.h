// The parser of SASS text: sass_text.c goes through lines, sass_operands.c reads operands and control bits.
#ifndef CUDA_SIM_SASS_PARSE_H
#define CUDA_SIM_SASS_PARSE_H

#include "cuda-sim/sass/text/program.h"

struct sass_label_use {
	uint32_t inst;
	const char *at;   // in sass_parser.text
	size_t len;
};

struct sass_parser {
	struct sass_program *p;
	struct diag *d;
	struct src_text src;      // as the user wrote it
	char *text;               // the same with blanks for comments
	const char *at, *end;     // the rest of the line
	enum sass_generation generation;
	uint32_t units, warps;
	bool any_control, ok;
	const char *label_at;     // operand of the current line that names a place, or NULL
	size_t label_len;
	VEC(struct sass_label_use) use;
	VEC(struct { const char *at; uint64_t word; }) encoding; // /* 0x... */ of disassemblies
};

// An error at a place of the line. Always false.
bool sass_bad(struct sass_parser *s, const char *at, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void sass_blank(struct sass_parser *s);               // passes over blanks
bool sass_take(struct sass_parser *s, char c);        // passes over blanks and c
size_t sass_word(const char *at, const char *end);    // length of a name: letters, digits, _ . $
bool sass_number(struct sass_parser *s, uint64_t *v); // decimal or 0x, with a sign; false with an error

// The control bits in front of an instruction, in either form; *any tells if there were any.
bool sass_parse_control(struct sass_parser *s, struct isa_control *c, bool *any);
bool sass_parse_guard(struct sass_parser *s, struct sass_operand *o);
// All operands, up to ; or the end of the line.
bool sass_parse_operands(struct sass_parser *s, struct sass_source *to, bool label_allowed);
// An address behind addr=: 0x1000+4*lane, or (0x0,0x80,...).
bool sass_parse_address(struct sass_parser *s, struct sass_address *a);

#endif
