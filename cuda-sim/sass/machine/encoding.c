#include "cuda-sim/sass/machine/encoding.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lists of names that several rows share. A dash is a value that no instruction has.
static const struct {
	const char *name, *values;
} list[] = {
#define LIST(name, values) {#name, values},
#define ROW(group, forms, generations, syntax)
#include "cuda-sim/sass/machine/encoding.def"
#undef ROW
#undef LIST
};

#define F(n) (1u << (n))
#define U(n) (1u << ((n) + 8))

// Forms by the sources that an instruction has.
enum {
	FORM_3 = F(1) | F(2) | F(3) | F(4) | F(5) | U(6) | U(7), // three: one of the last two may be no register
	FORM_2 = F(1) | F(4) | F(5) | U(6),                      // two: B
	FORM_ADD = F(1) | F(2) | F(3) | U(7),                    // FADD, DADD: their B counts as a third source
	FORM_REG = F(1),
	FORM_IMM = F(4),
	FORM_BOTH = F(1) | F(4),
	FORM_U = U(1) | U(2) | U(4),                             // of the uniform data path
};

static const struct {
	uint16_t group, forms;
	const char *generations, *syntax;
} table[] = {
#define LIST(name, values)
#define ROW(group, forms, generations, syntax) {group, (uint16_t)(forms), generations, syntax},
#include "cuda-sim/sass/machine/encoding.def"
#undef ROW
#undef LIST
};

enum { N_ROWS = sizeof table / sizeof *table, N_GROUPS = 512 };

struct sass_isa {
	enum sass_generation generation;
	struct sass_row *row;
	uint32_t n_row;
	uint16_t first[N_GROUPS], n[N_GROUPS]; // rows of a group follow each other in by_group
	uint16_t *by_group;
};

// --- reading the table

struct reader {
	struct arena *a;
	const char *at;
};

static unsigned number(struct reader *r)
{
	char *end;
	unsigned long n = strtoul(r->at, &end, 0);
	HEDDLE_ASSERT(end != r->at);
	r->at = end;
	return (unsigned)n;
}

// "78.2" or "68.4+75.2"; one bit if no width is given.
static struct sass_bits bits(struct reader *r)
{
	struct sass_bits b = {0};
	for (unsigned i = 0; i < 2; i++) {
		b.lsb[i] = (uint8_t)number(r);
		b.width[i] = 1;
		if (*r->at == '.')
			r->at++, b.width[i] = (uint8_t)number(r);
		if (*r->at != '+')
			break;
		r->at++;
	}
	return b;
}

// "a,b,,-" up to `end`.
static void values(struct reader *r, struct sass_token *t, const char *from, const char *end)
{
	unsigned most = 1u << (t->bits.width[0] + t->bits.width[1]);
	t->value = ARENA_ARRAY(r->a, const char *, most);
	for (const char *at = from; at <= end; at++) {
		size_t len = strcspn(at, ",");
		if (at + len > end)
			len = (size_t)(end - at);
		HEDDLE_ASSERT(t->n_value < most);
		t->value[t->n_value++] = len == 1 && *at == '-' ? NULL : arena_strndup(r->a, at, len);
		at += len;
	}
	if (most == 2 && t->n_value == 1) { // a flag
		t->value[1] = t->value[0];
		t->value[0] = "";
		t->n_value = 2;
	}
}

static void put_bits(struct sass_word *w, unsigned lsb, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++)
		if (v >> i & 1)
			*(lsb + i < 64 ? &w->lo : &w->hi) |= (uint64_t)1 << (lsb + i) % 64;
}

// Behind '{': a modifier, or bits that must have a value.
static void modifier(struct reader *r, struct sass_row *row)
{
	struct sass_token *t = &row->token[row->n_token];
	const char *end = strchr(r->at, '}');
	*t = (struct sass_token){.place = SASS_AT_MODIFIER, .only_if = -1};
	if (*r->at == '#') {
		t->place = SASS_AT_ALIAS;
		row->n_token++;
		r->at = end + 1;
		return;
	}
	if (*r->at == '=') {
		r->at++;
		struct sass_bits b = bits(r);
		r->at++;
		unsigned v = !strncmp(r->at, "URZ", 3) ? sass_urz((enum sass_generation)row->generation) : number(r);
		put_bits(&row->fixed_mask, b.lsb[0], b.width[0], ~(uint64_t)0);
		put_bits(&row->fixed, b.lsb[0], b.width[0], v);
		r->at = end + 1;
		return;
	}
	if (*r->at >= '0' && *r->at <= '9') {
		t->bits = bits(r);
		values(r, t, r->at + 1, end);
	} else {
		size_t len = strcspn(r->at, "@");
		const char *name = arena_strndup(r->a, r->at, len);
		r->at += len + 1;
		t->bits = bits(r);
		for (size_t i = 0; i < sizeof list / sizeof *list; i++)
			if (!strcmp(list[i].name, name))
				values(r, t, list[i].values, list[i].values + strlen(list[i].values));
		HEDDLE_ASSERT(t->value);
	}
	row->n_token++;
	r->at = end + 1;
}

static void mnemonic(struct reader *r, struct sass_row *row)
{
	while (*r->at && *r->at != ' ') {
		if (*r->at == '{') {
			r->at++;
			modifier(r, row);
			continue;
		}
		size_t len = strcspn(r->at, "{ ");
		struct sass_token *t = &row->token[row->n_token++];
		*t = (struct sass_token){.place = SASS_AT_WORD, .only_if = -1, .n_value = 1};
		t->value = ARENA_ARRAY(r->a, const char *, 1);
		t->value[0] = arena_strndup(r->a, r->at, len);
		if (!row->op)
			row->op = arena_strndup(r->a, r->at, strcspn(r->at, ".{ "));
		r->at += len;
	}
	row->n_mnemonic = row->n_token;
}

enum { UR = 255 }; // the width of a uniform register, which the generation decides

static const struct {
	const char *name;
	uint8_t place;
	bool field; // a field stands behind the name
	uint8_t width;
} places[] = {
	{"UD", SASS_AT_UD, false, 0},   {"UA", SASS_AT_UA, false, 0},     {"UC", SASS_AT_UC, false, 0},
	{"UR", SASS_AT_UR, true, UR},    {"UP", SASS_AT_UP, true, 3},      {"SR", SASS_AT_SREG, true, 8},
	{"MG", SASS_AT_GLOBAL, false, 0}, {"MS", SASS_AT_SHARED, false, 0}, {"MC", SASS_AT_COPIED, false, 0}, {"ML", SASS_AT_LOCAL, false, 0}, {"MN", SASS_AT_GENERIC, false, 0},
	{"BMV", SASS_AT_BMOV, true, 5}, {"BB", SASS_AT_BREG, true, 4},    {"SB", SASS_AT_COUNTER, true, 3}, {"SET", SASS_AT_SET, true, 6},
	{"D", SASS_AT_D, false, 0},     {"A", SASS_AT_A, false, 0},       {"B", SASS_AT_B, false, 0},  {"C", SASS_AT_C, false, 0},
	{"R", SASS_AT_R, true, 8},      {"P", SASS_AT_P, true, 3},        {"I", SASS_AT_IMM, true, 0}, {"S", SASS_AT_SIGNED, true, 0},
	{"K", SASS_AT_CONST, false, 0}, {"T", SASS_AT_TARGET, true, 0},
	{"XA", SASS_AT_INDIRECT, false, 0}, {"XU", SASS_AT_UR_INDIRECT, true, UR}, {"XD", SASS_AT_DESCRIPTOR, true, UR}, {"XG", SASS_AT_MATRIX, true, UR},
	 {"O", SASS_AT_OFFSET, true, 0}, {"Z", SASS_AT_LANES, true, 8},
};

static void operand(struct reader *r, struct sass_row *row)
{
	struct sass_token *t = &row->token[row->n_token++];
	HEDDLE_ASSERT(row->n_token <= SASS_ROW_TOKENS);
	*t = (struct sass_token){.only_if = -1, .imm = 'x'};
	for (;; r->at++) {
		static const char flag[] = "-|~=?_";
		static const uint16_t means[] = {SASS_CAN_NEG, SASS_CAN_ABS, SASS_CAN_INVERT, SASS_CAN_NEG_OR_INVERT, SASS_OPTIONAL, SASS_APART};
		const char *at = *r->at ? strchr(flag, *r->at) : NULL;
		if (!at)
			break;
		t->flags |= means[at - flag];
	}
	if (*r->at == '"') {
		const char *end = strchr(++r->at, '"');
		t->place = SASS_AT_WORD;
		t->value = ARENA_ARRAY(r->a, const char *, 1);
		t->value[0] = arena_strndup(r->a, r->at, (size_t)(end - r->at));
		t->n_value = 1;
		r->at = end + 1;
		return;
	}
	unsigned k = 0;
	while (k < sizeof places / sizeof *places && strncmp(r->at, places[k].name, strlen(places[k].name)))
		k++;
	HEDDLE_ASSERT(k < sizeof places / sizeof *places);
	r->at += strlen(places[k].name);
	t->place = places[k].place;
	if (t->place == SASS_AT_UD)
		t->bits = (struct sass_bits){.lsb = {16}, .width = {row->ur_bits}};
	if (places[k].field) {
		t->bits = bits(r);
		if (places[k].width && !t->bits.width[1] && t->bits.width[0] == 1)
			t->bits.width[0] = places[k].width == UR ? row->ur_bits : places[k].width;
	}
	for (;; r->at++) {
		if (*r->at == 'h' && r->at[1] == 'h')
			t->flags |= SASS_HALVES, r->at++;
		else if (*r->at && strchr("sfdhxrtubm", *r->at))
			t->imm = *r->at;
		else if (*r->at == '!')
			t->flags |= SASS_NEGATED;
		else if (*r->at == 'c')
			t->flags |= SASS_PLAIN_C;
		else if (*r->at == 'i')
			t->flags |= SASS_COMPLEMENT;
		else if (*r->at == '+')
			t->flags |= SASS_THIRD;
		else
			break;
	}
	bool predicate = t->place == SASS_AT_P || t->place == SASS_AT_UP;
	t->absent = predicate ? 7 : 0;
	if (*r->at == '/') {
		r->at++;
		t->only_if = (int8_t)number(r);
		if (predicate && t->flags & SASS_NEGATED)
			t->absent = 15;
	}
	if (*r->at == '=' && !strncmp(r->at + 1, "URZ", 3))
		r->at += 4, t->absent = sass_urz((enum sass_generation)row->generation);
	else if (*r->at == '=')
		r->at++, t->absent = number(r);
	if (*r->at == '.') {
		size_t len = strcspn(++r->at, ", ");
		struct sass_token *word = &row->token[row->n_token++];
		*word = (struct sass_token){.place = SASS_AT_WORD, .flags = SASS_JOINED, .only_if = -1, .n_value = 1};
		word->value = ARENA_ARRAY(r->a, const char *, 1);
		word->value[0] = arena_strndup(r->a, r->at, len);
		r->at += len;
	}
}

static void read_row(struct arena *a, struct sass_row *row, unsigned i, enum sass_generation generation)
{
	struct reader r = {a, table[i].syntax};
	*row = (struct sass_row){.group = table[i].group, .forms = table[i].forms, .generation = (uint8_t)generation, .ur_bits = (uint8_t)sass_ur_bits(generation), .index = (uint16_t)i};
	for (const char *g = table[i].generations; *g; g++) {
		static const char letter[] = "KMPVTALHBC"; // enum sass_generation
		row->generations |= (uint16_t)(1u << (strchr(letter, *g) - letter));
	}
	if (*r.at == '%')
		r.at++, row->uniform = true;
	mnemonic(&r, row);
	while (*r.at) {
		size_t gap = strspn(r.at, ", ");
		r.at += gap;
		if (*r.at == '{') {
			r.at++;
			unsigned before = row->n_token;
			modifier(&r, row);
			if (row->n_token > before && !gap)
				row->token[before].flags |= SASS_JOINED;
		} else
			operand(&r, row);
	}
}

struct sass_isa *sass_isa_new(struct arena *a, enum sass_generation g)
{
	struct sass_isa *isa = ARENA_NEW(a, struct sass_isa);
	isa->generation = g;
	isa->row = ARENA_ARRAY(a, struct sass_row, N_ROWS);
	for (unsigned i = 0; i < N_ROWS; i++) {
		read_row(a, &isa->row[isa->n_row], i, g);
		isa->n_row += isa->row[isa->n_row].generations >> g & 1;
	}
	isa->by_group = ARENA_ARRAY(a, uint16_t, isa->n_row + 1);
	for (uint32_t i = 0; i < isa->n_row; i++)
		isa->n[isa->row[i].group]++;
	uint16_t at = 0;
	for (unsigned k = 0; k < N_GROUPS; k++) {
		isa->first[k] = at;
		at = (uint16_t)(at + isa->n[k]);
		isa->n[k] = 0;
	}
	for (uint32_t i = 0; i < isa->n_row; i++) {
		unsigned k = isa->row[i].group;
		isa->by_group[isa->first[k] + isa->n[k]++] = (uint16_t)i;
	}
	return isa;
}

const struct sass_row *sass_row(const struct sass_isa *isa, unsigned i) { return i < isa->n_row ? &isa->row[i] : NULL; }

enum sass_generation sass_isa_generation(const struct sass_isa *isa) { return isa->generation; }

// --- which slot a source is in

enum sass_slot sass_slot_of(const struct sass_decoded *d, enum sass_place place)
{
	static const uint8_t b_slot[8] = {SASS_SLOT_REG_B, SASS_SLOT_REG_B, SASS_SLOT_IMM, SASS_SLOT_CONST,
	                                  SASS_SLOT_IMM, SASS_SLOT_CONST, SASS_SLOT_UR, SASS_SLOT_UR};
	if (place == SASS_AT_A)
		return SASS_SLOT_A;
	bool b = false, three = false, swapped = d->form == 2 || d->form == 3 || d->form == 7;
	for (unsigned i = d->row->n_mnemonic; i < d->row->n_token; i++)
		b |= d->row->token[i].place == SASS_AT_B, three |= d->row->token[i].place == SASS_AT_C || d->row->token[i].place == SASS_AT_UC;
	three &= b;
	bool third = place == SASS_AT_C || place == SASS_AT_UC, c = third ? !swapped : three && swapped;
	if (d->row->uniform && d->form != 6)
		return c ? SASS_SLOT_UR_C : d->form == 1 ? SASS_SLOT_UR : SASS_SLOT_IMM;
	return c ? SASS_SLOT_REG_C : (enum sass_slot)b_slot[d->form];
}

// --- the bits of a row

static void own(struct sass_word *w, unsigned lsb, unsigned width) { put_bits(w, lsb, width, ~(uint64_t)0); }

struct sass_source_bits sass_source_at(const struct sass_decoded *d, const struct sass_token *t)
{
	static const struct sass_source_bits at[] = {
		[SASS_SLOT_A] = {.lsb = 24, .width = 8, .neg = 72, .abs = 73, .halves = 74},
		[SASS_SLOT_REG_B] = {.lsb = 32, .width = 8, .neg = 63, .abs = 62, .halves = 60},
		[SASS_SLOT_UR] = {.lsb = 32, .neg = 63, .abs = 62, .halves = 60},
		[SASS_SLOT_CONST] = {.neg = 63, .abs = 62, .halves = 60},
		[SASS_SLOT_REG_C] = {.lsb = 64, .width = 8, .neg = 75, .abs = 74, .halves = 81},
		[SASS_SLOT_UR_C] = {.lsb = 64, .neg = 75, .abs = 74},
		[SASS_SLOT_IMM] = {0},
	};
	enum sass_slot slot = sass_slot_of(d, (enum sass_place)t->place);
	struct sass_source_bits b = at[slot];
	b.slot = slot;
	if (sass_is_uniform_slot(slot))
		b.width = d->row->ur_bits;
	if (slot == SASS_SLOT_REG_C && t->flags & SASS_HALVES)
		b.neg = 84, b.abs = 83;
	if (!(t->flags & (SASS_CAN_NEG | SASS_CAN_INVERT | SASS_CAN_NEG_OR_INVERT)) || (slot == SASS_SLOT_REG_C && t->flags & SASS_PLAIN_C))
		b.neg = 0;
	if (!(t->flags & SASS_CAN_ABS))
		b.abs = 0;
	if (!(t->flags & SASS_HALVES))
		b.halves = 0;
	if (b.width && !sass_is_uniform_slot(slot))
		b.reuse = t->place == SASS_AT_A ? 122 : t->place == SASS_AT_C || t->flags & SASS_THIRD ? 124 : 123;
	return b;
}

struct sass_address_bits sass_address_at(const struct sass_decoded *d, const struct sass_token *t)
{
	struct sass_address_bits b = {.reg = 24, .offset = 40, .offset_width = 24};
	bool global = t->place == SASS_AT_GLOBAL || t->place == SASS_AT_GENERIC;
	if (t->place == SASS_AT_COPIED) {
		b = (struct sass_address_bits){.reg = 16, .offset = 44, .offset_width = 20, .ur = d->form == 6 ? 64 : 0};
		return b;
	}
	if (t->imm == 'u')
		return (struct sass_address_bits){.offset = 40, .offset_width = 24, .ur = 24};
	if (t->imm == 's')
		b.offset = 32, b.offset_width = 32;
	if (t->imm == 't')
		b.offset = 32, b.offset_width = 12;
	if (t->place == SASS_AT_SHARED && t->imm != 'd')
		b.scale = 78;
	if (!d->uniform_form)
		return b;
	b.ur = t->flags & SASS_THIRD ? 64 : 32;
	if (!global)
		return b;
	b.wide = t->imm == 'd' || t->imm == 't' ? 70 : 90;
	if (d->form != 1 && d->row->generation >= SASS_AMPERE) {
		b.descriptor = t->imm == 'x' || t->imm == 't' ? 76 : 71;
		b.hint = d->row->generation < SASS_HOPPER ? 101 : 0;
	}
	if (d->row->generation >= SASS_BLACKWELL && t->imm == 'r')
		b.descriptor = 81;
	if (d->row->generation >= SASS_BLACKWELL && t->imm == 'd') {
		b.wide = 63;
		b.descriptor = d->row->group == 0x1a2 || d->row->group == 0x1a3 ? 90 : 76; // the former are ATOM and ATOMG of floating point
		b.offset_width = 23;
	}
	if (t->imm == 'm') {
		b.wide = 81;
		b.descriptor = 0;
	}
	if (d->row->generation >= SASS_BLACKWELL && t->imm == 't')
		b.wide = b.descriptor = 83;
	return b;
}

bool sass_is_immediates(const struct sass_decoded *d, const struct sass_token *t)
{
	if (!(t->flags & SASS_JOINED) || t->place != SASS_AT_MODIFIER || t->bits.lsb[0] >= 64)
		return false;
	for (unsigned i = d->row->n_mnemonic; i < d->row->n_token; i++)
		if (d->row->token[i].place == SASS_AT_B)
			return sass_slot_of(d, SASS_AT_B) == SASS_SLOT_IMM;
	return false;
}

static void own_source(struct sass_word *w, const struct sass_decoded *d, const struct sass_token *t)
{
	struct sass_source_bits b = sass_source_at(d, t);
	own(w, b.lsb, b.width);
	if (b.slot == SASS_SLOT_IMM)
		own(w, 32, 32);
	if (b.slot == SASS_SLOT_CONST)
		own(w, 38, 21);
	own(w, b.neg, b.neg != 0);
	own(w, b.abs, b.abs != 0);
	own(w, b.halves, b.halves ? 2 : 0);
}

static void own_token(struct sass_word *w, const struct sass_decoded *d, const struct sass_token *t)
{
	switch ((enum sass_place)t->place) {
	case SASS_AT_WORD:
	case SASS_AT_ALIAS:
		return;
	case SASS_AT_D:
		own(w, 16, 8);
		return;
	case SASS_AT_A:
	case SASS_AT_B:
	case SASS_AT_C:
	case SASS_AT_UC:
		own_source(w, d, t);
		return;
	case SASS_AT_INDIRECT:
		own(w, 24, 8);
		return;
	case SASS_AT_UD:
		own(w, 16, d->row->ur_bits);
		return;
	case SASS_AT_UA:
		own(w, 24, d->row->ur_bits);
		own(w, 72, !!(t->flags & (SASS_CAN_NEG | SASS_CAN_INVERT | SASS_CAN_NEG_OR_INVERT)));
		own(w, 73, !!(t->flags & SASS_CAN_ABS));
		return;
	case SASS_AT_CONST:
		own(w, 24, t->imm == 'd' ? 0 : t->imm == 'r' || t->imm == 'u' ? d->row->ur_bits : 8);
		own(w, sass_const_at(t), 59 - sass_const_at(t));
		return;
	case SASS_AT_GLOBAL:
	case SASS_AT_GENERIC:
	case SASS_AT_SHARED:
	case SASS_AT_COPIED:
	case SASS_AT_LOCAL: {
		struct sass_address_bits b = sass_address_at(d, t);
		own(w, b.reg, b.reg ? 8 : 0);
		own(w, b.offset, b.offset_width);
		own(w, b.ur, b.ur ? d->row->ur_bits : 0);
		own(w, b.scale, b.scale ? 2 : 0);
		own(w, b.wide, b.wide != 0);
		own(w, b.descriptor, b.descriptor != 0);
		own(w, b.hint, b.hint != 0);
		return;
	}
	case SASS_AT_R:
		own(w, t->bits.lsb[0], t->bits.width[0]);
		own(w, 50, sass_reuse_bit(t) == 50 && d->row->group < 0x100);
		return;
	case SASS_AT_UR:
		own(w, t->bits.lsb[0], t->bits.width[0] + !!(t->flags & SASS_CAN_INVERT));
		return;
	default:
		own(w, t->bits.lsb[0], t->bits.width[0] + (t->flags & SASS_NEGATED ? 1 : 0));
		own(w, t->bits.lsb[1], t->bits.width[1]);
		return;
	}
}

struct sass_word sass_owned(const struct sass_row *r, unsigned form, bool uniform_form)
{
	struct sass_decoded d = {.row = r, .form = form, .uniform_form = uniform_form};
	struct sass_word w = r->fixed_mask;
	own(&w, 0, 16);
	own(&w, 91, 1);
	own(&w, 105, 21);
	for (unsigned i = 0; i < r->n_token; i++)
		own_token(&w, &d, &r->token[i]);
	return w;
}

// --- decoding

uint64_t sass_token_value(struct sass_word w, const struct sass_token *t)
{
	if (t->place == SASS_AT_C)
		return sass_run(w, 64, 8);
	if (t->place == SASS_AT_B)
		return sass_run(w, 32, 32);
	if (t->place == SASS_AT_D)
		return sass_run(w, 16, 8);
	uint64_t v = sass_get(w, t->bits);
	if (t->flags & SASS_COMPLEMENT)
		v = 7 - v;
	if (t->flags & SASS_NEGATED)
		v |= sass_run(w, t->bits.lsb[0] + t->bits.width[0], 1) << t->bits.width[0];
	return v;
}

static bool is_address(const struct sass_token *t)
{
	return t->place == SASS_AT_GLOBAL || t->place == SASS_AT_GENERIC || t->place == SASS_AT_SHARED || t->place == SASS_AT_COPIED ||
	       t->place == SASS_AT_LOCAL;
}

// NULL, or what is wrong.
static const char *misfit(const struct sass_decoded *d, char *buf, size_t len)
{
	const struct sass_row *r = d->row;
	struct sass_word owned = sass_owned(r, d->form, d->uniform_form), w = d->word;
	uint64_t lo = w.lo & ~owned.lo, hi = w.hi & ~owned.hi;
	if (lo | hi) {
		snprintf(buf, len, "bit %d is set, which has no known meaning in %s", lo ? __builtin_ctzll(lo) : 64 + __builtin_ctzll(hi), r->op);
		return buf;
	}
	if ((w.lo & r->fixed_mask.lo) != r->fixed.lo || (w.hi & r->fixed_mask.hi) != r->fixed.hi) {
		uint64_t l = (w.lo & r->fixed_mask.lo) ^ r->fixed.lo, h = (w.hi & r->fixed_mask.hi) ^ r->fixed.hi;
		snprintf(buf, len, "bit %d of %s is not as it is known to be", l ? __builtin_ctzll(l) : 64 + __builtin_ctzll(h), r->op);
		return buf;
	}
	for (unsigned i = 0; i < r->n_token; i++) {
		const struct sass_token *t = &r->token[i];
		uint64_t v = t->place == SASS_AT_WORD || t->place == SASS_AT_ALIAS ? 0 : sass_token_value(w, t);
		if (sass_is_immediates(d, t))
			continue;
		bool unknown = (t->place == SASS_AT_MODIFIER && (v >= t->n_value || !t->value[v])) ||
		               (t->place == SASS_AT_BMOV && v >= SASS_N_B && v != SASS_MACTIVE) ||
		               (t->place == SASS_AT_LANES && (v ^ v >> 1) & 0x55);
		struct sass_address_bits b = is_address(t) ? sass_address_at(d, t) : (struct sass_address_bits){0};
		if (b.hint && sass_bit(w, b.hint) && !sass_bit(w, b.descriptor)) {
			snprintf(buf, len, "bit %u of %s is set, but it has no descriptor", b.hint, r->op);
			return buf;
		}
		bool hidden = t->only_if >= 0 && !sass_bit(w, (unsigned)t->only_if) && v != t->absent;
		if (unknown || hidden) {
			snprintf(buf, len, "bits %u to %u of %s have the value %llu, which is not known", t->bits.lsb[0],
			         t->bits.lsb[0] + t->bits.width[0] - 1, r->op, (unsigned long long)v);
			return buf;
		}
	}
	return NULL;
}

bool sass_decode(const struct sass_isa *isa, struct sass_word w, uint64_t pc, struct sass_decoded *out, char *why, size_t len)
{
	unsigned group = (unsigned)sass_run(w, 0, 9), form = (unsigned)sass_run(w, 9, 3);
	bool uniform_form = sass_bit(w, 91);
	const char *wrong = NULL;
	for (unsigned i = 0; i < isa->n[group]; i++) {
		const struct sass_row *r = &isa->row[isa->by_group[isa->first[group] + i]];
		if (!(r->forms >> (form + 8 * uniform_form) & 1))
			continue;
		*out = (struct sass_decoded){.row = r, .word = w, .pc = pc, .form = form, .uniform_form = uniform_form, .generation = isa->generation};
		wrong = misfit(out, why, len);
		if (!wrong)
			return true;
	}
	if (!wrong)
		snprintf(why, len, "no instruction is known with the opcode 0x%03x%s", (unsigned)sass_run(w, 0, 12), uniform_form ? " and bit 91 set" : "");
	return false;
}

bool sass_target(const struct sass_decoded *d, uint64_t *pc)
{
	for (unsigned i = d->row->n_mnemonic; i < d->row->n_token; i++) {
		const struct sass_token *t = &d->row->token[i];
		unsigned width = t->bits.width[0] + t->bits.width[1];
		if (t->place != SASS_AT_TARGET)
			continue;
		int64_t by = (int64_t)(sass_get(d->word, t->bits) << (64 - width)) >> (64 - width);
		*pc = d->pc + 16 + (uint64_t)by * sass_target_unit(t);
		return true;
	}
	return false;
}

// Is `part` one of the parts of `text`, which dots part?
static bool has_part(const char *text, const char *part)
{
	size_t n = strlen(part);
	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		if ((at == text || at[-1] == '.') && (!at[n] || at[n] == '.'))
			return true;
	return false;
}

bool sass_has(const struct sass_decoded *d, const char *name)
{
	for (unsigned i = 0; i < d->row->n_mnemonic; i++) {
		const struct sass_token *t = &d->row->token[i];
		if (t->place == SASS_AT_MODIFIER && !strcmp(t->value[sass_get(d->word, t->bits)], name))
			return true;
		if (t->place == SASS_AT_WORD && has_part(t->value[0], name)) // all instructions of the row have it
			return true;
	}
	return false;
}
