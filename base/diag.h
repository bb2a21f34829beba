// What went wrong, in words for the user. Parsers and readers add messages to a diag; whoever owns it
// decides where they go (stderr by diag_print, a test, an API error log).
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

// A place in a text the user gave: for messages "file:line:col: error: ..." with the line and a caret.
struct src_text {
	const char *name; // file or module name as the user knows it
	const char *text;
	size_t len;
};

struct diag {
	char *text; // all messages so far, each ending in a newline
	size_t len, cap;
	unsigned errors, warnings;
	unsigned max_errors; // further ones are counted, not written; 0 means 20
	char *remarks;       // of diag_remark, each ending in a newline; NULL: none
};

// A message without a place: "heddle: error: ...".
void diag_add(struct diag *d, enum diag_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// A message about `len` bytes at byte `offset` of `src`; prints the source line with a caret below.
void diag_at(struct diag *d, enum diag_level level, const struct src_text *src, size_t offset, size_t len,
             const char *fmt, ...) __attribute__((format(printf, 6, 7)));

// What is worth knowing about a run that is as it should be. It stands apart from the messages, so that whoever has a better
// place for it than stderr takes it there: the head of the statistics (gpu_take_remarks).
void diag_remark(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Puts what `from` holds behind what `d` holds, and empties `from`.
void diag_append(struct diag *d, struct diag *from);

// Writes everything to stderr and empties the diag.
void diag_print(struct diag *d);
void diag_free(struct diag *d);

#endif
