#include "gpgpu-sim/look/debugger.h"

#include "base/lines.h"
#include "base/mem.h"
#include "base/vec.h"
#include "gpgpu-sim/look/deadlock.h"
#include "gpgpu-sim/look/debug_place.h"
#include "gpgpu-sim/sm/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

struct stop {
	unsigned id;
	struct debug_place place;
	char *text;                          // as the user wrote it
	uint64_t hits;
	bool found;                          // some kernel has that place
	VEC(const struct isa_inst *) where; // of the kernels seen
};

struct debugger {
	struct debugger_io io;
	struct lines out;        // what it says, to io
	struct timing *t;
	void (*changed)(void *ctx); // stops
	void *changed_ctx;
	VEC(struct stop) stop;
	VEC(const void *) seen;  // kernels' code in which stops were looked for
	unsigned next_id;
	uint64_t next_cycle;     // of step; UINT64_MAX: none
	bool stepi;              // stop at the next instruction of the focus
	bool detached;
	unsigned sm, slot;       // the focus: what the last stop was about
	char last[128];          // command, repeated by an empty line
};

// --- stops

bool debugger_add(struct debugger *g, const char *place, char *why, size_t len)
{
	struct stop s = {0};
	if (!debug_place_parse(place, &s.place, why, len))
		return false;
	s.text = mem_strdup(place);
	s.id = ++g->next_id;
	VEC_PUSH(&g->stop, s);
	g->seen.n = 0; // to be searched again
	return true;
}

void debugger_end(struct debugger *g)
{
	static const char *const never[] = {
		[STOP_CYCLE] = "the program ended before", [STOP_LINE] = "no kernel that ran has code there",
		[STOP_CODE] = "no kernel that ran has an instruction there", [STOP_DATA] = "no instruction touched it",
		[STOP_KERNEL] = "no kernel of such a name ran",
	};
	for (size_t k = 0; g && k < g->stop.n; k++) {
		const struct stop *s = &g->stop.at[k];
		if (!s->hits)
			lines_say(&g->out, "stop %u at %s was not reached: %s\n", s->id, s->text,
			          s->found ? "no warp came there" : never[s->place.kind]);
	}
}

static bool same_file(const char *asked, const char *have)
{
	const char *base = strrchr(have, '/');
	return !strcmp(asked, have) || (base && !strcmp(asked, base + 1));
}

static bool on_line(const struct stop *s, const struct fe_place *p)
{
	if ((!strcmp(s->place.name, "ptx") || same_file(s->place.name, p->file)) && p->line == s->place.at)
		return true;
	return p->source && same_file(s->place.name, p->source) && p->source_line == s->place.at;
}

static bool matches(const struct stop *s, const struct kernel_launch *l, const struct isa_inst *i)
{
	struct fe_place p;
	switch (s->place.kind) {
	case STOP_CODE: return i->pc == s->place.at;
	case STOP_KERNEL: return !i->pc && strstr(l->info->name, s->place.name);
	case STOP_LINE:
		l->fe->place(l->code, i, &p);
		return on_line(s, &p);
	default: return false;
	}
}

// Notes the instructions of a kernel that stops are about: of a line the first of each run of instructions.
static void search(struct debugger *g, const struct kernel_launch *l)
{
	for (size_t k = 0; k < g->seen.n; k++)
		if (g->seen.at[k] == l->code)
			return;
	VEC_PUSH(&g->seen, l->code);
	for (size_t k = 0; k < g->stop.n; k++) {
		struct stop *s = &g->stop.at[k];
		bool before = false, here;
		const struct isa_inst *i;
		for (uint64_t pc = 0; l->fe->inst_at && (i = l->fe->inst_at(l->code, pc)); pc += l->fe->inst_bytes, before = here) {
			here = matches(s, l, i);
			if (here && !before)
				VEC_PUSH(&s->where, i);
			s->found |= here;
		}
	}
}

// The stop before instruction `i`. Code that the front end does not know beforehand is compared as it runs.
static struct stop *stop_at(struct debugger *g, const struct kernel_launch *l, const struct isa_inst *i)
{
	for (size_t k = 0; !l->fe->inst_at && k < g->stop.n; k++)
		if (matches(&g->stop.at[k], l, i))
			return &g->stop.at[k];
	for (size_t k = 0; k < g->stop.n; k++)
		for (size_t n = 0; n < g->stop.at[k].where.n; n++)
			if (g->stop.at[k].where.at[n] == i)
				return &g->stop.at[k];
	return NULL;
}

static void remove_stop(struct debugger *g, size_t k)
{
	struct stop *s = &g->stop.at[k];
	mem_free(s->text);
	debug_place_free(&s->place);
	VEC_FREE(&s->where);
	memmove(s, s + 1, (--g->stop.n - k) * sizeof *s);
}

static void let_go(struct debugger *g)
{
	while (g->stop.n)
		remove_stop(g, g->stop.n - 1);
	g->stepi = false;
	g->next_cycle = UINT64_MAX;
	g->detached = true;
}

// --- commands. True: the GPU goes on.

static bool has_sm(struct debugger *g, unsigned sm)
{
	if (sm < g->t->core.n_sm)
		return true;
	lines_say(&g->out, "this GPU has SMs 0 to %u\n", g->t->core.n_sm - 1);
	return false;
}

static bool cmd_step(struct debugger *g, const char *arg)
{
	uint64_t n = 1;
	if (*arg && (arg[strspn(arg, "0123456789")] || !(n = strtoull(arg, NULL, 10)))) {
		lines_say(&g->out, "usage: step [CYCLES]\n");
		return false;
	}
	g->next_cycle = n > UINT64_MAX - 1 - g->t->cycle ? UINT64_MAX - 1 : g->t->cycle + n;
	return true;
}

static bool cmd_stepi(struct debugger *g, const char *arg)
{
	unsigned sm, slot;
	if (*arg) {
		if (sscanf(arg, "%u %u", &sm, &slot) != 2 || slot >= CORE_MAX_WARPS) {
			lines_say(&g->out, "usage: stepi [SM WARP]\n");
			return false;
		}
		if (!has_sm(g, sm))
			return false;
		g->sm = sm;
		g->slot = slot;
	}
	g->stepi = true;
	return true;
}

static bool cmd_continue(struct debugger *g, const char *arg) { return true; }

static bool cmd_break(struct debugger *g, const char *arg)
{
	char why[300];
	if (debugger_add(g, arg, why, sizeof why))
		lines_say(&g->out, "stop %u at %s\n", g->next_id, arg);
	else
		lines_say(&g->out, "%s\n", why);
	return false;
}

static bool cmd_delete(struct debugger *g, const char *arg)
{
	unsigned id = (unsigned)strtoul(arg, NULL, 10);
	size_t n = g->stop.n;
	for (size_t k = g->stop.n; k-- > 0;)
		if (!*arg || g->stop.at[k].id == id)
			remove_stop(g, k);
	if (*arg && n == g->stop.n)
		lines_say(&g->out, "there is no stop %s\n", arg);
	return false;
}

static bool has_warp(struct debugger *g, unsigned sm, unsigned slot)
{
	if (!has_sm(g, sm))
		return false;
	if (slot < CORE_MAX_WARPS && g->t->sm[sm].resident >> slot & 1)
		return true;
	lines_say(&g->out, "gpu.sm[%u] has no warp %u; 'pipe %u' lists those it has\n", sm, slot, sm);
	return false;
}

static void say_focus(struct debugger *g)
{
	const struct sm *m = &g->t->sm[g->sm];
	const struct sm_warp *w = &m->warp[g->slot];
	char inst[400];
	uint32_t cta[3];
	if (!(m->resident >> g->slot & 1))
		return;
	w->k->launch->fe->cta_position(w->fe, cta);
	sm_print_inst(w, w->next, inst, sizeof inst);
	lines_say(&g->out, "gpu.sm[%u] warp %u (block (%u,%u,%u), its warp %u), next: %s\n", m->id, g->slot, cta[0], cta[1], cta[2],
	          w->fe_warp, w->next ? inst : sm_wait_text(sm_wait_of(m, g->slot)));
}

static bool cmd_info(struct debugger *g, const char *arg)
{
	lines_say(&g->out, "cycle %llu\n", (ull)g->t->cycle);
	say_focus(g);
	for (size_t k = 0; k < g->stop.n; k++)
		lines_say(&g->out, "stop %u at %s, reached %llu time%s\n", g->stop.at[k].id, g->stop.at[k].text, (ull)g->stop.at[k].hits,
		          g->stop.at[k].hits == 1 ? "" : "s");
	return false;
}

static bool cmd_pipe(struct debugger *g, const char *arg)
{
	unsigned sm = *arg ? (unsigned)strtoul(arg, NULL, 10) : g->sm;
	if (has_sm(g, sm))
		sm_print_pipeline(&g->t->sm[sm], &g->out);
	return false;
}

static bool cmd_warp(struct debugger *g, const char *arg)
{
	unsigned sm = g->sm, slot = g->slot;
	char text[800];
	if (*arg && sscanf(arg, "%u %u", &sm, &slot) != 2) {
		lines_say(&g->out, "usage: warp SM WARP\n");
		return false;
	}
	if (!has_warp(g, sm, slot))
		return false;
	const struct sm_warp *w = &g->t->sm[sm].warp[slot];
	sm_print_wait(&g->t->sm[sm], slot, text, sizeof text);
	lines_say(&g->out, "gpu.sm[%u] warp %u: %s\n", sm, slot, text);
	w->k->launch->fe->dump(w->fe, w->fe_warp, g->io.put, g->io.ctx);
	return false;
}

static bool cmd_x(struct debugger *g, const char *arg)
{
	ull addr = 0, n = 4;
	const struct devmem *mem = NULL;
	for (unsigned i = 0; i < g->t->n_places && !mem; i++)
		if (g->t->kernel[i])
			mem = g->t->kernel[i]->launch->mem;
	if (sscanf(arg, "%llx %llu", &addr, &n) < 1 || !mem) {
		lines_say(&g->out, mem ? "usage: x ADDRESS [WORDS]\n" : "no kernel runs\n");
		return false;
	}
	const struct devmem_range *r = devmem_find(mem, addr);
	if (!r) {
		lines_say(&g->out, "0x%llx lies in no allocation\n", addr);
		return false;
	}
	if (n > (r->end - addr) / 4)
		n = (r->end - addr) / 4;
	for (ull i = 0; i < n; i++) {
		uint32_t v;
		memcpy(&v, (const void *)(uintptr_t)(addr + 4 * i), sizeof v);
		if (i % 4 == 0)
			lines_say(&g->out, "%s0x%llx:", i ? "\n" : "", addr + 4 * i);
		lines_say(&g->out, " %08x", v);
	}
	lines_say(&g->out, "\n");
	return false;
}

static bool cmd_queues(struct debugger *g, const char *arg)
{
	deadlock_queues(g->t, g->io.put, g->io.ctx);
	return false;
}

static bool cmd_kernels(struct debugger *g, const char *arg)
{
	deadlock_kernels(g->t, g->io.put, g->io.ctx);
	return false;
}

static bool cmd_detach(struct debugger *g, const char *arg)
{
	let_go(g);
	return true;
}

static bool cmd_quit(struct debugger *g, const char *arg)
{
	let_go(g);
	if (g->io.quit)
		g->io.quit(g->io.ctx);
	return true;
}

static bool cmd_help(struct debugger *g, const char *arg);

static const struct command {
	const char *name, *short_name, *args, *help;
	bool (*run)(struct debugger *g, const char *arg);
} commands[] = {
	{"step", "s", "[N]", "go on for N core cycles (1)", cmd_step},
	{"stepi", "si", "[SM WARP]", "go on until that warp, or that of the last stop, issues an instruction", cmd_stepi},
	{"continue", "c", "", "go on to the next stop", cmd_continue},
	{"break", "b", "PLACE", "stop there: cycle=N, FILE:LINE, 0xADDRESS of code or memory, name of a kernel", cmd_break},
	{"delete", "d", "[ID]", "forget a stop, or all", cmd_delete},
	{"info", "i", "", "cycle, warp and stops", cmd_info},
	{"pipe", "p", "[SM]", "warps and pipeline of an SM", cmd_pipe},
	{"warp", "w", "[SM WARP]", "groups of lanes of a warp, with the registers in use", cmd_warp},
	{"x", "x", "ADDRESS [N]", "N words of device memory (4)", cmd_x},
	{"queues", "q", "", "every queue that holds something", cmd_queues},
	{"kernels", "k", "", "kernels that run, and what their warps wait for", cmd_kernels},
	{"detach", "", "", "forget all stops and go on", cmd_detach},
	{"quit", "", "", "end the program", cmd_quit},
	{"help", "h", "", "this list", cmd_help},
};

static bool cmd_help(struct debugger *g, const char *arg)
{
	for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
		lines_say(&g->out, "  %-9s %-2s %-12s %s\n", commands[k].name, commands[k].short_name, commands[k].args, commands[k].help);
	return false;
}

static bool obey(struct debugger *g, const char *line)
{
	size_t n = strcspn(line, " \t");
	const char *arg = line + n + strspn(line + n, " \t");
	for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
		const struct command *c = &commands[k];
		bool is = strlen(c->name) == n && !strncmp(line, c->name, n);
		if (is || (strlen(c->short_name) == n && !strncmp(line, c->short_name, n)))
			return c->run(g, arg);
	}
	lines_say(&g->out, "no command '%.*s'; 'help' lists them\n", (int)n, line);
	return false;
}

// Reads commands until one lets the GPU go on.
static void talk(struct debugger *g)
{
	char line[sizeof g->last];
	g->next_cycle = UINT64_MAX;
	g->stepi = false;
	do {
		if (!g->io.read_line(g->io.ctx, line, sizeof line)) {
			let_go(g);
			break;
		}
		size_t n = strlen(line);
		while (n && (line[n - 1] == ' ' || line[n - 1] == '\t' || line[n - 1] == '\r'))
			line[--n] = 0;
		if (n)
			memcpy(g->last, line, sizeof g->last);
	} while (!*g->last || !obey(g, g->last));
	g->changed(g->changed_ctx);
}

// --- what the timing model calls

struct debugger *debugger_new(const struct debugger_io *io)
{
	struct debugger *g = MEM_NEW(struct debugger);
	g->io = *io;
	g->out = (struct lines){.put = io->put, .ctx = io->ctx};
	g->next_cycle = UINT64_MAX;
	return g;
}

void debugger_free(struct debugger *g)
{
	if (!g)
		return;
	let_go(g);
	VEC_FREE(&g->stop);
	VEC_FREE(&g->seen);
	mem_free(g);
}

void debugger_forget_code(struct debugger *g)
{
	if (!g)
		return;
	g->seen.n = 0;
	for (size_t k = 0; k < g->stop.n; k++)
		g->stop.at[k].where.n = 0;
}

void debugger_attach(struct debugger *g, struct timing *t, void (*changed)(void *ctx), void *ctx)
{
	g->t = t;
	g->changed = changed;
	g->changed_ctx = ctx;
}

uint64_t debugger_next_cycle(const struct debugger *g)
{
	uint64_t n = g->next_cycle;
	for (size_t k = 0; k < g->stop.n; k++)
		if (g->stop.at[k].place.kind == STOP_CYCLE && !g->stop.at[k].hits && g->stop.at[k].place.at < n)
			n = g->stop.at[k].place.at;
	return n;
}

void debugger_at_cycle(struct debugger *g)
{
	for (size_t k = 0; k < g->stop.n; k++)
		if (g->stop.at[k].place.kind == STOP_CYCLE && g->stop.at[k].place.at <= g->t->cycle)
			g->stop.at[k].hits++;
	lines_say(&g->out, "cycle %llu\n", (ull)g->t->cycle);
	talk(g);
}

bool debugger_wants_instructions(const struct debugger *g)
{
	for (size_t k = 0; k < g->stop.n; k++)
		if (g->stop.at[k].place.kind != STOP_CYCLE)
			return true;
	return g->stepi;
}

void debugger_before(struct debugger *g, const struct sm *m, unsigned slot)
{
	const struct sm_warp *w = &m->warp[slot];
	search(g, w->k->launch);
	struct stop *s = stop_at(g, w->k->launch, w->next);
	if (!s && !(g->stepi && m->id == g->sm && slot == g->slot))
		return;
	g->sm = m->id;
	g->slot = slot;
	if (s) {
		s->hits++;
		lines_say(&g->out, "stop %u (%s) in cycle %llu\n", s->id, s->text, (ull)m->now);
	} else {
		lines_say(&g->out, "cycle %llu\n", (ull)m->now);
	}
	say_focus(g);
	talk(g);
}

static bool touches(const struct fe_result *r, uint64_t addr)
{
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		for (uint32_t m = a->space == SPACE_GLOBAL ? a->mask : 0; m; m &= m - 1) {
			uint64_t at = a->addr[__builtin_ctz(m)];
			if (addr >= at && addr - at < a->bytes)
				return true;
		}
	}
	return false;
}

void debugger_issued(struct debugger *g, const struct sm *m, unsigned slot, const struct isa_inst *inst,
                     const struct fe_result *r)
{
	struct stop *s = NULL;
	char text[400];
	for (size_t k = 0; k < g->stop.n && !s; k++)
		if (g->stop.at[k].place.kind == STOP_DATA && touches(r, g->stop.at[k].place.at))
			s = &g->stop.at[k];
	if (!s)
		return;
	s->hits++;
	g->sm = m->id;
	g->slot = slot;
	sm_print_inst(&m->warp[slot], inst, text, sizeof text);
	lines_say(&g->out, "stop %u (%s) in cycle %llu: touched by %s\n", s->id, s->text, (ull)m->now, text);
	say_focus(g);
	talk(g);
}
