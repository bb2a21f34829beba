// What happens at every sampling point: each -gpgpu_runtime_stat core cycles of an interval.
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"
#include "base/option_forms.h"
#include "gpgpu-sim/stats/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned long long ull;

enum { DEFAULT_INTERVAL = 10000 };

static uint64_t next_multiple(uint64_t of, uint64_t now) { return of ? (now / of + 1) * of : UINT64_MAX; }

static uint64_t next_sample(const struct stats *st)
{
	const uint64_t now = st->timing->stats.cycles, record = stats_record_next(st);
	const uint64_t sample = next_multiple(st->sample_every, now), flow = next_multiple((uint64_t)st->opt->gpgpu_cflog_interval, now);
	const uint64_t first = sample < flow ? sample : flow;
	return first < record ? first : record;
}

void stats_sample_init(struct stats *st)
{
	struct timing *t = st->timing;
	struct sampling_form s;
	struct form_error e;
	if (!form_sampling(st->opt->gpgpu_runtime_stat, &s, &e))
		s = (struct sampling_form){.interval = DEFAULT_INTERVAL};
	st->sample_every = s.interval;
	st->sample_flags = s.flags;
	t->sample_every = t->next_sample = next_sample(st);
	if (t->sample_every == UINT64_MAX)
		t->sample_every = t->next_sample = 0;
	t->sample = stats_sample;
	t->sample_ctx = st;
}

// --- lines at sampling points, chosen by the second number of -gpgpu_runtime_stat

enum { FLAG_DRAM = 2, FLAG_L1_MISSES = 0x10, FLAG_SCHEDULER = 0x40 }; // GPU_RSTAT_* of GPGPU-Sim; it prints nothing for others

static void put_dram(const struct timing *t, FILE *f)
{
	for (unsigned c = 0; c < memory_n_channels(t->memory); c++) {
		const struct dram_stats *d = memory_dram_stats(t->memory, c);
		fprintf(f, "DRAM (%u): n_cmd=%llu n_nop=%llu n_act=%llu n_pre=%llu n_ref=%llu n_req=%llu n_rd=%llu n_write=%llu bw_util=%.4g ", c,
		        (ull)d->n_cmd, (ull)d->n_nop, (ull)d->n_act, (ull)d->n_pre, (ull)d->n_ref, (ull)d->n_req, (ull)d->n_rd, (ull)d->n_wr,
		        stat_ratio(d->bwutil, d->n_cmd));
		fprintf(f, "mrqq: %llu %.4g mrqsmax=%llu \n", (ull)d->max_mrqs, stat_ratio(d->ave_mrqs, d->n_cmd), (ull)d->max_mrqs_temp);
		fputs("dram_util_bins: 0 0 0 0 0 0 0 0 0 0\ndram_eff_bins: 0 0 0 0 0 0 0 0 0 0\n", f);
		memory_restart_max_mrqs(t->memory, c);
	}
	const struct memory_latency *l = memory_latency(t->memory);
	fprintf(f, "maxmrqlatency = %llu \nmaxmflatency = %llu \n", (ull)l->max_mrq, (ull)l->max_mf);
}

static void put_l1_misses(const struct timing *t, FILE *f)
{
	uint64_t misses = 0, accesses = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct cache_sums s;
		if (!t->sm[i].ldst.l1d.cache)
			continue;
		cache_sums(t->sm[i].ldst.l1d.cache, &s);
		misses += s.misses;
		accesses += s.accesses;
	}
	fprintf(f, "total_dl1_misses=%llu\ntotal_dl1_accesses=%llu\ntotal_dl1_miss_rate= %f\n", (ull)misses, (ull)accesses,
	        stat_ratio(misses, accesses));
}

static void put_scheduler(struct stats *st, FILE *f)
{
	struct stat_view v = {.st = st, .t = st->timing};
	struct stat_out o = {.text = &st->text};
	uint64_t ctas = 0;
	for (unsigned i = 0; i < st->timing->core.n_sm; i++)
		ctas += st->timing->sm[i].stats.ctas;
	fprintf(f, "ctas_completed %llu, ", (ull)ctas);
	st->text.n = 0;
	stat_issue_distro(&o, &v);
	fputs(stat_text_end(&st->text), f);
}

static void flow_snapshot(struct stats *st, FILE *f)
{
	char head[48];
	snprintf(head, sizeof head, "CFLog%%02u-%llu:", (ull)st->timing->stats.cycles);
	for (unsigned i = 0; i < st->timing->core.n_sm; i++)
		stats_flow_print(st, i, head, f);
	fprintf(f, "ShdrCTACount00-%llu:", (ull)st->timing->stats.cycles);
	for (unsigned i = 0; i < st->timing->core.n_sm; i++)
		fprintf(f, "%u ", st->timing->sm[i].n_cta);
	fputc('\n', f);
}

void stats_flow_say(struct stats *st, void (*put)(void *ctx, const char *text), void *ctx)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	if (!f)
		mem_fail(0);
	flow_snapshot(st, f);
	fclose(f);
	put(ctx, text);
	free(text);
}

// GPGPU-Sim's progress line, of the debug stream LIVENESS.
static void put_liveness(struct stats *st, FILE *f)
{
	struct timing *t = st->timing;
	double s = stats_seconds(st);
	if (!(t->observer.wants & TIMING_SEES_KERNELS) || s - st->alive < (double)st->opt->liveness_message_freq)
		return;
	st->alive = s;
	uint64_t insts = 0, warps = 0, slots = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		insts += t->sm[i].stats.thread_insts;
		warps += (unsigned)__builtin_popcountll(t->sm[i].resident);
		slots += t->sm[i].n_cta ? t->core.max_warps : 0;
	}
	time_t now = time(NULL);
	char date[32];
	unsigned sec = (unsigned)s;
	fprintf(f, "GPGPU-Sim Cycle %llu: LIVENESS - GPU - uArch: inst.: %llu (ipc=%4.1f, occ=%0.4f%% [%llu / %llu]) sim_rate=%llu (inst/sec) "
	           "elapsed = %u:%u:%02u:%02u / %s", (ull)t->cycle, (ull)insts, stat_ratio(insts - t->stats.tot_insts, t->stats.cycles),
	        100 * stat_ratio(warps, slots), (ull)warps, (ull)slots, (ull)stat_rate(insts, s), sec / 86400, sec / 3600 % 24,
	        sec / 60 % 60, sec % 60, ctime_r(&now, date));
}

void stats_sample(void *ctx)
{
	struct stats *st = ctx;
	struct timing *t = st->timing;
	bool snapshot = st->opt->gpgpu_cflog_interval && t->stats.cycles % (uint64_t)st->opt->gpgpu_cflog_interval == 0;
	bool sample = st->sample_every && t->stats.cycles % st->sample_every == 0;
	char *text = NULL;
	size_t len = 0;
	if (st->record) {
		timing_settle(t);
		stats_record_sample(st);
	}
	t->next_sample = next_sample(st);
	if (!sample && !snapshot)
		return;
	if (sample && !st->visual && !st->sample_flags && !snapshot && !t->observer.wants) {
		memory_sample_latency(t->memory);
		return;
	}
	FILE *f = open_memstream(&text, &len);
	if (!f)
		mem_fail(0);
	timing_settle(t);
	if (sample) {
		put_liveness(st, f);
		stats_visual_sample(st);
		memory_sample_latency(t->memory);
		if (st->sample_flags & FLAG_DRAM)
			put_dram(t, f);
		if (st->sample_flags & FLAG_L1_MISSES)
			put_l1_misses(t, f);
		if (st->sample_flags & FLAG_SCHEDULER)
			put_scheduler(st, f);
	}
	if (snapshot)
		flow_snapshot(st, f);
	fclose(f);
	if (len && st->say)
		st->say(st->say_ctx, text);
	free(text);
}
