// What a report puts, kept as one text.
#ifndef TESTS_PUT_TEXT_H
#define TESTS_PUT_TEXT_H

#include <check.h>
#include <string.h>

struct text {
	char at[1 << 18];
	size_t len;
};

static inline void put(void *ctx, const char *s)
{
	struct text *t = ctx;
	size_t n = strlen(s);
	ck_assert_uint_lt(t->len + n, sizeof t->at);
	memcpy(t->at + t->len, s, n + 1);
	t->len += n;
}

#endif
