// Runs a kernel of docs/sass-text.md on a small GPU with the modern core and collects what its pipeline view says: which
// instruction of which warp was where in which cycle, and the dependence counters that Issue saw.
#ifndef TESTS_MODERN_HARNESS_H
#define TESTS_MODERN_HARNESS_H

#include "tests/unit/timing_harness.h"

#include "cuda-sim/sass/text/text.h"
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/look/debug_streams.h"

// The defaults of the options are those of an RTX A6000.
#define MODERN_BASE TIMED_BASE "-core modern\n-gpgpu_perfect_inst_const_cache 0\n-gpgpu_num_sched_per_core 4\n"

struct seen {
	uint64_t cycle, pc;
	uint8_t warp, stage; // enum modern_view
};

struct seen_counters {
	uint64_t cycle;
	uint8_t warp;
	unsigned sb[ISA_N_SB];
};

struct mrun {
	struct sass_program *program;
	struct options opt;
	struct gpu_desc desc;
	struct gpu *gpu;
	struct dbg_streams dbg;
	struct gpu_watch watch;
	struct kernel_launch launch;
	struct seen *seen;
	struct seen_counters *counters;
	size_t n_seen, n_counters;
	char *reports;       // to people
	uint64_t cycles;
	struct modern_stats stats;
	struct front_stats front;
};

static inline void mrun_line(void *ctx, const char *line)
{
	static const char *const name[] = {
#define X(name, text) " " text "=",
		MODERN_VIEWS(X)
#undef X
	};
	struct mrun *r = ctx;
	unsigned long long cycle;
	unsigned sm, sub, warp;
	ck_assert_msg(sscanf(line, "GPGPU-Sim Cycle %llu: CORE - Core %u.%u warp %u:", &cycle, &sm, &sub, &warp) == 4, "%s", line);
	for (unsigned s = 0; s < MODERN_N_VIEWS; s++)
		for (const char *at = line; (at = strstr(at, name[s])); at++) {
			if (!(r->n_seen & (r->n_seen - 1)))
				r->seen = realloc(r->seen, (r->n_seen ? 2 * r->n_seen : 1) * sizeof *r->seen);
			r->seen[r->n_seen++] = (struct seen){cycle, strtoull(at + strlen(name[s]), NULL, 16), (uint8_t)warp, (uint8_t)s};
		}
	if (!(r->n_counters & (r->n_counters - 1)))
		r->counters = realloc(r->counters, (r->n_counters ? 2 * r->n_counters : 1) * sizeof *r->counters);
	struct seen_counters *c = &r->counters[r->n_counters++];
	*c = (struct seen_counters){.cycle = cycle, .warp = (uint8_t)warp};
	const char *sb = strstr(line, "| SB ");
	ck_assert_msg(sb && sscanf(sb, "| SB %u %u %u %u %u %u", &c->sb[0], &c->sb[1], &c->sb[2], &c->sb[3], &c->sb[4], &c->sb[5]) == 6, "%s", line);
}

static inline void mrun_report(void *ctx, enum gpu_report kind, const char *text)
{
	struct mrun *r = ctx;
	if (kind != GPU_REPORT_PEOPLE)
		return;
	size_t n = r->reports ? strlen(r->reports) : 0;
	r->reports = realloc(r->reports, n + strlen(text) + 1);
	strcpy(r->reports + n, text);
}

static inline bool mrun_options(struct mrun *r, const char *gpu, struct diag *why)
{
	char path[128];
	if (!gpu)
		return options_load_text(&r->opt, "base", MODERN_BASE, strlen(MODERN_BASE), FROM_FILE, why);
	snprintf(path, sizeof path, "configs/%s/gpgpusim.config", gpu);
	bool ok = options_load(&r->opt, path, why);
	r->opt.enable_ptx_file_line_stats = false; // a report about PTX files
	return ok;
}

// `program` is taken. The options come behind MODERN_BASE or, if a gpu is named, behind configs/GPU/gpgpusim.config.
static inline struct mrun *mrun_start_on(const char *gpu, struct sass_program *program, const char *more)
{
	struct mrun *r = MEM_NEW(struct mrun);
	struct diag why = {0};
	r->program = program;
	options_defaults(&r->opt);
	bool ok = mrun_options(r, gpu, &why) &&
	          options_load_text(&r->opt, "test", more, strlen(more), FROM_FILE, &why) &&
	          gpu_desc_from_options(&r->desc, &r->opt, &why);
	r->gpu = ok ? gpu_new(&r->opt, &r->desc, true, &why) : NULL;
	ck_assert_msg(r->gpu && !why.errors, "%s", why.text ? why.text : "?");
	diag_free(&why);
	r->dbg = (struct dbg_streams){.mask = DBG_BIT(CORE), .core = -1, .partition = -1, .ctx = r, .put = mrun_line};
	r->watch = (struct gpu_watch){.ctx = r, .report = mrun_report, .dbg = &r->dbg};
	gpu_watch(r->gpu, &r->watch);
	sass_text_launch(program, &r->launch, 0);
	r->launch.uid = 1;
	return r;
}

static inline struct mrun *mrun_start(struct sass_program *program, const char *more)
{
	return mrun_start_on(NULL, program, more);
}

// Runs the kernel once more; what was seen before is forgotten.
static inline void mrun_again(struct mrun *r)
{
	r->n_seen = r->n_counters = 0;
	uint64_t start = gpu_cycle(r->gpu);
	gpu_start(r->gpu, &r->launch);
	while (gpu_busy(r->gpu)) {
		gpu_run(r->gpu, 5000);
		ck_assert_msg(gpu_cycle(r->gpu) - start < 10000000, "does not end");
	}
	r->cycles = gpu_cycle(r->gpu) - start;
	r->stats = r->gpu->timing->sm[0].modern->stats;
	r->front = *front_counts(r->gpu->timing->sm[0].modern->front);
}

static inline struct sass_program *mrun_parse(const char *text)
{
	struct diag d = {0};
	struct sass_program *p = sass_text_parse("t.sass", text, strlen(text), 0, &d);
	ck_assert_msg(p != NULL, "%s\nin: %s", d.text ? d.text : "?", text);
	diag_free(&d);
	return p;
}

static inline struct mrun *mrun_text(const char *text, const char *more)
{
	struct mrun *r = mrun_start(mrun_parse(text), more);
	mrun_again(r);
	return r;
}

static inline struct mrun *mrun_text_on(const char *gpu, const char *text)
{
	struct mrun *r = mrun_start_on(gpu, mrun_parse(text), "");
	mrun_again(r);
	return r;
}

// examples/sass/NAME.sass
static inline struct mrun *mrun_example_on(const char *gpu, const char *name, const char *more)
{
	char path[128];
	struct diag d = {0};
	snprintf(path, sizeof path, "examples/sass/%s.sass", name);
	struct sass_program *p = sass_text_open(path, 0, &d);
	ck_assert_msg(p != NULL, "%s", d.text ? d.text : "?");
	diag_free(&d);
	struct mrun *r = mrun_start_on(gpu, p, more);
	mrun_again(r);
	return r;
}

static inline struct mrun *mrun_example(const char *name, const char *more) { return mrun_example_on(NULL, name, more); }

static inline void mrun_free(struct mrun *r)
{
	gpu_free(r->gpu);
	options_free(&r->opt);
	sass_text_free(r->program);
	free(r->seen);
	free(r->counters);
	free(r->reports);
	mem_free(r);
}

// Cycle in which instruction number `inst` of a warp was in that stage for the nth time, from 0; UINT64_MAX: it was not.
static inline uint64_t mrun_at(const struct mrun *r, unsigned warp, size_t inst, enum modern_view stage, unsigned nth)
{
	for (size_t i = 0; i < r->n_seen; i++) {
		const struct seen *s = &r->seen[i];
		if (s->warp == warp && s->pc == inst * SASS_INST_BYTES && s->stage == stage && !nth--)
			return s->cycle;
	}
	return UINT64_MAX;
}

static inline uint64_t mrun_issue(const struct mrun *r, unsigned warp, size_t inst, unsigned nth)
{
	uint64_t at = mrun_at(r, warp, inst, MODERN_VIEW_ISSUE, nth);
	ck_assert_msg(at != UINT64_MAX, "warp %u does not issue instruction %zu %u times", warp, inst, nth + 1);
	return at;
}

static inline size_t mrun_label(const struct mrun *r, const char *label)
{
	size_t at = sass_text_label(r->program, label);
	ck_assert_msg(at != SIZE_MAX, "no label %s", label);
	return at;
}

// A dependence counter as Issue sees it in a cycle.
static inline unsigned mrun_counter(const struct mrun *r, unsigned warp, unsigned sb, uint64_t cycle)
{
	unsigned value = 0;
	for (size_t i = 0; i < r->n_counters && r->counters[i].cycle <= cycle; i++)
		if (r->counters[i].warp == warp)
			value = r->counters[i].sb[sb];
	return value;
}

// Which warp issued in a cycle on a sub-core; -1: none.
static inline int mrun_who(const struct mrun *r, unsigned subcore, uint64_t cycle)
{
	for (size_t i = 0; i < r->n_seen; i++)
		if (r->seen[i].stage == MODERN_VIEW_ISSUE && r->seen[i].cycle == cycle && r->seen[i].warp % MODERN_SUBCORES == subcore)
			return r->seen[i].warp;
	return -1;
}

#endif
