// A row of the table is tried against the text from left to right, in each of its forms. Parts that may be left out are tried
// both ways. What was understood is printed again, and only if that is the text it counts: so no row can read what it
// would not write.
#include "cuda-sim/sass/machine/assemble.h"

#include "cuda-sim/numbers/softfp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	const struct sass_isa *isa;
	const struct sass_row *row;
	const char *text;       // of the whole instruction
	const struct sass_places *places;
	struct sass_decoded d;  // with the bits so far
	const char *furthest;   // in the text
};

static void set(struct sass_word *w, unsigned lsb, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++) {
		uint64_t *half = lsb + i < 64 ? &w->lo : &w->hi, bit = (uint64_t)1 << (lsb + i) % 64;
		*half = v >> i & 1 ? *half | bit : *half & ~bit;
	}
}

static void set_field(struct sass_word *w, const struct sass_token *t, uint64_t v)
{
	set(w, t->bits.lsb[0], t->bits.width[0], t->flags & SASS_COMPLEMENT ? 7 - v : v);
	set(w, t->bits.lsb[1], t->bits.width[1], v >> t->bits.width[0]);
	if (t->flags & SASS_NEGATED)
		set(w, t->bits.lsb[0] + t->bits.width[0], 1, v >> t->bits.width[0]);
}

// --- pieces of text

static bool take(const char **at, const char *what)
{
	size_t n = strlen(what);
	if (strncmp(*at, what, n))
		return false;
	*at += n;
	return true;
}

static bool take_number(const char **at, uint64_t *v)
{
	bool minus = take(at, "-");
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	*v = strtoull(*at, &end, 0);
	*v = minus ? 0 - *v : *v;
	*at = end;
	return true;
}

// A register of a file: its letters and its number, or with Z or T the one that is constant.
static bool take_register(const char **at, const char *file, const char *constant, unsigned last, unsigned *v)
{
	const char *from = *at;
	if (take(at, constant)) {
		*v = last;
		return true;
	}
	char *end;
	if (!take(at, file) || **at < '0' || **at > '9') {
		*at = from;
		return false;
	}
	*v = (unsigned)strtoul(*at, &end, 10);
	*at = end;
	if (*v < last)
		return true;
	*at = from;
	return false;
}

static bool take_r(const char **at, unsigned *v) { return take_register(at, "R", "RZ", 255, v); }
static bool take_ur(const char **at, const struct sass_decoded *d, unsigned *v)
{
	return take_register(at, "UR", "URZ", sass_urz(d->generation), v);
}

static bool take_predicate(const char **at, bool uniform, unsigned *v)
{
	bool not = take(at, "!");
	if (!take_register(at, uniform ? "UP" : "P", uniform ? "UPT" : "PT", 7, v))
		return false;
	*v |= not ? 8 : 0;
	return true;
}

// A number, or if *bits is not 0 then, a NaN, by its name or by its bits.
static bool take_real(const char **at, char how, double *v, uint32_t *bits)
{
	char *end;
	*v = 0;
	*bits = 0;
	bool minus = take(at, "-QNAN");
	if (minus || take(at, "+QNAN")) {
		take(at, " "); // which the end of a line may lack
		*bits = sass_nan(how, minus);
		return true;
	}
	if (!strncmp(*at, "0x", 2))
		*bits = (uint32_t)strtoul(*at, &end, 16);
	else
		*v = strtod(*at, &end);
	if (end == *at)
		return false;
	*at = end;
	take(at, " "); // behind +INF and -0.0
	return true;
}

static uint32_t half_bits(double v, bool bf)
{
	if (bf) {
		float f = (float)v;
		uint32_t bits;
		memcpy(&bits, &f, sizeof bits);
		return bits >> 16;
	}
	return softfp_f32_to_f16((float)v);
}

static bool take_imm(const char **at, const struct sass_decoded *d, char how, uint32_t *out)
{
	double v, w;
	uint64_t n, wide;
	uint32_t nan, low;
	float f;
	switch (how) {
	case 'f':
		if (!take_real(at, how, &v, &nan))
			return false;
		f = (float)v;
		memcpy(out, &f, sizeof f);
		*out |= nan;
		return true;
	case 'd':
		if (!take_real(at, how, &v, &nan))
			return false;
		memcpy(&wide, &v, sizeof wide);
		*out = (uint32_t)(wide >> 32) | nan;
		return true;
	case 'h': {
		bool bf = sass_has(d, "BF16_V2");
		if (!take_real(at, how, &v, &nan) || !take(at, ", ") || !take_real(at, how, &w, &low))
			return false;
		*out = (half_bits(v, bf) | nan) << 16 | half_bits(w, bf) | low;
		return true;
	}
	default:
		if (!take_number(at, &n))
			return false;
		*out = (uint32_t)n;
		return true;
	}
}

// --- operands

static void take_halves(const char **at, struct sass_word *w, unsigned lsb)
{
	static const char *const name[] = {".F32", ".H0_H0", ".H1_H1"};
	for (unsigned i = 0; i < 3; i++)
		if (take(at, name[i]))
			set(w, lsb, 2, i + 1);
}

static bool take_constant(const char **at, struct sass_word *w)
{
	uint64_t bank, offset;
	if (!take(at, "c[") || !take_number(at, &bank) || !take(at, "]"))
		return false;
	take(at, " ");
	if (!take(at, "[") || !take_number(at, &offset) || !take(at, "]"))
		return false;
	set(w, 54, 5, bank);
	set(w, 38, 16, offset);
	return true;
}

static bool take_source(const char **at, struct sass_decoded *d, const struct sass_token *t)
{
	struct sass_word *w = &d->word;
	struct sass_source_bits b = sass_source_at(d, t);
	unsigned v;
	uint32_t imm;
	if (b.slot == SASS_SLOT_IMM) {
		if (!take_imm(at, d, t->imm, &imm))
			return false;
		set(w, 32, 32, imm);
		return true;
	}
	if (b.neg && (take(at, "-") || take(at, "~")))
		set(w, b.neg, 1, 1);
	bool bars = b.abs && take(at, "|");
	if (bars)
		set(w, b.abs, 1, 1);
	if (b.slot == SASS_SLOT_CONST) {
		if (!take_constant(at, w))
			return false;
	} else {
		if (!(sass_is_uniform_slot(b.slot) ? take_ur(at, d, &v) : take_r(at, &v)))
			return false;
		set(w, b.lsb, b.width, v);
	}
	if (bars)
		take(at, "|");
	if (b.reuse && take(at, ".reuse"))
		set(w, b.reuse, 1, 1);
	if (b.halves)
		take_halves(at, w, b.halves);
	if (bars)
		take(at, "|");
	return true;
}

static bool take_address(const char **at, struct sass_decoded *d, const struct sass_token *t)
{
	static const char *const scale[] = {".X4", ".X8", ".X16"};
	struct sass_word *w = &d->word;
	unsigned r = 255, ur = sass_urz(d->generation);
	uint64_t offset = 0;
	bool global = t->place == SASS_AT_GLOBAL || t->place == SASS_AT_GENERIC;
	struct sass_address_bits b = sass_address_at(d, t);
	if (take(at, "desc[")) {
		if (!b.descriptor || !take_ur(at, d, &ur))
			return false;
		if (b.hint && take(at, ".HINT"))
			set(w, b.hint, 1, 1);
		if (!take(at, "]") || ur < sass_descriptor_after(d))
			return false;
		set(w, b.descriptor, 1, 1);
		ur -= sass_descriptor_after(d);
	}
	if (!take(at, "["))
		return false;
	bool wide = false, any = take_r(at, &r);
	if (any && take(at, ".64"))
		wide = true;
	if (any && b.wide)
		take(at, ".U32");
	for (unsigned i = 0; any && i < 3; i++)
		if (b.scale && take(at, scale[i]))
			set(w, b.scale, 2, i + 1);
	if (any)
		take(at, "+");
	if (take_ur(at, d, &ur)) {
		if (!b.ur)
			return false;
		take(at, "+");
		wide |= !any && global && sass_bit(*w, 72); // .E
	}
	if (**at != ']' && !take_number(at, &offset))
		return false;
	if (!take(at, "]"))
		return false;
	if (b.reg)
		set(w, b.reg, 8, r);
	set(w, b.offset, b.offset_width, offset);
	if (b.ur && (t->imm != 't' || d->form == 7 || sass_bit(*w, b.descriptor)))
		set(w, b.ur, d->row->ur_bits, ur);
	if (b.wide)
		set(w, b.wide, 1, wide);
	return true;
}

static bool take_indexed_constant(const char **at, struct sass_decoded *d, const struct sass_token *t)
{
	struct sass_word *w = &d->word;
	char how = t->imm;
	uint64_t bank, offset = 0;
	unsigned index = 255;
	if (!take(at, "c[") || !take_number(at, &bank) || !take(at, "]["))
		return false;
	bool any = how == 'r' || how == 'u' ? take_ur(at, d, &index) : how == 'd' ? false : take_r(at, &index);
	if (any)
		take(at, "+");
	if (**at != ']' && !take_number(at, &offset))
		return false;
	if (how != 'd')
		set(w, 24, how == 'r' || how == 'u' ? d->row->ur_bits : 8, index);
	set(w, 54, 5, bank);
	set(w, sass_const_at(t), 54 - sass_const_at(t), offset);
	return take(at, "]");
}

static bool take_place(const char **at, struct reading *r, const struct sass_token *t)
{
	uint64_t to = 0;
	size_t n = strcspn(*at, ", ");
	if (**at >= '0' && **at <= '9') {
		if (!take_number(at, &to))
			return false;
	} else if (n && r->places && r->places->find(r->places->ctx, *at, n, &to)) {
		*at += n;
	} else {
		return false;
	}
	set_field(&r->d.word, t, (uint64_t)((int64_t)(to - r->d.pc - 16) / (int)sass_target_unit(t)));
	return true;
}

static bool take_special(const char **at, struct sass_word *w, const struct sass_token *t)
{
	unsigned n = sass_special(*at, strcspn(*at, ", "));
	if (n > 255)
		return false;
	*at += strcspn(*at, ", ");
	set_field(w, t, n);
	return true;
}

static bool take_set(const char **at, struct sass_word *w, const struct sass_token *t)
{
	uint64_t v = 0, one;
	if (!take(at, "{"))
		return false;
	while (take_number(at, &one) && one < 6) {
		v |= (uint64_t)1 << one;
		take(at, ",");
	}
	set_field(w, t, v);
	return take(at, "}");
}

static bool take_b_register(const char **at, unsigned *v)
{
	uint64_t n;
	if (take(at, "MACTIVE")) {
		*v = SASS_MACTIVE;
		return true;
	}
	if (!take(at, "B") || !take_number(at, &n))
		return false;
	*v = (unsigned)n;
	return true;
}

static bool take_lanes(const char **at, struct sass_word *w, const struct sass_token *t)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < 4; i++) {
		bool zero = take(at, "ZP");
		if (!zero && !take(at, "PP"))
			return false;
		v = v << 2 | (zero ? 3 : 0);
	}
	set_field(w, t, v);
	return true;
}

static bool take_operand(const char **at, struct reading *r, const struct sass_token *t)
{
	struct sass_word *w = &r->d.word;
	unsigned v;
	uint64_t n;
	bool bars;
	switch ((enum sass_place)t->place) {
	case SASS_AT_WORD:
		return take(at, t->value[0]);
	case SASS_AT_A:
	case SASS_AT_B:
	case SASS_AT_C:
	case SASS_AT_UC:
		return take_source(at, &r->d, t);
	case SASS_AT_UA:
		if (t->flags & (SASS_CAN_NEG | SASS_CAN_INVERT | SASS_CAN_NEG_OR_INVERT) && (take(at, "-") || take(at, "~")))
			set(w, 72, 1, 1);
		bars = t->flags & SASS_CAN_ABS && take(at, "|");
		if (bars)
			set(w, 73, 1, 1);
		if (!take_ur(at, &r->d, &v) || (bars && !take(at, "|")))
			return false;
		set(w, 24, r->row->ur_bits, v);
		return true;
	case SASS_AT_D:
	case SASS_AT_INDIRECT:
		if (t->place == SASS_AT_INDIRECT && !take(at, "["))
			return false;
		if (!take_r(at, &v))
			return false;
		set(w, t->place == SASS_AT_D ? 16 : 24, 8, v);
		return t->place == SASS_AT_D || take(at, t->imm == 'd' ? ".64]" : "]");
	case SASS_AT_UD:
		if (!take_ur(at, &r->d, &v))
			return false;
		set(w, 16, r->row->ur_bits, v);
		return true;
	case SASS_AT_R:
		if (!take_r(at, &v))
			return false;
		set_field(w, t, v);
		if (take(at, ".reuse"))
			set(w, sass_reuse_bit(t), 1, 1);
		return true;
	case SASS_AT_UR:
		if (t->flags & SASS_CAN_INVERT && take(at, "~"))
			set(w, t->bits.lsb[0] + t->bits.width[0], 1, 1);
		if (!take_ur(at, &r->d, &v))
			return false;
		set_field(w, t, v);
		return true;
	case SASS_AT_P:
	case SASS_AT_UP:
		if (!take_predicate(at, t->place == SASS_AT_UP, &v))
			return false;
		set_field(w, t, v);
		return true;
	case SASS_AT_BREG:
	case SASS_AT_BMOV:
		if (!take_b_register(at, &v))
			return false;
		set_field(w, t, v);
		return true;
	case SASS_AT_COUNTER:
		if (!take(at, "SB") || !take_number(at, &n))
			return false;
		set_field(w, t, n);
		return true;
	case SASS_AT_SET:
		return take_set(at, w, t);
	case SASS_AT_IMM:
	case SASS_AT_SIGNED:
	case SASS_AT_OFFSET:
		if (!take_number(at, &n))
			return false;
		set_field(w, t, t->place == SASS_AT_OFFSET ? (uint64_t)((int64_t)n / 4) : n);
		return true;
	case SASS_AT_UR_INDIRECT:
	case SASS_AT_DESCRIPTOR:
	case SASS_AT_MATRIX:
		if (!take(at, t->place == SASS_AT_UR_INDIRECT ? "[" : t->place == SASS_AT_DESCRIPTOR ? "desc[" : "gdesc[") || !take_ur(at, &r->d, &v))
			return false;
		set_field(w, t, v);
		return take(at, "]");
	case SASS_AT_LANES:
		return take_lanes(at, w, t);
	case SASS_AT_SREG:
		return take_special(at, w, t);
	case SASS_AT_CONST:
		return take_indexed_constant(at, &r->d, t);
	case SASS_AT_TARGET:
		return take_place(at, r, t);
	default:
		return take_address(at, &r->d, t);
	}
}

// --- a row

static void set_absent(struct sass_word *w, const struct sass_token *t)
{
	switch ((enum sass_place)t->place) {
	case SASS_AT_D:
		set(w, 16, 8, t->absent);
		return;
	case SASS_AT_B:
		set(w, 32, 32, t->absent);
		return;
	default:
		set_field(w, t, t->absent);
		return;
	}
}

static bool ends_name(char c) { return !c || c == '.' || c == ' ' || c == ','; }

static bool match(struct reading *r, unsigned i, const char *at, bool first);

// A modifier: the values whose name stands here, and then the one that has none.
static bool match_modifier(struct reading *r, unsigned i, const char *at, bool first)
{
	const struct sass_token *t = &r->row->token[i];
	bool apart = i >= r->row->n_mnemonic && !(t->flags & SASS_JOINED); // an operand
	const struct sass_word before = r->d.word;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned v = 0; v < t->n_value; v++) {
			const char *name = t->value[v], *next = at;
			if (!name || (*name == 0) != (pass == 1))
				continue;
			if (*name && !(take(&next, apart ? first ? " " : ", " : ".") && take(&next, name) && ends_name(*next)))
				continue;
			set_field(&r->d.word, t, v);
			if (match(r, i + 1, next, first && (!apart || !*name)))
				return true;
			r->d.word = before;
		}
	}
	return sass_is_immediates(&r->d, t) && match(r, i + 1, at, first);
}

static bool match(struct reading *r, unsigned i, const char *at, bool first)
{
	const struct sass_row *row = r->row;
	if (at > r->furthest)
		r->furthest = at;
	if (i == row->n_token) {
		char again[320];
		struct sass_decoded d;
		char why[160];
		if (*at || !sass_decode(r->isa, r->d.word, r->d.pc, &d, why, sizeof why))
			return false;
		d.label = r->d.label;
		d.label_ctx = r->d.label_ctx;
		sass_print(&d, again, sizeof again);
		return d.row == row && (r->places || !strcmp(again, r->text));
	}
	const struct sass_token *t = &row->token[i];
	const struct sass_word before = r->d.word;
	if (t->place == SASS_AT_ALIAS) {
		static const char *const alias[] = {".MOV", ".SHL", ".IADD"};
		for (unsigned k = 0; k < 3; k++) {
			const char *next = at;
			if (take(&next, alias[k]) && ends_name(*next) && match(r, i + 1, next, first))
				return true;
		}
		return match(r, i + 1, at, first);
	}
	if (t->place == SASS_AT_MODIFIER)
		return match_modifier(r, i, at, first);
	if (i < row->n_mnemonic)
		return take(&at, t->value[0]) && match(r, i + 1, at, first);
	bool there = t->only_if < 0 || sass_bit(r->d.word, (unsigned)t->only_if);
	const char *next = at;
	if (there && take(&next, t->flags & SASS_JOINED ? "." : first || t->flags & SASS_APART ? " " : ", ")) {
		if (next > r->furthest)
			r->furthest = next;
		if (take_operand(&next, r, t) && match(r, i + 1, next, false))
			return true;
	}
	r->d.word = before;
	if (there && !(t->flags & SASS_OPTIONAL))
		return false;
	set_absent(&r->d.word, t);
	if (match(r, i + 1, at, first))
		return true;
	r->d.word = before;
	return false;
}

bool sass_assemble(const struct sass_isa *isa, const char *text, uint64_t pc, const struct sass_places *places, struct sass_word *out,
                   char *why, size_t len)
{
	size_t where;
	return sass_assemble_at(isa, text, pc, places, out, why, len, &where);
}

bool sass_assemble_at(const struct sass_isa *isa, const char *text, uint64_t pc, const struct sass_places *places, struct sass_word *out,
                      char *why, size_t len, size_t *where)
{
	*where = 0;
	const char *at = text;
	unsigned guard = 7;
	bool uniform = false;
	if (take(&at, "@")) {
		uniform = *at == 'U' || (*at == '!' && at[1] == 'U');
		if (!take_predicate(&at, uniform, &guard) || !take(&at, " ")) {
			snprintf(why, len, "expected a predicate behind @");
			return false;
		}
	}
	size_t op = strcspn(at, ". ");
	struct reading r = {.isa = isa, .text = text, .places = places, .furthest = at};
	bool known = false;
	for (unsigned i = 0; (r.row = sass_row(isa, i)); i++) {
		if (strlen(r.row->op) != op || memcmp(r.row->op, at, op))
			continue;
		known = true;
		for (unsigned form = 0; form < 16; form++) {
			if (!(r.row->forms >> form & 1) || (guard != 7 && uniform != r.row->uniform))
				continue;
			r.d = (struct sass_decoded){.row = r.row, .pc = pc, .form = form % 8, .uniform_form = form / 8, .generation = sass_isa_generation(isa)};
			r.d.word = r.row->fixed;
			set(&r.d.word, 0, 9, r.row->group);
			set(&r.d.word, 9, 3, form % 8);
			set(&r.d.word, 91, 1, form / 8);
			set(&r.d.word, 12, 4, guard);
			if (match(&r, 0, at, true)) {
				*out = r.d.word;
				return true;
			}
		}
	}
	*where = (size_t)(r.furthest - text);
	if (!known)
		snprintf(why, len, "unknown opcode '%.*s'", (int)op, at);
	else if (!*r.furthest)
		snprintf(why, len, "'%s' ends where %.*s has more", text, (int)op, at);
	else
		snprintf(why, len, "'%s': no form of %.*s is written so", r.furthest, (int)op, at);
	return false;
}
