#include "cuda-sim/trace/text.h"

#include "base/assert.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum {
	BLOCK = HEDDLE_LIMIT(16, 1 << 18), // bytes read at once
	MAX_LINE = 1 << 20,
};

void text_begin(struct trace_text *t, struct trace_source *s, const char *name)
{
	memset(t, 0, sizeof *t);
	t->source = s;
	t->name = mem_strdup(name);
	t->cap = BLOCK;
	t->buf = t->at = t->end = mem_alloc(t->cap);
}

void text_end(struct trace_text *t)
{
	trace_source_close(t->source);
	mem_free((void *)(uintptr_t)t->name);
	mem_free(t->buf);
	mem_free(t->error);
}

void trace_text_fail(struct trace_text *t, const char *fmt, va_list ap)
{
	char what[1024], all[2048];
	if (t->error)
		return;
	vsnprintf(what, sizeof what, fmt, ap);
	for (char *p = what; *p; p++) // from a damaged file
		if ((unsigned char)*p < ' ' && *p != '\n')
			*p = '?';
	snprintf(all, sizeof all, "%s:%llu: %s", t->name, (unsigned long long)t->line, what);
	t->error = mem_strdup(all);
}

static void fail(struct trace_text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	trace_text_fail(t, fmt, ap);
	va_end(ap);
}

// Bytes not yet handed out move to the front; more come behind them. False at the end.
static bool more(struct trace_text *t)
{
	size_t left = (size_t)(t->end - t->at);
	if (left > MAX_LINE) {
		t->line++;
		fail(t, "a line is longer than %d bytes", MAX_LINE);
		return false;
	}
	if (left + BLOCK > t->cap) {
		size_t cap = (left + BLOCK) * 2;
		char *buf = mem_alloc(cap);
		memcpy(buf, t->at, left);
		mem_free(t->buf);
		t->buf = buf;
		t->cap = cap;
	} else {
		memmove(t->buf, t->at, left);
	}
	t->at = t->buf;
	t->end = t->buf + left;
	size_t n = trace_source_read(t->source, t->end, t->cap - left);
	t->end += n;
	if (!n && trace_source_error(t->source))
		fail(t, "%s", trace_source_error(t->source));
	return n;
}

bool text_line(struct trace_text *t, const char **p, const char **end)
{
	char *nl;
	if (t->error)
		return false;
	if (t->unread) {
		t->unread = false;
		t->line--;
		t->at = t->line_at;
	}
	size_t looked = 0;
	while (!(nl = memchr(t->at + looked, '\n', (size_t)(t->end - t->at) - looked))) {
		looked = (size_t)(t->end - t->at);
		if (more(t))
			continue;
		if (t->error || t->at == t->end) {
			t->ended = true;
			return false;
		}
		nl = t->end; // the last line has no end
		break;
	}
	t->line++;
	t->line_at = t->at;
	*p = t->at;
	*end = nl;
	t->at = nl < t->end ? nl + 1 : nl;
	while (*end > *p && ((*end)[-1] == ' ' || (*end)[-1] == '\r'))
		--*end;
	return true;
}

bool text_repeats(struct trace_text *t, const char *line, size_t n)
{
	if (t->unread || n > (size_t)(t->end - t->at) || memcmp(t->at, line, n))
		return false;
	t->line++;
	t->line_at = t->at;
	t->at += n;
	return true;
}

void text_unread(struct trace_text *t)
{
	if (!t->ended)
		t->unread = true;
}

bool text_decimal(const char **p, const char *end, uint64_t *v)
{
	const char *q = *p;
	uint64_t n = 0;
	for (; q < end && *q >= '0' && *q <= '9'; q++) {
		if (n > (UINT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*q - '0');
	}
	if (q == *p)
		return false;
	*p = q;
	*v = n;
	return true;
}

bool text_signed(const char **p, const char *end, int64_t *v)
{
	const char *q = *p;
	uint64_t n;
	bool negative = q < end && *q == '-';
	q += negative;
	if (!text_decimal(&q, end, &n) || n > (uint64_t)INT64_MAX + negative)
		return false;
	*p = q;
	*v = (int64_t)(negative ? 0 - n : n);
	return true;
}

// Hexadecimal, and 1 more; 0: it is none.
static const uint8_t digits[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ['A'] = 11, 12, 13, 14, 15, 16, ['a'] = 11, 12, 13, 14, 15, 16,
};

bool text_hex(const char **p, const char *end, uint64_t *v)
{
	const char *q = *p;
	uint64_t n = 0;
	if (end - q > 2 && q[0] == '0' && (q[1] | 32) == 'x')
		q += 2;
	const char *from = q;
	unsigned digit;
	for (; q < end && (digit = digits[(unsigned char)*q]); q++) {
		if (n >> 60)
			return false;
		n = n << 4 | (digit - 1);
	}
	if (q == from)
		return false;
	*p = q;
	*v = n;
	return true;
}

bool text_is(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(end - p) >= n && !memcmp(p, word, n);
}

bool text_tail(const char *p, const char *end, unsigned version)
{
	for (unsigned i = 0; i < 2; i++) {
		int64_t s;
		uint64_t u;
		p = text_skip(p, end);
		if (p == end)
			return true;
		if (!text_signed(&p, end, &s) && !text_decimal(&p, end, &u))
			break;
	}
	p = text_skip(p, end);
	return p == end || (version >= 6 && (text_is(p, end, "Val") || text_is(p, end, "NoVal")));
}
