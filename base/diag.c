#include "base/diag.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const level_name[] = {"note", "warning", "error"};

static void put(struct diag *d, const char *s, size_t n)
{
	if (d->len + n + 1 > d->cap) {
		d->cap = (d->len + n + 1) * 2;
		d->text = mem_realloc(d->text, d->cap);
	}
	memcpy(d->text + d->len, s, n);
	d->len += n;
	d->text[d->len] = 0;
}

static void putv(struct diag *d, const char *fmt, va_list ap)
{
	char buf[2048];
	int n = vsnprintf(buf, sizeof buf, fmt, ap);
	put(d, buf, n < (int)sizeof buf ? (size_t)n : sizeof buf - 1);
}

static void putf(struct diag *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	putv(d, fmt, ap);
	va_end(ap);
}

// Counts the message; false if it is one error too many to be written.
static bool count(struct diag *d, enum diag_level level)
{
	if (level == DIAG_WARNING)
		d->warnings++;
	if (level != DIAG_ERROR)
		return true;
	unsigned max = d->max_errors ? d->max_errors : 20;
	return d->errors++ < max;
}

void diag_add(struct diag *d, enum diag_level level, const char *fmt, ...)
{
	if (!count(d, level))
		return;
	putf(d, "heddle: %s: ", level_name[level]);
	va_list ap;
	va_start(ap, fmt);
	putv(d, fmt, ap);
	va_end(ap);
	put(d, "\n", 1);
}

void diag_at(struct diag *d, enum diag_level level, const struct src_text *src, size_t offset, size_t len,
             const char *fmt, ...)
{
	if (!count(d, level))
		return;
	if (offset > src->len)
		offset = src->len;
	size_t line = 1, start = 0;
	for (size_t i = 0; i < offset; i++)
		if (src->text[i] == '\n')
			line++, start = i + 1;
	size_t end = offset;
	while (end < src->len && src->text[end] != '\n' && src->text[end])
		end++;
	putf(d, "%s:%zu:%zu: %s: ", src->name, line, offset - start + 1, level_name[level]);
	va_list ap;
	va_start(ap, fmt);
	putv(d, fmt, ap);
	va_end(ap);
	put(d, "\n", 1);

	// The line, cut to a readable window around the place; control bytes become '?'.
	size_t from = offset - start > 100 ? offset - 60 : start;
	size_t to = end - from > 160 ? from + 160 : end;
	put(d, "    ", 4);
	for (size_t i = from; i < to; i++) {
		char c = src->text[i];
		if (c == '\t')
			c = ' ';
		if ((unsigned char)c < ' ' || (unsigned char)c >= 127)
			c = '?';
		put(d, &c, 1);
	}
	put(d, "\n    ", 5);
	for (size_t i = from; i < offset; i++)
		put(d, " ", 1);
	put(d, "^", 1);
	for (size_t i = 1; i < len && offset + i < to; i++)
		put(d, "~", 1);
	put(d, "\n", 1);
}

void diag_remark(struct diag *d, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	size_t had = d->remarks ? strlen(d->remarks) : 0, len = strlen(text);
	d->remarks = mem_realloc(d->remarks, had + len + 2);
	memcpy(d->remarks + had, text, len);
	memcpy(d->remarks + had + len, "\n", 2);
}

void diag_append(struct diag *d, struct diag *from)
{
	put(d, from->text ? from->text : "", from->len);
	d->errors += from->errors;
	d->warnings += from->warnings;
	for (const char *s = from->remarks, *end; s && *s; s = end + 1) {
		end = strchr(s, '\n');
		diag_remark(d, "%.*s", (int)(end - s), s);
	}
	diag_free(from);
}

static void print_remarks(struct diag *d)
{
	for (const char *s = d->remarks, *end; s && *s; s = end + 1) {
		end = strchr(s, '\n');
		fprintf(stderr, "heddle: note: %.*s\n", (int)(end - s), s);
	}
	mem_free(d->remarks);
	d->remarks = NULL;
}

void diag_print(struct diag *d)
{
	print_remarks(d);
	if (d->len) {
		fwrite(d->text, 1, d->len, stderr);
		unsigned max = d->max_errors ? d->max_errors : 20;
		if (d->errors > max)
			fprintf(stderr, "heddle: note: %u more errors not shown\n", d->errors - max);
	}
	d->len = 0;
	d->errors = d->warnings = 0;
}

void diag_free(struct diag *d)
{
	mem_free(d->text);
	mem_free(d->remarks);
	*d = (struct diag){0};
}
