// Addresses behind addr=.
#include "cuda-sim/sass/text/read.h"

#include <ctype.h>
#include <string.h>

static bool variable(struct sass_line *s, struct sass_address *a, uint64_t factor)
{
	const struct { const char *name; uint64_t *to; } known[] = {
		{"lane", &a->lane}, {"thread", &a->thread}, {"warp", &a->warp}, {"block", &a->block}, {"turn", &a->turn}};
	size_t n = sass_word(s->at, s->end);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strlen(known[i].name) != n || memcmp(known[i].name, s->at, n))
			continue;
		*known[i].to += factor;
		s->at += n;
		return true;
	}
	return sass_bad(s, s->at, sass_thing(s), "'%.*s': expected a number or lane, thread, warp, block or turn",
	                (int)sass_thing(s), s->at);
}

static bool term(struct sass_line *s, struct sass_address *a, bool minus)
{
	uint64_t v = 1;
	sass_blank(s);
	if (s->at < s->end && isdigit((unsigned char)*s->at)) {
		if (!sass_number(s, &v))
			return false;
		if (!sass_take(s, '*')) {
			a->base += minus ? 0 - v : v;
			return true;
		}
		sass_blank(s);
		return variable(s, a, minus ? 0 - v : v);
	}
	struct sass_address one = {0};
	if (!variable(s, &one, 1))
		return false;
	if (sass_take(s, '*') && !sass_number(s, &v))
		return false;
	v = minus ? 0 - v : v;
	a->lane += one.lane * v, a->thread += one.thread * v, a->warp += one.warp * v, a->block += one.block * v,
		a->turn += one.turn * v;
	return true;
}

static bool address_list(struct sass_line *s, struct arena *keep, struct sass_address *a)
{
	uint64_t v[32];
	unsigned n = 0;
	do {
		if (n == 32)
			return sass_bad(s, s->at, 1, "expected at most 32 addresses, one for a lane");
		if (!sass_number(s, &v[n]))
			return false;
		n++;
	} while (sass_take(s, ','));
	if (!sass_take(s, ')'))
		return sass_bad(s, s->at, sass_thing(s), "expected , or ) in a list of addresses");
	a->list = ARENA_ARRAY(keep, uint64_t, n);
	memcpy(a->list, v, n * sizeof *v);
	a->n_list = n;
	return true;
}

bool sass_text_address(struct sass_line *s, struct arena *keep, struct sass_address *a)
{
	bool listed = sass_take(s, '(');
	if (listed && !address_list(s, keep, a))
		return false;
	bool minus = listed ? false : sass_take(s, '-');
	if (listed && !(minus = sass_take(s, '-')) && !sass_take(s, '+'))
		return true;
	do {
		if (!term(s, a, minus))
			return false;
		minus = sass_take(s, '-');
	} while (minus || sass_take(s, '+'));
	return true;
}
