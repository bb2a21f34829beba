// Text of machine code line by line: comments are blank, labels are recognised, and what stands between .rep and .endr comes as often
// as it says. What the lines mean is up to who reads them.
#ifndef CUDA_SIM_SASS_TEXT_LINES_H
#define CUDA_SIM_SASS_TEXT_LINES_H

#include "cuda-sim/sass/operands.h"
#include "cuda-sim/sass/text/comments.h"

enum { SASS_MAX_REPEATS = 8 }; // within each other

struct sass_repeat {
	const char *from; // behind the line of .rep
	const char *at;   // that line
	uint32_t line;    // the number of `from`
	uint64_t left;
};

struct sass_lines {
	struct sass_line s;      // the line that is read
	const char *from;        // its beginning, in s.text
	uint32_t line;           // its number in the text
	uint32_t n;              // lines that were read, repetitions included
	struct sass_comments comments;
	char *text;              // s.text
	const char *next;        // the line that follows
	uint32_t next_line;
	struct sass_repeat repeat[SASS_MAX_REPEATS]; // that are open
	unsigned n_repeat;
};

// `text` must live as long as l. Everything in l is zero before.
void sass_lines_open(struct sass_lines *l, const char *name, const char *text, size_t len, struct diag *d);
void sass_lines_close(struct sass_lines *l);

// Goes to the next line. False at the end, where an open .rep is an error, and after twenty errors.
bool sass_lines_next(struct sass_lines *l);

// The line at `at` is .rep with the number `n` from 1 on, or .endr. False with an error.
bool sass_lines_repeat(struct sass_lines *l, const char *at, uint64_t n);
bool sass_lines_repeat_end(struct sass_lines *l, const char *at);

// The innermost .rep that is open, NULL if there is none.
static inline const struct sass_repeat *sass_lines_open_repeat(const struct sass_lines *l)
{
	return l->n_repeat ? &l->repeat[l->n_repeat - 1] : NULL;
}

// A label, *n characters and a colon, but not 01:-:-:-:1.
bool sass_lines_label(const struct sass_line *s, size_t *n);

#endif
