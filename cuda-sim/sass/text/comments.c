#include "cuda-sim/sass/text/comments.h"

#include <ctype.h>
#include <stdlib.h>

static char *block(struct sass_comments *c, char *p, char *stop)
{
	char *from = p, *end = p + 2, *q = from + 2;
	while (end < stop && !(end[0] == '*' && end + 1 < stop && end[1] == '/'))
		end++;
	while (q < end && *q == ' ')
		q++;
	char *after;
	bool hex = end - q >= 18 && q[0] == '0' && q[1] == 'x' && isxdigit((unsigned char)q[2]);
	uint64_t word = hex ? strtoull(q, &after, 16) : 0;
	if (hex && after == q + 18) {
		VEC_RESERVE(&c->encoding, c->encoding.n + 1);
		c->encoding.at[c->encoding.n].at = from;
		c->encoding.at[c->encoding.n++].word = word;
	}
	for (p = from; p < end + 2 && p < stop; p++)
		if (*p != '\n')
			*p = ' ';
	return p;
}

void sass_comments_blank(struct sass_comments *c, char *text, size_t len)
{
	char *p = text, *stop = text + len;
	while (p < stop) {
		if (p[0] == '/' && p + 1 < stop && p[1] == '/') {
			while (p < stop && *p != '\n')
				*p++ = ' ';
		} else if (p[0] == '/' && p + 1 < stop && p[1] == '*') {
			p = block(c, p, stop);
		} else {
			p++;
		}
	}
}

bool sass_comments_encoding(const struct sass_comments *c, const char *from, const char *to, uint64_t *lo, uint64_t *hi)
{
	size_t a = 0, b = c->encoding.n;
	while (a < b) { // the first behind `from`
		size_t middle = (a + b) / 2;
		if (c->encoding.at[middle].at < from)
			a = middle + 1;
		else
			b = middle;
	}
	if (a + 1 >= c->encoding.n || c->encoding.at[a].at >= to)
		return false;
	*lo = c->encoding.at[a].word;
	*hi = c->encoding.at[a + 1].word;
	return true;
}

void sass_comments_free(struct sass_comments *c) { VEC_FREE(&c->encoding); }
