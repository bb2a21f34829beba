#include "cuda-sim/sass/operands.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sass_bad(struct sass_line *s, const char *at, size_t len, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_at(s->d, DIAG_ERROR, &s->src, (size_t)(at - s->text), len ? len : 1, "%s", text);
	s->ok = false;
	return false;
}

void sass_blank(struct sass_line *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

bool sass_take(struct sass_line *s, char c)
{
	sass_blank(s);
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$'; }

size_t sass_word(const char *at, const char *end)
{
	size_t n = 0;
	while (at + n < end && is_word(at[n]))
		n++;
	return n;
}

size_t sass_thing(const struct sass_line *s)
{
	size_t n = sass_word(s->at, s->end);
	return n ? n : s->at < s->end;
}

bool sass_number(struct sass_line *s, uint64_t *v)
{
	sass_blank(s);
	const char *from = s->at;
	bool minus = s->at < s->end && *s->at == '-';
	if (minus || (s->at < s->end && *s->at == '+'))
		s->at++;
	bool hex = s->end - s->at > 2 && s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X');
	unsigned base = hex ? 16 : 10, digits = 0;
	uint64_t n = 0;
	if (hex)
		s->at += 2;
	for (; s->at < s->end && (hex ? isxdigit((unsigned char)*s->at) : isdigit((unsigned char)*s->at));
	     s->at++, digits++) {
		unsigned d = isdigit((unsigned char)*s->at) ? (unsigned)(*s->at - '0') : (unsigned)(tolower(*s->at) - 'a' + 10);
		if (n > (UINT64_MAX - d) / base)
			return sass_bad(s, from, (size_t)(s->at - from), "the number is larger than 64 bits");
		n = n * base + d;
	}
	if (!digits || (s->at < s->end && (isalpha((unsigned char)*s->at) || *s->at == '_'))) {
		s->at = from;
		return sass_bad(s, from, sass_thing(s), "'%.*s': expected a number", (int)sass_thing(s), from);
	}
	*v = minus ? 0 - n : n;
	return true;
}

// --- registers

static const struct { const char *prefix; uint8_t file; uint16_t zero, most; const char *range; } files[] = {
	{"UR", ISA_FILE_UR, SASS_URZ, 254, "UR0 to UR62, from sm_100 on UR0 to UR254, or URZ"},
	{"UP", ISA_FILE_UP, SASS_PT, 6, "UP0 to UP6 or UPT"},
	{"R", ISA_FILE_R, SASS_RZ, 254, "R0 to R254 or RZ"},
	{"P", ISA_FILE_P, SASS_PT, 6, "P0 to P6 or PT"},
	{"SB", ISA_FILE_SPECIAL, 0, 5, "SB0 to SB5"},
	{"B", ISA_FILE_B, 0, 15, "B0 to B15"},
};

// A register by its name, without what follows a dot. 1: yes; 0: it is none; -1: an error was told.
static int register_named(struct sass_line *s, const char *at, size_t n, struct sass_operand *o)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		size_t k = strlen(files[i].prefix);
		uint8_t file = files[i].file;
		if (n <= k || memcmp(at, files[i].prefix, k))
			continue;
		bool one = n == k + 1, predicate = file == ISA_FILE_P || file == ISA_FILE_UP;
		o->file = file;
		if (one && files[i].zero && at[k] == (predicate ? 'T' : 'Z')) {
			o->reg = files[i].zero;
			return 1;
		}
		if (one && predicate && at[k] == 'R') {
			o->all = true;
			return 1;
		}
		unsigned v = 0;
		size_t d = k;
		for (; d < n && isdigit((unsigned char)at[d]) && v < 1000; d++)
			v = v * 10 + (unsigned)(at[d] - '0');
		if (d < n)
			continue;
		if (v > files[i].most)
			return sass_bad(s, at, n, "'%.*s': expected %s", (int)n, at, files[i].range), -1;
		o->reg = (uint16_t)v;
		o->counter = file == ISA_FILE_SPECIAL;
		return 1;
	}
	return 0;
}

static bool suffix(struct sass_line *s, struct sass_operand *o, const char *at, size_t n)
{
	if (n == 5 && !memcmp(at, "reuse", 5)) {
		if (o->file != ISA_FILE_R || o->address)
			return sass_bad(s, at, n, "only registers R that are not part of an address can be kept for reuse");
		o->reuse = true;
	}
	o->wide |= n == 2 && !memcmp(at, "64", 2);
	o->narrow |= n == 3 && !memcmp(at, "U32", 3);
	return true;
}

// A register with what follows it: R2.64, R4.reuse. 1, 0 or -1 as above; passes over it if 1.
static int named_operand(struct sass_line *s, struct sass_operand *o)
{
	size_t n = sass_word(s->at, s->end), k = 0;
	while (k < n && s->at[k] != '.')
		k++;
	int is = register_named(s, s->at, k, o);
	if (is != 1)
		return is;
	const char *end = s->at + n, *p = s->at + k;
	s->at = end;
	while (p < end) {
		size_t m = 0;
		p++;
		while (p + m < end && p[m] != '.')
			m++;
		if (!suffix(s, o, p, m))
			return -1;
		p += m;
	}
	return 1;
}

// --- operands

static bool put(struct sass_line *s, struct sass_source *to, const struct sass_operand *o, const char *at)
{
	if (to->n == SASS_OPERANDS)
		return sass_bad(s, at, 1, "too many operands");
	to->operand[to->n++] = *o;
	return true;
}

static bool close(struct sass_line *s, const char *from)
{
	return sass_take(s, ']') ||
	       sass_bad(s, s->at, sass_thing(s), "expected ] to close the [ in column %d", (int)(from - s->text) + 1);
}

// Registers and numbers with + or - between them, up to ]. Numbers add up in *offset.
static bool sum(struct sass_line *s, struct sass_source *to, struct sass_operand like, uint64_t *offset)
{
	for (bool first = true;; first = false) {
		sass_blank(s);
		if (s->at < s->end && *s->at == ']')
			return !first || sass_bad(s, s->at, 1, "expected a register or a number");
		bool minus = false;
		if (sass_take(s, '-'))
			minus = true;
		else if (!sass_take(s, '+') && !first)
			return sass_bad(s, s->at, sass_thing(s), "expected +, - or ]");
		sass_blank(s);
		if (minus || s->at == s->end || !isalpha((unsigned char)*s->at)) {
			uint64_t v;
			if (!minus && s->at < s->end && *s->at == '-') // +-0x10, as disassemblers write it
				minus = true, s->at++;
			if (!sass_number(s, &v))
				return false;
			*offset += minus ? 0 - v : v;
			continue;
		}
		const char *at = s->at;
		struct sass_operand o = like;
		int is = named_operand(s, &o);
		if (is < 0)
			return false;
		if (!is || (o.file != ISA_FILE_R && o.file != ISA_FILE_UR))
			return sass_bad(s, at, sass_word(at, s->end), "'%.*s': expected a register R or UR, or a number",
			                (int)sass_word(at, s->end), at);
		if (!put(s, to, &o, at))
			return false;
	}
}

static bool memory(struct sass_line *s, struct sass_source *to, unsigned number)
{
	const char *from = s->at++;
	struct sass_operand like = {.operand = (uint8_t)number, .address = true};
	uint64_t offset = 0;
	unsigned before = to->n;
	if (!sum(s, to, like, &offset) || !close(s, from))
		return false;
	if (to->n == before) { // an address without registers
		like.file = ISA_FILE_IMM;
		like.imm = offset;
		return put(s, to, &like, from);
	}
	return true;
}

// desc[UR4][R2.64], gdesc[UR8].tnspB, desc[UR6]
static bool descriptor(struct sass_line *s, struct sass_source *to, unsigned number)
{
	const char *from = s->at;
	s->at = memchr(s->at, '[', (size_t)(s->end - s->at));
	s->at++;
	sass_blank(s);
	struct sass_operand o = {.operand = (uint8_t)number, .address = true, .descriptor = true};
	const char *at = s->at;
	int is = named_operand(s, &o);
	if (is < 0)
		return false;
	if (!is || o.file != ISA_FILE_UR)
		return sass_bad(s, at, sass_thing(s), "expected a uniform register with the descriptor: desc[UR4][R2.64]");
	if (!put(s, to, &o, at) || !close(s, from))
		return false;
	sass_blank(s);
	if (s->at == s->end || strchr(",.;", *s->at)) // of HGMMA's matrices; of bulk copies, whose addresses are operands of their own
		return true;
	if (*s->at != '[')
		return sass_bad(s, s->at, sass_thing(s), "expected [ with the address behind the descriptor");
	return memory(s, to, number);
}

// c[0x0][0x28], c[0x3][R4+0x10], cx[UR4][0x10]
static bool constant(struct sass_line *s, struct sass_source *to, unsigned number)
{
	const char *from = s->at;
	s->at = memchr(s->at, '[', (size_t)(s->end - s->at));
	s->at++;
	sass_blank(s);
	struct sass_operand o = {.file = ISA_FILE_CONST, .operand = (uint8_t)number}, bank = {.operand = (uint8_t)number};
	uint64_t v = 0, offset = 0;
	int is = named_operand(s, &bank);
	if (is < 0)
		return false;
	if (!is) {
		const char *at = s->at;
		if (!sass_number(s, &v))
			return false;
		if (v > 31)
			return sass_bad(s, at, (size_t)(s->at - at), "expected a constant bank from 0 to 0x1f");
	} else if (bank.file != ISA_FILE_UR) {
		return sass_bad(s, from, 2, "expected the number of a constant bank or a uniform register with a handle");
	}
	o.reg = (uint16_t)v;
	unsigned place = to->n;
	if (!put(s, to, &o, from) || (is && !put(s, to, &bank, from)) || !close(s, from))
		return false;
	sass_blank(s);
	if (s->at == s->end || *s->at != '[')
		return sass_bad(s, s->at, sass_thing(s), "expected [ with the offset behind the bank: c[0x0][0x28]");
	from = s->at++;
	if (!sum(s, to, (struct sass_operand){.operand = (uint8_t)number, .address = true}, &offset) || !close(s, from))
		return false;
	to->operand[place].offset = (uint32_t)offset;
	return true;
}

// {4,3,2} of DEPBAR
static bool counter_list(struct sass_line *s, struct sass_source *to, unsigned number)
{
	const char *from = s->at++;
	struct sass_operand o = {.file = ISA_FILE_SPECIAL, .operand = (uint8_t)number, .list = true};
	do {
		uint64_t v;
		const char *at = s->at;
		if (!sass_number(s, &v))
			return false;
		if (v >= ISA_N_SB)
			return sass_bad(s, at, (size_t)(s->at - at), "expected a counter from 0 to 5");
		o.imm |= 1u << v;
	} while (sass_take(s, ','));
	return sass_take(s, '}') ? put(s, to, &o, from)
	                         : sass_bad(s, s->at, sass_thing(s), "expected , or } in a list of counters");
}

// Numbers are for the eye, but for those of BAR, DEPBAR and branches: floating-point ones are passed over.
static bool immediate(struct sass_line *s, struct sass_source *to, unsigned number)
{
	struct sass_operand o = {.file = ISA_FILE_IMM, .operand = (uint8_t)number};
	const char *from = s->at;
	char text[64];
	size_t n = 0, sign = *from == '-' || *from == '+';
	while (s->at < s->end && n + 1 < sizeof text &&
	       (is_word(*s->at) || (n < 1 && sign) || (n && (text[n - 1] | 32) == 'e' && strchr("+-", *s->at))))
		text[n++] = *s->at++;
	text[n] = 0;
	bool hex = n > 2 && text[sign] == '0' && (text[sign + 1] | 32) == 'x';
	if (hex || !strpbrk(text, ".eE")) {
		s->at = from;
		return sass_number(s, &o.imm) && put(s, to, &o, from);
	}
	char *end;
	float f = strtof(text, &end);
	if (*end)
		return sass_bad(s, from, n, "'%s': expected a number", text);
	uint32_t bits;
	memcpy(&bits, &f, 4);
	o.imm = bits;
	return put(s, to, &o, from);
}

// Words that stand for something: special registers, and what instructions for textures and comparisons take.
static bool known_word(const char *at, size_t n)
{
	static const char *const words[] = {"INF",  "QNAN",     "SNAN",     "1D",       "2D",         "3D",
	                                    "CUBE", "ARRAY_1D", "ARRAY_2D", "ARRAY_3D", "ARRAY_CUBE", "SRZ",
	                                    "TEX_HEADER_DIMENSION", "MACTIVE", "gsb0", "Rpc.LO", "Rpc.HI"};
	if (n > 3 && !memcmp(at, "SR_", 3))
		return true;
	if (n == 8 && strspn(at, "PNZ") == n) // of FSWZADD
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == n && !memcmp(words[i], at, n))
			return true;
	return false;
}

static bool starts(const struct sass_line *s, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(s->end - s->at) >= n && !memcmp(s->at, word, n);
}

static bool word_operand(struct sass_line *s, struct sass_source *to, unsigned number, bool label_allowed)
{
	struct sass_operand o = {.operand = (uint8_t)number};
	const char *from = s->at;
	bool quoted = sass_take(s, '`') && sass_take(s, '(');
	size_t n = sass_word(s->at, s->end);
	if (!quoted) {
		int is = named_operand(s, &o);
		if (is)
			return is > 0 && put(s, to, &o, from);
		o = (struct sass_operand){.file = ISA_FILE_SPECIAL, .operand = (uint8_t)number};
		if (known_word(from, n)) {
			s->at += n;
			return put(s, to, &o, from);
		}
	}
	if (n && label_allowed && !s->label_at) {
		s->label_at = s->at;
		s->label_len = n;
		s->at += n;
		return !quoted || sass_take(s, ')') || sass_bad(s, s->at, sass_thing(s), "expected ) behind a label");
	}
	if (isdigit((unsigned char)*from))
		return immediate(s, to, number);
	return sass_bad(s, from, n,
	                "'%.*s': expected a register (R, UR, P, UP, B), a constant c[bank][offset], an address "
	                "[R2.64+0x4], "
	                "a number%s",
	                (int)(n ? n : 1), from, label_allowed ? " or a label" : " or a special register SR_...");
}

// 32@lo(NAME+0x8): half of an address that is known once the code is loaded.
static bool half_address(struct sass_line *s, struct sass_source *to, unsigned number)
{
	struct sass_operand o = {.file = ISA_FILE_IMM, .operand = (uint8_t)number};
	const char *from = s->at, *end = memchr(s->at, ')', (size_t)(s->end - s->at));
	if (!end)
		return sass_bad(s, from, 6, "expected ) behind a name");
	s->at = end + 1;
	return put(s, to, &o, from);
}

static bool operand(struct sass_line *s, struct sass_source *to, unsigned number, bool label_allowed)
{
	sass_blank(s);
	if (starts(s, "32@lo(") || starts(s, "32@hi("))
		return half_address(s, to, number);
	const char *sign = s->at;
	while (s->at < s->end && strchr("-+~!|", *s->at))
		s->at++;
	if (s->at == s->end)
		return sass_bad(s, s->at, 1, "expected an operand");
	bool ok, digit = isdigit((unsigned char)*s->at);
	if (digit && !known_word(s->at, sass_word(s->at, s->end))) {
		s->at -= s->at > sign && strchr("-+", s->at[-1]);
		ok = immediate(s, to, number);
	} else if (*s->at == '[') {
		ok = memory(s, to, number);
	} else if (*s->at == '{') {
		ok = counter_list(s, to, number);
	} else if (starts(s, "desc[") || starts(s, "gdesc[")) {
		ok = descriptor(s, to, number);
	} else if (starts(s, "c[") || starts(s, "cx[")) {
		ok = constant(s, to, number);
	} else {
		ok = word_operand(s, to, number, label_allowed);
	}
	if (!ok)
		return false;
	while (s->at < s->end && (*s->at == '|' || *s->at == '.')) // |R1|, c[0x0][0x28].H1
		s->at += *s->at == '.' ? sass_word(s->at, s->end) : 1;
	return true;
}

bool sass_read_operands(struct sass_line *s, struct sass_source *to, bool label_allowed)
{
	sass_blank(s);
	if (s->at == s->end || *s->at == ';')
		return true;
	for (unsigned number = 0; number < SASS_OPERANDS; number++) {
		if (!operand(s, to, number, label_allowed))
			return false;
		sass_blank(s);
		if (s->at == s->end || *s->at == ';')
			return true;
		// Some disassemblies put no comma between a register and an address or label.
		if (!sass_take(s, ',') && !label_allowed)
			return sass_bad(s, s->at, sass_thing(s), "expected a comma, ; or the end of the line");
	}
	return sass_bad(s, s->at, 1, "too many operands");
}

bool sass_read_guard(struct sass_line *s, struct sass_operand *o)
{
	*o = (struct sass_operand){0};
	if (!sass_take(s, '@'))
		return true;
	const char *from = s->at;
	sass_take(s, '!');
	int is = named_operand(s, o);
	if (is < 0)
		return false;
	if (!is || (o->file != ISA_FILE_P && o->file != ISA_FILE_UP) || o->all)
		return sass_bad(s, from, sass_thing(s), "expected a guard: @P0 to @P6, @!P0, @UP0");
	return true;
}
