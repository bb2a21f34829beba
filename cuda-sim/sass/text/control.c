// Control bits as text, in front of an instruction.
#include "cuda-sim/sass/text/read.h"

#include <ctype.h>

static bool counter_field(struct sass_line *s, uint8_t *sb, const char *what)
{
	char c = s->at < s->end ? *s->at : 0;
	if (c != '-' && (c < '0' || c > '5'))
		return sass_bad(s, s->at, 1, "'%c': expected - or a counter from 0 to 5 to go down at %s", c ? c : ' ', what);
	*sb = c == '-' ? ISA_NO_SB : (uint8_t)(c - '0');
	s->at++;
	return true;
}

// B, R, W, Y or -, and S, of which any may be left out.
static bool bracket_field(struct sass_line *s, struct isa_control *c)
{
	const char *from = s->at;
	switch (s->at < s->end ? *s->at++ : 0) {
	case 'B':
		for (; s->at < s->end && (*s->at == '-' || isdigit((unsigned char)*s->at)); s->at++) {
			if (*s->at > '5')
				return sass_bad(s, s->at, 1, "there are counters 0 to 5");
			if (*s->at != '-')
				c->wait |= (uint8_t)(1u << (*s->at - '0'));
		}
		return true;
	case 'R': return counter_field(s, &c->read_sb, "read");
	case 'W': return counter_field(s, &c->write_sb, "write-back");
	case 'Y': c->yield = true; return true;
	case '-': c->yield = false; return true;
	case 'S': {
		uint64_t v = 0;
		if (s->at == s->end || !isdigit((unsigned char)*s->at))
			return sass_bad(s, from, 1, "expected S00 to S15");
		if (!sass_number(s, &v))
			return false;
		if (v > 15)
			return sass_bad(s, from, (size_t)(s->at - from), "expected a stall count from S00 to S15");
		c->stall = (uint8_t)v;
		return true;
	}
	default:
		return sass_bad(s, from, 1,
		                "expected one of the control fields B (wait for), R (read), W (write-back), Y or - (yield), S "
		                "(stall)");
	}
}

static bool hex_or_dash(char c) { return c == '-' || isxdigit((unsigned char)c); }

static unsigned hex_of(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0') : (unsigned)(tolower(c) - 'a' + 10);
}

// The short form of turingas and maxas: 01:-:2:Y:4 is wait mask, read, write-back, yield, stall.
static bool short_control(struct sass_line *s, struct isa_control *c, bool *any)
{
	const char *p = s->at;
	if (s->end - p < 10 || !hex_or_dash(p[0]) || !hex_or_dash(p[1]) || p[2] != ':' || p[4] != ':' || p[6] != ':' ||
	    p[8] != ':' || !isxdigit((unsigned char)p[9]))
		return true;
	*any = true;
	unsigned wait = (p[0] == '-' ? 0 : hex_of(p[0]) * 16) + (p[1] == '-' ? 0 : hex_of(p[1]));
	if (wait > 63)
		return sass_bad(s, p, 2, "expected -- or a wait mask from 00 to 3f");
	c->wait = (uint8_t)wait;
	s->at = p + 3;
	if (!counter_field(s, &c->read_sb, "read"))
		return false;
	s->at = p + 5;
	if (!counter_field(s, &c->write_sb, "write-back"))
		return false;
	if (p[7] != '-' && p[7] != 'Y' && p[7] != 'y')
		return sass_bad(s, p + 7, 1, "expected Y (yield) or -");
	c->yield = p[7] != '-';
	c->stall = (uint8_t)hex_of(p[9]);
	s->at = p + 10;
	return true;
}

bool sass_text_control(struct sass_line *s, struct isa_control *c, bool *any)
{
	*any = false;
	*c = (struct isa_control){.stall = 1, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB};
	sass_blank(s);
	if (s->at == s->end || *s->at != '[')
		return short_control(s, c, any);
	const char *from = s->at++;
	*any = true;
	do {
		if (!bracket_field(s, c))
			return false;
	} while (sass_take(s, ':'));
	return sass_take(s, ']') || sass_bad(s, from, (size_t)(s->at - from) + 1, "expected : or ] behind a control field");
}
