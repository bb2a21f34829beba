#include "libcuda/image/cubin_encode.h"

#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/machine/assemble.h"
#include "cuda-sim/sass/machine/encoding.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORD = 16, CANON = 320, CONTROL_AT = 105 - 64, CODE_ALIGN = 128, BARRIER_FORM = 5, REGISTERS_AT_LEAST = 8,
	// Counters of instructions that have no control bits of their own: results, operands read.
	SAFE_WRITE = 5, SAFE_READ = 4, SAFE_STALL = 15,
};

// The text of an instruction as sass_print writes it, with the place of each character in the line.
struct canon {
	char text[CANON];
	const char *at[CANON + 1];
	size_t n;
	bool long_;
};

struct encoder {
	struct cubin_code *code;
	struct cubin_parts *parts;
	struct sass_line *s;
	struct arena arena;
	enum sass_generation generation;
	struct sass_isa *isa[SASS_N_GENERATIONS]; // made when first needed
	uint32_t function;
	const char *missing;   // a label that there is not, in the canonical text
	size_t missing_len;
	bool any_control, none_control;
	const struct cubin_line *without; // the first line without control bits
	uint32_t registers, barriers;
};

// --- labels

void cubin_code_begin(struct cubin_code *c)
{
	VEC_PUSH(&c->function, (struct cubin_code_function){.first = c->line.n});
	c->last.n = 0;
}

bool cubin_code_line(struct cubin_code *c, struct sass_line *s, const struct cubin_line *l)
{
	if (c->last.n == SASS_MOST_INSTS)
		return sass_bad(s, l->from, 1, "the function has more than %d instructions", SASS_MOST_INSTS);
	VEC_PUSH(&c->line, *l);
	c->function.at[c->function.n - 1].n++;
	c->last.n++;
	return true;
}

bool cubin_code_label(struct cubin_code *c, struct sass_line *s, const char *name, size_t len, const char *at)
{
	struct map *m = &c->function.at[c->function.n - 1].label;
	if (map_get(m, name, len))
		return sass_bad(s, at, len, "label '%.*s' is defined twice", (int)len, name);
	map_put(m, name, len, (void *)(uintptr_t)(c->last.n + 1));
	return true;
}

bool cubin_code_find(const struct cubin_code *c, uint32_t function, const char *name, size_t len, uint64_t *pc)
{
	uintptr_t at = (uintptr_t)map_get(&c->function.at[function].label, name, len);
	*pc = at ? (uint64_t)(at - 1) * WORD : 0;
	return at != 0;
}

void cubin_code_free(struct cubin_code *c)
{
	for (size_t i = 0; i < c->function.n; i++)
		map_free(&c->function.at[i].label);
	VEC_FREE(&c->function);
	VEC_FREE(&c->line);
}

static bool is_register(const char *name, size_t len)
{
	size_t u = len && *name == 'U', digits = u + 1;
	while (digits < len && isdigit((unsigned char)name[digits]))
		digits++;
	return len > u + 1 && strchr("RPB", name[u]) && (digits == len || (len == u + 2 && strchr("ZT", name[u + 1])));
}

static bool find(void *ctx, const char *name, size_t len, uint64_t *pc)
{
	struct encoder *e = ctx;
	if (!cubin_code_find(e->code, e->function, name, len, pc)) {
		if (is_register(name, len) || sass_word(name, name + len) != len)
			return false;
		e->missing = name;
		e->missing_len = len;
	}
	return true; // told once the rest is understood
}

static const struct sass_isa *isa_of(struct encoder *e, enum sass_generation g)
{
	if (!e->isa[g])
		e->isa[g] = sass_isa_new(&e->arena, g);
	return e->isa[g];
}

// --- the text in one form

static void add(struct canon *c, char x, const char *at)
{
	if (c->n + 1 >= CANON) {
		c->long_ = true;
		return;
	}
	c->at[c->n] = at;
	c->text[c->n++] = x;
}

static void add_text(struct canon *c, const char *x, const char *at)
{
	for (; *x; x++)
		add(c, *x, at);
}

// 32@lo(NAME+0x8), 32@hi(...), `(NAME): the address of something, once the code is loaded. Passes over it.
static bool take_symbol(struct encoder *e, const char **at, const char *end, struct canon *c, struct cubin_fixup *x)
{
	const char *from = *at, *p = from;
	size_t left = (size_t)(end - p);
	if (left > 6 && (!memcmp(p, "32@lo(", 6) || !memcmp(p, "32@hi(", 6))) {
		x->type = p[3] == 'l' ? CUBIN_LOW_32 : CUBIN_HIGH_32;
		p += 6;
	} else if (left > 2 && !memcmp(p, "`(", 2)) {
		x->type = CUBIN_CALLED;
		p += 2;
	} else {
		return false;
	}
	while (p < end && *p == ' ')
		p++;
	const char *name = p;
	while (p < end && !isspace((unsigned char)*p) && !strchr("+()", *p))
		p++;
	size_t n = (size_t)(p - name);
	uint64_t pc;
	bool label = cubin_code_find(e->code, e->function, name, n, &pc);
	struct sass_line s = *e->s;
	s.at = p;
	s.end = end;
	x->addend = 0;
	if (sass_take(&s, '+') && !sass_number(&s, &x->addend)) {
		e->s->ok = false;
		*at = end;
		return true;
	}
	if (!n || !sass_take(&s, ')')) {
		sass_bad(e->s, from, (size_t)(s.at - from), "expected the name of a variable, function or label and )");
		*at = end;
		return true;
	}
	*at = s.at;
	if (label && x->type == CUBIN_CALLED) { // a place in this code, as disassemblers write it
		for (size_t i = 0; i < n; i++)
			add(c, name[i], name + i);
		return true;
	}
	x->symbol = label ? e->parts->function.at[e->function].name : arena_strndup(&e->parts->arena, name, n);
	x->addend += label ? pc : 0;
	add_text(c, "0x0", from);
	return true;
}

// From `at` up to ; or the end of the line. Numbers for labels if `numbers` says so.
static void make_canon(struct encoder *e, const char *at, const char *end, struct canon *c, struct cubin_fixup *x, bool numbers)
{
	unsigned brackets = 0, braces = 0;
	*c = (struct canon){0};
	bool gap = false, word = false;
	while (at < end && *at != ';') {
		if (*at == ' ' || *at == '\t' || *at == '\r') {
			gap = true;
			at++;
			continue;
		}
		char last = c->n ? c->text[c->n - 1] : ' ';
		bool tight = brackets || last == '[' || last == '{' || *at == ',' || (*at == '[' && last == ']') || braces;
		if (gap && !tight && last != ' ')
			add(c, ' ', at);
		gap = false;
		if (take_symbol(e, &at, end, c, x))
			continue;
		size_t n = word || isdigit((unsigned char)*at) ? 0 : sass_word(at, end);
		uint64_t pc;
		if (numbers && n && c->n && cubin_code_find(e->code, e->function, at, n, &pc)) {
			char buf[24];
			snprintf(buf, sizeof buf, "0x%llx", (unsigned long long)pc);
			add_text(c, buf, at);
			at += n;
			continue;
		}
		brackets += *at == '[';
		brackets -= *at == ']' && brackets;
		braces += *at == '{';
		braces -= *at == '}' && braces;
		word = isalnum((unsigned char)*at) || strchr("_.$", *at) != NULL;
		add(c, *at, at);
		if (*at == ',' && !braces && !brackets)
			add(c, ' ', at), gap = false;
		at++;
	}
	while (c->n && c->text[c->n - 1] == ' ')
		c->n--;
	c->text[c->n] = 0;
	c->at[c->n] = at;
}

// --- do the numbers fit?

struct number {
	bool real, hex;
	int64_t integer;
	double value;
	size_t from, len; // in the text
};

// The next number of the text; registers, words and sets of counters are passed over.
static bool next_number(const char *text, size_t *at, struct number *out)
{
	for (const char *p = text + *at; *p;) {
		if (*p == '{')
			p += strcspn(p, "}");
		bool sign = (*p == '-' || *p == '+') && (isdigit((unsigned char)p[1]) || p[1] == '.');
		if (!sign && !isdigit((unsigned char)*p)) {
			size_t n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$");
			p += n ? n + strspn(p + n, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$.0123456789") : 1;
			continue;
		}
		char *end, *real_end;
		bool hex = p[sign] == '0' && (p[sign + 1] | 32) == 'x';
		bool minus = *p == '-' || (*p == '+' && p > text && p[-1] == '-');
		uint64_t v = strtoull(p + sign, &end, 0);
		*out = (struct number){.integer = (int64_t)(minus ? 0 - v : v), .from = (size_t)(p - text)};
		out->value = strtod(p, &real_end);
		out->hex = hex;
		if (!hex && real_end > end) {
			out->real = true;
			end = real_end;
		}
		if (!out->real)
			out->value = (double)out->integer;
		out->len = (size_t)(end - p);
		*at = (size_t)(end - text);
		return true;
	}
	return false;
}

// Of floating-point immediates: may be the bits of the number.
static bool same(const struct number *a, const struct number *b, bool reals, bool halves)
{
	if (reals && a->hex && !b->hex)
		return a->integer >= 0 && a->integer <= (int64_t)UINT32_MAX;
	bool small = a->integer >= INT32_MIN && a->integer <= (int64_t)UINT32_MAX && b->integer >= INT32_MIN && b->integer <= (int64_t)UINT32_MAX;
	if (!a->real && !b->real)
		return a->integer == b->integer || (small && (uint32_t)a->integer == (uint32_t)b->integer);
	double difference = a->value - b->value, size = b->value < 0 ? -b->value : b->value;
	return (float)a->value == (float)b->value || (halves && (difference < 0 ? -difference : difference) <= size / 256);
}

// An operand that is left out of the text at its default stands in none that was printed.
static bool is_default(const struct sass_row *row, const struct number *v)
{
	for (unsigned i = row->n_mnemonic; i < row->n_token; i++)
		if (row->token[i].flags & SASS_OPTIONAL && (int64_t)row->token[i].absent == v->integer)
			return true;
	return v->value == 0;
}

// Is an immediate of it written in one of these ways?
static bool has_immediate(const struct sass_row *row, const char *how)
{
	for (unsigned i = row->n_mnemonic; i < row->n_token; i++)
		if (row->token[i].place <= SASS_AT_C && row->token[i].imm && strchr(how, row->token[i].imm))
			return true;
	return false;
}

// All numbers of the text are in what its bits say, in that order; else the caret is at the first that is not.
static bool fits(struct encoder *e, const struct canon *c, const struct sass_decoded *d)
{
	char again[CANON];
	struct number mine, theirs;
	size_t at = 0, from = strcspn(c->text, "@") ? 0 : strcspn(c->text, " "), back = 0;
	bool reals = has_immediate(d->row, "fdh"), halves = has_immediate(d->row, "h");
	sass_print(d, again, sizeof again);
	back = *again == '@' ? strcspn(again, " ") : 0;
	at = from + (c->text[from] == ' ');
	at += strcspn(c->text + at, " ");
	back += again[back] == ' ';
	back += strcspn(again + back, " ");
	while (next_number(c->text, &at, &mine)) {
		size_t keep = back;
		bool found = false;
		while (!found && next_number(again, &back, &theirs))
			found = same(&mine, &theirs, reals, halves);
		if (found)
			continue;
		back = keep;
		if (is_default(d->row, &mine))
			continue;
		size_t plus = c->text[mine.from] == '+';
		return sass_bad(e->s, c->at[mine.from + plus], mine.len - plus, "%.*s does not fit: it would become '%s'; put it into a register or a constant bank",
		                (int)(mine.len - plus), c->text + mine.from + plus, again);
	}
	return true;
}

// --- what is wrong

static bool known_elsewhere(struct encoder *e, const struct canon *c, uint64_t pc)
{
	static const struct { enum sass_generation g; unsigned arch; } others[] = {
		{SASS_VOLTA, 70}, {SASS_TURING, 75}, {SASS_AMPERE, 80}, {SASS_ADA, 89}, {SASS_HOPPER, 90}, {SASS_BLACKWELL, 100}, {SASS_BLACKWELL_120, 120}};
	char in[64] = "";
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct sass_word w;
		struct sass_places places = {find, e};
		char why[200];
		if (others[i].g == e->generation || !sass_assemble(isa_of(e, others[i].g), c->text, pc, &places, &w, why, sizeof why))
			continue;
		size_t n = strlen(in);
		snprintf(in + n, sizeof in - n, "%ssm_%u", n ? ", " : "", others[i].arch);
	}
	if (!*in)
		return false;
	sass_bad(e->s, c->at[0], (size_t)(c->at[c->n] - c->at[0]), "sm_%u has no such form; %s %s", e->parts->arch, in, strchr(in, ',') ? "have" : "has");
	return true;
}

// Has some instruction of this opcode a place in the code for an operand?
static bool goes_somewhere(const struct sass_isa *isa, const char *op, size_t len)
{
	const struct sass_row *row;
	size_t n = 0;
	while (n < len && op[n] != '.')
		n++;
	for (unsigned i = 0; (row = sass_row(isa, i)); i++)
		for (unsigned k = row->n_mnemonic; k < row->n_token && strlen(row->op) == n && !memcmp(row->op, op, n); k++)
			if (row->token[k].place == SASS_AT_TARGET)
				return true;
	return false;
}

// The reader of timing text says what it does not understand; if it understands all, the table of encodings decides.
static void explain(struct encoder *e, const struct cubin_line *l, const struct canon *c, uint64_t pc, size_t where)
{
	struct sass_line *s = e->s;
	struct sass_source f = {0};
	struct isa_control control;
	bool any;
	s->at = l->from;
	s->end = l->end;
	s->label_at = NULL;
	if (!sass_text_control(s, &control, &any) || !sass_read_guard(s, &f.guard))
		return;
	sass_blank(s);
	f.op = s->at;
	f.op_len = sass_word(s->at, s->end);
	if (known_elsewhere(e, c, pc) || !sass_text_opcode(s, e->generation, e->parts->arch, f.op, f.op_len))
		return;
	s->at += f.op_len;
	bool symbols = memchr(l->from, '@', (size_t)(l->end - l->from)) != NULL || memchr(l->from, '`', (size_t)(l->end - l->from)) != NULL;
	if (!symbols && !sass_read_operands(s, &f, goes_somewhere(isa_of(e, e->generation), f.op, f.op_len)))
		return;
	size_t n = sass_word(c->at[where], l->end);
	if (where >= c->n)
		sass_bad(s, c->at[c->n], 1, "%.*s takes more than stands here", (int)f.op_len, f.op);
	else
		sass_bad(s, c->at[where], n, "no form of %.*s is written so from here on; 'heddle sass' of a compiled program shows forms that there are",
		         (int)strcspn(f.op, ". \t,;"), f.op);
}

// --- registers and barriers

static void note_operands(uint32_t *most, const struct isa_operand *o, unsigned n)
{
	for (; n--; o++)
		if (o->file == ISA_FILE_R && o->count && o->reg + o->count > *most)
			*most = o->reg + o->count;
}

// What the core needs to know of the instruction; false if its text is not read by the reader of timing text.
static bool read_form(struct encoder *e, const char *text, size_t len, struct isa_inst *i, struct isa_sass *form)
{
	struct diag quiet = {0};
	struct sass_line s = {.d = &quiet, .src = {.name = "", .text = text, .len = len}, .text = text, .at = text, .end = text + len, .ok = true};
	struct sass_source f = {0};
	bool ok = sass_read_guard(&s, &f.guard);
	sass_blank(&s);
	f.op = s.at;
	f.op_len = sass_word(s.at, s.end);
	const struct sass_op *op = ok ? sass_text_opcode(&s, e->generation, e->parts->arch, f.op, f.op_len) : NULL;
	s.at += f.op_len;
	ok = op && sass_read_operands(&s, &f, true) && !sass_inst_fill(i, form, &f, op, e->generation, 0);
	diag_free(&quiet);
	return ok;
}

static bool check_registers(struct encoder *e, const struct cubin_line *l, const struct canon *c, const struct isa_sass *form)
{
	uint32_t most = 0, given = e->parts->function.at[e->function].registers;
	note_operands(&most, form->dst, form->n_dst);
	note_operands(&most, form->src, form->n_src);
	e->registers = most > e->registers ? most : e->registers;
	if (!given || most <= given)
		return true;
	char name[8];
	for (uint32_t r = most; r-- > 0;) { // the register that is written there, of those that the operand takes
		size_t n = (size_t)snprintf(name, sizeof name, "R%u", r);
		for (const char *at = c->text; (at = strstr(at, name)); at += n)
			if ((at == c->text || !isalnum((unsigned char)at[-1])) && !isdigit((unsigned char)at[n]))
				return sass_bad(e->s, c->at[at - c->text], n, "it takes registers up to R%u, and the kernel has %u; raise .regs", most - 1, given);
	}
	return sass_bad(e->s, l->from, 1, "it takes registers up to R%u, and the kernel has %u; raise .regs", most - 1, given);
}

// --- control bits

// For instructions without any: each waits for all that those before it began, and for its own result.
static struct isa_control safe_control(const struct isa_sass *form)
{
	struct isa_control c = {.stall = SAFE_STALL, .yield = true, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB,
	                        .wait = 1 << SAFE_WRITE | 1 << SAFE_READ};
	bool variable = form->unit == ISA_UNIT_SFU || form->unit == ISA_UNIT_DP || form->unit == ISA_UNIT_MEMORY || form->unit == ISA_UNIT_TEXTURE ||
	                form->unit == ISA_UNIT_MISC_QUEUE || form->unit == ISA_UNIT_TENSOR;
	bool reads = false;
	for (unsigned i = 0; i < form->n_src; i++)
		reads |= form->src[i].file == ISA_FILE_R && form->src[i].count;
	if (variable && form->n_dst)
		c.write_sb = SAFE_WRITE;
	if (variable && reads)
		c.read_sb = SAFE_READ;
	return c;
}

static void set_control(struct sass_word *w, const struct isa_control *c) { w->hi |= (uint64_t)sass_control_bits(c) << CONTROL_AT; }

// --- an instruction

// .inst 0x...: all bits as they are.
static bool raw(struct encoder *e, const struct cubin_line *l, struct sass_word *w)
{
	struct sass_line *s = e->s;
	const char *at = l->from + strlen(".inst");
	while (at < l->end && (*at == ' ' || *at == '\t'))
		at++;
	size_t n = sass_word(at, l->end);
	bool ok = n > 2 && n <= 34 && at[0] == '0' && at[1] == 'x' && strspn(at + 2, "0123456789abcdefABCDEF") >= n - 2;
	*w = (struct sass_word){0};
	for (size_t i = 2; ok && i < n; i++) {
		uint64_t digit = isdigit((unsigned char)at[i]) ? (uint64_t)(at[i] - '0') : (uint64_t)(tolower(at[i]) - 'a' + 10);
		w->hi = w->hi << 4 | w->lo >> 60;
		w->lo = w->lo << 4 | digit;
	}
	for (s->at = at + n; ok && s->at < l->end; s->at++)
		ok = *s->at == ' ' || *s->at == '\t' || *s->at == '\r';
	return ok || sass_bad(s, at, n, "expected the 128 bits of an instruction: 0x and up to 32 digits");
}

static bool check_branch(struct encoder *e, const struct cubin_line *l, const struct canon *c, const struct sass_decoded *d)
{
	for (unsigned i = d->row->n_mnemonic; l->targeted && i < d->row->n_token; i++) {
		const struct sass_token *t = &d->row->token[i];
		unsigned width = t->bits.width[0] + t->bits.width[1];
		if (t->place != SASS_AT_OFFSET)
			continue;
		int64_t by = ((int64_t)(sass_get(d->word, t->bits) << (64 - width)) >> (64 - width)) * 4;
		if (by == -(int64_t)(d->pc + WORD))
			return true;
		return sass_bad(e->s, c->at[0], (size_t)(c->at[c->n] - c->at[0]),
		                "the register holds a place from the start of the code, so the branch adds -0x%llx here", (unsigned long long)(d->pc + WORD));
	}
	return true;
}

static bool encode(struct encoder *e, const struct cubin_line *l, uint64_t pc, struct sass_word *w, bool *has_control)
{
	struct sass_line *s = e->s;
	struct cubin_function *f = &e->parts->function.at[e->function];
	struct cubin_fixup x = {0};
	struct isa_control control;
	struct canon c;
	char why[200];
	s->at = l->from;
	s->end = l->end;
	*has_control = true;
	if (l->reloc.symbol) {
		struct cubin_fixup given = l->reloc;
		given.at = pc;
		VEC_PUSH(&f->fixup, given);
	}
	if (*l->from == '.')
		return raw(e, l, w);
	if (!sass_text_control(s, &control, has_control))
		return false;
	if (l->pasted && !*has_control) {
		control = sass_control_from_encoding(l->lo, l->hi);
		*has_control = true;
	}
	const char *from = s->at;
	make_canon(e, from, l->end, &c, &x, false);
	if (!s->ok)
		return false;
	if (!c.n || c.long_)
		return sass_bad(s, from, 1, c.n ? "the instruction is too long" : "expected an instruction");
	struct sass_places places = {find, e};
	e->missing = NULL;
	size_t where = 0;
	bool ok = sass_assemble_at(isa_of(e, e->generation), c.text, pc, &places, w, why, sizeof why, &where);
	if (!ok) { // labels where numbers stand: MOV R2, back
		struct canon again;
		struct cubin_fixup unused = {0};
		make_canon(e, from, l->end, &again, &unused, true);
		ok = sass_assemble_at(isa_of(e, e->generation), again.text, pc, &places, w, why, sizeof why, &(size_t){0});
		c = ok ? again : c;
	}
	if (!ok) {
		explain(e, l, &c, pc, where);
		s->ok = false;
		return false;
	}
	if (e->missing && e->missing >= c.text && e->missing < c.text + CANON)
		return sass_bad(s, c.at[e->missing - c.text], e->missing_len, "there is no label '%.*s'", (int)e->missing_len, e->missing);
	struct sass_decoded d;
	if (!sass_decode(e->isa[e->generation], *w, pc, &d, why, sizeof why))
		return sass_bad(s, c.at[0], c.n, "%s", why);
	uint64_t to;
	bool named = sass_target(&d, &to);
	if (named && (to > f->size || to % WORD) && !x.symbol)
		return sass_bad(s, c.at[0], (size_t)(c.at[c.n] - c.at[0]), "it goes to 0x%llx; the code ends at 0x%llx", (unsigned long long)to, (unsigned long long)f->size);
	if (!fits(e, &c, &d) || !check_branch(e, l, &c, &d))
		return false;
	if (!strcmp(d.row->op, "BAR") && d.form == BARRIER_FORM && sass_run(*w, 54, 4) + 1 > e->barriers)
		e->barriers = (uint32_t)sass_run(*w, 54, 4) + 1;
	struct isa_inst inst = {0};
	struct isa_sass form = {0};
	bool read = read_form(e, c.text, c.n, &inst, &form);
	if (read && !check_registers(e, l, &c, &form))
		return false;
	if (x.symbol) {
		x.at = pc;
		VEC_PUSH(&f->fixup, x);
	}
	if (!*has_control)
		control = read ? safe_control(&form) : (struct isa_control){.stall = SAFE_STALL, .yield = true, .write_sb = SAFE_WRITE, .read_sb = SAFE_READ,
		                                                           .wait = 1 << SAFE_WRITE | 1 << SAFE_READ};
	set_control(w, &control);
	return true;
}

// --- a function

// Behind its last instruction a function has a branch to itself and NOPs up to the next line of the instruction cache, as
// ptxas leaves it: fetch runs ahead.
static bool pad(struct encoder *e, struct cubin_function *f, uint64_t end)
{
	const struct isa_control idle = {.yield = true, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB};
	for (uint64_t pc = end; pc < f->size; pc += WORD) {
		struct sass_word w;
		char text[40], why[200];
		snprintf(text, sizeof text, pc == end ? "BRA 0x%llx" : "NOP", (unsigned long long)pc);
		if (!sass_assemble(isa_of(e, e->generation), text, pc, NULL, &w, why, sizeof why))
			return sass_bad(e->s, e->s->text, 1, "%s", why);
		set_control(&w, &idle);
		memcpy(f->code + pc, &w.lo, sizeof w.lo);
		memcpy(f->code + pc + sizeof w.lo, &w.hi, sizeof w.hi);
	}
	return true;
}

static bool encode_function(struct encoder *e)
{
	struct cubin_function *f = &e->parts->function.at[e->function];
	const struct cubin_code_function *lines = &e->code->function.at[e->function];
	uint64_t end = lines->n * WORD;
	f->size = (end + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
	f->code = arena_alloc(&e->parts->arena, f->size + 1);
	e->registers = e->barriers = 0;
	const struct cubin_line *with = NULL, *without = NULL;
	for (size_t i = 0; i < lines->n && e->s->d->errors < 20; i++) {
		struct sass_word w;
		bool has;
		const struct cubin_line *l = &e->code->line.at[lines->first + i];
		if (!encode(e, l, i * WORD, &w, &has))
			continue;
		with = has && *l->from != '.' && !with ? l : with;
		without = !has && !without ? l : without;
		memcpy(f->code + i * WORD, &w.lo, sizeof w.lo);
		memcpy(f->code + i * WORD + sizeof w.lo, &w.hi, sizeof w.hi);
	}
	if (with && without)
		sass_bad(e->s, without->from, (size_t)(without->end - without->from),
		         "it has no control bits, but others of %s have; give it some, as [B------:R-:W-:-:S05], or leave them out of all", f->name);
	if (!lines->n)
		diag_add(e->s->d, DIAG_ERROR, "%s: %s has no instructions", e->s->src.name, f->name), e->s->ok = false;
	if (!f->registers)
		f->registers = e->registers < REGISTERS_AT_LEAST ? REGISTERS_AT_LEAST : e->registers;
	if (f->barriers < e->barriers)
		f->barriers = e->barriers;
	return e->s->ok && pad(e, f, end);
}

bool cubin_encode(struct cubin_code *c, struct cubin_parts *parts, struct sass_line *s)
{
	struct encoder e = {.code = c, .parts = parts, .s = s, .generation = (enum sass_generation)sass_generation_of(parts->arch)};
	for (e.function = 0; e.function < c->function.n && s->d->errors < 20; e.function++)
		encode_function(&e);
	arena_free(&e.arena);
	return s->ok;
}
