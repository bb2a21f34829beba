// The figures of a kernel, summed up. What an SM adds to the sums is kept, and is worked out again only for SMs that have done
// something since: a small kernel's statistics cost no sum over all SMs of a large GPU.
#include "gpgpu-sim/stats/stats.h"

#include "base/mem.h"
#include "gpgpu-sim/classic/classic.h"

#include <string.h>

struct stat_sums {
	struct stat_sm all, *sm; // of all SMs; of each
	uint64_t *seen;          // sm.activity at that time
	unsigned stream;         // whose core_counts these are
};

void stat_add(void *to, const void *from, size_t bytes)
{
	uint64_t *sum = to;
	const uint64_t *n = from;
	for (size_t i = 0; i < bytes / sizeof *n; i++)
		sum[i] += n[i];
}

// --- SMs

static void sum_sm(struct stat_sm *to, const struct sm *m, unsigned stream)
{
	*to = (struct stat_sm){.stats = m->stats, .reg_conflicts = classic_register_conflicts(m)};
	modern_add_counts(&to->modern, m);
	const struct cache *const cache[STAT_N_CACHES] = {m->l1i.cache, m->ldst.l1d.cache, m->ldst.l1c.cache, m->ldst.l1t.cache};
	for (unsigned i = 0; i < STAT_N_CACHES; i++) {
		if (!cache[i])
			continue;
		const struct cache_counts *c = cache_counts(cache[i], stream);
		cache_sums(cache[i], &to->l1[i]);
		if (c)
			cache_add_counts(&to->core_counts, c);
	}
	if (m->ldst.l1d.cache)
		cache_prefetches(m->ldst.l1d.cache, &to->l1_prefetch);
	for (unsigned k = 0; k < m->cfg->n_schedulers; k++) {
		uint64_t all = 0;
		for (unsigned r = 0; r < SM_N_SLOT_REASONS; r++)
			all += m->stats.slot[k][r];
		HEDDLE_ASSERT(all == m->stats.cycles);
	}
}

static struct stat_sums *sums_of(struct stats *st, unsigned stream)
{
	struct stat_sums *s = st->sums;
	uint32_t n = st->timing->core.n_sm;
	if (!s) {
		s = st->sums = MEM_NEW(struct stat_sums);
		s->sm = mem_alloc(n * sizeof *s->sm);
		s->seen = mem_alloc(n * sizeof *s->seen);
		s->stream = stream; // an SM that was never active has counted nothing
	}
	if (s->stream != stream)
		memset(s->seen, 0xff, n * sizeof *s->seen);
	s->stream = stream;
	return s;
}

static void sum_sms(struct stat_sums *s, const struct timing *t)
{
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		const struct sm *m = &t->sm[i];
		struct stat_sm now;
		if (m->activity == s->seen[i])
			continue;
		s->seen[i] = m->activity;
		sum_sm(&now, m, s->stream);
		uint64_t *all = (uint64_t *)&s->all;
		const uint64_t *old = (const uint64_t *)&s->sm[i], *new = (const uint64_t *)&now;
		for (size_t k = 0; k < sizeof now / sizeof *all; k++)
			all[k] += new[k] - old[k];
		s->sm[i] = now;
	}
}

void stat_sums_free(struct stats *st)
{
	if (!st->sums)
		return;
	mem_free(st->sums->sm);
	mem_free(st->sums->seen);
	mem_free(st->sums);
}

// --- the memory side

static void note_skew(struct stat_skew *s, uint64_t n)
{
	s->least = n < s->least ? n : s->least;
	s->most = n > s->most ? n : s->most;
}

static void sum_banks(struct stat_view *v, const struct dram_stats *d)
{
	uint64_t n[STAT_N_SKEWS] = {0};
	for (unsigned b = 0; b < d->n_banks; b++) {
		const struct dram_bank_stats *k = &d->bank[b];
		n[STAT_READS] += k->reads;
		n[STAT_WRITES] += k->writes;
		v->row_access += k->row_access;
		v->row_activates += k->n_activate;
		note_skew(&v->bank_skew[STAT_READS], k->reads);
		note_skew(&v->bank_skew[STAT_WRITES], k->writes);
		note_skew(&v->bank_skew[STAT_ACCESSES], k->reads + k->writes);
	}
	n[STAT_ACCESSES] = n[STAT_READS] + n[STAT_WRITES];
	v->dram_reads += n[STAT_READS];
	v->dram_writes += n[STAT_WRITES];
	for (unsigned i = 0; i < STAT_N_SKEWS; i++)
		note_skew(&v->chip_skew[i], n[i]);
}

static void sum_memory(struct stat_view *v, struct memory *m)
{
	for (unsigned i = 0; memory_has_l2(m) && i < memory_n_sub(m); i++) {
		struct cache_sums s;
		memory_l2_sums(m, i, &s);
		stat_add(&v->l2, &s, sizeof s);
		struct prefetch_counts p;
		memory_l2_prefetches(m, i, &p);
		stat_add(&v->l2_prefetch, &p, sizeof p);
		const struct cache_counts *c = memory_l2_counts(m, i, v->stream);
		if (c)
			cache_add_counts(&v->l2_counts, c);
	}
	for (unsigned i = 0; i < STAT_N_SKEWS; i++)
		v->bank_skew[i].least = v->chip_skew[i].least = UINT64_MAX;
	for (unsigned c = 0; c < memory_n_channels(m); c++) {
		const struct dram_stats *d = memory_dram_stats(m, c);
		sum_banks(v, d);
		v->dram.n_cmd += d->n_cmd;
		v->dram.n_nop += d->n_nop;
		v->dram.n_act += d->n_act;
		v->dram.n_pre += d->n_pre;
		v->dram.n_req += d->n_req;
		v->dram.n_rd += d->n_rd + d->n_rd_l2_a;
		v->dram.n_wr += d->n_wr + d->n_wr_wb;
	}
	v->dram_accesses = v->dram_reads + v->dram_writes;
}

// --- all of them

static void count_flits(struct stat_view *v)
{
	unsigned flit = v->t->opt->icnt_flit_size;
	for (unsigned dir = 0; dir < 2; dir++)
		for (unsigned type = 0; type < TRAFFIC_TYPES; type++)
			for (unsigned s = 0; s < TRAFFIC_SIZES; s++) {
				uint64_t n = v->t->stats.traffic[dir][type][s];
				if (n)
					v->flits[dir] += n * ((s * TRAFFIC_UNIT + flit - 1) / flit);
			}
}

static void put_text(void *ctx, const char *text) { stat_put(ctx, text, strlen(text)); }

void stat_gather(struct stat_view *v, struct stats *st, const struct stat_kernel *k)
{
	struct timing *t = st->timing;
	*v = (struct stat_view){.st = st, .t = t, .k = k, .stream = timing_stream(t, k->stream)};
	struct stat_sums *s = sums_of(st, v->stream);
	sum_sms(s, t);
	v->sm = s->all.stats;
	v->modern = s->all.modern;
	v->reg_conflicts = s->all.reg_conflicts;
	memcpy(v->l1, s->all.l1, sizeof v->l1);
	v->l1_prefetch = s->all.l1_prefetch;
	v->core_counts = s->all.core_counts;
	sum_memory(v, t->memory);
	const struct stream_past *past = timing_stream_past(t, k->stream);
	if (past) {
		cache_add_counts(&v->core_counts, &past->core);
		cache_add_counts(&v->l2_counts, &past->l2);
	}
	count_flits(v);
	v->tot_cycles = t->stats.tot_cycles + t->stats.cycles;
	v->tot_insts = t->stats.tot_insts + t->stats.insts;
	v->seconds = stats_seconds(st);
	st->icnt_text.n = 0;
	icnt_print(t->icnt, put_text, &st->icnt_text);
	v->icnt_text = stat_text_end(&st->icnt_text);
}
