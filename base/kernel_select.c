#include "base/kernel_select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static bool decimal(const char **p, uint64_t *v)
{
	const char *q = *p;
	uint64_t n = 0;
	for (; *q >= '0' && *q <= '9'; q++) {
		if (n > (UINT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*q - '0');
	}
	bool any = q != *p;
	*p = q;
	*v = n;
	return any;
}

bool number_range_parse(const char *text, uint64_t *from, uint64_t *to)
{
	*from = 0;
	*to = UINT64_MAX;
	if (!*text)
		return true;
	if (!decimal(&text, from))
		return false;
	if (!*text) {
		*to = *from;
		return true;
	}
	if (*text++ != '-')
		return false;
	return !*text || (decimal(&text, to) && !*text && *to >= *from);
}

bool kernel_select_parse(struct kernel_select *s, const char *text, struct form_error *err)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ",");
		const char *one = arena_strndup(&s->strings, p, n);
		struct select_item i = {0};
		bool number = *one >= '0' && *one <= '9';
		if (!*one || (number && !number_range_parse(one, &i.from, &i.to))) {
			err->at = (size_t)(p - text);
			snprintf(err->why, sizeof err->why, "expected kernel numbers (3), ranges (3-7, 9-) or names (gemm*)");
			return false;
		}
		if (!number)
			i.name = one;
		VEC_PUSH(&s->item, i);
		p += n + (p[n] == ',');
	}
	return true;
}

bool kernel_select_has(const struct kernel_select *s, uint64_t number, const char *name)
{
	for (size_t i = 0; i < s->item.n; i++) {
		const struct select_item *t = &s->item.at[i];
		if (t->name ? fnmatch(t->name, name, 0) == 0 : number >= t->from && number <= t->to)
			return true;
	}
	return false;
}

void kernel_select_free(struct kernel_select *s)
{
	VEC_FREE(&s->item);
	arena_free(&s->strings);
}
