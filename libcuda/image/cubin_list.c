// A cubin's parts as text.
#include "base/map.h"
#include "base/mem.h"
#include "cuda-sim/sass/machine/encoding.h"
#include "cuda-sim/sass/machine/listing.h"
#include "libcuda/image/bytes.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/cubin_text.h"
#include "libcuda/image/cubin_uses.h"

#include <string.h>

enum { IN_A_ROW = 8 };

struct list {
	const struct cubin_parts *c;
	const struct sass_isa *isa;
	FILE *out;
	uint8_t *function, *variable;  // 1: is written
	uint8_t *slot;                 // the same of the addresses in constant bank 4
	bool bank[CUBIN_SECTIONS + 1]; // constant banks that the code uses
	bool all;
};

// The function that is being written.
struct view {
	struct list *l;
	const struct cubin_function *f;
	struct sass_function sass;
	size_t fixup, inside, targets; // the next ones
	uint8_t *goes_here;            // by instruction
};

static const char *symbol_of(char *buf, size_t len, const struct cubin_fixup *x)
{
	snprintf(buf, len, x->addend ? "%s+0x%llx" : "%s", x->symbol, (unsigned long long)x->addend);
	return buf;
}

// --- what is written

static void want(struct list *l, const char *symbol);

static void want_fixups(struct list *l, const struct cubin_data *d, uint64_t from, uint64_t size)
{
	for (size_t i = 0; i < d->fixup.n; i++) {
		if (d->fixup.at[i].at < from || d->fixup.at[i].at - from >= size)
			continue;
		if (d == &l->c->data[CUBIN_BANK_4])
			l->slot[i] = 1;
		want(l, d->fixup.at[i].symbol);
	}
}

static void want_constants(struct list *l, const struct cubin_function *f)
{
	for (uint64_t pc = 0; pc < f->size; pc += 16) {
		struct sass_decoded d;
		struct cubin_constant k;
		char why[200];
		if (!sass_decode(l->isa, (struct sass_word){get64(f->code + pc), get64(f->code + pc + 8)}, pc, &d, why, sizeof why) ||
		    !cubin_constant_used(&d, &k))
			continue;
		if (k.bank == 3)
			l->bank[CUBIN_BANK_3] = true;
		if (k.bank != 4)
			continue;
		l->bank[CUBIN_BANK_4] = true;
		want_fixups(l, &l->c->data[CUBIN_BANK_4], k.indexed ? 0 : k.offset & ~7u, k.indexed ? UINT64_MAX : 8);
	}
}

// A function or variable, and what it refers to.
static void want(struct list *l, const char *symbol)
{
	for (size_t i = 0; i < l->c->function.n; i++) {
		const struct cubin_function *f = &l->c->function.at[i];
		if (l->function[i] || strcmp(f->name, symbol))
			continue;
		l->function[i] = 1;
		for (size_t k = 0; k < f->fixup.n; k++)
			want(l, f->fixup.at[k].symbol);
		want_fixups(l, &f->bank2, 0, UINT64_MAX);
		want_constants(l, f);
	}
	for (size_t i = 0; i < l->c->variable.n; i++) {
		const struct cubin_variable *v = &l->c->variable.at[i];
		if (l->variable[i] || strcmp(v->name, symbol))
			continue;
		l->variable[i] = 1;
		want_fixups(l, &l->c->data[v->section], v->offset, v->size);
	}
}

static void want_all(struct list *l)
{
	memset(l->function, 1, l->c->function.n);
	memset(l->variable, 1, l->c->variable.n);
	memset(l->slot, 1, l->c->data[CUBIN_BANK_4].fixup.n);
	l->bank[CUBIN_BANK_3] = l->bank[CUBIN_BANK_4] = true;
	l->all = true;
}

// --- data

static void put_fixup(struct list *l, const struct cubin_fixup *x)
{
	char buf[400];
	if (x->type == CUBIN_ADDRESS_64)
		fprintf(l->out, "        .addr %s\n", symbol_of(buf, sizeof buf, x));
	else
		fprintf(l->out, "        .reloc 0x%x, %s\n        .u64 0x0\n", x->type, symbol_of(buf, sizeof buf, x));
}

// A word that is a place in the code stands by its label.
static bool put_place(struct list *l, const struct view *v, uint32_t word)
{
	char name[64];
	if (!v || word % 16 || word >= v->f->size || !v->goes_here[word / 16] || !word)
		return false;
	sass_label(&v->sass, word, name, sizeof name);
	fprintf(l->out, "%s", name);
	return true;
}

// Rows of words and what is left of bytes, from an offset to another; zeros are passed over, since data begins as zeros.
static void put_rows(struct list *l, const struct cubin_data *d, uint64_t from, uint64_t to, const struct view *v)
{
	uint64_t at = from;
	size_t fixup = 0;
	bool placed = false;
	while (at < to) {
		while (fixup < d->fixup.n && d->fixup.at[fixup].at < at)
			fixup++;
		uint64_t next = fixup < d->fixup.n ? d->fixup.at[fixup].at : UINT64_MAX;
		uint64_t step = at == next ? 8 : to - at < 4 || at % 4 || next - at < 4 ? 1 : 4;
		bool zero = step != 8;
		for (uint64_t i = 0; i < step && zero; i++)
			zero = d->byte[at + i] == 0;
		if (zero) {
			at += step;
			placed = false;
			continue;
		}
		if (!placed)
			fprintf(l->out, "        .at 0x%llx\n", (unsigned long long)at);
		placed = true;
		if (step == 8) {
			put_fixup(l, &d->fixup.at[fixup++]);
			at += 8;
			continue;
		}
		fprintf(l->out, "        .u%u ", step == 4 ? 32 : 8);
		unsigned n = 0;
		for (; n < IN_A_ROW && at + step <= to && at + step <= next && (step == 4 ? at % 4 == 0 : n == 0 || at % 4); n++, at += step) {
			uint32_t word = step == 4 ? get32(d->byte + at) : d->byte[at];
			fprintf(l->out, n ? ", " : "");
			if (step != 4 || !put_place(l, v, word))
				fprintf(l->out, "0x%x", word);
		}
		fputc('\n', l->out);
	}
}

static void put_section(struct list *l, enum cubin_section k)
{
	const struct cubin_data *d = &l->c->data[k];
	bool head = false, whole = l->all || (k >= CUBIN_BANK_3 && l->bank[k]);
	for (size_t i = 0; i < l->c->variable.n; i++) {
		const struct cubin_variable *v = &l->c->variable.at[i];
		bool of_bank = k == CUBIN_BANK_3 && whole;
		if (v->section != k || !(l->variable[i] || of_bank))
			continue;
		if (!head)
			fprintf(l->out, ".section %s, 0x%llx\n", cubin_section_name[k], (unsigned long long)d->size);
		head = true;
		fprintf(l->out, ".var %s, 0x%llx, %llu\n", v->name, (unsigned long long)v->offset, (unsigned long long)v->size);
		if (d->byte && !whole)
			put_rows(l, d, v->offset, v->offset + v->size, NULL);
	}
	if (!whole || !d->size)
		return;
	if (!head)
		fprintf(l->out, ".section %s, 0x%llx\n", cubin_section_name[k], (unsigned long long)d->size);
	if (d->byte && (k != CUBIN_BANK_4 || l->all)) {
		put_rows(l, d, 0, d->size, NULL);
		return;
	}
	for (size_t i = 0; d->byte && i < d->fixup.n; i++) {
		const struct cubin_fixup *x = &d->fixup.at[i];
		if (!l->slot[i])
			continue;
		fprintf(l->out, "        .at 0x%llx\n", (unsigned long long)x->at);
		put_fixup(l, x);
	}
}

// --- functions

static bool is_defined(const struct cubin_parts *c, const char *symbol)
{
	for (size_t i = 0; i < c->variable.n; i++)
		if (!strcmp(c->variable.at[i].name, symbol))
			return true;
	for (size_t i = 0; i < c->function.n; i++) {
		if (!strcmp(c->function.at[i].name, symbol))
			return true;
		for (size_t k = 0; k < c->function.at[i].inside.n; k++)
			if (!strcmp(c->function.at[i].inside.at[k].name, symbol))
				return true;
	}
	return false;
}

// `wanted`: those of the places that count; NULL: all.
static void put_externals(struct list *l, struct map *seen, const struct cubin_fixup *x, size_t n, const uint8_t *wanted)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(x[i].symbol);
		if ((wanted && !wanted[i]) || map_get(seen, x[i].symbol, len) || is_defined(l->c, x[i].symbol))
			continue;
		map_put(seen, x[i].symbol, len, l);
		fprintf(l->out, ".extern %s\n", x[i].symbol);
	}
}

static bool goes_here(void *ctx, uint64_t pc)
{
	const struct view *v = ctx;
	return v->goes_here[pc / 16];
}

static const char *symbol_at(void *ctx, uint64_t pc, char *buf, size_t len)
{
	struct view *v = ctx;
	char name[360];
	if (v->fixup >= v->f->fixup.n || v->f->fixup.at[v->fixup].at != pc)
		return NULL;
	const struct cubin_fixup *x = &v->f->fixup.at[v->fixup];
	bool own = !strcmp(x->symbol, v->f->name) && x->addend < v->f->size && x->addend % 16 == 0 && x->addend;
	if (x->type != CUBIN_LOW_32 && x->type != CUBIN_HIGH_32 && x->type != CUBIN_CALLED)
		return NULL;
	v->fixup++;
	if (own)
		sass_label(&v->sass, x->addend, name, sizeof name);
	else
		symbol_of(name, sizeof name, x);
	if (x->type == CUBIN_CALLED)
		snprintf(buf, len, "`(%s)", name);
	else
		snprintf(buf, len, "32@%s(%s)", x->type == CUBIN_LOW_32 ? "lo" : "hi", name);
	return buf;
}

static void before(void *ctx, uint64_t pc, FILE *out)
{
	struct view *v = ctx;
	const struct cubin_function *f = v->f;
	char buf[400];
	for (; v->inside < f->inside.n && f->inside.at[v->inside].pc <= pc; v->inside++) {
		const struct cubin_inside *in = &f->inside.at[v->inside];
		uint64_t next = v->inside + 1 < f->inside.n ? f->inside.at[v->inside + 1].pc : f->size;
		fprintf(out, ".subroutine %s", in->name);
		if (in->pc + in->size != next)
			fprintf(out, ", %llu", (unsigned long long)in->size);
		fputc('\n', out);
		if (in->frame)
			fprintf(out, ".frame %u\n", in->frame);
	}
	for (; v->targets < f->targets.n && f->targets.at[v->targets].pc <= pc; v->targets++) {
		const struct cubin_targets *t = &f->targets.at[v->targets];
		if (t->pc != pc)
			continue;
		fprintf(out, ".targets ");
		for (size_t i = 0; i < t->to.n; i++) {
			sass_label(&v->sass, t->to.at[i], buf, sizeof buf);
			fprintf(out, "%s%s", i ? ", " : "", buf);
		}
		fputc('\n', out);
	}
	for (; v->fixup < f->fixup.n && f->fixup.at[v->fixup].at <= pc; v->fixup++) {
		const struct cubin_fixup *x = &f->fixup.at[v->fixup];
		if (x->type == CUBIN_LOW_32 || x->type == CUBIN_HIGH_32 || x->type == CUBIN_CALLED)
			return; // at the instruction itself
		fprintf(out, ".reloc 0x%x, %s\n", x->type, symbol_of(buf, sizeof buf, x));
	}
}

static void put_three(FILE *out, const char *what, const uint32_t v[3])
{
	if (v[0])
		fprintf(out, "%s %u, %u, %u\n", what, v[0], v[1], v[2]);
}

static void put_head(struct list *l, const struct cubin_function *f)
{
	FILE *out = l->out;
	fprintf(out, "%s %s\n.target sm_%u%s\n", f->kernel ? ".kernel" : ".function", f->name, l->c->arch, l->c->specific ? "a" : "");
	if (f->registers)
		fprintf(out, ".regs %u\n", f->registers);
	if (f->shared)
		fprintf(out, ".shared %u\n", f->shared);
	if (f->frame)
		fprintf(out, ".frame %u\n", f->frame);
	if (f->stack == CUBIN_UNKNOWN_STACK)
		fprintf(out, ".stack unknown\n");
	else if (f->kernel && f->stack != f->frame)
		fprintf(out, ".stack %u\n", f->stack);
	if (f->barriers)
		fprintf(out, ".barriers %u\n", f->barriers);
	if (f->kernel && f->param_base != cubin_param_base(l->c->arch))
		fprintf(out, ".param_base 0x%x\n", f->param_base);
	uint32_t end = 0;
	for (size_t i = 0; i < f->param.n; i++) {
		fprintf(out, ".param 0x%x, %u\n", f->param.at[i].offset, f->param.at[i].size);
		if (f->param.at[i].offset + f->param.at[i].size > end)
			end = f->param.at[i].offset + f->param.at[i].size;
	}
	if (f->kernel && end != f->param_size)
		fprintf(out, ".param_size %u\n", f->param_size);
	put_three(out, ".maxntid", f->max_threads);
	put_three(out, ".reqntid", f->required_threads);
	for (size_t i = 0; i < f->attribute.n; i++) {
		const struct cubin_kept *a = &f->attribute.at[i];
		fprintf(out, ".info 0x%x, %u", a->number, a->format);
		if (a->format != INFO_SIZED)
			fprintf(out, ", 0x%x", a->value);
		for (size_t k = 0; a->format == INFO_SIZED && a->data && k < a->value; k++)
			fprintf(out, ", 0x%x", a->data[k]);
		fputc('\n', out);
	}
}

// Places that are named in tables, by instruction.
static void find_places(struct view *v)
{
	const struct cubin_function *f = v->f;
	v->goes_here = mem_alloc(f->size / 16 + 1);
	for (size_t i = 0; i < f->targets.n; i++)
		for (size_t k = 0; k < f->targets.at[i].to.n; k++)
			if (f->targets.at[i].to.at[k] < f->size)
				v->goes_here[f->targets.at[i].to.at[k] / 16] = 1;
	for (size_t i = 0; i < f->inside.n; i++)
		v->goes_here[f->inside.at[i].pc / 16] = 1;
	for (size_t i = 0; i < f->fixup.n; i++)
		if (!strcmp(f->fixup.at[i].symbol, f->name) && f->fixup.at[i].addend < f->size)
			v->goes_here[f->fixup.at[i].addend / 16] = 1;
}

static unsigned put_function(struct list *l, const struct cubin_function *f, unsigned number)
{
	struct view v = {.l = l, .f = f};
	char label[16];
	struct sass_notes notes = {.ctx = &v, .goes_here = goes_here, .before = before, .symbol = symbol_at};
	snprintf(label, sizeof label, "L%u_", number);
	v.sass = (struct sass_function){.name = f->name, .label = f->kernel ? NULL : label, .code = f->code, .size = f->size, .notes = &notes};
	find_places(&v);
	put_head(l, f);
	if (f->bank2.size) {
		fprintf(l->out, ".section bank2, 0x%llx\n", (unsigned long long)f->bank2.size);
		if (f->bank2.byte)
			put_rows(l, &f->bank2, 0, f->bank2.size, &v);
		fprintf(l->out, ".section text\n");
	}
	unsigned unknown = sass_list(l->isa, &v.sass, l->out);
	mem_free(v.goes_here);
	return unknown;
}

struct cubin_listed cubin_list(const struct cubin_parts *c, const char *name, FILE *out)
{
	struct cubin_listed n = {0};
	struct arena arena = {0};
	struct map seen = {0};
	int generation = sass_generation_of(c->arch);
	struct list l = {.c = c, .out = out, .function = mem_alloc(c->function.n + 1), .variable = mem_alloc(c->variable.n + 1),
	                 .slot = mem_alloc(c->data[CUBIN_BANK_4].fixup.n + 1)};
	l.isa = sass_isa_new(&arena, generation < SASS_VOLTA ? SASS_HOPPER : (enum sass_generation)generation);
	if (!name)
		want_all(&l);
	else if (cubin_parts_find(c, name))
		want(&l, name);
	// Kernels first: what comes behind `.kernel` up to the first function with a section of its own is the kernel alone.
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < c->function.n; i++) {
			const struct cubin_function *f = &c->function.at[i];
			if (!l.function[i] || f->kernel != (pass == 0))
				continue;
			if (n.functions)
				fputc('\n', out);
			n.unknown += put_function(&l, f, n.functions++);
		}
	}
	for (size_t i = 0; i < c->function.n; i++) {
		if (!l.function[i])
			continue;
		put_externals(&l, &seen, c->function.at[i].fixup.at, c->function.at[i].fixup.n, NULL);
		put_externals(&l, &seen, c->function.at[i].bank2.fixup.at, c->function.at[i].bank2.fixup.n, NULL);
	}
	if (n.functions && (l.all || l.bank[CUBIN_BANK_4]))
		put_externals(&l, &seen, c->data[CUBIN_BANK_4].fixup.at, c->data[CUBIN_BANK_4].fixup.n, l.slot);
	for (unsigned k = 0; n.functions && k < CUBIN_SECTIONS; k++)
		put_section(&l, (enum cubin_section)k);
	map_free(&seen);
	mem_free(l.function);
	mem_free(l.variable);
	mem_free(l.slot);
	arena_free(&arena);
	return n;
}
