#include "cuda-sim/simt/inst_log.h"

#include "base/mem.h"
#include "base/output.h"
#include "cuda-sim/ptx/ops.h"
#include "cuda-sim/simt/inspect.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPACES = SPACE_TEX + 1 };

struct inst_log_sm {
	const struct inst_log *log;
	const struct launch_log *of;
	uint64_t cls[ISA_N_CLASSES], space[SPACES];
	uint64_t *op; // by row of ptx_op_table
	reg_uses uses;
	// What was executed last and has not shown what it wrote.
	struct simt_warp *warp;
	const struct code *code;
	int32_t frame;
	uint32_t inst, lanes;
};

struct launch_log {
	const struct kernel_launch *launch;
	uint64_t first_thread;
	VEC(struct inst_log_sm *) sm; // by number, NULL where no block of it has run
};

struct inst_log {
	FILE *out;         // NULL: no dump
	uint64_t thread;   // 0: all
	uint64_t next_thread;
	bool classify;
	VEC(struct launch_log *) launch; // that run
};

struct inst_log *inst_log_new(const char *path, uint64_t thread, bool classify, struct diag *d)
{
	struct inst_log *l = MEM_NEW(struct inst_log);
	l->thread = thread;
	l->next_thread = 1;
	l->classify = classify;
	int error = path ? output_check(path) : 0;
	if (path && !error && !(l->out = output_open_later(path)))
		error = errno;
	if (error) {
		diag_add(d, DIAG_ERROR, "option '-gpgpu_ptx_inst_debug_file': cannot write %s: %s", path, output_why(error));
		mem_free(l);
		return NULL;
	}
	if (path)
		output_empty(path);
	return l;
}

static void launch_free(struct launch_log *k)
{
	for (size_t i = 0; i < k->sm.n; i++) {
		if (!k->sm.at[i])
			continue;
		mem_free(k->sm.at[i]->op);
		VEC_FREE(&k->sm.at[i]->uses);
		mem_free(k->sm.at[i]);
	}
	VEC_FREE(&k->sm);
	mem_free(k);
}

bool inst_log_free(struct inst_log *l)
{
	if (!l)
		return true;
	bool ok = !l->out || !ferror(l->out);
	if (l->out && fclose(l->out))
		ok = false;
	for (size_t k = 0; k < l->launch.n; k++)
		launch_free(l->launch.at[k]);
	VEC_FREE(&l->launch);
	mem_free(l);
	return ok;
}

void inst_log_begin(struct inst_log *l, const struct kernel_launch *launch)
{
	if (!l)
		return;
	struct launch_log *k = MEM_NEW(struct launch_log);
	k->launch = launch;
	k->first_thread = l->next_thread;
	l->next_thread += (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] * launch->block[0] *
	                  launch->block[1] * launch->block[2];
	VEC_PUSH(&l->launch, k);
}

// NULL if it has not begun. The latest: a launch that never ended may have stood in the same place.
static struct launch_log **of_launch(const struct inst_log *l, const struct kernel_launch *launch)
{
	for (size_t k = l->launch.n; k-- > 0;)
		if (l->launch.at[k]->launch == launch)
			return &l->launch.at[k];
	return NULL;
}

struct inst_log_sm *inst_log_of_sm(struct inst_log *l, const struct kernel_launch *launch, uint32_t sm)
{
	struct launch_log **at = l ? of_launch(l, launch) : NULL;
	if (!at)
		return NULL;
	struct launch_log *k = *at;
	while (k->sm.n <= sm)
		VEC_PUSH(&k->sm, NULL);
	struct inst_log_sm *s = k->sm.at[sm];
	if (!s) {
		s = k->sm.at[sm] = MEM_NEW(struct inst_log_sm);
		s->log = l;
		s->of = k;
		s->op = mem_alloc(ptx_op_count * sizeof *s->op);
	}
	return s;
}

static uint64_t thread_of(const struct launch_log *k, const struct simt_warp *w, unsigned lane)
{
	const struct kernel_launch *a = k->launch;
	const uint32_t *id = w->cta->x.id;
	uint64_t cta = id[0] + (uint64_t)a->grid[0] * (id[1] + (uint64_t)a->grid[1] * id[2]);
	return k->first_thread + cta * a->block[0] * a->block[1] * a->block[2] + (uint64_t)w->w.id * WARP + lane;
}

static void put_file(void *ctx, const char *text) { fputs(text, ctx); }

__attribute__((format(printf, 3, 4))) static void say(const struct inst_log_sm *l, const struct simt_warp *w, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (w->cta->x.effects)
		effects_say(w->cta->x.effects, put_file, l->log->out, line);
	else
		fputs(line, l->log->out);
}

// Registers that the instruction reads, or those that it writes, of one lane.
static void show_registers(struct inst_log_sm *l, const struct simt_warp *w, int32_t frame, const struct ptx_inst *i,
                           bool def, unsigned lane)
{
	const struct frame *f = &w->frame.at[frame];
	char name[64], value[48];
	inst_reg_operands(i, &l->uses);
	if (i->guard >= 0)
		VEC_PUSH(&l->uses, ((struct reg_use){(uint32_t)i->guard, false}));
	for (size_t k = 0; k < l->uses.n; k++) {
		uint32_t reg = l->uses.at[k].reg;
		if (l->uses.at[k].def != def)
			continue;
		ptx_reg_print(f->code->func, reg, name, sizeof name);
		inspect_value((enum ptx_type)f->code->func->reg[reg].type, w->rows + f->fp + f->code->row_of_reg[reg], lane,
		              value, sizeof value);
		say(l, w, "    %s %s = %s\n", def ? "writes" : "reads", name, value);
	}
}

// A call has left the activation whose registers it writes: those show where they are used.
static void show_results(struct inst_log_sm *l)
{
	struct simt_warp *w = l->warp;
	l->warp = NULL;
	if (!w || (size_t)l->frame >= w->frame.n || !w->frame.at[l->frame].refs || w->frame.at[l->frame].code != l->code)
		return;
	const struct ptx_inst *i = &l->code->func->inst[l->inst];
	for (uint32_t m = l->lanes; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		if (l->lanes & (l->lanes - 1))
			say(l, w, "[thd=%llu]\n", (unsigned long long)thread_of(l->of, w, lane));
		show_registers(l, w, l->frame, i, true, lane);
	}
}

static void dump(struct inst_log_sm *l, struct simt_warp *w, int32_t frame, uint32_t n, uint32_t active, uint32_t mask)
{
	uint32_t lanes = 0;
	for (uint32_t m = active; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		lanes |= (uint32_t)(!l->log->thread || thread_of(l->of, w, lane) == l->log->thread) << lane;
	}
	if (!lanes)
		return;
	const struct code *c = w->frame.at[frame].code;
	const struct ptx_inst *i = &c->func->inst[n];
	char text[400];
	show_results(l);
	ptx_inst_print(c->func, i, text, sizeof text);
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		say(l, w, "[thd=%llu] : (%.400s:%u - %s)%s\n", (unsigned long long)thread_of(l->of, w, lane),
		    c->func->module->text.name, i->line, text, mask >> lane & 1 ? "" : " not executed");
		show_registers(l, w, frame, i, false, lane);
	}
	l->warp = w;
	l->code = c;
	l->frame = frame;
	l->inst = n;
	l->lanes = lanes & mask;
}

void inst_log_step(struct inst_log_sm *l, struct simt_warp *w, int32_t frame, uint32_t pc, uint32_t active, uint32_t mask)
{
	const struct code *c = w->frame.at[frame].code;
	uint32_t n = c->inst_of[pc];
	if (n >= c->func->n_inst) // the end of the function, which no PTX line stands for
		return;
	if (l->log->classify) {
		unsigned lanes = (unsigned)__builtin_popcount(mask);
		l->cls[c->uop[pc].cls] += lanes;
		l->space[c->isa[n].space] += lanes;
		l->op[c->func->inst[n].op - ptx_op_table] += lanes;
	}
	if (l->log->out)
		dump(l, w, frame, n, active, mask);
}

void inst_log_pause(struct inst_log_sm *l) { show_results(l); }

static void put_count(void (*put)(void *ctx, const char *text), void *ctx, const char *what, const char *name,
                      uint64_t n)
{
	char line[200];
	if (!n)
		return;
	snprintf(line, sizeof line, "%s[%s] = %llu\n", what, name, (unsigned long long)n);
	put(ctx, line);
}

static void put_counts(const struct inst_log_sm *k, void (*put)(void *ctx, const char *text), void *ctx)
{
	static const char *const cls[] = {
#define X(id, text) text,
		ISA_CLASSES(X)
#undef X
	};
	static const char *const space[SPACES] = {
		[SPACE_GENERIC] = "generic", [SPACE_GLOBAL] = "global", [SPACE_SHARED] = "shared", [SPACE_LOCAL] = "local",
		[SPACE_CONST] = "const",     [SPACE_PARAM] = "param",   [SPACE_TEX] = "tex"};
	for (unsigned i = 0; i < ISA_N_CLASSES; i++)
		put_count(put, ctx, "ptx_instruction_class", cls[i], k->cls[i]);
	for (unsigned i = SPACE_GENERIC; i < SPACES; i++)
		put_count(put, ctx, "ptx_instruction_space", space[i], k->space[i]);
	// Rows of one mnemonic are adjacent.
	uint64_t n = 0;
	for (unsigned i = 0; i < ptx_op_count; i++) {
		n += k->op[i];
		if (i + 1 < ptx_op_count && !strcmp(ptx_op_table[i].name, ptx_op_table[i + 1].name))
			continue;
		put_count(put, ctx, "ptx_instruction_op", ptx_op_table[i].name, n);
		n = 0;
	}
}

static void add_up(struct inst_log_sm *sum, const struct launch_log *k)
{
	for (size_t m = 0; m < k->sm.n; m++) {
		const struct inst_log_sm *s = k->sm.at[m];
		if (!s)
			continue;
		for (unsigned i = 0; i < ISA_N_CLASSES; i++)
			sum->cls[i] += s->cls[i];
		for (unsigned i = 0; i < SPACES; i++)
			sum->space[i] += s->space[i];
		for (unsigned i = 0; i < ptx_op_count; i++)
			sum->op[i] += s->op[i];
	}
}

void inst_log_end(struct inst_log *l, const struct kernel_launch *launch, void (*put)(void *ctx, const char *text),
                  void *ctx)
{
	struct launch_log **at = l ? of_launch(l, launch) : NULL;
	if (!at)
		return;
	if (l->classify) {
		struct inst_log_sm sum = {.op = mem_alloc(ptx_op_count * sizeof *sum.op)};
		add_up(&sum, *at);
		put_counts(&sum, put, ctx);
		mem_free(sum.op);
	}
	launch_free(*at);
	*at = l->launch.at[--l->launch.n];
	if (l->out)
		fflush(l->out);
}
