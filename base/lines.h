// Text for somebody who takes it line by line: struct lines to = {.put = put, .ctx = ctx}; lines_say(&to, "%u of %u\n", n, size);
// Reports, and looks into parts of the GPU, are written with it.
#ifndef BASE_LINES_H
#define BASE_LINES_H

struct lines {
	void (*put)(void *ctx, const char *text);
	void *ctx;
	unsigned n; // of calls so far
};

// Hands on one text, of LINES_MAX - 1 characters at most: what is longer is cut.
enum { LINES_MAX = 1600 };
void lines_say(struct lines *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
