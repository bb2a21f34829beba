// What a kernel's statistics are: the figures, summed up; their rows, walked once for the text and once for JSON; and the
// shorter text of functional mode. Lines about wall-clock time and rate are the only ones that may differ between two runs
// of one program.
#include "gpgpu-sim/stats/stats.h"
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"
#include "base/option_forms.h"
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

// --- rows

static uint64_t stat_gl_stall(const struct stat_view *v, enum ldst_stall why)
{
	return v->sm.stall[LDST_G_MEM_LD][why] + v->sm.stall[LDST_G_MEM_ST][why] + v->sm.stall[LDST_L_MEM_LD][why] +
	       v->sm.stall[LDST_L_MEM_ST][why];
}

static const char *stat_fraction(uint64_t a, uint64_t b, char buf[64])
{
	snprintf(buf, 64, " = %llu/%llu = ", (ull)a, (ull)b);
	return buf;
}

static void stat_kernel_name(struct stat_out *o, const struct stat_view *v)
{
	if (o->json) {
		stat_text(o, "%s", v->k->name);
		return;
	}
	stat_puts(o, "kernel_name = ");
	stat_puts(o, v->k->name);
	stat_puts(o, " \n");
}

static void stat_time(struct stat_out *o, double seconds)
{
	unsigned sec = seconds < 1 ? 1 : (unsigned)seconds; // scripts divide by it
	stat_say(o, "gpgpu_simulation_time = %u days, %u hrs, %u min, %u sec (%u sec)\n", sec / 86400, sec / 3600 % 24, sec / 60 % 60, sec % 60,
	         sec);
	if (o->json)
		stat_cell_real(o, "", seconds);
}

static void stat_rates(struct stat_out *o, const struct stat_view *v)
{
	stat_open(o, '{');
	stat_key(o, "inst/sec");
	stat_cell(o, "gpgpu_simulation_rate = %llu (inst/sec)\n", stat_rate(v->tot_insts, v->seconds));
	if (v->t) {
		stat_key(o, "cycle/sec");
		stat_cell(o, "gpgpu_simulation_rate = %llu (cycle/sec)\n", stat_rate(v->tot_cycles, v->seconds));
	}
	stat_close(o, '}');
}

static void stat_slowdown(struct stat_out *o, const struct stat_view *v)
{
	uint64_t cycles = stat_rate(v->tot_cycles, v->seconds);
	stat_cell(o, "gpgpu_silicon_slowdown = %llux\n", v->t->desc.clock_hz[0] / (cycles ? cycles : 1));
}

void stat_walk(struct stat_out *o, const struct stat_view *v)
{
#define STAT_INT(name, before, after, unit, kind, value, description) \
	stat_int(o, name, before, after, unit, STAT_KIND_##kind, (uint64_t)(value), description);
#define STAT_REAL(name, before, format, after, unit, kind, value, description) \
	stat_real(o, name, before, format, after, unit, STAT_KIND_##kind, value, description);
#define STAT_TABLE(name, shape, unit, kind, call, description)           \
	stat_begin(o, name, unit, STAT_KIND_##kind, description);        \
	call;                                                            \
	stat_end(o);
#define STAT_SAY(text) stat_say(o, text);
#define STAT_IF(condition) if (condition) {
#define STAT_ENDIF }
#define STAT_LONG if (!o->brief) {
#define STAT_LONG_END }
#include "gpgpu-sim/stats/stats.def"
}

// --- functional mode: what can be said without time

static void classes(struct stat_out *o, const struct kernel_counts *c)
{
	static const char *const name[] = {
#define X(id, text) text,
		ISA_CLASSES(X)
#undef X
	};
	stat_begin(o, "gpgpu_n_w_icount", "warp instructions, thread instructions", STAT_KIND_KERNEL, "Instructions by class.");
	stat_open(o, '{');
	for (unsigned k = 0; k < ISA_N_CLASSES; k++) {
		if (!c->cls[k])
			continue;
		stat_key(o, "%s", name[k]);
		stat_open(o, '[');
		stat_say(o, "gpgpu_n_w_icount[%s] = ", name[k]);
		stat_cell(o, "%llu, ", c->cls[k]);
		stat_say(o, "gpgpu_n_thrd_icount[%s] = ", name[k]);
		stat_cell(o, "%llu\n", c->cls_thread[k]);
		stat_close(o, ']');
	}
	stat_close(o, '}');
	stat_end(o);
}

static void walk_functional(struct stat_out *o, const struct stat_view *v)
{
	const struct kernel_counts *t = v->st->timing ? &v->st->untimed : &v->st->total, *k = &v->k->counts;
	double busy = v->st->busy;
	stat_begin(o, "kernel_name", "", STAT_KIND_KERNEL, "Mangled name of the kernel that has ended.");
	stat_kernel_name(o, v);
	stat_end(o);
	stat_int(o, "kernel_launch_uid", " = ", " \n", "", STAT_KIND_KERNEL, v->k->uid, "Number of the launch in the program, from 1.");
	stat_int(o, "kernel_stream_id", " = ", "\n", "", STAT_KIND_KERNEL, v->k->stream, "Stream it was launched in.");
	stat_int(o, "gpu_sim_insn", " = ", "\n", "thread instructions", STAT_KIND_KERNEL, k->thread_insts, "Thread instructions executed.");
	stat_int(o, "gpu_tot_sim_insn", " = ", "\n", "thread instructions", STAT_KIND_TOTAL, t->thread_insts, "Sum of gpu_sim_insn.");
	stat_int(o, "gpu_tot_issued_cta", " = ", "\n", "CTAs", STAT_KIND_TOTAL, t->ctas, "CTAs executed.");
	stat_int(o, "gpgpu_n_tot_thrd_icount", " = ", "\n", "thread instructions", STAT_KIND_TOTAL, t->thread_insts, "As gpu_tot_sim_insn.");
	stat_int(o, "gpgpu_n_tot_w_icount", " = ", "\n", "warp instructions", STAT_KIND_TOTAL, t->warp_insts, "Warp instructions executed.");
	stat_int(o, "gpu_total_sim_rate", "=", "\n", "thread instructions per second", STAT_KIND_RATE,
	         (uint64_t)((double)t->thread_insts / (busy > 1e-6 ? busy : 1e-6)), "By processor time of the simulation.");
	classes(o, k);
	stat_say(o, "GPGPU-Sim: Done functional simulation (%llu instructions simulated).\n\n\n", (ull)k->thread_insts);
	stat_begin(o, "gpgpu_simulation_time", "seconds", STAT_KIND_TOTAL, "Wall-clock time.");
	stat_time(o, v->seconds);
	stat_end(o);
	stat_begin(o, "gpgpu_simulation_rate", "per second", STAT_KIND_RATE, "Thread instructions by wall-clock time.");
	stat_rates(o, v);
	stat_end(o);
}

// --- both modes

static void walk(struct stat_out *o, void *ctx)
{
	const struct stat_view *v = ctx;
	if (v->t)
		stat_walk(o, v);
	else
		walk_functional(o, v);
}

void stats_form_init(struct stats *st)
{
	struct form_error err;
	form_stats(st->opt->stats, &st->brief, &err); // was checked when it was read, as is the next
	kernel_select_parse(&st->in_full, st->opt->stats_full_kernels, &err);
	st->brief &= st->timing != NULL; // without time there are no tables
	if (st->brief)
		st->timing->brief = true;
}

// With the snapshot of control flow behind it, which begins anew.
static void print_text(struct stats *st, struct stat_view *v, bool brief, bool flow, void (*put)(void *ctx, const char *text),
                       void *ctx)
{
	struct stat_out o = {.text = &st->text, .brief = brief};
	st->text.n = 0;
	walk(&o, v);
	put(ctx, stat_text_end(&st->text));
	if (flow && st->timing && st->opt->gpgpu_cflog_interval)
		stats_flow_say(st, put, ctx);
}

static void hold_open(struct stats *st, const struct stat_kernel *k, double seconds, void (*put)(void *ctx, const char *text),
                      void *ctx)
{
	struct stat_last *last = &st->last;
	char *name = (char *)last->kernel.name;
	if (!name || strcmp(name, k->name)) {
		mem_free(name);
		name = mem_strdup(k->name);
	}
	*last = (struct stat_last){.kernel = *k, .seconds = seconds, .open = true, .put = put, .ctx = ctx};
	last->kernel.name = name;
}

void stats_go_on(struct stats *st)
{
	if (st->last.open)
		timing_end_interval(st->timing);
	st->last.open = false;
}

void stats_print_rest(struct stats *st)
{
	const struct stat_last *last = &st->last;
	struct stat_view v;
	if (!last->open)
		return;
	stat_gather(&v, st, &last->kernel);
	v.seconds = last->seconds;
	print_text(st, &v, false, false, last->put, last->ctx);
	stats_go_on(st);
}

// With -sample: what the kernel would have taken, where not all of it was timed.
static void print_estimate(struct stats *st, const struct kernel_launch *l, void (*put)(void *ctx, const char *text), void *ctx)
{
	const struct stat_estimate *e = &st->estimate;
	const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	if (!e->made || e->ctas == ctas)
		return;
	st->text.n = 0;
	stat_say(&(struct stat_out){.text = &st->text}, "heddle_estimate = %s, launch %u: %.0f cycles +- %.0f, of %llu CTAs %llu were timed\n",
	         l->info->name, l->uid, e->whole.cycles, e->whole.error, (ull)ctas, (ull)e->ctas);
	put(ctx, stat_text_end(&st->text));
}

// A kernel that was only executed has a line in the text, and in the JSON what functional mode says of a kernel.
static void print_untimed(struct stats *st, const struct kernel_launch *l, struct stat_view *v, void (*put)(void *ctx, const char *text),
                          void *ctx)
{
	st->text.n = 0;
	stat_say(&(struct stat_out){.text = &st->text}, "heddle_untimed = %s, launch %llu: %llu thread instructions\n", v->k->name,
	         (ull)v->k->uid, (ull)v->k->counts.thread_insts);
	put(ctx, stat_text_end(&st->text));
	print_estimate(st, l, put, ctx);
	stats_json_kernel(st, l, walk, v);
}

void stats_print_kernel(struct stats *st, const struct kernel_launch *l, void (*put)(void *ctx, const char *text), void *ctx)
{
	struct stat_kernel k = {.name = l->info->name, .uid = l->uid, .stream = l->stream, .counts = l->counts};
	struct stat_view v = {.st = st, .k = &k, .seconds = stats_seconds(st), .tot_insts = st->total.thread_insts};
	if (st->timing && l->untimed) {
		print_untimed(st, l, &v, put, ctx);
		return;
	}
	bool brief = st->brief && !kernel_select_has(&st->in_full, k.uid, k.name);
	stats_go_on(st);
	if (st->timing)
		stat_gather(&v, st, &k);
	print_text(st, &v, brief, true, put, ctx);
	print_estimate(st, l, put, ctx);
	stats_json_kernel(st, l, walk, &v);
	stats_lines_write(st);
	stats_visual_flush(st);
	if (brief)
		hold_open(st, &k, v.seconds, put, ctx);
	else if (st->timing)
		timing_end_interval(st->timing);
}
