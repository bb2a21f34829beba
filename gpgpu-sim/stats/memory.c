// Tables of the memory side: latencies, DRAM banks and channels, L2 slices.
#include "gpgpu-sim/stats/stats.h"

#include <string.h>

void stat_bins(struct stat_out *o, const uint64_t *bin, unsigned n)
{
	stat_open(o, '[');
	for (unsigned i = 0; i < n; i++)
		stat_cell(o, "%llu \t", bin[i]);
	stat_close(o, ']');
	stat_say(o, "\n");
}

void stat_histogram(struct stat_out *o, const uint64_t *n)
{
	stat_open(o, '[');
	for (unsigned i = 0; i < STAT_POSITIONS; i++)
		stat_cell(o, "%llu\t", n[i]);
	stat_close(o, ']');
	stat_say(o, "\n");
}

double stat_mean(const uint64_t *n)
{
	uint64_t sum = 0, all = 0;
	for (unsigned i = 0; i < STAT_POSITIONS; i++) {
		sum += i * n[i];
		all += n[i];
	}
	return stat_ratio((double)sum, (double)all);
}

// --- tables of channels and banks

static void each_bank(struct stat_out *o, const struct stat_view *v, void (*cell)(struct stat_out *o, const struct dram_bank_stats *b))
{
	struct memory *m = v->t->memory;
	stat_open(o, '[');
	for (unsigned c = 0; c < memory_n_channels(m); c++) {
		const struct dram_stats *d = memory_dram_stats(m, c);
		stat_say(o, "dram[%u]: ", c);
		stat_open(o, '[');
		for (unsigned b = 0; b < d->n_banks; b++)
			cell(o, &d->bank[b]);
		stat_close(o, ']');
		stat_say(o, "\n");
	}
	stat_close(o, ']');
}

static void cell_row_run(struct stat_out *o, const struct dram_bank_stats *b) { stat_cell(o, "%9llu ", b->max_row_run); }
static void cell_row_service(struct stat_out *o, const struct dram_bank_stats *b) { stat_cell(o, "%9llu ", b->max_row_service); }

static void cell_row_accesses(struct stat_out *o, const struct dram_bank_stats *b)
{
	stat_cell_real(o, "%9f ", stat_ratio(b->row_access, b->n_activate));
}

static void cell_all(struct stat_out *o, const struct dram_bank_stats *b) { stat_cell(o, "%9llu ", b->reads + b->writes); }
static void cell_reads(struct stat_out *o, const struct dram_bank_stats *b) { stat_cell(o, "%9llu ", b->reads); }
static void cell_writes(struct stat_out *o, const struct dram_bank_stats *b) { stat_cell(o, "%9llu ", b->writes); }
static void cell_max_latency(struct stat_out *o, const struct dram_bank_stats *b) { stat_cell(o, "%10llu", b->mf_max_latency); }

static void cell_mean_latency(struct stat_out *o, const struct dram_bank_stats *b)
{
	if (b->reads + b->writes)
		stat_cell(o, "%10llu", b->mf_total_latency / (b->reads + b->writes));
	else if (o->json)
		stat_cell_real(o, "", stat_ratio(0, 0));
	else
		stat_say(o, "    none  ");
}

void stat_bank_row_run(struct stat_out *o, const struct stat_view *v) { each_bank(o, v, cell_row_run); }
void stat_bank_row_service(struct stat_out *o, const struct stat_view *v) { each_bank(o, v, cell_row_service); }
void stat_bank_row_accesses(struct stat_out *o, const struct stat_view *v) { each_bank(o, v, cell_row_accesses); }

void stat_bank_accesses(struct stat_out *o, const struct stat_view *v, bool reads, bool writes)
{
	each_bank(o, v, reads && writes ? cell_all : reads ? cell_reads : cell_writes);
}

void stat_bank_latency(struct stat_out *o, const struct stat_view *v, bool average)
{
	each_bank(o, v, average ? cell_mean_latency : cell_max_latency);
}

static void skew(struct stat_out *o, const char *what, uint64_t least, uint64_t most)
{
	stat_key(o, "%s skew", what);
	if (!least) {
		stat_say(o, "min_%s_accesses = 0!\n", what);
		if (o->json)
			stat_cell_real(o, "", stat_ratio(0, 0));
		return;
	}
	stat_say(o, "%s skew: %llu/%llu = ", what, (unsigned long long)most, (unsigned long long)least);
	stat_cell_real(o, "%4.2f\n", stat_ratio(most, least));
}

void stat_bank_skew(struct stat_out *o, const struct stat_view *v, enum stat_skews of)
{
	stat_open(o, '{');
	skew(o, "bank", v->bank_skew[of].least, v->bank_skew[of].most);
	skew(o, "chip", v->chip_skew[of].least, v->chip_skew[of].most);
	stat_close(o, '}');
}

// --- a DRAM channel

static void stat_channel_banks(struct stat_out *o, const struct dram_stats *d)
{
	stat_open(o, '[');
	for (unsigned b = 0; b < d->n_banks; b++) {
		stat_say(o, "bk%u: ", b);
		stat_open(o, '[');
		stat_cell(o, "%llua ", d->bank[b].n_access);
		stat_cell(o, "%llui ", d->bank[b].n_idle);
		stat_close(o, ']');
	}
	stat_close(o, ']');
}

static void stat_channel_zeros(struct stat_out *o, const char *name)
{
	stat_say(o, "%s", name);
	stat_open(o, '[');
	for (unsigned i = 0; i < 10; i++)
		stat_cell(o, " %llu", 0);
	stat_close(o, ']');
	stat_say(o, "\n");
}

static void stat_channel_queue(struct stat_out *o, const struct dram_stats *d)
{
	stat_open(o, '{');
	stat_key(o, "max");
	stat_cell(o, "mrqq: max=%llu ", d->max_mrqs);
	stat_key(o, "avg");
	stat_cell_real(o, "avg=%g\n", stat_ratio(d->ave_mrqs, d->n_cmd));
	stat_close(o, '}');
}

static void channel_text(struct stat_out *o, const struct dram_stats *d, const struct dram_facts *f)
{
#define STAT_CHANNEL_INT(name, before, after, unit, kind, value, description) \
	stat_say(o, "%s%s%llu%s", name, before, (unsigned long long)(value), after);
#define STAT_CHANNEL_REAL(name, before, format, after, unit, kind, value, description) \
	stat_say(o, name before format after, value);
#define STAT_CHANNEL_AGAIN(name, before, after, value) stat_say(o, "%s%s%llu%s", name, before, (unsigned long long)(value), after);
#define STAT_CHANNEL_TABLE(name, shape, unit, kind, call, description) call;
#define STAT_CHANNEL_SAY(text) stat_say(o, text);
#define STAT_CHANNEL_IF(condition) if (condition) {
#define STAT_CHANNEL_ENDIF }
#include "gpgpu-sim/stats/stats.def"
}

// Each row with an array of all channels' values.
static void channels_json(struct stat_out *o, const struct stat_view *v)
{
	struct memory *m = v->t->memory;
	struct dram_facts facts;
	const struct dram_facts *f = &facts;
	memory_dram_facts(m, &facts);
	stat_open(o, '[');
#define EACH(name, unit, kind, body, description)                            \
	stat_open(o, '{');                                                   \
	stat_key(o, "name");                                                 \
	stat_text(o, "%s", name);                                            \
	stat_key(o, "unit");                                                 \
	stat_text(o, "%s", unit);                                            \
	stat_key(o, "kind");                                                 \
	stat_text(o, "%s", STAT_KIND_##kind);                                \
	stat_key(o, "description");                                          \
	stat_text(o, "%s", description);                                     \
	stat_key(o, "value");                                                \
	stat_open(o, '[');                                                   \
	for (unsigned c = 0; c < memory_n_channels(m); c++) {                \
		const struct dram_stats *d = memory_dram_stats(m, c);        \
		(void)d;                                                     \
		body;                                                        \
	}                                                                    \
	stat_close(o, ']');                                                  \
	stat_close(o, '}');
#define STAT_CHANNEL_INT(name, before, after, unit, kind, value, description) \
	EACH(name, unit, kind, stat_cell(o, "", value), description)
#define STAT_CHANNEL_REAL(name, before, format, after, unit, kind, value, description) \
	EACH(name, unit, kind, stat_cell_real(o, "", value), description)
#define STAT_CHANNEL_AGAIN(name, before, after, value)
#define STAT_CHANNEL_TABLE(name, shape, unit, kind, call, description) EACH(name, unit, kind, call, description)
#define STAT_CHANNEL_SAY(text)
#define STAT_CHANNEL_IF(condition) if (condition) {
#define STAT_CHANNEL_ENDIF }
#include "gpgpu-sim/stats/stats.def"
	stat_close(o, ']');
}

void stat_channels(struct stat_out *o, const struct stat_view *v)
{
	struct memory *m = v->t->memory;
	struct dram_facts f;
	unsigned per = memory_n_sub(m) / memory_n_channels(m);
	if (o->json) {
		channels_json(o, v);
		return;
	}
	memory_dram_facts(m, &f);
	for (unsigned c = 0; c < memory_n_channels(m); c++) {
		stat_say(o, "Memory Partition %u: \n", c);
		for (unsigned s = 0; s < per; s++)
			if (memory_has_l2(m))
				stat_say(o, "Cache L2_bank_%03u:\nMSHR contents\n\n", c * per + s);
		stat_say(o, "In Dram Latency Queue (total = 0): \n");
		stat_say(o, "DRAM[%u]: %u bks, busW=%u BL=%u CL=%u, tRRD=%u tCCD=%u, tRCD=%u tRAS=%u tRP=%u tRC=%u\n", c, f.n_banks,
		         f.bus_bytes, f.burst_length, f.CL, f.RRD, f.CCD, f.RCD, f.RAS, f.RP, f.RC);
		channel_text(o, memory_dram_stats(m, c), &f);
	}
}

// --- L2

void stat_l2_banks(struct stat_out *o, const struct stat_view *v)
{
	struct memory *m = v->t->memory;
	stat_open(o, '[');
	for (unsigned s = 0; s < memory_n_sub(m); s++) {
		struct cache_sums sum;
		memory_l2_sums(m, s, &sum);
		stat_say(o, "L2_cache_bank[%u]: ", s);
		stat_sums(o, &sum);
	}
	stat_close(o, ']');
}

// --- where requests spend their time

void stat_stage_latency(struct stat_out *o, const struct stat_view *v, bool writes)
{
	enum { STAGES = 27 }; // of GPGPU-Sim's enum mem_fetch_status
	stat_say(o, "%s_mem_lat_dist ", writes ? "ST" : "LD");
	stat_open(o, '[');
	for (unsigned i = 0; i < STAGES; i++)
		stat_cell(o, " %llu", 0);
	stat_close(o, ']');
	stat_say(o, "\n");
}
