// The time-lapse log that AerialVision reads: at every sampling point a line for each metric, name, colon, values. Names
// and order are GPGPU-Sim's (visualizer_printstat). Lines are gathered in memory and leave as one gzip member at the end of
// each kernel, so that the file is whole at any time.
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

typedef unsigned long long ull;

enum { LATEST = 1 << 20, AGE_BUCKETS = SM_AGE_BUCKETS }; // bytes held back at most

// The first level caches whose miss rates are logged, in that order.
enum { RATE_L1D, RATE_L1T, RATE_L1C, N_RATES };
struct miss_rates {
	struct cache_sums last[N_RATES]; // as of the last sample
	double all[N_RATES], no_merged[N_RATES];
};

struct stat_visual {
	char *name;
	FILE *lines;             // into text
	char *text;
	size_t len;
	bool begun, failed;
	struct dram_stats *dram; // as of the last sample, by channel
	uint64_t distro[SM_DISTRO], by_slot[CORE_MAX_WARPS], ctas;
	struct sm *sampled;      // -gpgpu_warp_issue_shader
	struct miss_rates *rates; // by SM
};

static char *default_name(void)
{
	char date[64], name[128];
	time_t now = time(NULL);
	struct tm tm;
	localtime_r(&now, &tm);
	strftime(date, sizeof date, "%a-%b-%e-%H-%M-%S-%Y", &tm);
	for (char *c = date; *c; c++)
		if (*c == ' ')
			*c = '-';
	snprintf(name, sizeof name, "gpgpusim_visualizer__%s.log.gz", date);
	return mem_strdup(name);
}

void stats_visual_init(struct stats *st)
{
	const struct options *o = st->opt;
	struct timing *t = st->timing;
	if (!o->visualizer_enabled)
		return;
	struct stat_visual *v = st->visual = MEM_NEW(struct stat_visual);
	v->name = *o->visualizer_outputfile ? mem_strdup(o->visualizer_outputfile) : default_name();
	v->dram = mem_alloc(memory_n_channels(t->memory) * sizeof *v->dram);
	v->rates = mem_alloc(t->core.n_sm * sizeof *v->rates);
	int which = o->gpgpu_warp_issue_shader;
	v->sampled = &t->sm[which >= 0 && (uint32_t)which < t->core.n_sm ? which : 0];
	v->sampled->by_age = mem_alloc(AGE_BUCKETS * sizeof *v->sampled->by_age);
}

void stats_visual_free(struct stats *st)
{
	struct stat_visual *v = st->visual;
	if (!v)
		return;
	stats_visual_flush(st);
	mem_free(v->name);
	mem_free(v->dram);
	mem_free(v->rates);
	mem_free(v);
	st->visual = NULL;
}

void stats_visual_flush(struct stats *st)
{
	struct stat_visual *v = st->visual;
	if (!v || !v->lines)
		return;
	fclose(v->lines);
	v->lines = NULL;
	char mode[8];
	struct output_hold h;
	output_hold_signal(&h);
	errno = 0;
	int fd = v->failed ? -1 : output_open_fd(v->name, v->begun);
	snprintf(mode, sizeof mode, "ab%d", st->opt->visualizer_zlevel);
	gzFile f = fd < 0 ? NULL : gzdopen(fd, mode);
	bool ok = f && gzwrite(f, v->text, (unsigned)v->len) == (int)v->len;
	if (f && gzclose(f) != Z_OK)
		ok = false;
	output_drop_signal(&h);
	if (!ok && !v->failed) {
		fprintf(stderr, "heddle: error: cannot write the time-lapse log %s: %s\n", v->name, output_why(errno ? errno : EIO));
		st->output_failed = true;
	}
	v->failed |= !ok;
	v->begun = true;
	free(v->text);
	v->text = NULL;
	v->len = 0;
}

static void channel(FILE *f, unsigned c, const struct dram_stats *d, const struct dram_stats *last)
{
	uint64_t cmd = d->n_cmd - last->n_cmd, busy = d->bwutil - last->bwutil, active = d->n_activity - last->n_activity;
	fprintf(f, "dramncmd: %u %llu\n", c, (ull)cmd);
	fprintf(f, "dramnop: %u %llu\n", c, (ull)(d->n_nop - last->n_nop));
	fprintf(f, "dramnact: %u %llu\n", c, (ull)(d->n_act - last->n_act));
	fprintf(f, "dramnpre: %u %llu\n", c, (ull)(d->n_pre - last->n_pre));
	fprintf(f, "dramnreq: %u %llu\n", c, (ull)(d->n_req - last->n_req));
	fprintf(f, "dramavemrqs: %u %llu\n", c, (ull)(cmd ? (d->ave_mrqs - last->ave_mrqs) / cmd : 0));
	fprintf(f, "dramutil: %u %llu\n", c, (ull)(cmd ? 100 * busy / cmd : 0));
	fprintf(f, "drameff: %u %llu\n", c, (ull)(active ? 100 * busy / active : 0));
	static const struct {
		const char *name;
		enum mem_access_type type;
	} kind[] = {{"dramglobal_acc_r", GLOBAL_ACC_R}, {"dramglobal_acc_w", GLOBAL_ACC_W}, {"dramlocal_acc_r", LOCAL_ACC_R},
	            {"dramlocal_acc_w", LOCAL_ACC_W},   {"dramconst_acc_r", CONST_ACC_R},   {"dramtexture_acc_r", TEXTURE_ACC_R}};
	for (unsigned b = 0; b < d->n_banks; b++)
		for (unsigned k = 0; k < sizeof kind / sizeof *kind; k++)
			fprintf(f, "%s: %u %u %llu\n", kind[k].name, c, b, (ull)d->bank[b].by_type[kind[k].type]);
}

// Idle, scoreboard and stalled slots, then issued ones by eighths of a full warp, per SM.
static void divergence(struct stats *st, FILE *f)
{
	struct stat_visual *v = st->visual;
	const struct timing *t = st->timing;
	int which = st->opt->gpgpu_warpdistro_shader;
	bool one = which >= 0 && (uint32_t)which < t->core.n_sm;
	uint64_t now[SM_DISTRO] = {0}, part = 0, per = one ? 1 : t->core.n_sm;
	unsigned eighth = t->core.warp_size / 8;
	for (unsigned i = one ? (unsigned)which : 0; i < (one ? (unsigned)which + 1 : t->core.n_sm); i++)
		for (unsigned k = 0; k < SM_DISTRO; k++)
			now[k] += t->sm[i].stats.distro[k];
	fputs("WarpDivergenceBreakdown:", f);
	for (unsigned k = 0; k < 3; k++)
		fprintf(f, " %llu", (ull)((now[k] - v->distro[k]) / per));
	// Index 2 + n counts instructions of n lanes.
	for (unsigned n = 1; n <= t->core.warp_size; n++) {
		part += now[2 + n] - v->distro[2 + n];
		if (n % eighth == 0) {
			fprintf(f, " %llu", (ull)(part / per));
			part = 0;
		}
	}
	fputc('\n', f);
	memcpy(v->distro, now, sizeof now);
}

static void issue_slots(struct stat_visual *v, FILE *f)
{
	const uint64_t *n = v->sampled->stats.issued_by_slot;
	unsigned slots = CORE_MAX_WARPS, buckets = AGE_BUCKETS;
	while (slots > 1 && !n[slots - 1])
		slots--;
	fputs("WarpIssueSlotBreakdown:", f);
	for (unsigned i = 0; i < slots; i++)
		fprintf(f, " %llu", (ull)(n[i] - v->by_slot[i]));
	memcpy(v->by_slot, n, sizeof v->by_slot);
	fputs("\nWarpIssueDynamicIdBreakdown:", f);
	while (buckets > 1 && !v->sampled->by_age[buckets - 1])
		buckets--;
	for (unsigned i = 0; i < buckets; i++)
		fprintf(f, " %u", v->sampled->by_age[i]);
	memset(v->sampled->by_age, 0, AGE_BUCKETS * sizeof *v->sampled->by_age);
	fputc('\n', f);
}

static void per_sm(const struct timing *t, FILE *f)
{
	uint64_t l1 = 0, shared = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		l1 += t->sm[i].stats.l1_conflicts;
		shared += t->sm[i].stats.shared_conflicts;
	}
	fprintf(f, "gpgpu_n_l1cache_bkconflict: %llu\ngpgpu_n_shmem_bkconflict: %llu\n", (ull)l1, (ull)shared);
	fputs("shaderinsncount:  ", f);
	for (unsigned i = 0; i < t->core.n_sm; i++)
		fprintf(f, "%llu ", (ull)t->sm[i].stats.thread_insts);
	fputs("\nshaderwarpinsncount:  ", f);
	for (unsigned i = 0; i < t->core.n_sm; i++)
		fprintf(f, "%llu ", (ull)t->sm[i].stats.warp_insts);
	fputs("\nshaderwarpdiv: ", f);
	for (unsigned i = 0; i < t->core.n_sm; i++)
		fprintf(f, "%llu ", (ull)t->sm[i].stats.diverged);
	fputc('\n', f);
}

static void measure_rates(const struct sm *m, struct miss_rates *r)
{
	const struct cache *const cache[N_RATES] = {m->ldst.l1d.cache, m->ldst.l1t.cache, m->ldst.l1c.cache};
	for (unsigned k = 0; k < N_RATES; k++) {
		struct cache_sums now = {0}, *last = &r->last[k];
		if (cache[k])
			cache_sums(cache[k], &now);
		double n = (double)(now.accesses - last->accesses), misses = (double)(now.misses - last->misses);
		r->no_merged[k] = n > 0 ? misses / n : 0;
		r->all[k] = n > 0 ? (misses + (double)(now.pending_hits - last->pending_hits)) / n : 0;
		*last = now;
	}
}

// Of the accesses since the last sample, by SM; "noMgHt" leaves out those to what was on its way. GPGPU-Sim has these lines
// commented out, AerialVision plots them.
static void level_one(const struct timing *t, struct miss_rates *rates, FILE *f)
{
	static const char *const name[N_RATES] = {[RATE_L1D] = "GlobalLocalL1", [RATE_L1T] = "TextureL1", [RATE_L1C] = "ConstL1"};
	for (unsigned i = 0; i < t->core.n_sm; i++)
		measure_rates(&t->sm[i], &rates[i]);
	for (unsigned merged = 0; merged < 2; merged++)
		for (unsigned k = 0; k < N_RATES; k++) {
			fprintf(f, "CacheMissRate_%s_%s: ", name[k], merged ? "noMgHt" : "All");
			for (unsigned i = 0; i < t->core.n_sm; i++)
				fprintf(f, "%.4f ", merged ? rates[i].no_merged[k] : rates[i].all[k]);
			fputc('\n', f);
		}
}

static void level_two(struct timing *t, FILE *f)
{
	uint64_t sum[4] = {0}, rw[4]; // read hits, read misses, write hits, write misses
	for (unsigned s = 0; memory_has_l2(t->memory) && s < memory_n_sub(t->memory); s++) {
		struct cache_sums unused;
		memory_l2_sums_since(t->memory, s, &unused, rw);
		for (int i = 0; i < 4; i++)
			sum[i] += rw[i];
	}
	fprintf(f, "Ltwowritemiss: %llu\nLtwowritehit: %llu\nLtworeadmiss: %llu\nLtworeadhit: %llu\n", (ull)sum[3], (ull)sum[2],
	        (ull)sum[1], (ull)sum[0]);
}

void stats_visual_sample(struct stats *st)
{
	struct stat_visual *v = st->visual;
	struct timing *t = st->timing;
	if (!v || v->failed)
		return;
	if (!v->lines && !(v->lines = open_memstream(&v->text, &v->len)))
		mem_fail(0);
	FILE *f = v->lines;
	uint64_t insts = 0, ctas = 0;
	// The snapshots of -gpgpu_cflog_interval use the same counters.
	for (unsigned i = 0; !st->opt->gpgpu_cflog_interval && i < t->core.n_sm; i++)
		stats_flow_print(st, i, "CFLog%02u: ", f);
	fputs("ShdrCTACount: ", f);
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		fprintf(f, "%u ", t->sm[i].n_cta);
		insts += t->sm[i].stats.thread_insts;
		ctas += t->sm[i].stats.ctas;
	}
	fputc('\n', f);
	for (unsigned c = 0; c < memory_n_channels(t->memory); c++) {
		const struct dram_stats *d = memory_dram_stats(t->memory, c);
		channel(f, c, d, &v->dram[c]);
		v->dram[c] = *d;
	}
	divergence(st, f);
	fprintf(f, "ctas_completed: %llu\n", (ull)(ctas - v->ctas));
	v->ctas = ctas;
	issue_slots(v, f);
	per_sm(t, f);
	level_one(t, v->rates, f);
	level_two(t, f);
	const struct memory_latency *l = memory_latency(t->memory);
	if (l->num_mfs)
		fprintf(f, "averagemflatency: %llu\n", (ull)(l->mf_total / l->num_mfs));
	fprintf(f, "globalcyclecount: %llu\nglobalinsncount: %llu\nglobaltotinsncount: %llu\n", (ull)t->stats.cycles,
	        (ull)(insts - t->stats.tot_insts), (ull)t->stats.tot_insts);
	static const char zeros[] = " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"; // of 27 stages, see docs/statistics.md
	fprintf(f, "LDmemlatdist:%sSTmemlatdist:%s", zeros, zeros);
	fflush(f);
	if (v->len > LATEST)
		stats_visual_flush(st);
}
