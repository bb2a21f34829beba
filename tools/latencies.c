#include "tools/latencies.h"

#include "base/mem.h"
#include "cuda-sim/sass/machine/form.h"
#include "gpgpu-sim/modern/inst.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FARTHEST = 48, NAME = 48, FILES = 5, USES = 2 }; // cycles of a walk; bytes of a kind's name

// An instruction of the function at hand.
struct at {
	bool known, apart, guarded, negated, ends, passes; // apart: nobody waits for its result by stall counts; ends: nothing behind it is looked at; passes: only lanes that it does not take go on
	struct isa_inst inst;
	struct isa_sass sass;
	struct modern_inst core;
	unsigned guard;           // number of the guard's register
	unsigned kind;
	char text[128];
};

// --- kinds

static unsigned kind_number(struct lat *l, const char *name)
{
	void *at = map_get(&l->names, name, strlen(name));
	if (at)
		return (unsigned)(uintptr_t)at - 1;
	const char *kept = arena_strdup(&l->arena, name);
	VEC_PUSH(&l->kind, kept);
	map_put(&l->names, kept, strlen(kept), (void *)(uintptr_t)l->kind.n);
	return (unsigned)l->kind.n - 1;
}

static bool has(const char *mnemonic, const char *part)
{
	size_t n = strlen(part);
	for (const char *p = mnemonic; (p = strstr(p, part)); p += n)
		if (p > mnemonic && p[-1] == '.' && (!p[n] || p[n] == '.'))
			return true;
	return false;
}

static const char *const unit_name[] = {
#define X(name, text) text,
	ISA_UNITS(X)
#undef X
};

// An opcode with what changes its latency, or the class of the core's unit.
static void kind_name(const struct lat *l, const struct at *a, const char *mnemonic, char *buf, size_t len)
{
	int op = (int)strcspn(mnemonic, ".");
	const char *unit = unit_name[a->core.unit];
	if (l->opcodes)
		snprintf(buf, len, "%s %.*s%s", unit, op, mnemonic, has(mnemonic, "WIDE") ? ".WIDE" : has(mnemonic, "HI") ? ".HI" : has(mnemonic, "MMA") ? ".MMA" : "");
	else if (a->core.pipe == MODERN_PIPE_EITHER || a->core.pipe == MODERN_PIPE_PAIR)
		snprintf(buf, len, "%s", a->core.pipe == MODERN_PIPE_PAIR ? "int64" : "either");
	else if (a->inst.sass->moves && a->core.pipe != MODERN_PIPE_UNIT && a->core.pipe != MODERN_PIPE_QUEUE)
		snprintf(buf, len, "%s", a->core.pipe == MODERN_PIPE_INT ? "int" : "sp");
	else if (a->core.imad)
		snprintf(buf, len, "%s", a->core.wide_result ? "imad.wide" : "imad");
	else if (a->core.unit == ISA_UNIT_MISC || (a->core.unit == ISA_UNIT_INT && (!strncmp(mnemonic, "R2UR", 4) || !strncmp(mnemonic, "CREDUX", 6))))
		snprintf(buf, len, "%.*s", op, mnemonic);
	else if (a->core.uniform_move)
		snprintf(buf, len, "uniform move");
	else if (a->core.half_mma)
		snprintf(buf, len, "half.mma");
	else
		snprintf(buf, len, "%s", unit);
}

// Who reads: a unit by bypass, or those that all take their operands in the same way.
static const char *reader(const struct lat *l, const struct at *a, enum modern_use use)
{
	static const char *const how[MODERN_USES] = {[MODERN_GUARD] = "guard", [MODERN_BRANCH] = "branch", [MODERN_QUEUED] = "queued", [MODERN_MEMORY] = "memory",
	                                             [MODERN_DOUBLE] = "double", [MODERN_ADDEND] = "64-bit addend"};
	return l->opcodes || !how[use] ? l->kind.at[a->kind] : how[use];
}

// --- reading the code

static void read_inst(struct lat *l, struct at *a, const struct sass_decoded *d, const struct modern_config *cfg, const struct core_config *core)
{
	const struct sass_op *op = sass_form_op(d);
	char name[NAME], mnemonic[64];
	if (!op || sass_form(&a->inst, &a->sass, d, 0))
		return;
	a->inst.sass = &a->sass;
	modern_inst_fill(&a->core, &a->inst, cfg, core);
	a->known = true;
	a->apart = op->behaviour == SASS_GROUP_MATRIX;
	sass_print(d, a->text, sizeof a->text);
	const char *from = a->text;
	if (*from == '@')
		from += strcspn(from, " ") + 1;
	snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(from, " "), from);
	kind_name(l, a, mnemonic, name, sizeof name);
	a->kind = kind_number(l, name);
	unsigned guard = modern_guard(&a->inst);
	a->guarded = guard < a->inst.n_src;
	a->guard = a->guarded ? a->inst.src[guard] : 0;
	a->negated = sass_bit(d->word, 15);
	switch ((enum isa_class)a->inst.cls) {
	case ISA_BRANCH: case ISA_CALL: case ISA_RET: case ISA_EXIT:
		a->passes = a->guarded && (!strcmp(op->name, "BRA") || !strcmp(op->name, "EXIT"));
		a->ends = !a->passes && strcmp(op->name, "BSSY") && strcmp(op->name, "BMOV") && strcmp(op->name, "BREAK") &&
		          !(!strcmp(op->name, "BRA") && a->inst.n_src);
		break;
	case ISA_BARRIER: case ISA_FENCE:
		a->ends = true;
		break;
	default:
		a->ends = a->core.depbar_sb != ISA_NO_SB;
		break;
	}
}

// --- pairs

static struct lat_pair *place(struct lat_pair *at, size_t n, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (n - 1);
	while (at[i].key && at[i].key != key)
		i = (i + 1) & (n - 1);
	return &at[i];
}

static struct lat_pair *pair(struct lat *l, unsigned arch, enum lat_what what, unsigned from, unsigned to)
{
	uint64_t key = ((uint64_t)arch << 48 | (uint64_t)what << 40 | (uint64_t)from << 20 | to) + 1;
	if (l->n_pair * 2 >= l->n_at) {
		size_t n = l->n_at ? l->n_at * 2 : 1024;
		struct lat_pair *new = mem_alloc(n * sizeof *new);
		for (size_t i = 0; i < l->n_at; i++)
			if (l->pair[i].key)
				*place(new, n, l->pair[i].key) = l->pair[i];
		mem_free(l->pair);
		l->pair = new;
		l->n_at = n;
	}
	struct lat_pair *p = place(l->pair, l->n_at, key);
	if (!p->key) {
		*p = (struct lat_pair){.key = key, .arch = arch, .what = what, .from = from, .to = to, .least = UINT16_MAX};
		l->n_pair++;
	}
	return p;
}

// A kind and the file of the register.
static unsigned with(struct lat *l, const char *kind, unsigned reg, const char *how)
{
	static const char *const file[] = {"R", "UR", "P", "UP", "B"};
	unsigned f = reg >= SASS_B ? 4 : reg >= SASS_UP ? 3 : reg >= SASS_P ? 2 : reg >= SASS_UR ? 1 : 0;
	char name[NAME + 16];
	snprintf(name, sizeof name, "%s %s%s", kind, file[f], how);
	return kind_number(l, name);
}

struct walk {
	struct lat *l;
	unsigned arch;
	const char *where;
	const struct modern_config *cfg;
	struct at *inst;
	uint32_t n;
	uint32_t from;      // the producer, or the reader of LAT_WAR
	uint32_t to;        // where the walk is
	unsigned cycles;    // since its issue
	uint8_t counting;   // counters that went up since
	bool changed;       // its guard was written since
};

static void met(struct walk *w, enum lat_what what, uint32_t to, unsigned reg, enum modern_use use, unsigned asked)
{
	struct at *f = &w->inst[w->from], *t = &w->inst[to];
	bool low = (f->core.wide_result || f->core.pipe == MODERN_PIPE_PAIR) && reg < SASS_UR && what != LAT_WAR && reg == f->sass.dst[0].reg + SASS_R;
	struct lat_pair *p = pair(w->l, w->arch, what, with(w->l, w->l->kind.at[f->kind], reg, low ? " low" : ""),
	                          with(w->l, reader(w->l, t, use), reg, use == MODERN_GUARD && w->l->opcodes ? " guard" : ""));
	unsigned excess = asked > w->cycles ? asked - w->cycles : 0;
	p->n++;
	p->asked = asked > p->asked ? asked : p->asked;
	if (excess <= p->excess && (p->excess || w->cycles >= p->least)) {
		p->least = w->cycles < p->least ? w->cycles : p->least;
		return;
	}
	p->least = w->cycles < p->least ? w->cycles : p->least;
	p->excess = excess;
	p->example = arena_printf(&w->l->arena, "%s 0x%x: %s -> 0x%x: %s", w->where, w->from * 16, f->text, to * 16, t->text);
}

static bool in(const uint16_t *list, unsigned n, unsigned reg)
{
	for (unsigned k = 0; k < n; k++)
		if (list[k] == reg)
			return true;
	return false;
}

// No lane does both: one runs where a predicate holds, the other where it does not.
static bool apart(const struct at *a, const struct at *b, bool changed)
{
	return !changed && a->guarded && b->guarded && a->guard == b->guard && a->negated != b->negated;
}

// Cycles from the issue of a producer of fixed latency that the modern core wants.
static unsigned asked_waw(const struct walk *w, const struct at *p, const struct at *c, unsigned k, unsigned j)
{
	unsigned before = modern_result_cycles(&p->core, w->cfg, k, MODERN_OPERAND);
	unsigned after = c->core.fixed ? modern_result_cycles(&c->core, w->cfg, j, MODERN_OPERAND) : before;
	return before > after ? before - after : 0;
}

static struct at *begin(struct walk *w, uint32_t from)
{
	w->from = w->to = from;
	w->cycles = 0;
	w->counting = 0;
	w->changed = false;
	return &w->inst[from];
}

// The next instruction, as long as code runs straight on and waits for no counter that went up; NULL: the walk ends.
static struct at *next(struct walk *w)
{
	struct at *p = &w->inst[w->from], *c = &w->inst[w->to];
	const struct isa_control *s = &c->core.control;
	if (w->cycles >= FARTHEST)
		return NULL;
	w->counting |= (uint8_t)((s->write_sb < ISA_N_SB ? 1u << s->write_sb : 0) | (s->read_sb < ISA_N_SB ? 1u << s->read_sb : 0));
	w->changed |= p->guarded && in(c->inst.dst, c->inst.n_dst, p->guard);
	w->cycles += modern_stall(s, w->cfg);
	if (++w->to == w->n || !w->inst[w->to].known)
		return NULL;
	c = &w->inst[w->to];
	return c->core.control.wait & w->counting ? NULL : c;
}

// Has c the guard of where the walk began, with the same value?
static bool alike(const struct walk *w, const struct at *c)
{
	const struct at *p = &w->inst[w->from];
	return p->guarded && !w->changed && c->guard == p->guard && c->negated == p->negated;
}

static bool leaves(const struct walk *w, const struct at *c) { return c->ends || (c->passes && alike(w, c)); }

// From result k of an instruction on to all that reads or overwrites it.
static void walk_result(struct walk *w, uint32_t from, unsigned k)
{
	struct at *p = begin(w, from);
	unsigned reg = p->inst.dst[k];
	bool counted = p->core.control.write_sb < ISA_N_SB;
	for (struct at *c; (c = next(w));) {
		unsigned guard = modern_guard(&c->inst);
		bool lanes = !apart(p, c, w->changed);
		for (unsigned u = 0; u < c->inst.n_src; u++) {
			if (c->inst.src[u] != reg || (!lanes && u != guard))
				continue;
			enum modern_use use = modern_use_of(&c->core, u, guard);
			if (counted)
				met(w, LAT_NO_WAIT, w->to, reg, use, 0);
			else if (!p->core.fixed)
				met(w, LAT_NO_COUNTER, w->to, reg, use, 0);
			else
				met(w, LAT_RAW, w->to, reg, use, modern_result_cycles(&p->core, w->cfg, k, use));
		}
		for (unsigned u = 0; u < c->inst.n_dst; u++)
			if (c->inst.dst[u] == reg && lanes) {
				if (!counted && p->core.fixed)
					met(w, LAT_WAW, w->to, reg, MODERN_OPERAND, asked_waw(w, p, c, k, u));
				if (!c->guarded || alike(w, c))
					return;
			}
		if (leaves(w, c))
			return;
	}
}

static void walk_source(struct walk *w, uint32_t from, unsigned k)
{
	struct at *p = begin(w, from);
	unsigned reg = p->inst.src[k];
	for (struct at *c; (c = next(w));) {
		if (in(c->inst.dst, c->inst.n_dst, reg) && !apart(p, c, w->changed)) {
			met(w, LAT_WAR, w->to, reg, MODERN_OPERAND, 0);
			return;
		}
		if (leaves(w, c))
			return;
	}
}

// --- the register-file cache

static struct lat_kept *kept_of(struct lat *l, unsigned arch)
{
	for (size_t i = 0; i < l->kept.n; i++)
		if (l->kept.at[i].arch == arch)
			return &l->kept.at[i];
	VEC_PUSH(&l->kept, (struct lat_kept){.arch = arch});
	return &l->kept.at[l->kept.n - 1];
}

struct entry {
	const struct at *by; // NULL: nothing is kept
	unsigned reg;
	bool read, old;
};

static void read_kept(struct walk *w, struct lat_kept *sum, struct entry (*kept)[MODERN_MAX_SLOTS], uint32_t at)
{
	const struct modern_inst *i = &w->inst[at].core;
	for (unsigned k = 0; k < i->n_read; k++) {
		struct entry *e = &kept[i->read[k].bank][i->read[k].slot];
		if (!e->by || e->reg != i->read[k].reg)
			continue;
		sum->read += !e->read;
		e->read = true;
		sum->old += e->old;
		if (e->old && !sum->example)
			sum->example = arena_printf(&w->l->arena, "%s 0x%x: %s, kept by %s", w->where, at * 16, w->inst[at].text, e->by->text);
	}
	for (unsigned k = 0; k < i->n_read; k++) {
		sum->kept += i->read[k].reuse;
		kept[i->read[k].bank][i->read[k].slot] = (struct entry){.by = i->read[k].reuse ? &w->inst[at] : NULL, .reg = i->read[k].reg};
	}
}

// From one branch to the next: what the other side reads is not known.
static void walk_kept(struct walk *w)
{
	struct lat_kept *sum = kept_of(w->l, w->arch);
	struct entry kept[MODERN_BANKS][MODERN_MAX_SLOTS] = {0};
	for (uint32_t i = 0; i < w->n; i++) {
		const struct at *a = &w->inst[i];
		if (a->known && a->core.fixed)
			read_kept(w, sum, kept, i);
		for (unsigned b = 0; b < MODERN_BANKS; b++)
			for (unsigned s = 0; s < MODERN_MAX_SLOTS; s++)
				kept[b][s].old |= a->known && in(a->inst.dst, a->inst.n_dst, kept[b][s].reg + SASS_R);
		if (!a->known || a->ends || a->inst.cls == ISA_BRANCH || a->inst.cls == ISA_EXIT)
			memset(kept, 0, sizeof kept);
	}
}

void lat_mine(struct lat *l, const struct sass_isa *isa, unsigned arch, const uint8_t *code, size_t size, const char *where,
              const struct modern_config *cfg, const struct core_config *core)
{
	struct walk w = {.l = l, .arch = arch, .where = where, .cfg = cfg, .n = (uint32_t)(size / 16)};
	w.inst = mem_alloc((w.n + 1) * sizeof *w.inst);
	for (uint32_t i = 0; i < w.n; i++) {
		struct sass_word word;
		struct sass_decoded d;
		char why[160];
		memcpy(&word, code + (size_t)i * 16, 16);
		if (sass_decode(isa, word, (uint64_t)i * 16, &d, why, sizeof why))
			read_inst(l, &w.inst[i], &d, cfg, core);
		l->instructions += w.inst[i].known;
	}
	l->functions++;
	for (uint32_t i = 0; i < w.n; i++) {
		const struct at *a = &w.inst[i];
		for (unsigned k = 0; a->known && !a->apart && k < a->inst.n_dst; k++)
			walk_result(&w, i, k);
		for (unsigned k = 0; a->known && !a->core.fixed && k < a->inst.n_src; k++)
			walk_source(&w, i, k);
	}
	walk_kept(&w);
	mem_free(w.inst);
}

void lat_free(struct lat *l)
{
	arena_free(&l->arena);
	map_free(&l->names);
	VEC_FREE(&l->kind);
	VEC_FREE(&l->kept);
	mem_free(l->pair);
}

// --- in order

static const struct lat *sorting;

static int by_kind(const void *a, const void *b)
{
	const struct lat_pair *x = a, *y = b;
	if (x->arch != y->arch)
		return x->arch < y->arch ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	int c = strcmp(sorting->kind.at[x->from], sorting->kind.at[y->from]);
	return c ? c : strcmp(sorting->kind.at[x->to], sorting->kind.at[y->to]);
}

struct lat_pair *lat_sorted(const struct lat *l)
{
	struct lat_pair *all = mem_alloc((l->n_pair + 1) * sizeof *all);
	size_t n = 0;
	for (size_t i = 0; i < l->n_at; i++)
		if (l->pair[i].key)
			all[n++] = l->pair[i];
	sorting = l;
	qsort(all, n, sizeof *all, by_kind);
	return all;
}
