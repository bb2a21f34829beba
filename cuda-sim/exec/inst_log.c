#include "cuda-sim/exec/inst_log.h"

#include "base/mem.h"
#include "base/output.h"
#include "base/vec.h"

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
	uint64_t *op; // by the front end's number
	// What was executed last and has not shown what it wrote; warp NULL: it has.
	struct inst_log_at last;
	uint32_t lanes;
};

struct launch_log {
	const struct kernel_launch *launch;
	const struct inst_log_ops *ops;
	uint32_t n_op;
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

void inst_log_begin(struct inst_log *l, const struct kernel_launch *launch, const struct inst_log_ops *ops)
{
	if (!l)
		return;
	struct launch_log *k = MEM_NEW(struct launch_log);
	k->launch = launch;
	k->ops = ops;
	while (ops->op_name(k->n_op))
		k->n_op++;
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
		s->op = mem_alloc(k->n_op * sizeof *s->op);
	}
	return s;
}

static uint64_t thread_of(const struct launch_log *k, const struct warp *w, unsigned lane)
{
	const struct kernel_launch *a = k->launch;
	const uint32_t *id = w->cta->id;
	uint64_t cta = id[0] + (uint64_t)a->grid[0] * (id[1] + (uint64_t)a->grid[1] * id[2]);
	return k->first_thread + cta * a->block[0] * a->block[1] * a->block[2] + (uint64_t)w->id * WARP + lane;
}

static void put_file(void *ctx, const char *text) { fputs(text, ctx); }

__attribute__((format(printf, 3, 4))) static void say(const struct inst_log_sm *l, const struct warp *w, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (w->cta->effects)
		effects_say(w->cta->effects, put_file, l->log->out, line);
	else
		fputs(line, l->log->out);
}

struct shown {
	const struct inst_log_sm *log;
	const struct warp *warp;
	const char *what;
};

static void show_register(void *ctx, const char *name, const char *value)
{
	const struct shown *s = ctx;
	say(s->log, s->warp, "    %s %s = %s\n", s->what, name, value);
}

static void show_registers(const struct inst_log_sm *l, const struct inst_log_at *i, bool writes, unsigned lane)
{
	struct shown s = {l, i->warp, writes ? "writes" : "reads"};
	l->of->ops->registers(i, writes, lane, show_register, &s);
}

static void show_results(struct inst_log_sm *l)
{
	struct inst_log_at i = l->last;
	l->last.warp = NULL;
	if (!i.warp || (l->of->ops->lasts && !l->of->ops->lasts(&i)))
		return;
	for (uint32_t m = l->lanes; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		if (l->lanes & (l->lanes - 1))
			say(l, i.warp, "[thd=%llu]\n", (unsigned long long)thread_of(l->of, i.warp, lane));
		show_registers(l, &i, true, lane);
	}
}

static void dump(struct inst_log_sm *l, const struct inst_log_at *i, uint32_t active, uint32_t mask)
{
	uint32_t lanes = 0;
	for (uint32_t m = active; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		lanes |= (uint32_t)(!l->log->thread || thread_of(l->of, i->warp, lane) == l->log->thread) << lane;
	}
	if (!lanes)
		return;
	char text[900];
	show_results(l);
	l->of->ops->show(i, text, sizeof text);
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		say(l, i->warp, "[thd=%llu] : (%s)%s\n", (unsigned long long)thread_of(l->of, i->warp, lane), text,
		    mask >> lane & 1 ? "" : " not executed");
		show_registers(l, i, false, lane);
	}
	l->last = *i;
	l->lanes = lanes & mask;
}

void inst_log_step(struct inst_log_sm *l, const struct inst_log_at *i, unsigned cls, unsigned space, uint32_t op, uint32_t active,
                   uint32_t mask)
{
	if (l->log->classify) {
		unsigned lanes = (unsigned)__builtin_popcount(mask);
		l->cls[cls] += lanes;
		l->space[space] += lanes;
		l->op[op] += lanes;
	}
	if (l->log->out)
		dump(l, i, active, mask);
}

void inst_log_pause(struct inst_log_sm *l) { show_results(l); }

struct counted {
	void (*put)(void *ctx, const char *text);
	void *ctx;
	const struct inst_log_ops *ops;
	uint32_t n_op;
};

static void put_count(const struct counted *c, const char *what, const char *name, uint64_t n)
{
	char line[200];
	if (!n)
		return;
	snprintf(line, sizeof line, "%s_instruction_%s[%s] = %llu\n", c->ops->kind, what, name, (unsigned long long)n);
	c->put(c->ctx, line);
}

static void put_counts(const struct counted *c, const struct inst_log_sm *k)
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
		put_count(c, "class", cls[i], k->cls[i]);
	for (unsigned i = SPACE_GENERIC; i < SPACES; i++)
		put_count(c, "space", space[i], k->space[i]);
	uint64_t n = 0;
	for (uint32_t i = 0; i < c->n_op; i++) {
		const char *name = c->ops->op_name(i);
		n += k->op[i];
		if (i + 1 < c->n_op && !strcmp(name, c->ops->op_name(i + 1)))
			continue;
		put_count(c, "op", name, n);
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
		for (uint32_t i = 0; i < k->n_op; i++)
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
		struct counted c = {put, ctx, (*at)->ops, (*at)->n_op};
		struct inst_log_sm sum = {.op = mem_alloc(c.n_op * sizeof *sum.op)};
		add_up(&sum, *at);
		put_counts(&c, &sum);
		mem_free(sum.op);
	}
	launch_free(*at);
	*at = l->launch.at[--l->launch.n];
	if (l->out)
		fflush(l->out);
}
