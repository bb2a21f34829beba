// The GPU as libcuda sees it: the timing model, or functional execution without timing.
#include "gpgpu-sim/gpu.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/options.h"
#include "gpgpu-sim/gpu/functional.h"
#include "gpgpu-sim/gpu_state.h"
#include "gpgpu-sim/stats/record.h"
#include "gpgpu-sim/stats/sample.h"

#include <stdio.h>
#include <string.h>

enum {
	KERNEL_TURN = 1 << 22,       // functional: warp instructions of a kernel before another resident one
	MAX_RESIDENT_BYTES = 1 << 30 // functional: host memory for the registers, shared and local memory of resident CTAs
};

static uint32_t child_starts(void *ctx, struct kernel_launch *l)
{
	struct gpu *g = ctx;
	stats_say_launch(&g->stats, l);
	return stats_lines_of(&g->stats, l);
}

struct gpu *gpu_new(const struct options *opt, const struct gpu_desc *desc, bool timed, struct diag *d)
{
	struct gpu *g = MEM_NEW(struct gpu);
	g->opt = opt;
	g->desc = *desc;
	clock_gettime(CLOCK_MONOTONIC, &g->stats.start);
	g->grids = grids_new();
	if (timed && !(g->timing = timing_new(opt, desc, d))) {
		grids_free(g->grids);
		mem_free(g);
		return NULL;
	}
	if (!timed)
		g->team = func_team_new(opt->threads > 1 ? (unsigned)opt->threads : 1);
	g->stats.opt = opt;
	g->stats.gpu_name = g->desc.name;
	g->stats.timing = g->timing;
	g->stats.grids = g->grids;
	if (timed) {
		g->look = look_new(g->timing);
		g->timing->child = child_starts;
		g->timing->child_ctx = g;
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
	for (unsigned i = 0; i < g->k.n; i++)
		functional_free(g->k.at[i].run);
	VEC_FREE(&g->k);
	func_team_free(g->team);
	stats_free(&g->stats);
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
	*out = (struct gpu_progress){.kernels = (unsigned)g->k.n, .cycles = gpu_cycle(g)};
	if (!g->k.n)
		return;
	const struct kernel_launch *l = g->k.at[0].launch;
	out->kernel = l->info->name;
	out->ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	out->ctas_done = l->counts.ctas - functional_resident(g->k.at[0].run);
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

bool gpu_is_timed(const struct gpu *g) { return g->timing; }

unsigned gpu_room(const struct gpu *g)
{
	if (g->timing)
		return g->timing->n_held ? 0 : timing_room(g->timing);
	size_t busy = 0;
	for (size_t i = 0; i < g->k.n; i++)
		busy += !g->k.at[i].waits;
	return busy < GPU_MAX_KERNELS ? GPU_MAX_KERNELS - (unsigned)busy : 0;
}

bool gpu_busy(const struct gpu *g) { return g->refused || (g->timing ? timing_busy(g->timing) : g->k.n > 0); }

// CTAs that the modelled GPU holds at once, so that blocks which wait for each other behave as they would there.
static uint32_t resident_ctas(const struct gpu *g, const struct kernel_launch *l)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t per_sm = gpu_desc_occupancy(&g->desc, threads, l->info->regs, l->info->static_shared, l->dynamic_shared, NULL);
	uint64_t n = (uint64_t)(per_sm ? per_sm : 1) * g->desc.sm_count;
	uint64_t bytes = l->info->static_shared + l->dynamic_shared + (uint64_t)threads * (l->info->local + l->info->regs * 4) * 2 + 4096;
	if (n > MAX_RESIDENT_BYTES / bytes + 1)
		n = MAX_RESIDENT_BYTES / bytes + 1;
	return (uint32_t)n;
}

static void start_functional(struct gpu *g, struct kernel_launch *launch)
{
	const struct options *o = g->opt;
	struct gpu_functional f = {.launch = launch, .run = functional_new(launch, resident_ctas(g, launch), g->team)};
	if (o->gpgpu_max_cta || o->gpgpu_max_completed_cta)
		func_stop_at_ctas(f.run);
	if (o->gpgpu_max_cta || o->gpgpu_max_completed_cta || o->gpgpu_max_cycle || o->gpgpu_max_insn)
		func_no_batches(f.run);
	g->stopped |= g->limit != NULL;
	VEC_PUSH(&g->k, f);
}

void gpu_start(struct gpu *g, struct kernel_launch *launch)
{
	launch->grids = g->grids;
	stats_go_on(&g->stats);
	stats_say_launch(&g->stats, launch);
	if (g->timing) {
		if (!timing_start(g->timing, launch, stats_lines_of(&g->stats, launch)))
			g->refused = launch;
		return;
	}
	start_functional(g, launch);
}

void gpu_go_on(struct gpu *g, struct kernel_launch *launch)
{
	launch->behind = NULL;
	if (g->timing)
		timing_go_on(g->timing, launch);
}

// Kernels that kernels have launched.
static void start_children(struct gpu *g)
{
	struct grids_woken w;
	while (grids_woken(g->grids, &w)) // they see for themselves when they get a turn
		;
	while (grids_ready(g->grids) && gpu_room(g))
		start_functional(g, grids_next(g->grids));
}

static double thread_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Of the kernels that run and those that have ended.
static uint64_t thread_insts(const struct gpu *g)
{
	uint64_t n = g->stats.total.thread_insts;
	for (size_t i = 0; i < g->k.n; i++)
		n += g->k.at[i].launch->counts.thread_insts;
	return n;
}

static uint64_t ctas_begun(const struct gpu *g)
{
	uint64_t n = g->stats.total.ctas;
	for (size_t i = 0; i < g->k.n; i++)
		n += g->k.at[i].launch->counts.ctas;
	return n;
}

static uint64_t ctas_done(const struct gpu *g)
{
	uint64_t n = ctas_begun(g);
	for (size_t i = 0; i < g->k.n; i++)
		n -= functional_resident(g->k.at[i].run);
	return n;
}

// Warp instructions that may be executed before a limit has to be looked at again. A warp instruction is a cycle, and has
// at most 32 thread instructions.
static uint64_t before_limit(const struct gpu *g)
{
	const struct options *o = g->opt;
	uint64_t most = UINT64_MAX, n;
	if (o->gpgpu_max_cycle)
		most = g->insts < (uint64_t)o->gpgpu_max_cycle ? (uint64_t)o->gpgpu_max_cycle - g->insts : 0;
	if (o->gpgpu_max_insn && most) {
		n = thread_insts(g);
		n = n < (uint64_t)o->gpgpu_max_insn ? ((uint64_t)o->gpgpu_max_insn - n + 31) / 32 : 0;
		most = n < most ? n : most;
	}
	return most;
}

// What is resident ends where it is once a limit is reached.
static void look_at_limits(struct gpu *g)
{
	const struct options *o = g->opt;
	if (g->limit)
		return;
	if (o->gpgpu_max_cycle && g->insts >= (uint64_t)o->gpgpu_max_cycle)
		g->limit = "-gpgpu_max_cycle";
	else if (o->gpgpu_max_insn && thread_insts(g) >= (uint64_t)o->gpgpu_max_insn)
		g->limit = "-gpgpu_max_insn";
	else if (o->gpgpu_max_cta && ctas_begun(g) >= (uint64_t)o->gpgpu_max_cta)
		g->limit = "-gpgpu_max_cta";
	else if (o->gpgpu_max_completed_cta && ctas_done(g) >= (uint64_t)o->gpgpu_max_completed_cta)
		g->limit = "-gpgpu_max_completed_cta";
	else
		return;
	gpu_stop(g);
}

static struct kernel_launch *run_functional(struct gpu *g, uint64_t budget)
{
	while (g->k.n && budget && (g->stopped || !g->interrupt || !atomic_load(g->interrupt))) {
		if (g->current >= g->k.n)
			g->current = 0;
		struct gpu_functional *r = &g->k.at[g->current];
		uint64_t used, turn = g->k.n > 1 && budget > KERNEL_TURN ? KERNEL_TURN : budget, left = before_limit(g);
		func_be_exact(r->run, left <= turn);
		if (g->k.n > 1)
			func_no_batches(r->run);
		g->running = r->launch;
		g->running_from = r->launch->counts.warp_insts;
		bool ended = g->stopped;
		used = 0;
		if (!ended)
			ended = functional_step(r->run, left < turn ? left : turn, &used);
		g->running = NULL;
		g->insts += used;
		look_at_limits(g);
		ended |= g->stopped;
		budget -= used < budget ? used : budget;
		r->waits = !used && grids_waits(r->launch);
		if (ended) {
			struct kernel_launch *l = r->launch;
			functional_free(r->run);
			g->k.n--;
			g->stopped &= g->k.n > 0;
			memmove(r, r + 1, (g->k.n - g->current) * sizeof *r);
			grids_end(l);
			start_children(g);
			return l;
		}
		start_children(g);
		g->current++;
		if (!used)
			budget--;
	}
	return NULL;
}

void gpu_stop(struct gpu *g)
{
	grids_drop(g->grids);
	if (g->timing)
		timing_stop(g->timing);
	else
		g->stopped = g->k.n > 0;
}

void gpu_set_interrupt(struct gpu *g, const atomic_int *flag)
{
	g->interrupt = flag;
	if (g->timing)
		g->timing->interrupt = flag;
}

void gpu_cut_off(struct gpu *g, const char *why)
{
	if (!g->timing)
		gpu_stop(g);
	else if (!g->timing->limit_text)
		g->timing->limit_text = why;
}

struct kernel_launch *gpu_run(struct gpu *g, uint64_t budget)
{
	double t = thread_seconds();
	struct kernel_launch *l = g->refused;
	if (gpu_busy(g))
		stats_go_on(&g->stats);
	g->refused = NULL;
	if (!l)
		l = g->timing ? timing_run(g->timing, budget) : run_functional(g, budget);
	if (l) {
		kernel_counts_add(&g->stats.total, &l->counts);
		grids_handed_back(l);
	}
	g->stats.busy += thread_seconds() - t;
	return l;
}

const char *gpu_limit_reached(const struct gpu *g) { return g->timing ? g->timing->limit_text : g->limit; }

void gpu_host_copy(struct gpu *g, uint64_t addr, uint64_t bytes)
{
	if (g->timing)
		timing_host_copy(g->timing, addr, bytes);
}

// Without a timing model one warp instruction takes one cycle. Goes forward during a turn too, so that a thread never sees
// its clock run backwards.
uint64_t gpu_cycle(const struct gpu *g)
{
	if (g->timing)
		return g->timing->cycle;
	return g->insts + (g->running ? g->running->counts.warp_insts - g->running_from : 0);
}

double gpu_seconds(const struct gpu *g)
{
	double hz = (double)g->desc.clock_hz[0];
	return (double)(g->timing ? g->timing->cycle : g->insts) / (hz > 0 ? hz : 1e9);
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
