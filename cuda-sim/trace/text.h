// Lines and numbers of a trace file.
#ifndef CUDA_SIM_TRACE_TEXT_H
#define CUDA_SIM_TRACE_TEXT_H

#include "cuda-sim/trace/source.h"

#include <stdarg.h>
#include <stdint.h>

struct trace_text {
	struct trace_source *source;
	const char *name;
	char *buf, *at, *end;  // bytes read and not yet handed out
	size_t cap;
	char *line_at;         // the last line
	uint64_t line;         // its number, from 1
	bool unread, ended;
	char *error;           // "FILE:LINE: ..."; NULL while all is well
};

void text_begin(struct trace_text *t, struct trace_source *s, const char *name); // takes the source over
void text_end(struct trace_text *t);

// The next line without its end. False at the end of the file or at an error.
bool text_line(struct trace_text *t, const char **p, const char **end);
// Takes the next line if it is this one, `line` of n bytes with its end, and it has been read already.
bool text_repeats(struct trace_text *t, const char *line, size_t n);
// Behind the end of the last line, which is '\n' but for the last of the file.
static inline const char *text_next(const struct trace_text *t) { return t->at; }
// The last line is to come again.
void text_unread(struct trace_text *t);

void trace_text_fail(struct trace_text *t, const char *fmt, va_list ap);

// Numbers; *p is left behind what was read. False if there is none, or it is too large.
bool text_decimal(const char **p, const char *end, uint64_t *v);
bool text_signed(const char **p, const char *end, int64_t *v);
bool text_hex(const char **p, const char *end, uint64_t *v); // 0x is optional

static inline const char *text_skip(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

// The line starts with `word`.
bool text_is(const char *p, const char *end, const char *word);

// Nothing but what may follow the addresses: immediates, and from version 6 on register values.
bool text_tail(const char *p, const char *end, unsigned version);

#endif
