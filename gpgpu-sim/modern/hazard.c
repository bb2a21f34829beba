#include "gpgpu-sim/modern/hazard.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/modern.h"

#include <stdio.h>
#include <string.h>

// What is known of a register of a warp. Lanes count: two instructions of opposite guards do not disturb each other.
struct hazard_reg {
	const struct modern_inst *writer, *reader; // the last ones; reader: of variable latency
	uint64_t issued;                           // the writer
	uint64_t usable[MODERN_USES];              // by a fixed latency; UINT64_MAX: not known yet
	uint64_t free_at;                          // first cycle in which it may be overwritten
	uint32_t write_lanes, read_lanes;
	uint32_t unread;                           // readers that have not read it
};

// What the register-file cache would hold if the warp ran alone.
struct hazard_kept {
	const struct modern_inst *by; // has the reuse bit; NULL: nothing
	uint16_t reg;                 // number as in modern_inst.read
	uint32_t old_lanes;           // in which it was overwritten since
};

struct hazards {
	struct hazard_reg *reg; // n_registers of each warp
	struct hazard_kept kept[CORE_MAX_WARPS][MODERN_BANKS][MODERN_MAX_SLOTS];
	uint32_t n_warps, n_registers;
};

void hazards_reserve(struct hazards **at, unsigned n_warps, uint32_t n_registers)
{
	struct hazards *old = *at, *h = MEM_NEW(struct hazards);
	*h = (struct hazards){.n_warps = n_warps, .n_registers = n_registers};
	h->reg = mem_alloc((size_t)n_warps * n_registers * sizeof *h->reg);
	for (unsigned w = 0; old && w < n_warps; w++)
		memcpy(h->reg + (size_t)w * n_registers, old->reg + (size_t)w * old->n_registers,
		       (old->n_registers < n_registers ? old->n_registers : n_registers) * sizeof *h->reg);
	if (old)
		memcpy(h->kept, old->kept, sizeof h->kept);
	hazards_free(old);
	*at = h;
}

void hazards_free(struct hazards *h)
{
	if (!h)
		return;
	mem_free(h->reg);
	mem_free(h);
}

void hazards_start_warp(struct hazards *h, unsigned warp)
{
	memset(h->reg + (size_t)warp * h->n_registers, 0, h->n_registers * sizeof *h->reg);
	memset(h->kept[warp], 0, sizeof h->kept[warp]);
}

static struct hazard_reg *reg_of(const struct sm *m, unsigned warp, unsigned r)
{
	struct hazards *h = m->modern->hazards;
	return &h->reg[(size_t)warp * h->n_registers + r];
}

// --- what is said

enum { TOLD = 256 };

struct hazard_told {
	struct hazard_told *next;
	char *kernel;
	uint32_t n;
	struct { uint64_t from, to; } pair[TOLD]; // pcs
};

struct hazard_told *hazard_told_of(struct hazard_told **list, const char *kernel)
{
	for (; *list; list = &(*list)->next)
		if (!strcmp((*list)->kernel, kernel))
			return *list;
	*list = MEM_NEW(struct hazard_told);
	(*list)->kernel = mem_strdup(kernel);
	return *list;
}

void hazard_told_free(struct hazard_told *list)
{
	while (list) {
		struct hazard_told *next = list->next;
		mem_free(list->kernel);
		mem_free(list);
		list = next;
	}
}

// False if the pair was told of. A kernel with more pairs than are kept has been told enough.
static bool untold(const struct hazard_told *t, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->pair[i].from == from && t->pair[i].to == to)
			return false;
	return t->n < TOLD;
}

bool hazard_first_told(struct hazard_told *t, uint64_t from, uint64_t to)
{
	if (!untold(t, from, to))
		return false;
	t->pair[t->n].from = from;
	t->pair[t->n++].to = to;
	return true;
}

static void name(const struct kernel_launch *l, const struct modern_inst *i, char *buf, size_t n)
{
	struct fe_place p;
	l->fe->place(l->code, i->st, &p);
	if (p.line)
		snprintf(buf, n, "'%s' at %s:%u", p.text, p.file, p.line);
	else
		snprintf(buf, n, "'%s' at 0x%llx", p.text, (unsigned long long)i->st->pc);
}

// What the control bits should have said for a producer of fixed latency: `need` cycles between issues.
static void advise_stall(FILE *f, const struct modern_inst *from, const struct modern_inst *to, unsigned step, uint64_t need, uint64_t have)
{
	if (to->st->pc == from->st->pc + step)
		fprintf(f, "; the stall count of that one should be %llu or more (it is %u)", (unsigned long long)need, from->control.stall);
	else
		fprintf(f, "; %llu cycles should lie between their issues (there %s %llu)", (unsigned long long)need, have == 1 ? "is" : "are",
		        (unsigned long long)have);
}

static void advise_counter(FILE *f, const struct modern_inst *to, unsigned sb, uint64_t have)
{
	if (sb >= ISA_N_SB)
		fprintf(f, "; that one names no dependence counter for it");
	else if (to->control.wait >> sb & 1 && have < 2)
		fprintf(f, "; its counter %u goes up behind the cycle after its issue: the stall count should be 2 or more", sb);
	else if (to->control.wait >> sb & 1)
		fprintf(f, "; counter %u counts several of them", sb);
	else
		fprintf(f, "; this one does not wait for counter %u", sb);
}

// The beginning of a sentence about w and register `reg` if `from` and w have not been told of; NULL otherwise. `there` gets the
// name of `from`.
static FILE *begin(struct sm *m, const struct winst *w, const struct modern_inst *from, unsigned reg, const char *does, char *text, size_t len,
                   char *there, size_t there_len)
{
	struct kernel_run *k = m->warp[w->warp].k;
	const struct kernel_launch *l = k->launch;
	char here[300], what[64];
	m->modern->stats.hazards++;
	if (!m->world->notes || !untold(k->modern->told, from->st->pc, w->st->pc))
		return NULL;
	name(l, modern_inst_of(w), here, sizeof here);
	name(l, from, there, there_len);
	l->fe->register_name(l->code, w->st, reg, what, sizeof what);
	FILE *f = fmemopen(text, len, "w");
	if (f)
		fprintf(f, "heddle: kernel '%s', warp %u: %s %s %s ", l->info->name, m->warp[w->warp].fe_warp, here, does, what);
	return f;
}

static void end(struct sm *m, FILE *f, const char *text, const struct winst *w, const struct modern_inst *from)
{
	fputs("\n", f);
	fclose(f);
	sm_note(m, m->warp[w->warp].k, text, from->st->pc, w->st->pc);
}

enum kind { RAW, WAW, WAR };

static void say(struct sm *m, const struct winst *w, unsigned reg, const struct hazard_reg *r, enum kind kind, uint64_t early)
{
	const struct modern_inst *from = kind == WAR ? r->reader : r->writer, *to = modern_inst_of(w);
	char text[1200], there[300];
	FILE *f = begin(m, w, from, reg, kind == RAW ? "reads" : "overwrites", text, sizeof text, there, sizeof there);
	if (!f)
		return;
	uint64_t have = m->now - r->issued;
	if (kind == WAR) {
		fprintf(f, "before %s has read it", there);
		advise_counter(f, to, from->control.read_sb, 2);
	} else if (from->fixed) {
		if (early == 1)
			fputs("one cycle", f);
		else
			fprintf(f, "%llu cycles", (unsigned long long)early);
		fprintf(f, " before the result of %s can be used", there);
		advise_stall(f, from, to, m->warp[w->warp].k->launch->fe->inst_bytes, have + early, have);
	} else {
		fprintf(f, "before %s has written it", there);
		advise_counter(f, to, from->control.write_sb, have);
	}
	end(m, f, text, w, from);
}

static uint64_t usable_at(const struct sm *m, const struct modern_inst *i, unsigned k, enum modern_use use)
{
	return m->now + modern_result_cycles(i, m->modern->cfg, k, use);
}

// --- what is checked

static bool pending(const struct hazard_reg *r, uint64_t now) { return r->writer && r->usable[MODERN_OPERAND] > now; }

static void check_source(struct sm *m, const struct winst *w, unsigned k, unsigned guard)
{
	unsigned reg = w->st->src[k];
	const struct hazard_reg *r = reg_of(m, w->warp, reg);
	const struct modern_inst *i = modern_inst_of(w);
	// All lanes of the group look at the guard, w->mask has those for which it holds. Another group may run in between.
	uint32_t lanes = k == guard ? m->result.active : w->mask;
	if (!r->writer || !(r->write_lanes & lanes))
		return;
	uint64_t usable = r->usable[modern_use_of(i, k, guard)];
	if (usable > m->now)
		say(m, w, reg, r, RAW, usable - m->now);
}

// Double precision results come in order, and what is loaded from shared memory behind loads and atomics there: compiled code lets an
// LDS overwrite a part that it does not need of what came before it, without a wait.
static bool come_in_order(const struct modern_inst *a, const struct modern_inst *b)
{
	if (a->memory == MODERN_MEM_LDS && b->memory == MODERN_MEM_LDS && b->st->cls == ISA_LOAD)
		return true;
	return a->unit == ISA_UNIT_DP && b->unit == ISA_UNIT_DP && a->st->cls != ISA_CVT && b->st->cls != ISA_CVT;
}

// Results of fixed latencies come in the order of issue unless the later one is the faster.
static void check_destination(struct sm *m, const struct winst *w, unsigned k)
{
	unsigned reg = w->st->dst[k];
	const struct hazard_reg *r = reg_of(m, w->warp, reg);
	const struct modern_inst *i = modern_inst_of(w);
	if (pending(r, m->now) && r->write_lanes & w->mask) {
		if (!r->writer->fixed && !come_in_order(r->writer, i))
			say(m, w, reg, r, WAW, 0);
		else if (r->writer->fixed && i->fixed && usable_at(m, i, k, MODERN_OPERAND) < r->usable[MODERN_OPERAND])
			say(m, w, reg, r, WAW, r->usable[MODERN_OPERAND] - usable_at(m, i, k, MODERN_OPERAND));
	}
	// Instructions of one unit, and conversions, read their registers in order, and before they write any.
	bool in_order = r->reader && (r->reader->unit == i->unit || (r->reader->st->cls == ISA_CVT && i->st->cls == ISA_CVT));
	if (r->reader && !in_order && (r->unread || r->free_at > m->now) && r->read_lanes & w->mask)
		say(m, w, reg, r, WAR, 0);
}

// Nothing protects guards and uniform registers from being overwritten behind it in the compiler's code, nor the predicate of a copy.
static bool read_at_issue(const struct modern_inst *i, unsigned k, unsigned guard)
{
	return k == guard || i->src_uniform >> k & 1 || (i->memory == MODERN_MEM_LDGSTS && i->src_predicate >> k & 1);
}

// --- the register-file cache

// The register of w's list of sources that is number `reg` of its kind: the list has the operands in the same order.
static unsigned source_number(const struct modern_inst *i, uint16_t reg)
{
	const struct isa_sass *s = i->st->sass;
	if (!s)
		return reg;
	unsigned first = 0, more = i->st->n_read + (modern_guard(i->st) < i->st->n_src);
	for (unsigned k = 0; k < s->n_src; k++) {
		const struct isa_operand *o = &s->src[k];
		if (o->file == ISA_FILE_R && reg >= o->reg && reg < o->reg + o->count) {
			unsigned at = reg == o->reg ? first : more + (unsigned)(reg - o->reg) - 1;
			return i->st->src[at < i->st->n_src ? at : first];
		}
		first += o->count > 0;
		more += o->count > 1 ? o->count - 1u : 0;
	}
	return 0;
}

static void check_kept(struct sm *m, const struct winst *w)
{
	const struct modern_inst *i = modern_inst_of(w);
	for (unsigned k = 0; k < i->n_read; k++) {
		const struct hazard_kept *e = &m->modern->hazards->kept[w->warp][i->read[k].bank][i->read[k].slot];
		char text[1200], there[300];
		if (!e->by || e->reg != i->read[k].reg || !(e->old_lanes & w->mask))
			continue;
		FILE *f = begin(m, w, e->by, source_number(i, e->reg), "reads", text, sizeof text, there, sizeof there);
		if (!f)
			continue;
		fprintf(f, "from the register-file cache, where %s has put it; it was overwritten since: that one should have no reuse bit for it", there);
		end(m, f, text, w, e->by);
	}
}

static void overwrite_kept(struct hazards *h, const struct winst *w, uint16_t reg)
{
	for (unsigned b = 0; b < MODERN_BANKS; b++)
		for (unsigned s = 0; s < MODERN_MAX_SLOTS; s++) {
			struct hazard_kept *e = &h->kept[w->warp][b][s];
			if (e->by && e->reg == reg)
				e->old_lanes |= w->mask;
		}
}

static void update_kept(struct hazards *h, const struct winst *w)
{
	const struct modern_inst *i = modern_inst_of(w);
	const struct isa_sass *s = i->st->sass;
	for (unsigned k = 0; i->fixed && k < i->n_read; k++)
		h->kept[w->warp][i->read[k].bank][i->read[k].slot] = (struct hazard_kept){.by = i->read[k].reuse ? i : NULL, .reg = i->read[k].reg};
	for (unsigned d = 0; s && d < s->n_dst; d++)
		for (unsigned k = 0; s->dst[d].file == ISA_FILE_R && k < s->dst[d].count; k++)
			overwrite_kept(h, w, (uint16_t)(s->dst[d].reg + k));
	for (unsigned d = 0; !s && d < i->st->n_dst; d++)
		overwrite_kept(h, w, i->st->dst[d]);
}

// --- what happens to an instruction

void hazards_issue(struct sm *m, const struct winst *w)
{
	const struct modern_inst *i = modern_inst_of(w);
	const struct isa_inst *st = w->st;
	if (m->modern->warp[w->warp].scoreboard)
		return;
	unsigned guard = modern_guard(st);
	for (unsigned k = 0; k < st->n_src; k++)
		check_source(m, w, k, guard);
	for (unsigned k = 0; k < st->n_dst; k++)
		check_destination(m, w, k);
	if (m->modern->cfg->rf_cache) {
		if (i->fixed)
			check_kept(m, w);
		update_kept(m->modern->hazards, w);
	}
	for (unsigned k = 0; !i->fixed && k < st->n_src; k++) {
		struct hazard_reg *r = reg_of(m, w->warp, st->src[k]);
		if (read_at_issue(i, k, guard))
			continue;
		r->reader = i;
		r->read_lanes = w->mask;
		r->unread++;
	}
	for (unsigned k = 0; k < st->n_dst; k++) {
		struct hazard_reg *r = reg_of(m, w->warp, st->dst[k]);
		r->writer = i;
		r->issued = m->now;
		r->write_lanes = w->mask;
		for (unsigned use = 0; use < MODERN_USES; use++)
			r->usable[use] = i->fixed ? usable_at(m, i, k, (enum modern_use)use) : UINT64_MAX;
	}
}

// The predicate that an ATOM on a generic address gives, whether the operation was done there or is left to the code behind, is
// there when its sources have been read: on Hopper compiled code waits for nothing else. Which of st->dst those are, as bits; the list
// has the first registers of all operands in front.
static uint32_t come_with_reading(const struct modern_inst *i)
{
	const struct isa_sass *s = i->st->sass;
	uint32_t bits = 0;
	if (!s || i->st->cls != ISA_ATOMIC || i->st->space != SPACE_GENERIC)
		return 0;
	for (unsigned d = 0, at = 0; d < s->n_dst; d++) {
		bits |= (uint32_t)(s->dst[d].file == ISA_FILE_P && s->dst[d].count) << at;
		at += s->dst[d].count > 0;
	}
	return bits;
}

static void results_there(struct sm *m, const struct winst *w, uint32_t which)
{
	for (unsigned k = 0; k < w->st->n_dst; k++) {
		struct hazard_reg *r = reg_of(m, w->warp, w->st->dst[k]);
		if (which >> k & 1 && r->writer == modern_inst_of(w) && r->issued == w->issued)
			for (unsigned use = 0; use < MODERN_USES; use++)
				r->usable[use] = m->now + 1;
	}
}

void hazards_read(struct sm *m, const struct winst *w)
{
	if (modern_inst_of(w)->fixed || m->modern->warp[w->warp].scoreboard)
		return;
	unsigned guard = modern_guard(w->st);
	for (unsigned k = 0; k < w->st->n_src; k++) {
		struct hazard_reg *r = reg_of(m, w->warp, w->st->src[k]);
		if (read_at_issue(modern_inst_of(w), k, guard))
			continue;
		r->unread -= r->unread > 0;
		r->free_at = m->now + 1;
	}
	results_there(m, w, come_with_reading(modern_inst_of(w)));
}

void hazards_written(struct sm *m, const struct winst *w)
{
	const struct modern_inst *i = modern_inst_of(w);
	if (!i->fixed && !m->modern->warp[w->warp].scoreboard)
		results_there(m, w, ~come_with_reading(i));
}
