// Machine code as text, in the form of NVIDIA's disassemblers.
#include "cuda-sim/sass/machine/encoding.h"

#include "cuda-sim/numbers/softfp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *buf;
	size_t len, n;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = t->n < t->len ? vsnprintf(t->buf + t->n, t->len - t->n, fmt, ap) : 0;
	va_end(ap);
	t->n += n > 0 ? (size_t)n : 0;
}

static void put_reg(struct text *t, unsigned r)
{
	if (r == 255)
		put(t, "RZ");
	else
		put(t, "R%u", r);
}

static void put_ureg(struct text *t, const struct sass_decoded *d, unsigned r)
{
	if (r == sass_urz(d->generation))
		put(t, "URZ");
	else
		put(t, "UR%u", r);
}

static void put_predicate(struct text *t, const char *file, unsigned p)
{
	if (p & 8)
		put(t, "!");
	if ((p & 7) == 7)
		put(t, "%sT", file);
	else
		put(t, "%s%u", file, p & 7);
}

// --- immediates

static void put_float(struct text *t, double v, char how, uint32_t bits)
{
	char buf[64];
	if (v != v && (bits == sass_nan(how, false) || bits == sass_nan(how, true)))
		put(t, "%sQNAN ", bits == sass_nan(how, true) ? "-" : "+");
	else if (v != v)
		put(t, "0x%x", bits);
	else if (v - v != 0)
		put(t, "%cINF ", v > 0 ? '+' : '-');
	else if (v == 0 && __builtin_signbit(v))
		put(t, "-0.0 ");
	else {
		snprintf(buf, sizeof buf, v >= 1e9 || v <= -1e9 ? "%.20e" : "%.20g", v);
		put(t, "%s", buf);
	}
}

static double half(uint16_t h) { return (double)softfp_f16_to_f32(h); }

static double bfloat(uint16_t h)
{
	uint32_t bits = (uint32_t)h << 16;
	float v;
	memcpy(&v, &bits, sizeof v);
	return (double)v;
}

static void put_imm(struct text *t, const struct sass_decoded *d, char how, uint32_t v)
{
	float f;
	double x;
	uint64_t high = (uint64_t)v << 32;
	switch (how) {
	case 's':
		put(t, (int32_t)v < 0 ? "-0x%x" : "0x%x", (int32_t)v < 0 ? 0 - v : v);
		return;
	case 'f':
		memcpy(&f, &v, sizeof f);
		put_float(t, (double)f, how, v);
		return;
	case 'd':
		memcpy(&x, &high, sizeof x);
		put_float(t, x, how, v);
		return;
	case 'h': {
		bool bf = sass_has(d, "BF16_V2");
		put_float(t, bf ? bfloat((uint16_t)(v >> 16)) : half((uint16_t)(v >> 16)), how, v >> 16);
		put(t, ", ");
		put_float(t, bf ? bfloat((uint16_t)v) : half((uint16_t)v), how, v & 0xffff);
		return;
	}
	default:
		put(t, "0x%x", v);
		return;
	}
}

// --- sources

static const char *const halves[4] = {"", ".F32", ".H0_H0", ".H1_H1"};

static void put_source(struct text *t, const struct sass_decoded *d, const struct sass_token *k)
{
	struct sass_word w = d->word;
	struct sass_source_bits b = sass_source_at(d, k);
	bool uniform = sass_is_uniform_slot(b.slot);
	if (b.slot == SASS_SLOT_IMM) {
		put_imm(t, d, k->imm, (uint32_t)sass_run(w, 32, 32));
		return;
	}
	if (b.neg && sass_bit(w, b.neg))
		put(t, k->flags & SASS_CAN_INVERT || (k->flags & SASS_CAN_NEG_OR_INVERT && sass_has(d, "X")) ? "~" : "-");
	bool bars = b.abs && sass_bit(w, b.abs);
	if (bars)
		put(t, "|");
	if (b.slot == SASS_SLOT_CONST) {
		int32_t at = (int16_t)sass_run(w, 38, 16);
		put(t, "c[0x%x]%s[%s0x%x]", (unsigned)sass_run(w, 54, 5), b.halves ? " " : "", at < 0 ? "-" : "", at < 0 ? -at : at);
	} else if (uniform)
		put_ureg(t, d, (unsigned)sass_run(w, b.lsb, b.width));
	else
		put_reg(t, (unsigned)sass_run(w, b.lsb, b.width));
	if (bars && b.width && !uniform)
		put(t, "|");
	if (b.reuse && (d->row->group < 0x100 || d->tells_reuse) && sass_bit(w, b.reuse))
		put(t, ".reuse");
	if (b.halves)
		put(t, "%s", halves[sass_run(w, b.halves, 2)]);
	if (bars && (!b.width || uniform))
		put(t, "|");
}

static void put_uniform_source(struct text *t, const struct sass_decoded *d, const struct sass_token *k)
{
	bool can = k->flags & (SASS_CAN_NEG | SASS_CAN_INVERT | SASS_CAN_NEG_OR_INVERT);
	if (can && sass_bit(d->word, 72))
		put(t, k->flags & SASS_CAN_INVERT || (k->flags & SASS_CAN_NEG_OR_INVERT && sass_has(d, "X")) ? "~" : "-");
	bool bars = k->flags & SASS_CAN_ABS && sass_bit(d->word, 73);
	put(t, bars ? "|" : "");
	put_ureg(t, d, (unsigned)sass_run(d->word, 24, d->row->ur_bits));
	put(t, bars ? "|" : "");
}

// --- addresses

static void put_offset(struct text *t, int32_t at, bool alone)
{
	if (!at && !alone)
		return;
	put(t, at < 0 ? "%s-0x%x" : "%s0x%x", alone ? "" : "+", at < 0 ? 0 - (uint32_t)at : (uint32_t)at);
}

// A uniform register of a global access is added to the address on Turing; from Ampere on it may hold a descriptor of memory. Of
// Ampere and Ada NVIDIA's disassemblers leave the descriptor out, unless the program made it (.HINT here).
static void put_address(struct text *t, const struct sass_decoded *d, const struct sass_token *k)
{
	static const char *const scale[] = {"", ".X4", ".X8", ".X16"};
	struct sass_word w = d->word;
	struct sass_address_bits b = sass_address_at(d, k);
	unsigned reg = b.reg ? (unsigned)sass_run(w, b.reg, 8) : 255, urz = sass_urz(d->generation), ur = b.ur ? (unsigned)sass_run(w, b.ur, d->row->ur_bits) : urz;
	bool global = k->place == SASS_AT_GLOBAL || k->place == SASS_AT_GENERIC, any = false;
	bool wide = global && (k->imm == 't' || sass_bit(w, 72)); // .E
	bool descriptor = b.descriptor && sass_bit(w, b.descriptor);
	if (descriptor) {
		put(t, "desc[");
		put_ureg(t, d, ur + sass_descriptor_after(d));
		put(t, b.hint && sass_bit(w, b.hint) ? ".HINT]" : "]");
	}
	put(t, "[");
	bool scaled = b.scale && sass_run(w, b.scale, 2);
	// A uniform register alone is as wide as .E says: that is one of two ways to encode it.
	if (reg != 255 || descriptor || scaled || (b.wide && sass_bit(w, b.wide) != wide)) {
		put_reg(t, reg);
		if (b.wide)
			put(t, sass_bit(w, b.wide) ? ".64" : wide ? ".U32" : "");
		if (scaled)
			put(t, "%s", scale[sass_run(w, b.scale, 2)]);
		any = true;
	}
	if (b.ur && !descriptor && (k->imm != 't' || (ur != urz && d->form == 7))) {
		put(t, any ? "+" : "");
		put_ureg(t, d, ur);
		any = true;
	}
	unsigned unused = 32u - b.offset_width;
	int32_t at = (int32_t)((uint32_t)sass_run(w, b.offset, b.offset_width) << unused) >> unused;
	if (!any && !at)
		put_reg(t, reg);
	else
		put_offset(t, at, !any);
	put(t, "]");
}

// --- the whole

static const struct {
	uint8_t number;
	const char *name;
} special[] = {
#define SREG(number, name) {number, #name},
#include "cuda-sim/sass/machine/special.def"
#undef SREG
};

static void put_special(struct text *t, unsigned n)
{
	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		if (special[i].number == n) {
			put(t, "%s", special[i].name);
			return;
		}
	}
	put(t, "SR%u", n);
}

static bool is_rz(const struct sass_decoded *d, enum sass_place place)
{
	struct sass_source_bits b = sass_source_at(d, &(struct sass_token){.place = (uint8_t)place});
	return b.width && !sass_is_uniform_slot(b.slot) && sass_run(d->word, b.lsb, 8) == 255;
}

// What an IMAD is used for, as compilers use it in place of instructions of another unit.
static const char *alias(const struct sass_decoded *d)
{
	uint64_t imm = sass_run(d->word, 32, 32);
	bool b_imm = sass_slot_of(d, SASS_AT_B) == SASS_SLOT_IMM;
	if (sass_has(d, "X") || sass_slot_of(d, SASS_AT_C) == SASS_SLOT_UR)
		return "";
	if (is_rz(d, SASS_AT_B) && (is_rz(d, SASS_AT_A) || is_rz(d, SASS_AT_C)))
		return ".MOV";
	if (b_imm && imm == 1)
		return is_rz(d, SASS_AT_C) ? ".MOV" : ".IADD";
	if (b_imm && !imm)
		return ".MOV";
	if (b_imm && is_rz(d, SASS_AT_C) && imm < 0x80000000 && imm != 0x10000 && !(imm & (imm - 1)))
		return ".SHL";
	return "";
}

unsigned sass_special(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (strlen(special[i].name) == len && !memcmp(special[i].name, name, len))
			return special[i].number;
	if (len < 3 || len > 5 || memcmp(name, "SR", 2))
		return 256;
	char digits[8] = "", *end;
	memcpy(digits, name + 2, len - 2);
	unsigned long n = strtoul(digits, &end, 10);
	return *end || n > 255 ? 256 : (unsigned)n;
}

static void put_token(struct text *t, const struct sass_decoded *d, const struct sass_token *k)
{
	struct sass_word w = d->word;
	uint64_t v = sass_token_value(w, k);
	unsigned width = k->bits.width[0] + k->bits.width[1];
	switch ((enum sass_place)k->place) {
	case SASS_AT_WORD:
		put(t, "%s", k->value[0]);
		return;
	case SASS_AT_MODIFIER:
		put(t, "%s", k->value[v]);
		return;
	case SASS_AT_ALIAS:
		put(t, "%s", alias(d));
		return;
	case SASS_AT_D:
		put_reg(t, (unsigned)sass_run(w, 16, 8));
		return;
	case SASS_AT_A:
	case SASS_AT_B:
	case SASS_AT_C:
	case SASS_AT_UC:
		put_source(t, d, k);
		return;
	case SASS_AT_UD:
		put_ureg(t, d, (unsigned)sass_run(w, 16, d->row->ur_bits));
		return;
	case SASS_AT_UA:
		put_uniform_source(t, d, k);
		return;
	case SASS_AT_R:
		put_reg(t, (unsigned)v);
		if ((d->row->group < 0x100 || d->tells_reuse) && sass_bit(w, sass_reuse_bit(k)))
			put(t, ".reuse");
		return;
	case SASS_AT_UR:
		if (k->flags & SASS_CAN_INVERT && sass_bit(w, k->bits.lsb[0] + width))
			put(t, "~");
		put_ureg(t, d, (unsigned)v);
		return;
	case SASS_AT_P:
		put_predicate(t, "P", (unsigned)v);
		return;
	case SASS_AT_UP:
		put_predicate(t, "UP", (unsigned)v);
		return;
	case SASS_AT_BREG:
		put(t, "B%u", (unsigned)v);
		return;
	case SASS_AT_BMOV:
		if (v == SASS_MACTIVE)
			put(t, "MACTIVE");
		else
			put(t, "B%u", (unsigned)v);
		return;
	case SASS_AT_SET:
		put(t, "{");
		for (unsigned i = 8, any = 0; i-- > 0;)
			if (v >> i & 1)
				put(t, any++ ? ",%u" : "%u", i);
		put(t, "}");
		return;
	case SASS_AT_COUNTER:
		put(t, "SB%u", (unsigned)v);
		return;
	case SASS_AT_IMM:
		put(t, "0x%llx", (unsigned long long)v);
		return;
	case SASS_AT_SIGNED: {
		int64_t s = (int64_t)(v << (64 - width)) >> (64 - width);
		put(t, s < 0 ? "-0x%llx" : "0x%llx", s < 0 ? 0 - (unsigned long long)s : (unsigned long long)s);
		return;
	}
	case SASS_AT_UR_INDIRECT:
	case SASS_AT_DESCRIPTOR:
	case SASS_AT_MATRIX:
		put(t, k->place == SASS_AT_UR_INDIRECT ? "[" : k->place == SASS_AT_DESCRIPTOR ? "desc[" : "gdesc[");
		put_ureg(t, d, (unsigned)v);
		put(t, "]");
		return;
	case SASS_AT_LANES:
		for (unsigned i = 8; i; i -= 2)
			put(t, v >> (i - 2) & 3 ? "ZP" : "PP");
		return;
	case SASS_AT_OFFSET: {
		int64_t s = ((int64_t)(v << (64 - width)) >> (64 - width)) * 4;
		put(t, s < 0 ? "-0x%llx" : "0x%llx", s < 0 ? 0 - (unsigned long long)s : (unsigned long long)s);
		return;
	}
	case SASS_AT_INDIRECT:
		put(t, "[");
		put_reg(t, (unsigned)sass_run(w, 24, 8));
		put(t, k->imm == 'd' ? ".64]" : "]");
		return;
	case SASS_AT_SREG:
		put_special(t, (unsigned)v);
		return;
	case SASS_AT_CONST: {
		bool by_uniform = k->imm == 'u';
		unsigned index = k->imm == 'd' ? 255 : (unsigned)sass_run(w, 24, 8);
		put(t, "c[0x%x][", (unsigned)sass_run(w, 54, 5));
		if (k->imm == 'r')
			put_ureg(t, d, index & sass_urz(d->generation));
		else if (index != 255 && by_uniform)
			put_ureg(t, d, index);
		else if (index != 255)
			put_reg(t, index);
		unsigned from = sass_const_at(k), unused = from - 22;
		int32_t at = (int32_t)((uint32_t)sass_run(w, from, 54 - from) << unused) >> unused;
		if (k->imm == 'r')
			index = 0; // there is one
		if (index == 255 && !at && (by_uniform || d->row->group == 0x182))
			put(t, by_uniform ? "URZ" : "RZ");
		else if (index == 255)
			put(t, at < 0 ? "-0x%x" : "0x%x", at < 0 ? -at : at);
		else if (at)
			put(t, at < 0 ? "+-0x%x" : "+0x%x", at < 0 ? -at : at);
		put(t, "]");
		return;
	}
	case SASS_AT_TARGET: {
		uint64_t pc = 0;
		char name[64];
		sass_target(d, &pc);
		const char *label = d->label ? d->label(d->label_ctx, pc, name, sizeof name) : NULL;
		if (label)
			put(t, "%s", label);
		else
			put(t, "0x%llx", (unsigned long long)pc);
		return;
	}
	default:
		put_address(t, d, k);
		return;
	}
}

static bool hidden(const struct sass_decoded *d, const struct sass_token *k)
{
	if (sass_is_immediates(d, k))
		return true;
	if (k->only_if >= 0 && !sass_bit(d->word, (unsigned)k->only_if))
		return true;
	if (!(k->flags & SASS_OPTIONAL))
		return false;
	return sass_token_value(d->word, k) == k->absent;
}

void sass_print(const struct sass_decoded *d, char *buf, size_t len)
{
	struct text t = {buf, len, 0};
	const struct sass_row *r = d->row;
	unsigned guard = (unsigned)sass_run(d->word, 12, 4);
	bool first = true;
	if (len)
		*buf = 0;
	if (guard != 7) {
		put(&t, "@");
		put_predicate(&t, r->uniform ? "UP" : "P", guard);
		put(&t, " ");
	}
	for (unsigned i = 0; i < r->n_mnemonic; i++) {
		const struct sass_token *k = &r->token[i];
		if (k->place == SASS_AT_MODIFIER && !*k->value[sass_get(d->word, k->bits)])
			continue;
		if (k->place == SASS_AT_MODIFIER)
			put(&t, ".");
		put_token(&t, d, k);
	}
	for (unsigned i = r->n_mnemonic; i < r->n_token; i++) {
		const struct sass_token *k = &r->token[i];
		if (hidden(d, k))
			continue;
		if (k->place == SASS_AT_MODIFIER && !*k->value[sass_get(d->word, k->bits)])
			continue;
		put(&t, k->flags & SASS_JOINED ? "." : first || k->flags & SASS_APART ? " " : ", ");
		put_token(&t, d, k);
		first = false;
	}
}
