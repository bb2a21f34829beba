// The GPU as libcuda sees it: the timing model, or functional execution without timing.
#include "gpgpu-sim/gpu.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/options.h"
#include "gpgpu-sim/gpu_state.h"
#include "gpgpu-sim/stats/record.h"
#include "gpgpu-sim/stats/sample.h"

#include <stdio.h>
#include <string.h>

// A kernel that a kernel has launched.
static void child_starts(void *ctx, struct kernel_launch *l)
{
	struct gpu *g = ctx;
	if (l->untimed) {
		untimed_start(&g->untimed, l);
		return;
	}
	stats_say_launch(&g->stats, l);
	timing_start(g->timing, l, stats_lines_of(&g->stats, l));
}

// What kernels launched and waited for, where there is time, and where there is none. In the latter case those that
// wait see for themselves when they get a turn.
static void serve_timed(void *ctx)
{
	struct gpu *g = ctx;
	timing_serve_launches(g->timing);
}

static void serve_untimed(void *ctx)
{
	struct gpu *g = ctx;
	struct grids_woken w;
	while (grids_woken(g->grids, &w))
		;
	while (grids_ready(g->grids) && untimed_room(&g->untimed))
		untimed_start(&g->untimed, grids_next(g->grids));
}

struct gpu *gpu_new(const struct options *opt, const struct gpu_desc *desc, bool timed, struct diag *d)
{
	struct gpu *g = MEM_NEW(struct gpu);
	g->opt = opt;
	g->desc = *desc;
	kernel_select_parse(&g->timed, opt->kernels, &(struct form_error){0}); // was checked when it was read
	clock_gettime(CLOCK_MONOTONIC, &g->stats.start);
	g->grids = grids_new();
	if (timed && !(g->timing = timing_new(opt, desc, d))) {
		grids_free(g->grids);
		kernel_select_free(&g->timed);
		mem_free(g);
		return NULL;
	}
	g->untimed = (struct untimed){.opt = opt, .desc = &g->desc, .grids = g->grids, .ended = timed ? NULL : &g->stats.total,
	                              .serve = timed ? serve_timed : serve_untimed, .serve_ctx = g};
	if (timed && opt->sample)
		g->estimates = estimates_new((double)opt->sample / 100);
	g->stats.opt = opt;
	g->stats.estimates = g->estimates;
	g->stats.gpu_name = g->desc.name;
	g->stats.timing = g->timing;
	g->stats.grids = g->grids;
	if (timed) {
		g->look = look_new(g->timing);
		timing_serves(g->timing, g->grids, child_starts, g);
		stats_record_init(&g->stats);
		stats_sample_init(&g->stats);
		stats_lines_init(&g->stats);
		stats_visual_init(&g->stats);
	}
	stats_json_init(&g->stats);
	stats_form_init(&g->stats);
	return g;
}

bool gpu_possible(const struct options *opt, const struct gpu_desc *desc, bool timed, struct diag *d)
{
	return !timed || timing_possible(opt, desc, d);
}

void gpu_keep_code(struct gpu *g)
{
	if (g->timing)
		g->timing->keep_code = true;
}

void gpu_forget_code(struct gpu *g)
{
	if (g && g->timing) {
		timing_forget_code(g->timing);
		stats_record_forget(&g->stats);
	}
}

void gpu_free(struct gpu *g)
{
	if (!g)
		return;
	untimed_free(&g->untimed);
	kernel_select_free(&g->timed);
	stats_free(&g->stats);
	estimates_free(g->estimates);
	look_free(g->look);
	timing_free(g->timing);
	grids_drop(g->grids);
	grids_free(g->grids);
	mem_free(g);
}

void gpu_watch(struct gpu *g, const struct gpu_watch *w)
{
	if (g->timing)
		look_attach(g->look, w);
}

void gpu_progress(const struct gpu *g, struct gpu_progress *out)
{
	if (g->timing) {
		look_progress(g->timing, out);
		return;
	}
	*out = (struct gpu_progress){.kernels = (unsigned)g->untimed.k.n, .cycles = gpu_cycle(g)};
	if (!g->untimed.k.n)
		return;
	const struct kernel_launch *l = g->untimed.k.at[0].launch;
	out->kernel = l->info->name;
	out->ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	out->ctas_done = l->counts.ctas - functional_resident(g->untimed.k.at[0].run);
}

void gpu_set_output(struct gpu *g, void (*put)(void *ctx, const char *text), void *ctx)
{
	g->stats.say = put;
	g->stats.say_ctx = ctx;
	if (g->timing) {
		g->timing->say = put;
		g->timing->say_ctx = ctx;
	}
}

// By -kernels.
static bool selected(const struct gpu *g, const struct kernel_launch *l)
{
	return !g->timed.item.n || kernel_select_has(&g->timed, l->uid, l->info->name);
}

bool gpu_times(struct gpu *g, const struct kernel_launch *l)
{
	return g->timing && selected(g, l) && (!g->estimates || estimates_want(g->estimates, l));
}

bool gpu_is_timed(const struct gpu *g) { return g->timing; }

unsigned gpu_room(const struct gpu *g)
{
	const unsigned untimed = untimed_room(&g->untimed), timed = g->timing && !g->timing->n_held ? timing_room(g->timing) : 0;
	return g->timing && timed < untimed ? timed : untimed;
}

bool gpu_busy(const struct gpu *g) { return g->refused || (g->timing && timing_busy(g->timing)) || g->untimed.k.n; }

void gpu_start(struct gpu *g, struct kernel_launch *launch)
{
	launch->grids = g->grids;
	if (launch->untimed || !g->timing) {
		stats_begin(&g->stats);
		untimed_start(&g->untimed, launch);
		return;
	}
	stats_go_on(&g->stats);
	stats_say_launch(&g->stats, launch);
	if (!timing_start(g->timing, launch, stats_lines_of(&g->stats, launch)))
		g->refused = launch;
}

void gpu_go_on(struct gpu *g, struct kernel_launch *launch)
{
	launch->behind = NULL;
	if (g->timing)
		timing_go_on(g->timing, launch);
}

static double thread_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void gpu_stop(struct gpu *g)
{
	grids_drop(g->grids);
	untimed_stop(&g->untimed);
	if (g->timing)
		timing_stop(g->timing);
}

void gpu_set_interrupt(struct gpu *g, const atomic_int *flag)
{
	g->interrupt = g->untimed.interrupt = flag;
	if (g->timing)
		g->timing->interrupt = flag;
}

void gpu_cut_off(struct gpu *g, const char *why)
{
	if (!g->timing)
		gpu_stop(g);
	else if (!g->timing->limit_text)
		g->timing->limit_text = why;
	untimed_stop(&g->untimed);
}

// -kernel_limit
static void look_at_launches(struct gpu *g)
{
	static const char name[] = "-kernel_limit";
	if (++g->ended != (uint64_t)g->opt->kernel_limit || gpu_limit_reached(g))
		return;
	if (!g->timing)
		g->untimed.limit = name;
	gpu_cut_off(g, name);
}

static void touch(void *ctx, const struct fe_access *a) { timing_touch(ctx, a); }

// The CTAs of a kernel that was cut are executed, behind those that were timed. True if there is nothing to execute. The last
// ones leave in L2 what they load and store, so that the next kernel finds there what it would have found: several times as many as
// were timed, since a few waves touch less than an L2 holds (tests/unit/test_sample_l2).
static bool go_on_without_time(struct gpu *g, struct kernel_launch *l)
{
	const struct timing *t = g->timing;
	if (l->fault.kind || gpu_limit_reached(g) || g->untimed.stopped) {
		grids_end(l);
		return true;
	}
	g->cut = (struct cut_kernel){l, l->counts, t->waves, t->stats.cycles};
	enum { TIMES = 8 };
	const uint64_t n = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], cut = t->waves.cut;
	untimed_go_on(&g->untimed, l, cut);
	untimed_tell(&g->untimed, n - cut > TIMES * cut ? n - TIMES * cut : cut, touch, g->timing);
	return false;
}

// All CTAs of the kernel have ended, and its counts are to be those of the part that was timed. What is left is taken
// to go on as the waves went, by instructions.
static void estimate_cut(struct gpu *g)
{
	struct cut_kernel *c = &g->cut;
	struct kernel_launch *l = c->launch;
	const double timed = (double)c->counts.warp_insts, rest = (double)l->counts.warp_insts - timed;
	const double waves = timed > 0 ? rest / timed * (double)c->waves.cut / (double)c->waves.size : 0;
	struct estimate e = {(double)c->cycles + waves * c->waves.steady.mean, waves * series_bound(&c->waves.steady)};
	estimates_timed(g->estimates, l, l->counts.warp_insts, e, c->cycles, true);
	g->stats.estimate = (struct stat_estimate){e, c->waves.cut, true};
	l->counts = c->counts;
	c->launch = NULL;
}

// A kernel has ended. False if the rest of it is still to be executed.
static bool has_ended(struct gpu *g, struct kernel_launch *l)
{
	const struct timing *t = g->timing;
	if (!g->estimates || !selected(g, l))
		return true;
	if (l == g->cut.launch) {
		estimate_cut(g);
	} else if (l->untimed) {
		g->stats.estimate = (struct stat_estimate){estimates_untimed(g->estimates, l), 0, true};
	} else if (t->waves.cut) {
		return go_on_without_time(g, l);
	} else {
		struct estimate e = {(double)t->stats.cycles, 0};
		estimates_timed(g->estimates, l, l->counts.warp_insts, e, t->stats.cycles, !t->waves.beside);
		g->stats.estimate = (struct stat_estimate){e, (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], true};
	}
	return true;
}

struct kernel_launch *gpu_run(struct gpu *g, uint64_t budget)
{
	double t = thread_seconds();
	struct kernel_launch *l = g->refused;
	const bool refused = l != NULL;
	if (g->timing && timing_busy(g->timing))
		stats_go_on(&g->stats);
	g->refused = NULL;
	g->stats.estimate.made = false;
	if (!l)
		l = untimed_run(&g->untimed, budget);
	if (!l && g->timing) {
		g->timing->beside = g->untimed.k.n > 0;
		l = timing_run(g->timing, budget);
	}
	if (l && !refused && !has_ended(g, l))
		l = NULL;
	if (l) {
		kernel_counts_add(l->untimed && g->timing ? &g->stats.untimed : &g->stats.total, &l->counts);
		grids_handed_back(l);
		look_at_launches(g);
	}
	g->stats.busy += thread_seconds() - t;
	return l;
}

const char *gpu_limit_reached(const struct gpu *g) { return g->timing ? g->timing->limit_text : g->untimed.limit; }

void gpu_host_copy(struct gpu *g, uint64_t addr, uint64_t bytes, bool written)
{
	if (g->timing)
		timing_host_copy(g->timing, addr, bytes, written);
}

uint64_t gpu_cycle(const struct gpu *g) { return g->passed + (g->timing ? g->timing->cycle : 0) + untimed_cycles(&g->untimed); }

void gpu_pass_time(struct gpu *g, uint64_t cycles) { g->passed += cycles; }

double gpu_seconds(const struct gpu *g)
{
	double hz = (double)g->desc.clock_hz[0];
	return (double)gpu_cycle(g) / (hz > 0 ? hz : 1e9);
}

const struct kernel_counts *gpu_total_counts(const struct gpu *g) { return &g->stats.total; }

double gpu_busy_seconds(const struct gpu *g) { return g->stats.busy; }

double gpu_host_seconds(const struct gpu *g) { return stats_seconds(&g->stats); }

void gpu_take_remarks(struct gpu *g, struct diag *d) { stats_take_remarks(&g->stats, d); }

void gpu_begin_statistics(struct gpu *g) { stats_begin(&g->stats); }

void gpu_print_rest(struct gpu *g) { stats_print_rest(&g->stats); }

void gpu_end_statistics(struct gpu *g, const char *how) { stats_end(&g->stats, how); }

bool gpu_output_failed(const struct gpu *g) { return g->stats.output_failed; }

void gpu_print_kernel_stats(struct gpu *g, const struct kernel_launch *l, void (*put)(void *ctx, const char *text), void *ctx)
{
	stats_print_kernel(&g->stats, l, put, ctx);
}
